"""What each tool printed, derived from the truth: one module for each tool."""

from __future__ import annotations
