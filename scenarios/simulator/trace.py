"""Traces of jobs: the Standard Workload Format and our CSV, read whole or not at all."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

REQUIRED = ("job_id", "submit", "run_time", "estimate", "procs")
OPTIONAL = ("user", "account", "partition", "qos", "priority")
SWF_FIELDS = 18
LARGEST = 1 << 62
"""Times above this would not leave room for an event's kind in its key."""


class TraceError(ValueError):
    """A trace that cannot be used; the message names the file and the line."""


@dataclass(slots=True)
class Workload:
    """Jobs as parallel lists; a job is a position in them.

    `submit`, `run` and `estimate` are integers in the trace's own time unit, `procs`
    counts processors or GPUs, `priority` is larger for more urgent. `estimate` is at least
    `run`: a shorter one is raised, because nothing here ends a job at its limit.
    `unusable` counts records left out because they never ran (run time or processors
    unknown in the log), `processors` is the machine's size where a header names it, else 0.
    """

    job_id: list[int] = field(default_factory=list)
    submit: list[int] = field(default_factory=list)
    run: list[int] = field(default_factory=list)
    estimate: list[int] = field(default_factory=list)
    procs: list[int] = field(default_factory=list)
    user: list[str] = field(default_factory=list)
    account: list[str] = field(default_factory=list)
    partition: list[str] = field(default_factory=list)
    qos: list[str] = field(default_factory=list)
    priority: list[int] = field(default_factory=list)
    unusable: int = 0
    processors: int = 0

    def __len__(self) -> int:
        return len(self.job_id)

    def add(
        self,
        job_id: int,
        submit: int,
        run: int,
        estimate: int,
        procs: int,
        names: tuple[str, str, str, str] = ("", "", "", ""),
        priority: int = 0,
    ) -> None:
        """One more job; `names` are user, account, partition and QOS."""
        self.job_id.append(job_id)
        self.submit.append(submit)
        self.run.append(run)
        self.estimate.append(max(estimate, run))
        self.procs.append(procs)
        self.user.append(names[0])
        self.account.append(names[1])
        self.partition.append(names[2])
        self.qos.append(names[3])
        self.priority.append(priority)


def read_trace(path: Path) -> Workload:
    """The workload of a .swf, .swf.gz, .csv or .csv.gz file; TraceError says what is wrong."""
    name = path.name.removesuffix(".gz")
    if not name.endswith((".swf", ".csv")):
        raise TraceError(f"{path}: a trace ends in .swf, .swf.gz or .csv.")
    try:
        with _open(path) as lines:
            return _read_swf(path, lines) if name.endswith(".swf") else _read_csv(path, lines)
    except UnicodeDecodeError as error:
        raise TraceError(f"{path} is not text: {error.reason}.") from None
    except (OSError, EOFError) as error:
        reason = getattr(error, "strerror", None) or error
        raise TraceError(f"{path} cannot be read: {reason}.") from None


def _open(path: Path) -> io.TextIOBase:
    if path.suffix == ".gz":
        return io.TextIOWrapper(gzip.open(path), encoding="utf-8", newline="")
    return path.open(encoding="utf-8-sig", newline="")


def _read_swf(path: Path, lines: Iterable[str]) -> Workload:
    workload, seen = Workload(), set[int]()
    for number, line in enumerate(lines, 1):
        fields = line.split()
        if line.startswith(";"):
            _note_size(workload, fields)
        elif fields:
            try:
                _add_swf(workload, fields, seen)
            except ValueError as error:
                raise TraceError(f"{path}, line {number}: {error}") from None
    return workload


def _note_size(workload: Workload, fields: list[str]) -> None:
    """The header comment `; MaxProcs: 256`."""
    if fields[1:2] == ["MaxProcs:"] and len(fields) > 2 and fields[2].isdecimal():
        workload.processors = int(fields[2])


def _add_swf(workload: Workload, fields: list[str], seen: set[int]) -> None:
    """SWF 2.2 columns 1 job, 2 submit, 4 run, 5 processors, 8 asked for, 9 time asked for,
    12 user, 13 group, 15 queue, 16 partition; -1 is unknown."""
    if len(fields) != SWF_FIELDS:
        raise ValueError(f"{len(fields)} fields where the format has {SWF_FIELDS}.")
    job_id, submit, run = (_whole(fields[i], n) for i, n in ((0, "job"), (1, "submit"), (3, "run")))
    used, asked, estimate = (
        _whole(fields[i], n) for i, n in ((4, "processors"), (7, "processors"), (8, "estimate"))
    )
    _check_id(job_id, seen)
    procs = asked if asked > 0 else used
    if run < 0 or procs <= 0:
        workload.unusable += 1
        return
    if submit < 0:
        raise ValueError(f"submit time {submit} is negative.")
    user, group, queue, partition = (_known(fields[i]) for i in (11, 12, 14, 15))
    workload.add(job_id, submit, run, estimate, procs, (user, group, partition, queue))


def _read_csv(path: Path, lines: Iterable[str]) -> Workload:
    rows = _records(path, lines)
    number, header = next(rows, (1, []))
    missing = [name for name in REQUIRED if name not in header]
    odd = [name for name in header if name not in REQUIRED + OPTIONAL]
    if missing or odd or len(set(header)) != len(header):
        what = f"no column {missing[0]}" if missing else f"a column {(odd or header)[0]!r} too many"
        raise TraceError(f"{path}, line {number}: {what}; the header is {','.join(REQUIRED)}.")
    workload, seen = Workload(), set[int]()
    for number, row in rows:
        try:
            if len(row) != len(header):
                raise ValueError(f"{len(row)} fields where the header has {len(header)}.")
            _add_csv(workload, dict(zip(header, row, strict=True)), seen)
        except ValueError as error:
            raise TraceError(f"{path}, line {number}: {error}") from None
    return workload


def _records(path: Path, lines: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(lines, strict=True)
    try:
        for row in reader:
            if row:
                yield reader.line_num, row
    except csv.Error as error:
        raise TraceError(f"{path}, line {reader.line_num}: {error}.") from None


def _add_csv(workload: Workload, row: dict[str, str], seen: set[int]) -> None:
    job_id, submit, run, estimate, procs = (_whole(row[name], name) for name in REQUIRED)
    _check_id(job_id, seen)
    for name, value in (("submit", submit), ("run_time", run)):
        if value < 0:
            raise ValueError(f"{name} {value} is negative.")
    if procs < 1:
        raise ValueError(f"procs is {procs}; a job needs at least one.")
    names = (
        row.get("user", ""),
        row.get("account", ""),
        row.get("partition", ""),
        row.get("qos", ""),
    )
    priority = _whole(row["priority"], "priority") if row.get("priority") else 0
    workload.add(job_id, submit, run, estimate, procs, names, priority)


def _whole(text: str, name: str) -> int:
    """An integer, also written 12.0 as some logs do."""
    try:
        value = int(text)
    except ValueError:
        value = _from_decimal(text, name)
    if not -LARGEST < value < LARGEST:
        raise ValueError(f"{name} {text} is out of range.")
    return value


def _from_decimal(text: str, name: str) -> int:
    whole, _, rest = text.partition(".")
    if rest.strip("0") or not whole.lstrip("-").isdecimal():
        raise ValueError(f"{name} {text!r} is not a whole number.")
    return int(whole)


def _known(text: str) -> str:
    return "" if text.startswith("-") else text


def _check_id(job_id: int, seen: set[int]) -> None:
    if job_id in seen:
        raise ValueError(f"job {job_id} is there twice.")
    seen.add(job_id)
