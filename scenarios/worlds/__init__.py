"""Worlds: what an exercise's cluster is made of and what its controller may do."""

from __future__ import annotations
