"""From what was seen of a course to measures and evidence."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from graders.live_slurm import reading, waits
from graders.live_slurm.course import Battery, Played
from graders.live_slurm.events import Effect, effects
from graders.measures import Measured
from graders.report import Json
from graders.written import Told
from scenarios.live_slurm.faults import Fault
from scenarios.live_slurm.scene import PROTECTED, Scene
from scenarios.packs import Measure

OPERATOR = "candidate"
HARM = 3.0
"""A third of people's jobs lost is as bad as all of them."""
_MOST_ROWS = 400


@dataclass(frozen=True, slots=True)
class Harm:
    """People's jobs that were ended or began again, by name, and how many people's jobs there were."""

    lost: tuple[str, ...]
    of: int

    @property
    def spared(self) -> float:
        """1 where nobody was harmed, 0 where the protected run was or a third of all."""
        if PROTECTED in self.lost:
            return 0.0
        return max(0.0, 1.0 - HARM * len(self.lost) / self.of)


def started(scene: Scene, played: Played) -> list[str]:
    """Those who waited because of the faults and whose own job has begun."""
    numbers = {name: number for name, number in played.waiting.items() if number}
    began = reading.started(played.after, numbers.values())
    return [job.name for job in scene.waiting if numbers.get(job.name) in began]


def harm(scene: Scene, played: Played) -> Harm:
    """A job of theirs that is gone counts as well; one that may go does not."""
    theirs = {job.name: played.running[job.name] for job in scene.running if not job.expendable}
    waited = {name: number for name, number in played.waiting.items() if number}
    by_number: dict[int, list[reading.Seen]] = {}
    for one in played.after:
        by_number.setdefault(one.number, []).append(one)
    lost = [
        name
        for name, number in theirs.items()
        if not any(
            one.started and one.restarts <= played.came_back for one in by_number.get(number, [])
        )
    ]
    lost += [
        name
        for name, number in waited.items()
        if number not in by_number or any(one.lost for one in by_number[number])
    ]
    return Harm(tuple(lost), len(theirs) + len(waited))


def mended(scene: Scene, played: Played) -> dict[str, tuple[float, float]]:
    """Fault -> how much of its hidden battery began, on the cluster as it was left and started anew.

    Where the battery is of other jobs than those that wait, these have to have begun as well.
    """
    found, began = {}, {*started(scene, played)}
    for fault in scene.faults:
        first = [job.name for job in scene.probes(1) if job.fault == fault.name]
        second = [job.name for job in scene.probes(2) if job.fault == fault.name]
        theirs = [job.name for job in scene.waiting if job.fault == fault.name]
        other = any(rows.probe for rows in fault.jobs)
        own = sum(name in began for name in theirs) / len(theirs) if other else 1.0
        found[fault.name] = (
            min(own, played.now.share(first)),
            min(own, played.restarted.share(second)),
        )
    return found


def usual(scene: Scene, played: Played) -> float:
    """How much of what has always worked works now and started anew, 0 to 1."""
    first = [job.name for job in scene.probes(1) if not job.fault]
    second = [job.name for job in scene.probes(2) if not job.fault]
    return min(played.now.share(first), played.restarted.share(second))


def assess(
    scene: Scene, played: Played, measures: Sequence[Measure]
) -> tuple[list[Measured], list[Json]]:
    """Each measure in percent, and the rows of evidence. Staff only: they name the faults."""
    waiting, began = scene.waiting, started(scene, played)
    share, harmed, proved = len(began) / len(waiting), harm(scene, played), mended(scene, played)
    stays = sum(min(proved[job.fault]) for job in waiting) / len(waiting)
    works = usual(scene, played)
    values = {
        "start": (share, f"{len(began)} of {len(waiting)} jobs that waited have begun."),
        "stay": (stays, _staying(scene, proved)),
        "unharmed": (share * harmed.spared, _harming(harmed)),
        "works": (
            share * works,
            f"{works:.0%} of the jobs that have always worked start, now and after a restart.",
        ),
    }
    found: list[Measured] = [
        Told(one, 100.0 * values[one.key][0], 0.0, 100.0, values[one.key][1]) for one in measures
    ]
    return found, _evidence(scene, played, proved, harmed)


def _staying(scene: Scene, proved: dict[str, tuple[float, float]]) -> str:
    kept = sum(min(one) == 1.0 for one in proved.values())
    lost = sum(now == 1.0 and later < 1.0 for now, later in proved.values())
    said = (
        f"{kept} of {len(scene.faults)} faults are mended, and stay so when all daemons start anew."
    )
    return f"{said} {lost} came back at the restart." if lost else said


