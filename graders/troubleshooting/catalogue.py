"""What every cause and herring is called, and by which words people mean it: read from the matching files."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from scenarios.troubleshooting.faults import CATALOGUE
from scenarios.troubleshooting.herrings import HERRINGS

FOLDER = Path(__file__).parent
CAUSE, HERRING = "cause", "herring"

_FIELD = ("words", "shows", "acts", "guards")

Ways = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Subject:
    """One cause or herring. `ways` name it; `unless` takes a match back.

    Of causes: `topic` ties a sentence to it, `mitigate` and `prevent` are what helps, `signs` what a
    command's output shows, `place` what locates one that stands on no machine. Of herrings: `reasons`
    show that somebody looked. `words`, `shows`, `acts`, `guards` and `effort` are of field.toml: what is
    understood of a sentence in any language.
    """

    key: str
    kind: str
    name: str
    ways: Ways
    unless: str = ""
    topic: str = ""
    mitigate: Ways = ()
    prevent: Ways = ()
    signs: str = ""
    place: str = ""
    reasons: str = ""
    words: str = ""
    shows: str = ""
    acts: str = ""
    guards: str = ""
    effort: int = 2


def _ways(rows: Sequence[Sequence[str]]) -> Ways:
    return tuple(tuple(row) for row in rows)


def _subject(key: str, kind: str, name: str, row: Mapping[str, Any]) -> Subject:
    texts = {
        name: str(row.get(name, ""))
        for name in ("unless", "topic", "signs", "place", "reasons", *_FIELD)
    }
    return Subject(
        key=key,
        kind=kind,
        name=name,
        ways=_ways(row["ways"]),
        mitigate=_ways(row.get("mitigate", [])),
        prevent=_ways(row.get("prevent", [])),
        effort=int(row.get("effort", 2)),
        **texts,
    )


@cache
def subjects() -> Mapping[str, Subject]:
    """Every cause, then every herring, in the catalogue's order. Raises KeyError if one has no words."""
    rows: dict[str, Any] = {}
    for path in sorted((FOLDER / "matching").glob("*.toml")):
        rows |= tomllib.loads(path.read_text(encoding="utf-8"))
    names = tomllib.loads((FOLDER / "names.toml").read_text(encoding="utf-8"))
    field = tomllib.loads((FOLDER / "field.toml").read_text(encoding="utf-8"))
    keys = [(fault.key, CAUSE) for fault in CATALOGUE]
    keys += [(herring.key, HERRING) for herring in HERRINGS]
    return {key: _subject(key, kind, names[key], rows[key] | field[key]) for key, kind in keys}


@cache
def kin() -> tuple[frozenset[str], ...]:
    """Groups of subjects that people describe with the same words."""
    data = tomllib.loads((FOLDER / "kin.toml").read_text(encoding="utf-8"))
    return tuple(frozenset(one) for one in data["groups"])
