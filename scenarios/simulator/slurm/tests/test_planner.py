"""The planner beside a slow and obvious one that keeps a table of every node and second."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenarios.simulator.slurm.nodes import consecutive, demand_of, members
from scenarios.simulator.slurm.planner import Running, Waiting, plan_starts

HORIZON = 160


@pytest.mark.parametrize(
    ("free", "count", "chosen"),
    [
        ("1111.111", 3, [5, 6, 7]),  # the tightest run that suffices
        ("111.1111", 2, [0, 1]),
        ("11.11.11", 2, [0, 1]),  # lowest among equals
        ("11.111.1", 4, [3, 4, 5, 7]),  # the largest run, then the tightest for the rest
        ("1.11.11.", 3, [0, 2, 3]),
        ("11111111", 8, [0, 1, 2, 3, 4, 5, 6, 7]),
    ],
)
def test_nodes_are_chosen_as_the_real_scheduler_chose(
    free: str, count: int, chosen: list[int]
) -> None:
    mask = sum(1 << node for node, cell in enumerate(free) if cell == "1")
    assert members(consecutive(mask, count)) == chosen


@given(st.integers(1, 2**12 - 1), st.data())
def test_chosen_nodes_are_free_and_as_many_as_asked(mask: int, data: st.DataObject) -> None:
    count = data.draw(st.integers(0, mask.bit_count()))
    chosen = consecutive(mask, count)
    assert chosen & ~mask == 0
    assert chosen.bit_count() == count


Table = list[list[int]]
"""GPUs free on each node in each second from now."""


def slow_starts(
    table: Table, per_node: int, queue: list[Waiting]
) -> list[tuple[int, list[int], int]]:
    """(job, whole nodes, node of the remainder or -1) of every job whose slot is second 0."""
    starts = []
    for job in queue:
        found = (_slow_slot(table, per_node, job, members(mask)) for mask in job.within)
        slots = [slot for slot in found if slot]
        if not slots:
            continue
        begin, nodes, shared = min(slots, key=lambda slot: slot[0])
        for t in range(begin, begin + job.limit):
            for node in nodes:
                _use(table[node], t, per_node)
            if shared >= 0:
                _use(table[shared], t, job.demand[1])
        if begin == 0:
            starts.append((job.job, nodes, shared))
    return starts


def _slow_slot(
    table: Table, per_node: int, job: Waiting, pool: list[int]
) -> tuple[int, list[int], int] | None:
    whole, rest = job.demand
    for begin in range(HORIZON):
        room = {n: min(_at(table[n], begin + t) for t in range(job.limit)) for n in pool}
        full = [node for node in pool if room[node] == per_node]
        if len(full) < whole:
            continue
        nodes = _slow_choice(full, whole)
        left = [n for n in pool if rest and room[n] >= rest and n not in nodes]
        if rest and not left:
            continue
        shared = min(left, key=lambda n: (_at(table[n], begin), n)) if rest else -1
        return begin, nodes, shared
    return None


def _at(row: list[int], time: int) -> int:
    return row[min(time, len(row) - 1)]


def _use(row: list[int], time: int, gpus: int) -> None:
    if time < len(row):
        row[time] -= gpus


def _slow_choice(free: list[int], count: int) -> list[int]:
    runs: list[list[int]] = []
    for node in free:
        if runs and runs[-1][-1] == node - 1:
            runs[-1].append(node)
        else:
            runs.append([node])
    chosen: list[int] = []
    while len(chosen) < count:
        lacking = count - len(chosen)
        enough = [run for run in runs if len(run) >= lacking]
        best = min(enough, key=len) if enough else max(runs, key=len)
        runs.remove(best)
        chosen += best[:lacking]
    return sorted(chosen)


NODES, PER_NODE = 5, 4
JOB = st.tuples(st.integers(1, NODES * PER_NODE), st.integers(1, 12))
ALL = (1 << NODES) - 1
POOLS = st.lists(st.integers(1, ALL), min_size=1, max_size=3).map(tuple) | st.just((ALL,))
Row = tuple[tuple[int, int], tuple[int, ...]]


@given(
    st.lists(JOB, max_size=5),
    st.lists(st.tuples(JOB, POOLS), max_size=10),
    st.sampled_from([1, PER_NODE]),
)
def test_planner_equals_the_slow_and_obvious_one(
    running: list[tuple[int, int]], queue: list[Row], per_node: int
) -> None:
    table: Table = [[per_node] * (HORIZON + 20) for _ in range(NODES)]
    sizes = [(min(procs, NODES * per_node), limit) for procs, limit in running]
    first = [Waiting(n, demand_of(p, per_node), t, (ALL,)) for n, (p, t) in enumerate(sizes)]
    on = slow_starts(table, per_node, first)
    for row in table:  # forget what the first ones had planned for later
        row[:] = [per_node] * len(row)
    held = []
    for job, nodes, shared in on:
        limit, rest = first[job].limit, first[job].demand[1]
        for time in range(limit):
            for node in nodes:
                _use(table[node], time, per_node)
            if rest:
                _use(table[shared], time, rest)
        mask = sum(1 << node for node in nodes)
        held.append(Running(limit, (mask, 1 << shared if rest else 0, rest)))
    at_least = [
        sum(1 << node for node in range(NODES) if table[node][0] >= level)
        for level in range(per_node + 1)
    ]
    jobs = [
        Waiting(n, demand_of(min(p, NODES * per_node), per_node), t, pools)
        for n, ((p, t), pools) in enumerate(queue)
    ]
    found = [
        (job, members(whole), shared.bit_length() - 1)
        for job, (whole, shared, _) in plan_starts(0, at_least, held, jobs)
    ]
    assert found == [
        (job, nodes, shared) for job, nodes, shared in slow_starts(table, per_node, jobs)
    ]


@given(st.lists(JOB, max_size=10))
@pytest.mark.nightly
def test_jobs_of_one_pass_never_hold_the_same_gpu(queue: list[tuple[int, int]]) -> None:
    at_least = [(1 << NODES) - 1] * (PER_NODE + 1)
    jobs = [Waiting(n, demand_of(p, PER_NODE), t) for n, (p, t) in enumerate(queue)]
    starts = plan_starts(0, at_least, [], jobs)
    for (_, one), (_, other) in combinations(starts, 2):
        assert one[0] & (other[0] | other[1]) == 0 == one[1] & other[0]
    for node in range(NODES):
        assert sum(held[2] for _, held in starts if held[1] >> node & 1) <= PER_NODE


def test_running_job_past_its_limit_is_expected_to_end_at_any_moment() -> None:
    overdue = Running(5, (0b01, 0, 0))
    blocked, small = Waiting(0, (2, 0), 10), Waiting(1, (1, 0), 10)
    assert plan_starts(50, [0b11, 0b10], [overdue], [blocked, small]) == []
    short = Waiting(1, (1, 0), 1)
    assert plan_starts(50, [0b11, 0b10], [overdue], [blocked, short]) == [(1, (0b10, 0, 0))]
