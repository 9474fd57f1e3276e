"""A cluster as somebody left it: as JSON from whoever kept it, tried on a copy, and judged on one."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from graders.live_slurm import reading
from graders.live_slurm.course import Battery, Begun, Played, entered, judge, settings_files, settle
from graders.live_slurm.events import events_before
from graders.live_slurm.keeping import come_back
from graders.live_slurm.orders import Course
from graders.live_slurm.watching import wait_for_begin
from scenarios.live_slurm.scene import Scene

CLUSTER = "cluster.json"
"""The file of an answer that holds the cluster."""


@dataclass(frozen=True)
class Handed:
    """What is kept of a cluster. `files` is `keeping.keep`'s text, `seen` its jobs at that moment.

    `came_back` is how often a host of ours had it begin anew. `commands` are (seconds since 1970, line),
    `at` is when it was kept.
    """

    begun: Begun
    files: str
    seen: list[reading.Seen]
    came_back: int = 0
    commands: list[tuple[float, str]] = field(default_factory=list)
    at: float = 0.0

    def to_json(self) -> str:
        """As `handed_from` reads it."""
        return json.dumps(asdict(self), ensure_ascii=False, sort_keys=True)


def handed_from(text: str) -> Handed:
    """The cluster in the text. Raises ValueError where it is none."""
    try:
        data = json.loads(text)
        return Handed(
            begun_from(data["begun"]),
            str(data["files"]),
            seen_from(data["seen"]),
            int(data["came_back"]),
            [(float(at), str(line)) for at, line in data["commands"]],
            float(data.get("at", 0.0)),
        )
    except (KeyError, TypeError) as error:
        raise ValueError(f"{CLUSTER} holds no cluster.") from error


def begun_from(data: Mapping[str, Any]) -> Begun:
    """As JSON kept it. Raises KeyError and TypeError."""
    return Begun(**{name: data[name] for name in Begun.__slots__})


def seen_from(rows: Any) -> list[reading.Seen]:
    """As JSON kept them. Raises TypeError."""
    return [reading.Seen(**row) for row in rows]


def judged(scene: Scene, handed: Handed) -> Course[Played]:
    """Bring the cluster back as it was left and judge it. Raises ClusterFailed.

    What ran when it was kept is judged by how it stood then: on the copy everything has begun again.
    """
    begun = handed.begun
    back = yield from come_back(handed.files)
    files = yield from settings_files()
    happened = yield from events_before()
    found = yield from judge(scene, dict(begun.waiting), dict(begun.refused))
    faults = untouched(scene, handed)
    fixed = {job.name for job in scene.waiting if job.fault in faults}
    return Played(
        ready_s=begun.ready_s,
        running=begun.running,
        waiting=found.waiting,
        refused=found.refused,
        before=handed.seen or back,
        after=merged(handed, found.waiting, found.after, fixed),
        last=found.last or found.after,
        now=_without(found.now, scene, faults),
        restarted=found.restarted,
        commands=handed.commands,
        printed="",
        ended=0,
        files_before=begun.files,
        files_after=files,
        comes_back=found.comes_back,
        came_back=handed.came_back + (not handed.seen),
        left_at=handed.at,
        events=happened,
    )


def untouched(scene: Scene, handed: Handed) -> set[str]:
    """Faults that a restart mends and nobody had mended: that the copy was started anew shows nothing.

    They are known by those who waited for them, and still did.
    """
    began = reading.started(handed.seen, entered(handed.begun.waiting))
    return {
        fault.name
        for fault in scene.faults
        if fault.restart_cures
        and any(
            handed.begun.waiting.get(job.name) not in began
            for job in scene.waiting
            if job.fault == fault.name
        )
    }


def _without(battery: Battery, scene: Scene, faults: Collection[str]) -> Battery:
    theirs = {job.name for job in scene.probes(1) if job.fault in faults}
    return replace(battery, began=battery.began - theirs)


def merged(
    handed: Handed,
    waiting: Mapping[str, int | None],
    later: list[reading.Seen],
    fixed: Collection[str] = (),
) -> list[reading.Seen]:
    """As it stood when it was kept; of what still waited then, what became of it on the copy.

    `fixed` are names of those to whom the copy's start alone may have brought something.
    """
    if not handed.seen:
        return later
    # An array of which one task has begun has begun.
    settled = {one.number for one in handed.seen if one.started or one.lost}
    moves = {*entered({n: at for n, at in waiting.items() if n not in fixed})} - settled
    kept = [one for one in handed.seen if one.number not in moves]
    return kept + [one for one in later if one.number in moves]


@dataclass(frozen=True, slots=True)
class Checked:
    """How many of those who waited have begun or would begin, of how many."""

    begin: int
    of: int

    @property
    def told(self) -> str:
        """The one sentence that a candidate is told."""
        return f"{self.begin} of {self.of} waiting jobs would start."


def checked(scene: Scene, handed: Handed) -> Course[Checked]:
    """Try on a copy, started anew from its files, who of those who waited would begin. Raises ClusterFailed.

    A job that has begun on the cluster itself counts in any case.
    """
    begun = handed.begun
    yield from come_back(handed.files)
    numbers, _refused = yield from settle(scene, dict(begun.waiting), dict(begun.refused))
    later = yield from wait_for_begin(entered(numbers))
    began = later | reading.started(handed.seen, entered(numbers))
    faults = untouched(scene, handed)
    names = [
        job.name
        for job in scene.waiting
        if numbers.get(job.name) in began and job.fault not in faults
    ]
    return Checked(len(names), len(scene.waiting))
