"""Questions about the own work on a cluster: whom a line helped, what it brought, what outlasts a restart.

Right is what follows from the faults by construction: each keeps its own jobs waiting and nobody else's,
which a test of each fault holds. Only what the answer mended itself is asked about: no question names a cause.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest

from graders.live_slurm import reading
from graders.live_slurm.course import entered
from graders.live_slurm.handed import CLUSTER, Handed, handed_from
from graders.own_work import NUMBER, PLACE, Asker, Own, Question, choice, drawn
from graders.troubleshooting.patterns import hits
from scenarios.live_slurm.faults import Fault
from scenarios.live_slurm.scene import Job, Scene, draw

MOST_LINE = 110
_CHANGES = re.compile(
    r"\b(?:sed -i|vim?|echo .*>|tee|touch|mkdir|rm|service|scancel"
    r"|scontrol (?:update|delete|release|reconfig\w*))\b"
)
_LOST = re.compile(r"\bscontrol +update +(?:-\w+ +)*partition(?:name)?=", re.IGNORECASE)
_LASTS = re.compile(r"\b(?:sed -i|touch|mkdir)\b|\bscontrol +update +node(?:name)?=", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Work:
    """What somebody did. `mended` are faults whose every job has begun, with the own line that speaks of it."""

    scene: Scene
    began: list[Job]
    lines: list[str]
    mended: list[tuple[Fault, str]]


class ClusterAsker(Asker):
    """Asks about lines that were run; nothing is played again."""

    needs_sandbox = False

    def proposed(self, own: Own) -> Iterator[Question]:
        """In turn: who would still wait, how many would have begun, what a restart would have undone."""
        work = _work(own)
        if work is None:
            return
        for in_turn in zip_longest(*(make(own, work) for make in (_kept, _without, _lost))):
            yield from (one for one in in_turn if one)


KIND = ClusterAsker()


def _work(own: Own) -> Work | None:
    asked = own.asked
    try:
        handed = handed_from(asked.files.get(CLUSTER, ""))
    except ValueError:
        return None
    scene = draw(asked.level, asked.seed)
    began = _began(scene, handed)
    lines = list(
        dict.fromkeys(_short(line) for _, line in handed.commands if _CHANGES.search(line))
    )
    names = {job.name for job in began}
    mended = []
    for fault in scene.faults:
        theirs = [job.name for job in scene.waiting if job.fault == fault.name]
        line = next((one for one in lines if _speaks_of(one, fault)), "")
        if line and names >= {*theirs}:
            mended.append((fault, line))
    return Work(scene, began, lines, mended)


def _began(scene: Scene, handed: Handed) -> list[Job]:
    waiting = handed.begun.waiting
    numbers = reading.started(handed.seen, entered(waiting))
    return [job for job in scene.waiting if waiting.get(job.name) in numbers]


def _short(line: str) -> str:
    plain = " ".join(line.split())
    return plain if len(plain) <= MOST_LINE else f"{plain[: MOST_LINE - 1].rstrip()}…"


def _speaks_of(line: str, fault: Fault) -> bool:
    """Whether the line is one of the fault's own cures, or changes what it is about where it is."""
    cures = {_short(cure) for cure in (*fault.cure, *fault.running) if not _is_general(cure)}
    if line in cures:
        return True
    return bool(hits(fault.about, line)) and bool(hits(fault.where, line))


def _is_general(line: str) -> bool:
    """Lines that any repair ends with say nothing of which it was."""
    return line.startswith(("sleep", "for ", "scontrol reconfigure", "service"))


def _as_asked(job: Job) -> str:
    """A job by its owner and what it asks for: its name would tell which belong together."""
    return f"{job.user}: sbatch {job.args}"


def _kept(own: Own, work: Work) -> Iterator[Question | None]:
    """Which of those who began would still wait without one of the own lines."""
    for fault, line in work.mended:
        theirs = [_as_asked(job) for job in work.began if job.fault == fault.name]
        others = [_as_asked(job) for job in work.began if job.fault != fault.name]
        others += [_as_asked(job) for job in work.scene.running if not job.fault]
        yield choice(
            own,
            f"kept/{fault.name}",
            "kept",
            f"You ran “{line}”. Had you left that out, and whatever else you did for the same cause, one of"
            " these jobs would still be waiting. Which?",
            drawn(f"{own.digest}/kept/{fault.name}", theirs)[0],
            drawn(
                f"{own.digest}/others/{fault.name}", [one for one in others if one not in theirs]
            ),
            f"{fault.title} kept it waiting, and none of the other three.",
            form=PLACE,
        )


def _without(own: Own, work: Work) -> Iterator[Question | None]:
    """How many of those who waited would have begun without one repair."""
    for fault, line in work.mended:
        count = sum(job.fault != fault.name for job in work.began)
        if not count:
            continue
        yield Question(
            key=f"without/{fault.name}",
            topic="without",
            prompt=f"You ran “{line}”. Of the {len(work.scene.waiting)} jobs that waited when you came because"
            f" something was wrong, {len(work.began)} had begun at the end. How many would have begun without"
            " that line and whatever else you did for the same cause, with all else as you did it?",
            form=NUMBER,
            right=float(count),
            reckoning=f"{len(work.began) - count} of the {len(work.began)} waited for this:"
            f" {fault.title.lower()}.",
            unit="jobs",
        )


def _lost(own: Own, work: Work) -> Iterator[Question | None]:
    """Which of the own lines would not have outlasted a restart of the daemons."""
    lost = [line for line in work.lines if _LOST.search(line) and ";" not in line]
    lasting = [line for line in work.lines if _LASTS.search(line) and not _LOST.search(line)]
    for line in lost[:2]:
        yield choice(
            own,
            f"lost/{line}",
            "lost",
            "Had all daemons been started anew at the end from the files as they lay there then, what one of"
            " these lines of yours had set would have been gone, whatever the other three did. Which?",
            line,
            drawn(f"{own.digest}/lasting", lasting),
            "What scontrol changes in a partition is in no file; the controller keeps the states of nodes,"
            " and files stay.",
            form=PLACE,
        )
