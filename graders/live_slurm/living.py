"""The course of a cluster that somebody works on: it begins or comes back, is looked at, kept, and let go."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from graders.live_slurm import reading
from graders.live_slurm.course import Begun, begin, tried
from graders.live_slurm.keeping import come_back, keep
from graders.live_slurm.orders import ClusterFailed, Course, Order
from graders.live_slurm.submitting import submit
from graders.live_slurm.watching import PATH, look
from scenarios.live_slurm.files import programs
from scenarios.live_slurm.scene import CROWD, Job, Scene

LOOK_S = 2.0
KEEP_S = 20.0
CROWD_S = 20.0
SETTLES_S = 6.0
"""Within so many seconds the controller has written down what has changed."""
_MARK = "==> headnode jobs <=="
_LOOK = (
    f"{PATH}timeout 10 scontrol show node -d -o 2>/dev/null; echo '{_MARK}'; "
    "timeout 10 scontrol show job -o -a 2>/dev/null; true"
)
_MOST_GPUS = 64
_GPUS = re.compile(r"gpu(?::[^:,(]+)?:(\d+)")
_MOST_WAITING = 4
_SHAPES = (
    ("gus", "-p interactive -n 1 --mem=100 -t 0:10:00"),
    ("gus", "-p interactive -n 1 --mem=400 -t 0:30:00"),
    ("ana", "-w gpu-n001 -n 1 --mem=100 -t 0:20:00"),
    ("chen", "-w gpu-n001 -n 4 --mem=2000 -t 1:00:00"),
    ("dora", "-w gpu-n001 -n 8 --mem=8000 -t 0:45:00"),
    ("emil", "-p prod -n 2 --mem=500 -t 1:00:00"),
    ("fay", "-p prod -n 1 --mem=100 -t 0:20:00"),
)
"""Jobs of people who go on working: small ones, which take no GPU from anybody."""


@dataclass(frozen=True, slots=True)
class Node:
    """A node as the controller has it; `reason` says why it is out of service."""

    name: str
    state: str
    gpus: int
    used: int
    reason: str


@dataclass(frozen=True, slots=True)
class View:
    """The cluster at one instant; no nodes where the controller does not answer."""

    nodes: list[Node]
    jobs: list[dict[str, str]]


@dataclass(frozen=True, slots=True)
class Kept:
    """The cluster's files as one text, and its jobs at that moment."""

    files: str
    seen: list[reading.Seen]
    final: bool = False


class Keeper(Protocol):
    """Whoever keeps a living cluster: told what is found, asked what is wanted."""

    def ready(self, begun: Begun, seen: list[reading.Seen]) -> None: ...
    def viewed(self, view: View) -> None: ...
    def kept(self, kept: Kept) -> None: ...
    def wants_keeping(self) -> bool: ...
    def wants_end(self) -> bool: ...


def living(
    scene: Scene,
    keeper: Keeper,
    before: tuple[Begun, str] | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Course[bool]:
    """Until the keeper wants an end; then the cluster is kept once more, with all that it remembers.

    `before` is how it once began and the text it was kept as; without it the cluster is a fresh one.
    Raises ClusterFailed where it does not come up.
    """
    if before is None:
        begun = yield from begin(scene)
        keeper.ready(begun, (yield from tried(begun)))
    else:
        begun, text = before
        keeper.ready(begun, (yield from come_back(text)))
    crowd = _crowd(scene)
    # The first time as soon as the controller has written down that anything is there.
    kept_at, crowd_at = clock() - KEEP_S + SETTLES_S, clock()
    while not keeper.wants_end():
        seen = yield from view()
        keeper.viewed(seen)
        if wanted := keeper.wants_keeping():
            yield Order(f"sleep {SETTLES_S}")
        if wanted or clock() - kept_at > KEEP_S:
            kept_at = clock()
            yield from _keep(keeper)
        if clock() - crowd_at > CROWD_S and _has_room(seen):
            crowd_at = clock()
            yield from submit([next(crowd)])
        yield Order(f"sleep {LOOK_S}")
    yield from _keep(keeper, final=True)
    return True


def view() -> Course[View]:
    """Nodes and jobs as the cluster's own tools tell of them."""
    said = yield Order(_LOOK, within_s=30.0)
    nodes, _, jobs = said.out.partition(_MARK)
    return View(
        [_node(row) for row in _rows(nodes, "NodeName")], [_job(row) for row in _jobs(jobs)]
    )


def _rows(text: str, key: str) -> list[dict[str, str]]:
    return [row for row in reading.records(text) if key in row]


def _jobs(text: str) -> list[dict[str, str]]:
    """What runs or waits."""
    rows = _rows(text, "JobId")
    moves = [row for row in rows if row.get("JobState") in ("PENDING", "RUNNING", "COMPLETING")]
    return moves[:200]


def _node(row: dict[str, str]) -> Node:
    return Node(
        row["NodeName"],
        row.get("State", ""),
        _gpus(row.get("Gres", "")),
        _gpus(row.get("GresUsed", "")),
        row.get("Reason", "").partition(" [")[0],
    )


def _gpus(text: str) -> int:
    """What a candidate's files claim is believed up to a bound."""
    found = _GPUS.search(text)
    return min(_MOST_GPUS, int(found[1])) if found else 0


def _job(row: dict[str, str]) -> dict[str, str]:
    running = row.get("JobState") != "PENDING"
    return {
        "id": row["JobId"],
        "name": row.get("JobName", ""),
        "user": row.get("UserId", "").partition("(")[0],
        "partition": row.get("Partition", ""),
        "state": row.get("JobState", ""),
        "where": row.get("NodeList", "") if running else row.get("Reason", ""),
        "nodes": row.get("NumNodes", ""),
        "gpus": str(_gpus(row.get("TresPerNode", "").replace("gres:", ""))),
    }


def _keep(keeper: Keeper, *, final: bool = False) -> Course[None]:
    """Files that are too large to be kept stay as they were kept last."""
    if final:
        # What was mended in the last moment has the time to show it.
        yield Order(f"sleep {SETTLES_S}")
    seen = yield from look()
    if final:
        # The controller writes everything down as it ends.
        yield Order(f"{PATH}service slurmctld stop", programs(), 90.0)
    try:
        files = yield from keep()
    except ClusterFailed:
        return
    keeper.kept(Kept(files, seen, final))


def _has_room(seen: View) -> bool:
    """Whether the small jobs do not pile up: who waits for long does not go on submitting."""
    waits = [job for job in seen.jobs if job["state"] == "PENDING" and CROWD in job["name"]]
    return len(waits) < _MOST_WAITING


def _crowd(scene: Scene) -> Iterator[Job]:
    """People's small jobs, one after the other, the same for each seed."""
    rng = random.Random(f"crowd {scene.level} {scene.seed}")  # noqa: S311 - a draw, and no secret
    number = 0
    while True:
        number += 1
        user, args = rng.choice(_SHAPES)
        yield Job(f"{user}{CROWD}{number}", user, args, rng.randrange(4, 16))
