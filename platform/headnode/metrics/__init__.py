"""Figures for Prometheus: what processes counted, what the database says, what the cards do."""

from __future__ import annotations
