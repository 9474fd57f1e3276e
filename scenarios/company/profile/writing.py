"""Writes a profile as TOML that reads back as the same profile."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Any

from scenarios.company.profile.basics import BASIC, MONEY
from scenarios.company.profile.columns import columns_of
from scenarios.company.profile.company import Profile
from scenarios.company.profile.money import DOLLAR
from scenarios.company.profile.tables import ARRAYS, SINGLE, Tables


def complete(profile: Profile) -> Profile:
    """The same company with every optional table given: what was left to defaults is written out."""
    names = (*ARRAYS, *SINGLE)
    policies = tuple(profile.policies.items())
    return replace(
        profile, given=Tables(**{name: getattr(profile, name) for name in names}, policies=policies)
    )


def digest(profile: Profile) -> str:
    """SHA-256 in hexadecimal of everything that a profile says or leaves to the defaults."""
    return sha256(to_toml(complete(profile)).encode()).hexdigest()


def to_toml(profile: Profile, notes: Mapping[str, str] | None = None) -> str:
    """The profile's TOML. `notes`: place -> comment above it.

    A place is a table ("teams", "storage.tiers"), a key of one ("cluster.nodes"), or a row ("teams.2").
    """
    return "\n".join(_lines(profile, notes or {})).strip("\n") + "\n"


def _lines(profile: Profile, notes: Mapping[str, str]) -> Iterator[str]:
    yield from _comment(notes.get(""))
    for table, keys in BASIC.items():
        pairs = [(key, basic(profile, column.key)) for key, column in keys.items()]
        if table == "prices" and profile.currency != DOLLAR:
            pairs = [(key, getattr(profile, key)) for key in MONEY] + pairs
        yield from _table(f"[{table}]", table, pairs, notes)
    for name in ARRAYS:
        yield from _rows(name, getattr(profile.given, name), notes)
    for name in SINGLE:
        if (given := getattr(profile.given, name)) is None:
            continue
        plain: list[tuple[str, Any]] = []
        inner: list[tuple[str, Any]] = []
        for one in columns_of(SINGLE[name]):
            (inner if one.of else plain).append((one.key, getattr(given, one.key)))
        if plain or name in notes:
            yield from _table(f"[{name}]", name, plain, notes)
        for key, rows in inner:
            yield from _rows(f"{name}.{key}", rows, notes)
    if profile.given.policies is not None:
        yield from _table("[policies]", "policies", list(profile.given.policies), notes)


def basic(profile: Profile, key: str) -> Any:
    """A value of [cluster] or [prices] as the file has it: all nodes, and not those that exercises show."""
    shown = "all_nodes" if key == "nodes" and not profile.given.node_types else key
    return getattr(profile, shown)


def _rows(name: str, rows: tuple[Any, ...], notes: Mapping[str, str]) -> Iterator[str]:
    if rows:
        yield from _comment(notes.get(name))
    for number, row in enumerate(rows, start=1):
        pairs = [(one.key, getattr(row, one.key)) for one in columns_of(type(row))]
        yield from _table(f"[[{name}]]", f"{name}.{number}", pairs, notes)


def _table(
    head: str, name: str, pairs: list[tuple[str, Any]], notes: Mapping[str, str]
) -> Iterator[str]:
    yield from _comment(notes.get(name))
    yield head
    for key, value in pairs:
        yield from _comment(notes.get(f"{name}.{key}"))
        yield f"{key} = {_value(value)}"
    yield ""


def _comment(text: str | None) -> Iterator[str]:
    for line in (text or "").splitlines():
        yield f"# {line}".rstrip()


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return repr(value)
