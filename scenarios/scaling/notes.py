"""Notes of colleagues: some name a symptom that is there, others a cause that the data refutes."""

from __future__ import annotations

from dataclasses import dataclass, replace

from scenarios.company.profile import digest
from scenarios.scaling.bottlenecks import BOTTLENECKS
from scenarios.scaling.content import rows
from scenarios.scaling.levels import LEVELS
from scenarios.scaling.scene import Scene
from scenarios.simulator.streams import Stream

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


def notes(scene: Scene) -> tuple[Note, ...]:
    """Those of this scene, in the order in which they are shown; of one bottleneck at most one."""
    there = {one.key for one in scene.bottlenecks}
    known = [Note(**row) for row in rows("notes")]
    known = [replace(one, who=_speaker(scene, one.who)) for one in known if _speaks(scene, one)]
    possible = {
        "right": [one for one in known if one.kind == "right" and one.about in there],
        "misread": [one for one in known if one.kind == "misread" and one.about in there],
        "wrong": [one for one in known if _is_wrong(scene, one)],
    }
    stream = Stream(
        f"growth notes {scene.level} {scene.seed} {digest(scene.profile)[:16]}", "notes"
    )
    found: list[Note] = []
    for kind, count in LEVELS[scene.level].notes.items():
        used = {one.about for one in found if one.about}
        rest = sorted(
            (stream.unit(), one.who, one) for one in possible[kind] if one.about not in used
        )
        found += [one for _, _, one in rest[:count]]
    return tuple(one for _, _, one in sorted((stream.unit(), one.text, one) for one in found))


_WORK = {
    "training": "training",
    "fine-tuning": "fine_tuning",
    "Product manager": "inference",
}
"""What stands in somebody's role -> the work without which there is nobody of that role."""
_LEADS = {
    "Team lead, applied research": ("Applied research", "interactive"),
    "Team lead, data": ("Data platform", "batch"),
}
"""A role -> the team that it leads in the default company, and the work by which another has such a team."""


def _speaks(scene: Scene, note: Note) -> bool:
    """Whether the company has anybody of that role."""
    teams = scene.profile.teams
    needed = [work for word, work in _WORK.items() if word in note.who]
    return all(any(team.mix[work] > 0 for team in teams) for work in needed)


def _speaker(scene: Scene, who: str) -> str:
    """The role by the name of the company's own team."""
    if who not in _LEADS:
        return who
    usual, work = _LEADS[who]
    teams = scene.profile.teams
    if any(team.name == usual for team in teams):
        return who
    most = max(teams, key=lambda team: (team.gpu_share * team.mix[work], team.name))
    return f"Team lead, {most.name}"


def _is_wrong(scene: Scene, note: Note) -> bool:
    """Whether the data of this scene refutes it."""
    there = {BOTTLENECKS[one.key].family for one in scene.bottlenecks}
    if note.kind != "wrong" or (note.about and BOTTLENECKS[note.about].family in there):
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
