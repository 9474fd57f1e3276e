"""The engine of every simulated cluster: an agenda of events, seeded streams, meters."""

from __future__ import annotations

VERSION = "1"
"""Part of every grade's provenance: raised when a change moves any simulated figure."""
