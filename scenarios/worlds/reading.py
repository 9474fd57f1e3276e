"""Reads a world's data: the TOML beside its code, a level's settings, the words of a pack's texts."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from functools import cache
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

from scenarios.worlds.contract import Series

T = TypeVar("T")
_SAID: Mapping[object, str] = {
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    str: "a text",
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


@dataclass(frozen=True, slots=True)
class Between:
    """What a number in the settings may be, both ends included: `Annotated[int, Between(1, 8)]`."""

    low: float
    high: float


def settings(kind: type[T], values: Mapping[str, Any]) -> T:
    """A dataclass from a table with its fields as keys. ValueError: one sentence naming the key.

    Fields of plain types are checked for type and for their bounds; others are taken as they are.
    """
    hints = get_type_hints(kind, include_extras=True)
    for key, value in values.items():
        if key not in hints:
            raise ValueError(f"Unknown setting {key}; remove it or correct its spelling.")
        wanted, *bounds = (
            get_args(hints[key]) if get_origin(hints[key]) is Annotated else [hints[key]]
        )
        _check(key, value, wanted, bounds)
    for item in fields(kind):  # type: ignore[arg-type]
        if item.name not in values and item.default is item.default_factory is MISSING:
            raise ValueError(f"The setting {item.name} is missing.")
    return kind(**values)


def _check(key: str, value: object, wanted: object, bounds: Sequence[Between]) -> None:
    if wanted in _SAID and type(value) is not wanted and (wanted, type(value)) != (float, int):
        raise ValueError(f"{key} must be {_SAID[wanted]}, not {value!r}.")
    for one in bounds:
        if not (isinstance(value, (int, float)) and one.low <= value <= one.high):
            raise ValueError(f"{key} must be a number from {one.low:g} to {one.high:g}.")
