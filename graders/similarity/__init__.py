"""Passages that two answers have in common: found, never judged; see README.md beside this."""

from __future__ import annotations

VERSION = "1"
"""Of the algorithm. Another one makes other fingerprints, so a change of either asks for a new number."""
