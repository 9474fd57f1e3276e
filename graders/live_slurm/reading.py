"""Reads what Slurm's own tools print of jobs and nodes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

_CYCLES = re.compile(r"Total cycles: +(\d+)")
_FIELD = re.compile(r"(?:^| )([A-Za-z][A-Za-z0-9/:]*)=")
STARTED = frozenset({"RUNNING", "COMPLETED", "COMPLETING", "SUSPENDED"})
DONE = frozenset({"COMPLETED"})
MOVES = frozenset({"CONFIGURING", "RUNNING", "COMPLETING"})
NOT_BEGUN = frozenset({"PENDING", "CANCELLED"})
"""Of these Slurm's start is what it expects, or the end."""
LOST = frozenset(
    {"CANCELLED", "FAILED", "NODE_FAIL", "TIMEOUT", "PREEMPTED", "BOOT_FAIL", "DEADLINE"}
)


@dataclass(frozen=True, slots=True)
class Seen:
    """A job as `scontrol show job -o` has it; `number` is the array's for a task of one.

    `started` also holds for one that has ended by itself. `submitted` and `began` are seconds since 1970,
    `began` 0 until then.
    """

    number: int
    name: str
    user: str
    state: str
    reason: str
    restarts: int
    nodes: str
    submitted: float = 0.0
    began: float = 0.0

    @property
    def started(self) -> bool:
        return self.state in STARTED

    @property
    def lost(self) -> bool:
        return self.state in LOST


def records(text: str) -> list[dict[str, str]]:
    """Each line of `scontrol show ... -o` as field -> value; the first of a name counts."""
    found = []
    for line in text.splitlines():
        parts = list(_FIELD.finditer(line))
        row: dict[str, str] = {}
        for part, after in zip(parts, [*parts[1:], None], strict=False):
            end = after.start() if after else len(line)
            row.setdefault(part[1], line[part.end() : end].strip())
        if row:
            found.append(row)
    return found


def jobs(text: str) -> list[Seen]:
    """The jobs in `scontrol show job -o`; what is no job is left out."""
    found = []
    for row in records(text):
        number = row.get("ArrayJobId", row.get("JobId", ""))
        if number.isdigit():
            restarts, state = row.get("Restarts", "0"), row.get("JobState", "")
            began = row.get("StartTime", "") if state not in NOT_BEGUN else ""
            found.append(
                Seen(
                    int(number),
                    row.get("JobName", ""),
                    row.get("UserId", "").partition("(")[0],
                    state,
                    row.get("Reason", ""),
                    int(restarts) if restarts.isdigit() else 0,
                    row.get("NodeList", ""),
                    _instant(row.get("SubmitTime", "")),
                    _instant(began),
                )
            )
    return found


def _instant(text: str) -> float:
    """Seconds since 1970; 0 for what is no time."""
    try:
        return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()
    except ValueError:
        return 0.0


@dataclass(frozen=True, slots=True)
class Entered:
    """What became of a submission: the job's number, or what sbatch said in place of one."""

    name: str
    number: int | None
    said: str


def entered(text: str) -> list[Entered]:
    """Lines of name, tab, number or words."""
    found = []
    for line in text.splitlines():
        name, tab, said = line.partition("\t")
        if tab:
            number = said.strip().partition(";")[0]
            found.append(Entered(name, int(number) if number.isdigit() else None, said.strip()))
    return found


def numbers(seen: Iterable[Seen], wanted: Iterable[int], states: frozenset[str]) -> set[int]:
    """Those of the wanted jobs that are in one of these states; of an array one task is enough."""
    found = {one.number for one in seen if one.state in states}
    return found & {*wanted}


def started(seen: Iterable[Seen], wanted: Iterable[int]) -> set[int]:
    """Those of the wanted jobs that have begun; of an array one task is enough."""
    return numbers(seen, wanted, STARTED)


def cycles(text: str) -> int | None:
    """How often the main scheduler has gone through its queue, by `sdiag`; None where it says nothing."""
    found = _CYCLES.search(text)
    return int(found[1]) if found else None
