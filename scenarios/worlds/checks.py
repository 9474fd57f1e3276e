"""What a call's parameters may be; each check takes a value of strict JSON."""

from __future__ import annotations

from collections.abc import Callable

Check = Callable[[object], bool]
Checks = dict[str, Check]


def is_name(value: object) -> bool:
    """A short string, as names of pools and nodes are."""
    return type(value) is str and 0 < len(value) <= 64


def is_line(value: object) -> bool:
    """A log line; the SDK cuts it to 200 characters."""
    return type(value) is str and len(value) <= 400


def is_count(value: object) -> bool:
    """A whole number that nothing overflows on. True and False are not numbers."""
    return type(value) is int and -1_000_000 <= value <= 1_000_000


def is_text(most: int) -> Check:
    """A string of at most `most` characters."""
    return lambda value: type(value) is str and len(value) <= most


def is_one_of(*choices: str) -> Check:
    """One of the given words."""
    return lambda value: type(value) is str and value in choices


def is_number(low: float, high: float) -> Check:
    """A number from `low` to `high`, whole or not. True and False are not numbers."""
    return lambda value: type(value) in (int, float) and low <= value <= high  # type: ignore[operator]


def is_list_of(check: Check, most: int) -> Check:
    """A list of at most `most` values that all pass `check`."""
    return lambda value: type(value) is list and len(value) <= most and all(map(check, value))
