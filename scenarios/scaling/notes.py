"""Notes of colleagues: some name a symptom that is there, others a cause that the data refutes."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from scenarios.company.profile import digest
from scenarios.scaling.scene import Scene
from scenarios.scaling.troubles import TROUBLES
from scenarios.simulator.streams import Stream

_FILE = Path(__file__).parent / "texts/notes.toml"
_COUNTS: Mapping[str, Mapping[str, int]] = {
    "junior": {"right": 2, "misread": 0, "wrong": 2},
    "mid": {"right": 2, "misread": 1, "wrong": 3},
    "senior": {"right": 2, "misread": 2, "wrong": 4},
}
"""Notes of each kind at a level, as far as there are."""
MUCH_LATER = 8
"""Weeks by which a GPU arrives later than one of today's, for which nobody can wait with everything."""


@dataclass(frozen=True, slots=True)
class Note:
    """about: a bottleneck or ""; kind: right, misread or wrong; why: for staff, what supports or refutes it."""

    about: str
    kind: str
    who: str
    text: str
    why: str
    needs: str = ""
    """What makes it wrong: next (a GPU with a long lead time is on offer), power (little is left), one site
    (there is no further one, whose uplinks may well be full)."""


@cache
def _all() -> tuple[Note, ...]:
    rows = tomllib.loads(_FILE.read_text(encoding="utf-8"))["notes"]
    return tuple(Note(**row) for row in rows)


def notes(scene: Scene) -> tuple[Note, ...]:
    """Those of this scene, in the order in which they are shown; of one bottleneck at most one."""
    there = {one.key for one in scene.bottlenecks}
    possible = {
        "right": [one for one in _all() if one.kind == "right" and one.about in there],
        "misread": [one for one in _all() if one.kind == "misread" and one.about in there],
        "wrong": [one for one in _all() if _is_wrong(scene, one)],
    }
    stream = Stream(
        f"growth notes {scene.level} {scene.seed} {digest(scene.profile)[:16]}", "notes"
    )
    found: list[Note] = []
    for kind, count in _COUNTS[scene.level].items():
        used = {one.about for one in found if one.about}
        rest = sorted(
            (stream.unit(), one.who, one) for one in possible[kind] if one.about not in used
        )
        found += [one for _, _, one in rest[:count]]
    return tuple(one for _, _, one in sorted((stream.unit(), one.text, one) for one in found))


def _is_wrong(scene: Scene, note: Note) -> bool:
    """Whether the data of this scene refutes it."""
    there = {TROUBLES[one.key].family for one in scene.bottlenecks}
    if note.kind != "wrong" or (note.about and TROUBLES[note.about].family in there):
        return False
    own = scene.offers[0]
    if note.needs == "one site":
        return len(scene.places) == 1
    if note.needs == "next":
        return any(one.weeks >= own.weeks + MUCH_LATER for one in scene.offers)
    if note.needs == "power":
        nodes = sum(place.count for place in scene.places)
        return sum(place.power_free_kw for place in scene.places) < own.power_kw * nodes / 3
    return True
