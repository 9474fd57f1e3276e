"""What the controller's own log tells of somebody's work, and how much of that touched what is others'."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from graders.live_slurm.orders import Course, Order

MARK = Order("python3 ~/run/snapshot.py mark", within_s=30.0)
"""From here on the log tells of somebody's work, and no longer of how the cluster came up."""
_LINE = re.compile(r"^\[(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?)\] (.+)$")


@dataclass(frozen=True, slots=True)
class Event:
    """A line of the controller's log: when, in seconds since 1970, and what it says."""

    at: float
    text: str


def events() -> Course[list[Event]]:
    """Since the mark, and before the cluster last came back."""
    said = yield Order("python3 ~/run/snapshot.py events", within_s=30.0)
    return parsed(said.out)


def events_before() -> Course[list[Event]]:
    """On a copy: only what the cluster that was kept had told."""
    said = yield Order("cat ~/run/before 2>/dev/null; true", within_s=30.0)
    return parsed(said.out)


def parsed(text: str) -> list[Event]:
    """Lines that are none of a log are left out."""
    found = []
    for line in text.splitlines():
        if match := _LINE.match(line):
            at = datetime.fromisoformat(match[1]).replace(tzinfo=UTC).timestamp()
            found.append(Event(at, match[2]))
    return found


@dataclass(frozen=True, slots=True)
class Effect:
    """One kind of thing that was done to what is others', how often, and to which jobs, nodes or partitions."""

    what: str
    times: int
    whom: tuple[str, ...]


_EFFECTS = (
    ("jobs ended", re.compile(r"KILL_JOB.*? JobId=(\d+)")),
    ("jobs begun again", re.compile(r"[Rr]equeu.*? JobId=(\d+)")),
    ("jobs changed, held or released", re.compile(r"update_job: complete JobId=(\d+)")),
    ("nodes changed", re.compile(r"update_node: node (\S+) state set")),
    ("partitions changed", re.compile(r"update_part: .* for partition (\S+)")),
    ("settings read anew", re.compile(r"reconfigure_controller: completed()")),
    ("controller begun anew", re.compile(r"slurmctld version \S+ started()")),
)


def effects(happened: Iterable[Event], own: Collection[str]) -> list[Effect]:
    """What was done to others. `own` are numbers of jobs that nobody else has to do with."""
    found: dict[str, list[str]] = {}
    for event in happened:
        for what, pattern in _EFFECTS:
            if (match := pattern.search(event.text)) and match[1] not in own:
                found.setdefault(what, []).append(match[1])
    return [
        Effect(what, len(found[what]), tuple(dict.fromkeys(filter(None, found[what]))))
        for what, _ in _EFFECTS
        if what in found
    ]
