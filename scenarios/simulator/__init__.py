"""Who runs where and when in a simulated cluster, shown equal to real schedulers."""

from __future__ import annotations

VERSION = "2"
"""Part of every grade's provenance: raised when a change moves any simulated figure."""
