"""Which root folders there are: each is declared in one file beside this one, by name."""

from __future__ import annotations

from sandbox.roots.declarations import NAMES, Declaration, declared

__all__ = ["NAMES", "Declaration", "declared"]
