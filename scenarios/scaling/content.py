"""Words and tables that are data: the TOML files below `texts`, each read once."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

TEXTS = Path(__file__).parent / "texts"


@cache
def content(name: str) -> Mapping[str, Any]:
    """What `texts/NAME.toml` holds, lists as tuples; nobody changes it."""
    data = tomllib.loads((TEXTS / f"{name}.toml").read_text(encoding="utf-8"))
    return {key: _fixed(value) for key, value in data.items()}


def rows(name: str) -> tuple[dict[str, Any], ...]:
    """The rows of `texts/NAME.toml`, which are called as the file is."""
    found: tuple[dict[str, Any], ...] = content(name)[name]
    return found


def _fixed(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_fixed(one) for one in value)
    return {key: _fixed(one) for key, one in value.items()} if isinstance(value, dict) else value
