from __future__ import annotations

from hiring.tests.desk import desk

__all__ = ["desk"]
