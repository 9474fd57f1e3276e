"""What can be wrong with the cluster: one file for each fault beside this one, and the form that it has."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

FAMILIES = ("nodes", "partitions", "requests", "scheduler", "configuration", "workload")
_FOLDER = Path(__file__).parent
NAMES = tuple(sorted(path.stem for path in _FOLDER.glob("*.toml")))


class FaultInvalid(ValueError):
    """A fault's file is wrong; the message is one sentence that names the file and what to look at."""


@dataclass(frozen=True, slots=True)
class Edit:
    """`find`, which stands once in `file` (in its line that begins with `line`), becomes `put`.

    With `every` it may stand in many lines. `harmless` edits belong to the fault and need no cure. `unread`
    ones are in force, and gone from the file: nobody has told the daemons.
    """

    file: str
    find: str
    put: str
    line: str = ""
    every: bool = False
    harmless: bool = False
    unread: bool = False


@dataclass(frozen=True, slots=True)
class Jobs:
    """`count` jobs of a user that wait because of the fault; `args` are sbatch's.

    `probe` are the arguments of the hidden jobs that show whether it is mended, where they are others.
    """

    user: str
    args: str
    count: int
    probe: str = ""


@dataclass(frozen=True, slots=True)
class Holder:
    """A job that runs and is part of the fault. `said` is its owner's word on it; with `keep` it may not go."""

    user: str
    name: str
    args: str
    said: str
    keep: bool = False


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong. Texts and lines may hold {node}, {other} and {port}.

    `state` are shell lines that make what no file holds, `shows` wait until it has shown itself, for whoever is
    quicker than a person; `cure` mends it for good, `running` only until the
    daemons start anew (empty: there is no such cure). `touches` names what it changes: faults that touch the
    same thing do not come together. `about` are the words by which people speak of it, `where` those by which
    they say where it is: alternatives with | between, * for any ending, ~ for up to four words. With
    `restart_cures` a restart of everything is enough. `wide` asks for a job of all nodes that has to wait,
    `ahead` are others that do so rightly, and come before those that wait because of the fault.
    """

    name: str
    family: str
    title: str
    what: str
    touches: tuple[str, ...]
    signs: tuple[str, ...]
    prevent: str
    about: str
    where: str
    ticket: str
    change: str
    cure: tuple[str, ...]
    jobs: tuple[Jobs, ...]
    edits: tuple[Edit, ...] = ()
    state: tuple[str, ...] = ()
    shows: tuple[str, ...] = ()
    running: tuple[str, ...] = ()
    holders: tuple[Holder, ...] = ()
    ahead: tuple[Jobs, ...] = ()
    restart_cures: bool = False
    wide: bool = False


_ROWS: Mapping[str, type[Edit] | type[Jobs] | type[Holder]] = {
    "edits": Edit,
    "jobs": Jobs,
    "holders": Holder,
    "ahead": Jobs,
}


@cache
def fault_of(name: str) -> Fault:
    """Raises FaultInvalid."""
    where = f"live_slurm/faults/{name}.toml"
    if name not in NAMES:
        raise FaultInvalid(f"There is no fault {name[:60]!r}: {where} would hold it.")
    try:
        data = tomllib.loads((_FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise FaultInvalid(f"{where} is not TOML: {error}.") from None
    return parse(where, name, data)


def parse(where: str, name: str, data: Mapping[str, Any]) -> Fault:
    """The fault in a file's data. Raises FaultInvalid."""
    rows = {
        key: tuple(_row(where, kind, row) for row in data.get(key, ()))
        for key, kind in _ROWS.items()
    }
    plain = {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in data.items()
        if key not in rows
    }
    found: Fault = _row(where, Fault, {"name": name, **plain, **rows})
    if found.family not in FAMILIES:
        raise FaultInvalid(f"{where}: family is one of {', '.join(FAMILIES)}.")
    breaks = found.edits or found.state or found.holders
    if not (found.jobs and found.signs and found.cure and breaks):
        raise FaultInvalid(
            f"{where}: a fault has something that breaks, jobs that wait, signs and a cure."
        )
    return found


def _row(where: str, kind: type[Any], data: Mapping[str, Any]) -> Any:
    known = {one.name: one for one in fields(kind)}
    needed = {name for name, one in known.items() if one.default is MISSING}
    for key in data:
        if key not in known:
            raise FaultInvalid(f"{where}: unknown key {key}; remove it or correct its spelling.")
    for key in sorted(needed - data.keys()):
        raise FaultInvalid(f"{where}: the key {key} is missing.")
    return kind(**data)


@cache
def all_faults() -> tuple[Fault, ...]:
    """Every fault, by name. Raises FaultInvalid."""
    return tuple(fault_of(name) for name in NAMES)
