"""Holds the planner to a real scheduler's record, one decision at a time.

Before each recorded start the planner is given the state the real scheduler had then, so
that one different choice does not make all later ones look wrong.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from pathlib import Path

from scenarios.simulator.slurm.nodes import demand_of
from scenarios.simulator.slurm.planner import Running, Waiting, plan_starts
from scenarios.simulator.trace import read_trace

COLUMNS = ("job_id", "submit", "start", "finish", "procs", "limit_s", "nodelist")
MOST_NODES = 100_000


@dataclass(frozen=True)
class Record:
    """One job of the real scheduler; times in seconds, `nodes` a bit mask (n1 is bit 0)."""

    job_id: int
    submit: int
    start: int
    finish: int
    count: int
    limit: int
    nodes: int


@dataclass(frozen=True)
class Tally:
    """Recorded starts in all, those the planner makes at that instant, and on those nodes."""

    predicted: int
    same_nodes: int
    of: int
    missed: tuple[int, ...]
    moved: tuple[int, ...]

    def to_dict(self) -> dict[str, int]:
        """The three figures of the command line."""
        return {"predicted": self.predicted, "same_nodes": self.same_nodes, "of": self.of}


def hold_to(reference: Path, trace: Path, nodes: int | None) -> Tally:
    """Compare with the record in `reference` on so many nodes (None: the highest it names).

    TRACE names the same jobs, or is the record itself. ValueError says what does not fit.
    """
    records = read_reference(reference)
    if trace.resolve() != reference.resolve():
        known = set(read_trace(trace).job_id)
        if absent := [record.job_id for record in records if record.job_id not in known]:
            raise ValueError(f"{trace} has no job {absent[0]}, but {reference} records its start.")
    highest = max((record.nodes.bit_length() for record in records), default=0)
    return compare(records, nodes or highest)


def read_reference(path: Path) -> list[Record]:
    """Read a record of starts; ValueError names the line that cannot be understood."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as lines:
            rows = [(number, row) for number, row in enumerate(csv.reader(lines), 1) if row]
    except (UnicodeDecodeError, csv.Error) as error:
        raise ValueError(f"{path} is not a table in CSV: {error}.") from None
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}.") from None
    header = rows[0][1] if rows else []
    if missing := [name for name in COLUMNS if name not in header]:
        raise ValueError(f"{path}, line 1: the header has no column {missing[0]}.")
    records: dict[int, Record] = {}
    for number, row in rows[1:]:
        try:
            record = _record(header, row)
            if record.job_id in records:
                raise ValueError(f"job {record.job_id} is there twice.")
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: {error}") from None
        records[record.job_id] = record
    return list(records.values())


def _record(header: list[str], row: list[str]) -> Record:
    if len(row) != len(header):
        raise ValueError(f"{len(row)} fields where the header has {len(header)}.")
    cells = dict(zip(header, row, strict=True))
    job_id, submit, start, finish, count, limit = (_whole(cells[n], n) for n in COLUMNS[:-1])
    if not submit <= start <= finish:
        raise ValueError("submit, start and finish are not in this order.")
    nodes = node_mask(cells["nodelist"])
    if nodes.bit_count() != count:
        raise ValueError(f"{count} nodes asked for, but the node list is {cells['nodelist']!r}.")
    return Record(job_id, submit, start, finish, count, limit, nodes)


def _whole(text: str, name: str) -> int:
    if not text.strip().isdecimal():
        raise ValueError(f"{name} is {text!r}; it should be a whole number.")
    return int(text)


def node_mask(text: str) -> int:
    """The nodes of a list such as `n[1-3,7]` or `n4`, numbered from 1; any prefix."""
    match = re.fullmatch(r"[A-Za-z_.-]*(?:\[([0-9,-]+)\]|([0-9]+))", text.strip())
    mask = 0
    for part in (match[1] or match[2]).split(",") if match else [""]:
        low, dash, high = part.partition("-")
        if not low.isdecimal() or bool(dash) != high.isdecimal():
            raise ValueError(f"{text!r} is not a list of nodes such as n[1-3,7].")
        first, last = int(low), int(high or low)
        if not 1 <= first <= last <= MOST_NODES:
            raise ValueError(f"{text!r} names nodes beyond 1 to {MOST_NODES:,}.")
        mask |= ((1 << last) - 1) & -(1 << (first - 1))
    return mask


def compare(records: list[Record], nodes: int) -> Tally:
    """Ask the planner at each recorded start, on a machine of `nodes` nodes given whole."""
    machine = (1 << nodes) - 1
    if beyond := [record.job_id for record in records if record.nodes & ~machine]:
        raise ValueError(f"job {beyond[0]} is recorded on a node beyond the {nodes} there are.")
    missed: list[int] = []
    moved: list[int] = []
    for instant in sorted({record.start for record in records}):
        chosen = _decide(records, machine, instant)
        for record in records:
            if record.start != instant:
                continue
            if record.job_id not in chosen:
                missed.append(record.job_id)
            elif chosen[record.job_id] != record.nodes:
                moved.append(record.job_id)
    predicted = len(records) - len(missed)
    return Tally(predicted, predicted - len(moved), len(records), tuple(missed), tuple(moved))


def _decide(records: list[Record], machine: int, instant: int) -> dict[int, int]:
    """Job id -> mask of nodes for every job the planner starts at `instant`."""
    running = [
        Running(r.start + r.limit, (r.nodes, 0, 0)) for r in records if r.start < instant < r.finish
    ]
    waiting = sorted(
        (r for r in records if r.submit <= instant <= r.start), key=lambda r: (r.submit, r.job_id)
    )
    free = machine
    for job in running:
        free &= ~job.held[0]
    queue = [Waiting(r.job_id, demand_of(r.count, 1), r.limit) for r in waiting]
    starts = plan_starts(instant, [machine, free], running, queue)
    return {job: held[0] for job, held in starts}
