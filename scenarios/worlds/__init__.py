"""Worlds: what an exercise's cluster is made of and what its controller may do."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from scenarios.worlds.contract import Episode, Figures, Series, UnknownWorld, World

_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")


@cache
def load_world(name: str) -> World[Any]:
    """The world exported by the folder of that name. Raises UnknownWorld."""
    package = f"{__name__}.{name}"
    if not _NAME.fullmatch(name) or find_spec(package) is None:
        raise UnknownWorld(f"There is no world {name[:40]!r} in scenarios/worlds.")
    found = getattr(import_module(package), "WORLD", None)
    if not isinstance(found, World):
        raise UnknownWorld(f"scenarios/worlds/{name} does not export WORLD.")
    return found


__all__ = ["Episode", "Figures", "Series", "UnknownWorld", "World", "load_world"]
