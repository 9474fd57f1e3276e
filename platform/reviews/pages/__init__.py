"""The staff's own pages about an attempt: look at it, score it, give feedback, decide."""

from __future__ import annotations
