"""What Slurm's accounting says of a company: teams, kinds of work, rhythm, growth, GPUs of a node.

Reads `sacct -P` (or `-p`) with any set of fields that has JobID, State, Start, an end and the TRES.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache

from scenarios.company.importer.hostlist import expand
from scenarios.company.importer.hours import Hours, joined
from scenarios.company.importer.kinds import kind_of
from scenarios.company.importer.sheet import BadRows, Export, RowError, Sheet, clip, label

_SHORT = {
    "BF": "BOOT_FAIL",
    "CA": "CANCELLED",
    "CD": "COMPLETED",
    "CF": "CONFIGURING",
    "CG": "COMPLETING",
    "DL": "DEADLINE",
    "F": "FAILED",
    "NF": "NODE_FAIL",
    "OOM": "OUT_OF_MEMORY",
    "PD": "PENDING",
    "PR": "PREEMPTED",
    "R": "RUNNING",
    "RQ": "REQUEUED",
    "RS": "RESIZING",
    "RV": "REVOKED",
    "S": "SUSPENDED",
    "TO": "TIMEOUT",
}
STATES = frozenset(_SHORT.values())
_JOB = re.compile(r"\d+(?:_(?:\d+|\[[^\]]*\]))?(?:\+\d+)?")
_SPAN = re.compile(r"(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+)(?:\.\d+)?")
_GPU = re.compile(r"(?:gres/)?gpu(?:[:/]([\w.-]+?))?[=:](\d+(?:\.\d+)?)([KMGTP]?)(?:\([^)]*\))?")
_SCALE = {"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}
_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001  (sacct prints the cluster's own time, without a zone)
_NEVER = frozenset(("", "Unknown", "None", "N/A", "NONE"))
_EARLIEST, _LATEST = 946_684_800, 4_102_444_800  # 2000 and 2100
MOST_GPUS = 100_000
MOST_NODES = 100_000
"""Different names of nodes that are kept; a profile has fewer of a kind by far."""


@dataclass(slots=True)
class TeamUse:
    """One account's use."""

    gpu_hours: float = 0.0
    users: set[str] = field(default_factory=set)
    kinds: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    hours: dict[str, Hours] = field(default_factory=lambda: defaultdict(Hours))

    def all_hours(self) -> Hours:
        """Of all kinds of work together."""
        return joined(self.hours.values())


@dataclass(slots=True)
class Accounting:
    """What one export comes to. gpus_per_node counts GPU-hours by the GPUs that a job had on a node."""

    rows: int = 0
    jobs: int = 0
    steps: int = 0
    waiting: int = 0
    without_gpu: int = 0
    by_account: bool = True
    teams: dict[str, TeamUse] = field(default_factory=lambda: defaultdict(TeamUse))
    models: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    gpus_per_node: dict[int, float] = field(default_factory=lambda: defaultdict(float))
    nodes: set[str] = field(default_factory=set)
    longest_s: int = 0
    preempted: int = 0
    first_s: int = 0
    last_s: int = 0

    @property
    def gpu_hours(self) -> float:
        return sum(team.gpu_hours for team in self.teams.values())

    def hours_of(self, kind: str) -> Hours:
        """One kind of work, of all teams together."""
        return joined(team.hours[kind] for team in self.teams.values() if kind in team.hours)


@dataclass(frozen=True, slots=True)
class _Job:
    start: int
    end: int
    gpus: float
    model: str
    hosts: tuple[str, ...]
    nodes: int


def read_sacct(export: Export, bad: BadRows) -> Accounting:
    """Read the whole export. Raises ImportRefused where its header cannot be used."""
    sheet = Sheet(export, "|", bad, quoted=False)
    sheet.require("JobID", "State", "Start")
    for names in (
        ("Account", "User", "Group"),
        ("End", "Elapsed", "ElapsedRaw"),
        ("AllocTRES", "ReqTRES", "AllocGRES", "ReqGRES"),
    ):
        if sheet.find(*names) is None:
            sheet.require(names[0])
    return _Reader(sheet).read()


