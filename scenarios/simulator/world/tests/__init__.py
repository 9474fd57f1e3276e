"""Tests of the world around the cluster."""

from __future__ import annotations