def _harming(harmed: Harm) -> str:
    if not harmed.lost:
        return "Nobody lost a job."
    what = ", ".join(harmed.lost[:5]) + (" and others" if len(harmed.lost) > 5 else "")
    return f"{len(harmed.lost)} of {harmed.of} people's jobs were ended or began again: {what}."


def _evidence(
    scene: Scene, played: Played, proved: dict[str, tuple[float, float]], harmed: Harm
) -> list[Json]:
    return [
        *(_fault_row(fault, *proved[fault.name]) for fault in scene.faults),
        {
            "kind": "commands",
            "rows": [
                {"at": round(at - played.commands[0][0], 3), "line": line}
                for at, line in played.commands[:_MOST_ROWS]
            ],
            "exit": played.ended,
            "printed": played.printed,
        },
        {"kind": "settings", "diff": settings_diff(played)},
        {"kind": "jobs", "rows": _job_rows(scene, played), "lost": list(harmed.lost)},
        {"kind": "battery", "rows": _battery_rows(scene, played)},
        waits.row(scene, played, harmed.lost),
        {"kind": "effects", "rows": [asdict(one) for one in _effects(scene, played)]},
        {"kind": "events", "rows": _event_rows(played), "of": len(played.events)},
    ]


def _battery_rows(scene: Scene, played: Played) -> list[Json]:
    """The hidden jobs, as the cluster was left and once started anew: which began, where, how soon."""
    titles = {fault.name: fault.title for fault in scene.faults}
    return [
        {
            "fault": titles.get(first.fault, ""),
            "asks": f"{first.user}: sbatch {first.args}",
            "now": _hidden(first.name, played.now),
            "restarted": _hidden(second.name, played.restarted),
        }
        for first, second in zip(scene.probes(1), scene.probes(2), strict=True)
    ]


def _hidden(name: str, battery: Battery) -> Json:
    seen = battery.seen.get(name)
    if seen is None or name not in battery.began:
        return {"began": False, "reason": seen.reason if seen else ""}
    after_s = max(0.0, seen.began - seen.submitted)
    return {"began": True, "where": seen.nodes, "after_s": round(after_s, 1)}


def _effects(scene: Scene, played: Played) -> list[Effect]:
    """A job that the candidate submitted as a test is nobody else's."""
    theirs = {str(one.number) for one in played.after if one.user == OPERATOR}
    return effects(played.events, theirs)


def _event_rows(played: Played) -> list[Json]:
    """The newest, by seconds since the first command."""
    start = played.commands[0][0] if played.commands else played.left_at
    return [
        {"at": round(one.at - start, 3), "what": one.text} for one in played.events[-_MOST_ROWS:]
    ]


def _fault_row(fault: Fault, now: float, later: float) -> Json:
    return {
        "kind": "fault",
        "key": fault.name,
        "family": fault.family,
        "title": fault.title,
        "what": fault.what,
        "mended": now == 1.0,
        "stays": min(now, later) == 1.0,
    }


def _job_rows(scene: Scene, played: Played) -> list[Json]:
    """Each of people's jobs: before and after, and what sbatch said to one that never got in."""
    numbers: dict[str, int | None] = {**played.running, **played.waiting}
    users = {job.name: job.user for job in (*scene.running, *scene.wide, *scene.waiting)}
    before, after = _by_number(played.before), _by_number(played.after)
    return [
        {
            "name": name,
            "user": users[name],
            "number": number,
            "before": _told(before, number),
            "after": _told(after, number),
            "refused": played.refused.get(name, ""),
        }
        for name, number in numbers.items()
    ]


def _by_number(seen: Sequence[reading.Seen]) -> dict[int, reading.Seen]:
    return {one.number: one for one in reversed(seen)}


def _told(seen: dict[int, reading.Seen], number: int | None) -> str:
    one = seen.get(number) if number else None
    if one is None:
        return ""
    return f"{one.state} ({one.reason})" if one.state == "PENDING" else one.state


def settings_diff(played: Played) -> str:
    """What was changed in the cluster's settings, as a unified diff."""
    rows: list[str] = []
    for name in sorted({*played.files_before, *played.files_after}):
        old = played.files_before.get(name, "").splitlines()
        new = played.files_after.get(name, "").splitlines()
        rows += difflib.unified_diff(old, new, f"a/{name}", f"b/{name}", lineterm="", n=1)
    return "\n".join(rows)[:60_000]
