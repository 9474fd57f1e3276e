"""Reads a written answer on an incident against its variant's truth: measures and evidence, no verdict."""

from __future__ import annotations
