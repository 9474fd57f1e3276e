"""What one value of a profile may be: its kind, its bounds, and the words that a form shows for it."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


class ProfileError(ValueError):
    """The profile cannot be used; the message is one sentence that names the table and the key."""


NAME = re.compile(r"[\w][\w .,:+/()&'’–-]*")
_MONTH = re.compile(r"(20\d\d)-(0[1-9]|1[0-2])")
_DAY = re.compile(r"(20\d\d)-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])")
_QUARTER = re.compile(r"20\d\d-Q[1-4]")
_PATTERNS = {
    "month": (_MONTH, "a month such as 2026-03"),
    "day": (_DAY, "a date such as 2026-03-31"),
    "quarter": (_QUARTER, "a quarter such as 2026-Q1"),
}
SMALLEST_UNITS = 2_000
"""Units of a currency that may come to a dollar."""
REQUIRED: Any = object()
"""The default of a column that must be given."""


@dataclass(frozen=True, slots=True)
class Column:
    """One key of a table. `kind`: text, whole, number, choice, month, day, quarter or rows.

    `label`, `unit` and `note` are what a form says beside the field; `low` and `high` bound numbers, and
    the length of texts. `of` is the class of the rows, `default` is REQUIRED where a value must be given.
    """

    key: str
    kind: str
    label: str
    unit: str = ""
    note: str = ""
    low: float = 0.0
    high: float = 0.0
    choices: tuple[str, ...] = ()
    of: type | None = None
    default: Any = REQUIRED

    def checked(self, value: object, where: str) -> Any:
        """The value in the type that the profile holds. Raises ProfileError with `where` in front."""
        if self.kind in ("whole", "number"):
            return self._number(value, where)
        if self.kind == "choice":
            if value not in self.choices:
                raise ProfileError(f"{where} must be one of {', '.join(self.choices)}.")
            return value
        if self.kind in _PATTERNS:
            pattern, said = _PATTERNS[self.kind]
            if not (isinstance(value, str) and pattern.fullmatch(value)):
                raise ProfileError(f"{where} must be {said}, in quotes.")
            return value
        return self._text(value, where)

    def _number(self, value: object, where: str) -> int | float:
        kinds = (int,) if self.kind == "whole" else (int, float)
        bounds = f"from {plain(self.low)} to {plain(self.high)}"
        if type(value) not in kinds or not self.low <= value <= self.high:  # type: ignore[operator]
            noun = "a whole number" if self.kind == "whole" else "a number"
            raise ProfileError(f"{where} must be {noun} {bounds}.")
        return value if self.kind == "whole" else float(value)  # type: ignore[arg-type,return-value]

    def _text(self, value: object, where: str) -> str:
        if value == "" and self.low == 0:
            return ""
        fits = isinstance(value, str) and len(value) <= self.high and NAME.fullmatch(value)
        if not fits:
            raise ProfileError(
                f"{where} must be 1 to {plain(self.high)} letters, digits, spaces and .,:+/()&'- beginning "
                "with a letter or digit."
            )
        return str(value)


def plain(value: float) -> str:
    """A number as a person writes it: 20, 0.01, 3.45."""
    return str(int(value)) if math.isfinite(value) and value == int(value) else repr(value)


def _made(default: Any, **told: Any) -> Any:
    return field(metadata=told) if default is REQUIRED else field(default=default, metadata=told)


def text(label: str, note: str = "", *, most: int = 60, default: Any = REQUIRED) -> Any:
    """A name; may be empty where the default is."""
    least = 0 if default == "" else 1
    return _made(default, kind="text", label=label, note=note, low=least, high=most)


def whole(
    label: str, low: int, high: int, unit: str = "", note: str = "", default: Any = REQUIRED
) -> Any:
    """A whole number within bounds."""
    return _made(default, kind="whole", label=label, unit=unit, note=note, low=low, high=high)


def number(
    label: str, low: float, high: float, unit: str = "", note: str = "", default: Any = REQUIRED
) -> Any:
    """A number within bounds; those of money leave room for currencies of small units."""
    high = high * SMALLEST_UNITS if unit.startswith("USD") else high
    return _made(default, kind="number", label=label, unit=unit, note=note, low=low, high=high)


def choice(label: str, choices: tuple[str, ...], note: str = "", default: Any = REQUIRED) -> Any:
    """One of a few words."""
    return _made(default, kind="choice", label=label, choices=choices, note=note)


def when(kind: str, label: str, note: str = "", default: Any = REQUIRED) -> Any:
    """A month, a day or a quarter, as text."""
    return _made(default, kind=kind, label=label, note=note)


def rows(of: type, label: str, most: int, note: str = "") -> Any:
    """The rows of an inner array of tables."""
    return _made(REQUIRED, kind="rows", label=label, of=of, high=most, note=note)


def columns_of(table: type) -> tuple[Column, ...]:
    """The columns of a table's class, in order."""
    found = []
    for one in dataclasses.fields(table):
        told: Mapping[str, Any] = one.metadata
        default = REQUIRED if one.default is dataclasses.MISSING else one.default
        found.append(Column(key=one.name, default=default, **told))
    return tuple(found)
