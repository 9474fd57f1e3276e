"""Reads a profile from TOML; one sentence that names table, row and key for whatever is not right."""

from __future__ import annotations

import datetime
import re
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from scenarios.company.profile import defaults
from scenarios.company.profile.basics import BASIC, read_basics, read_money
from scenarios.company.profile.checks import check
from scenarios.company.profile.columns import REQUIRED, Column, ProfileError, columns_of
from scenarios.company.profile.company import Profile, models_of
from scenarios.company.profile.gpus import NO_MODELS, GpuModel
from scenarios.company.profile.tables import ARRAYS, SINGLE, NodeType, PolicyValue, Tables

Models = Mapping[str, GpuModel]
TABLES = (*BASIC, *ARRAYS, *SINGLE, "policies")
MOST_BYTES = 1_000_000
MOST_POLICIES = 40
MOST_POINTS = 250
"""Points between two signs of equality in a line; no value of a profile has as many, and no key."""
_POLICY = re.compile(r"[a-z][a-z0-9_]{0,39}")


def load_profile(path: Path) -> Profile:
    """Read `company.toml`. Raises ProfileError for anything that is not exactly right."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        raise ProfileError(f"The profile {path} cannot be read: give a text file.") from None
    return read_profile(text, f"The profile {path}")


def read_profile(text: str, called: str = "The profile") -> Profile:
    """Read a profile from the text of its TOML. Raises ProfileError."""
    if len(text) > MOST_BYTES:
        raise ProfileError(f"{called} is longer than a million characters.")
    # What a key of many parts takes grows with the square of them, in time and in memory.
    for number, line in enumerate(text.splitlines(), start=1):
        if any(part.count(".") > MOST_POINTS for part in line.split("=")):
            raise ProfileError(
                f"{called} has a key or a value of very many points in line {number}."
            )
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ProfileError(f"{called} is not TOML: {error}.") from None
    except ValueError:  # Python reads no whole number of thousands of digits
        raise ProfileError(f"{called} has a number of too many digits.") from None
    return parse_profile(data)


def parse_profile(data: Mapping[str, object]) -> Profile:
    """Check a profile's tables; every table is optional. Raises ProfileError for the first thing wrong."""
    for name in data:
        if name not in TABLES:
            there = ", ".join(f"[{one}]" for one in TABLES)
            raise ProfileError(f"Unknown table [{_shown(name)}]: a profile has {there}.")
    own = models_of(_array("accelerators", data.get("accelerators", [])))
    rate = read_money(data).get("per_usd", 1.0)
    arrays: dict[str, Any] = {name: _array(name, data.get(name, []), own, rate) for name in ARRAYS}
    single = {name: _single(name, data[name], own) for name in SINGLE if name in data}
    given = Tables(**arrays, policies=_policies(data["policies"]) if "policies" in data else None)
    basics = read_basics(data, given.node_types, single.get("price_book", {}), own)
    profile = Profile(**basics, given=given)
    tables = {name: replace(getattr(profile, name), **single[name]) for name in single}
    profile = replace(profile, given=replace(given, **tables))
    check(profile)
    return profile


def _shown(key: object) -> str:
    text = str(key)[:40]
    return text if text.isprintable() else ascii(text)


def _single(name: str, given: object, own: Models) -> dict[str, Any]:
    if not isinstance(given, Mapping):
        raise ProfileError(f"[{name}] must be a table.")
    found: dict[str, Any] = {}
    columns = {one.key: one for one in columns_of(SINGLE[name])}
    for key, value in given.items():
        column = _column(columns, key, f"[{name}]")
        if column.of is None:
            found[key] = _value(column, value, f"{key} in [{name}]")
            continue
        path = f"{name}.{key}"
        found[key] = _rows(path, column.of, value, int(column.high), own)
        if not found[key]:
            raise ProfileError(f"[[{path}]] needs at least one row.")
    return found


def _array(name: str, given: object, own: Models = NO_MODELS, rate: float = 1.0) -> tuple[Any, ...]:
    row, most = ARRAYS[name]
    return _rows(name, row, given, most, own, rate)


def _rows(
    name: str, row: type, given: object, most: int, own: Models = NO_MODELS, rate: float = 1.0
) -> tuple[Any, ...]:
    if not isinstance(given, list) or not all(isinstance(one, Mapping) for one in given):
        raise ProfileError(
            f"[[{name}]] must be an array of tables: write each row below [[{name}]]."
        )
    if len(given) > most:
        raise ProfileError(f"[[{name}]] has {len(given)} rows: {most} is the most.")
    return tuple(
        _row(row, one, f"[[{name}]], row {number},", own, rate)
        for number, one in enumerate(given, start=1)
    )


def _row(
    row: type, given: Mapping[str, object], where: str, own: Models = NO_MODELS, rate: float = 1.0
) -> Any:
    columns = {one.key: one for one in columns_of(row)}
    found: dict[str, Any] = {}
    for key, value in given.items():
        column = _column(columns, key, where.rstrip(","))
        known = key == "gpu" and value in own
        found[key] = value if known else _value(column, value, f"{key} in {where}")
    for column in columns.values():
        if column.default is REQUIRED and column.key not in found:
            raise ProfileError(f"{column.key} in {where} is missing.")
    return _usual_node(found, own, rate) if row is NodeType else row(**found)


def _usual_node(given: dict[str, Any], own: Models, rate: float) -> NodeType:
    """What is not said of a node is as usual for its GPUs."""
    gpu = given.get("gpu", "H100")
    gpus = given.get("gpus", 8) or 8
    usual = defaults.node_type(given["name"], given["count"], gpu, gpus, own, rate)
    return replace(usual, **given)


def _column(columns: Mapping[str, Column], key: str, where: str) -> Column:
    if key not in columns:
        raise ProfileError(f"Unknown key {_shown(key)} in {where}: it has {', '.join(columns)}.")
    return columns[key]


def _value(column: Column, value: object, where: str) -> Any:
    if column.kind == "day" and type(value) is datetime.date:  # TOML knows dates without quotes
        value = value.isoformat()
    return column.checked(value, where)


def _policies(given: object) -> tuple[tuple[str, PolicyValue], ...]:
    if not isinstance(given, Mapping):
        raise ProfileError("[policies] must be a table.")
    if len(given) > MOST_POLICIES:
        raise ProfileError(f"[policies] has {len(given)} values: {MOST_POLICIES} is the most.")
    return tuple((_policy_name(key), _policy(key, value)) for key, value in given.items())


def _policy_name(key: str) -> str:
    if not _POLICY.fullmatch(key):
        raise ProfileError(
            f"{_shown(key)} in [policies] must be a name of lower-case letters, digits and _."
        )
    return key


def _policy(key: str, value: object) -> PolicyValue:
    where = f"{key} in [policies]"
    if isinstance(value, str):
        text = Column(key, "text", "", low=1, high=200)
        return str(text.checked(value, where))
    if type(value) is bool:
        return value
    if isinstance(value, int | float) and abs(value) <= 1e12:
        return value
    raise ProfileError(f"{where} must be a text, a number, or true or false.")
