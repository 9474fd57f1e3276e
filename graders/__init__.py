"""From a submission to measures with evidence; knows no database and no web site."""

from __future__ import annotations

VERSION = "1"
"""Part of every grade's provenance: raised when a change moves any measure."""