class _Reader:
    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.found = Accounting(by_account=sheet.find("Account") is not None)
        self.seen: set[int] = set()
        find = sheet.find
        self.job, self.state, self.start = find("JobID"), find("State"), find("Start")
        self.end, self.raw, self.elapsed = find("End"), find("ElapsedRaw"), find("Elapsed")
        self.who, self.user = find("Account", "User", "Group"), find("User", "Group")
        self.tres = [
            place
            for name in ("AllocTRES", "ReqTRES", "AllocGRES", "ReqGRES")
            if (place := find(name)) is not None
        ]
        self.words = [
            place for name in ("JobName", "Partition", "QOS") if (place := find(name)) is not None
        ]
        self.count, self.list = find("NNodes", "AllocNodes"), find("NodeList")

    def read(self) -> Accounting:
        for line, values in self.sheet.rows():
            try:
                self._row(values)
            except RowError as error:
                self.sheet.bad.add(self.sheet.name, line, str(error))
            else:
                self.found.rows += 1
        return self.found

    def _row(self, values: list[str]) -> None:
        name = values[self.job or 0].strip()
        if "." in name:
            self.found.steps += 1
            return
        if not _JOB.fullmatch(name):
            raise RowError(f"JobID is {clip(name)}, which is none of Slurm's.")
        state = _state(values[self.state or 0])
        started = values[self.start or 0].strip()
        if started in _NEVER:
            self.found.waiting += 1
            return
        job = self._job(values, started)
        if (again := hash((name, job.start))) in self.seen:
            raise RowError(f"Job {name} with this start stands in the export already.")
        who = label(values[self.who or 0], "Account" if self.found.by_account else "User")
        if not who:
            raise RowError("Nobody is named: Account is empty.")
        self.seen.add(again)
        self.found.jobs += 1
        self.found.preempted += state == "PREEMPTED"
        self._count(values, who, job)

    def _job(self, values: list[str], started: str) -> _Job:
        start = _instant(started, "Start")
        ended = values[self.end].strip() if self.end is not None else ""
        if ended not in _NEVER:
            end = _instant(ended, "End")
        elif self.raw is not None and values[self.raw].strip():
            end = start + _whole(values[self.raw], "ElapsedRaw")
        elif self.elapsed is not None and values[self.elapsed].strip():
            end = start + _span(values[self.elapsed].strip())
        else:
            raise RowError("It has a start but neither an end nor an elapsed time.")
        if end < start:
            raise RowError(f"It ends at {ended}, before it starts at {started}.")
        if end >= _LATEST:
            raise RowError("It ends after the year 2100.")
        gpus, model = 0.0, ""
        for place in self.tres:
            if not gpus:
                gpus, model = _gpus(values[place])
        hosts = expand(values[self.list]) if self.list is not None else ()
        nodes = len(hosts)
        if not nodes and self.count is not None and values[self.count].strip():
            nodes = _whole(values[self.count], "NNodes")
        return _Job(start, end, gpus, model, hosts, nodes)

    def _count(self, values: list[str], who: str, job: _Job) -> None:
        found = self.found
        if not job.gpus:
            found.without_gpu += 1
            return
        seconds = job.end - job.start
        hours = job.gpus * seconds / 3600
        words = tuple([values[place] for place in self.words])
        kind = kind_of(words, job.gpus, seconds)
        team = found.teams[who]
        team.gpu_hours += hours
        team.kinds[kind] += hours
        team.hours[kind].add(job.start, job.end, job.gpus)
        if self.user is not None and len(team.users) < 100_000:
            team.users.add(values[self.user])
        found.models[job.model] += hours
        found.longest_s = max(found.longest_s, seconds)
        found.first_s = min(found.first_s or job.start, job.start)
        found.last_s = max(found.last_s, job.end)
        if len(found.nodes) < MOST_NODES:
            found.nodes.update(job.hosts)
        if job.nodes:
            found.gpus_per_node[round(job.gpus / job.nodes)] += hours


@lru_cache(maxsize=4096)
def _state(text: str) -> str:
    words = text.strip().rstrip("+").split()
    name = words[0].rstrip("+").upper() if words else ""
    name = _SHORT.get(name, name)
    if name not in STATES:
        near = [state for state in STATES if name and state.startswith(name)]
        if len(name) < 4 or not near:  # sacct without -P cuts a long state short
            raise RowError(f"State is {clip(text)}, which Slurm does not have.")
        return near[0]
    return name


def _instant(text: str, what: str) -> int:
    try:
        if text.isdigit():  # SLURM_TIME_FORMAT=%s
            value = int(text[:15])
        else:
            value = int(
                (datetime.fromisoformat(text).replace(tzinfo=None) - _EPOCH).total_seconds()
            )
    except (ValueError, TypeError):  # TypeError: it has a zone
        raise RowError(
            f"{what} is {clip(text)}, which is no time such as 2026-03-31T14:05:00, without a zone."
        ) from None
    if not _EARLIEST <= value < _LATEST:
        raise RowError(f"{what} is {clip(text)}: it must lie between the years 2000 and 2100.")
    return value


def _span(text: str) -> int:
    if not (match := _SPAN.fullmatch(text)) or len(text) > 30:
        raise RowError(f"Elapsed is {clip(text)}, which is no duration such as 1-02:30:00.")
    days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
    return ((days * 24 + hours) * 60 + minutes) * 60 + seconds


def _whole(text: str, what: str) -> int:
    text = text.strip()
    if not (text.isascii() and text.isdigit() and len(text) < 12):
        raise RowError(f"{what} is {clip(text)}, which is no whole number.")
    return int(text)


@lru_cache(maxsize=65_536)
def _gpus(text: str) -> tuple[float, str]:
    """(GPUs, model in capitals or "") of `billing=8,cpu=16,gres/gpu=8,gres/gpu:h100=8` or `gpu:h100:8`."""
    typed, plain, model = 0.0, 0.0, ""
    for part in text.split(","):
        match = _GPU.fullmatch(part.strip())
        if not match:
            if "gpu" in part.casefold() and not part.strip().startswith(_OTHER):
                raise RowError(f"{clip(part.strip())} of its TRES cannot be read.")
            continue
        count = float(match[2]) * _SCALE[match[3]]
        if count > MOST_GPUS:
            raise RowError(f"It has {count:,.0f} GPUs: {MOST_GPUS:,} are believed at most.")
        if match[1]:
            typed, model = typed + count, match[1].upper()
        else:
            plain = max(plain, count)
    return max(typed, plain), model


_OTHER = ("gres/gpumem", "gres/gpuutil", "gpumem", "gpuutil")
