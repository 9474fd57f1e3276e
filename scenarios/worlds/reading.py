"""Reads a world's data: the TOML beside its code, a level's settings, the words of a pack's texts."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, field, fields
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from scenarios.worlds.contract import Series

T = TypeVar("T")
_TYPES: Mapping[str, tuple[type, ...]] = {
    "int": (int,),
    "float": (int, float),
    "bool": (bool,),
    "str": (str,),
}


@cache
def table(code: str, name: str) -> dict[str, Any]:
    """The TOML file `name` in the folder of the module whose `__file__` is `code`; not to be changed."""
    return tomllib.loads(Path(code).with_name(name).read_text(encoding="utf-8"))


def series(rows: Sequence[Sequence[str]]) -> tuple[Series, ...]:
    """Lines of a timeline from rows [key, label, unit, group]."""
    return tuple(Series(*row) for row in rows)


def spoken(words: Mapping[str, str], **things: object) -> dict[str, str]:
    """Words by name from format strings over `things`; a name may be a format string itself."""
    return {name.format(**things): text.format(**things) for name, text in words.items()}


def between(low: float, high: float, **more: Any) -> Any:
    """A dataclass's number that settings may set from `low` to `high`; `more` as in `field`."""
    return field(metadata={"between": (low, high)}, **more)


def settings(kind: type[T], values: Mapping[str, Any]) -> T:
    """A dataclass from a table with its fields as keys. ValueError: one sentence naming the key.

    Fields of plain types are checked for type and for their bounds; others are taken as they are.
    """
    known = {item.name: item for item in fields(kind)}  # type: ignore[arg-type]
    for key, value in values.items():
        if key not in known:
            raise ValueError(f"Unknown setting {key}; remove it or correct its spelling.")
        _check(key, value, str(known[key].type), known[key].metadata.get("between"))
    for key, item in known.items():
        if key not in values and item.default is item.default_factory is MISSING:
            raise ValueError(f"The setting {key} is missing.")
    return kind(**values)


def _check(key: str, value: object, wanted: str, bounds: tuple[float, float] | None) -> None:
    types = _TYPES.get(wanted)
    if types is not None and type(value) not in types:
        kind = {"bool": "true or false", "str": "a text"}.get(wanted, f"a number ({wanted})")
        raise ValueError(f"{key} must be {kind}, not {value!r}.")
    if bounds and not (isinstance(value, (int, float)) and bounds[0] <= value <= bounds[1]):
        raise ValueError(f"{key} must be a number from {bounds[0]:g} to {bounds[1]:g}.")
