"""The whole site in one file, and back: every row, the files that belong to them, whatever database it is."""

from __future__ import annotations
