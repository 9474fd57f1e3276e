"""The metrics of an incident, made from its condition: one module for each exporter."""

from __future__ import annotations
