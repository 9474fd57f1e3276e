"""How long people waited while somebody worked, by team, and what became of the protected run."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from graders.live_slurm.course import Played
from graders.report import Json
from scenarios.live_slurm.scene import CROWD, PROTECTED, TEAMS, Scene

MINUTE_S = 1.0
"""A second on the cluster stands for a minute of theirs."""


@dataclass(frozen=True, slots=True)
class Wait:
    """One job, how long it waited in people's minutes, and whether it has begun by itself."""

    team: str
    minutes: float
    began: bool


def waits(scene: Scene, played: Played) -> list[Wait]:
    """Of those who waited for the faults and of those who came while somebody worked."""
    users = {job.name: job.user for job in scene.waiting}
    left = played.left_at or max(
        (time for one in played.after for time in (one.submitted, one.began)), default=0.0
    )
    numbers = {number: name for name, number in played.waiting.items() if name in users}
    times = [one.submitted for one in played.after if one.submitted and one.number in numbers]
    came = min(times, default=left)
    found, met = [], set()
    for one in played.after:
        of_crowd = CROWD in one.name and one.submitted >= came
        name = numbers.get(one.number, one.name if of_crowd else "")
        user = users.get(name, one.user)
        # Who was refused until the end has been waiting since the others came.
        since = came if name in played.refused or one.submitted > left else one.submitted
        if not name or name in met or user not in TEAMS or not one.submitted:
            continue
        met.add(name)
        began = 0.0 < one.began <= left
        until = one.began if began else left
        found.append(Wait(TEAMS[user], max(0.0, until - since) / MINUTE_S, began))
    found += [
        Wait(TEAMS[user], (left - came) / MINUTE_S, False)
        for name, user in users.items()
        if name not in met
    ]
    return found


def row(scene: Scene, played: Played, lost: Collection[str]) -> Json:
    """As evidence: a line for each team, and the protected one by itself."""
    found = waits(scene, played)
    protected = TEAMS[next(job.user for job in scene.running if job.name == PROTECTED)]
    return {
        "kind": "waits",
        "rows": [_team(team, found) for team in dict.fromkeys(TEAMS.values())],
        "all": _team("", found),
        "protected": {
            "run": PROTECTED,
            "goes_on": PROTECTED not in lost,
            **_team(protected, found),
        },
    }


def _team(team: str, found: Iterable[Wait]) -> Json:
    """Of all teams where it has no name."""
    theirs = [one for one in found if team in ("", one.team)]
    minutes = [one.minutes for one in theirs]
    return {
        "team": team,
        "jobs": len(theirs),
        "began": sum(one.began for one in theirs),
        "minutes": round(sum(minutes), 1),
        "longest": round(max(minutes, default=0.0), 1),
    }
