from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenarios.simulator.engine import Simulation
from scenarios.simulator.kueue.policy import Kueue
from scenarios.simulator.machine import Machine, Nodes, Pool
from scenarios.simulator.trace import Workload

Job = tuple[int, int, int, str, int]
"""(submit, run, processors, account, priority)."""


def workload_of(jobs: list[Job]) -> Workload:
    workload = Workload()
    for number, (submit, run, procs, account, priority) in enumerate(jobs):
        workload.add(number, submit, run, run, procs, ("", account, "", ""), priority)
    return workload


class Meter:
    """Notes who ran when, and fails when more runs than there is."""

    def __init__(self, capacity: int, procs: list[int]) -> None:
        self.capacity, self.procs, self.busy = capacity, procs, 0
        self.spans: list[tuple[int, int, int]] = []
        self.began: dict[int, int] = {}

    def started(self, job: int, now: int) -> None:
        self.busy += self.procs[job]
        self.began[job] = now
        assert self.busy <= self.capacity

    def left(self, job: int, now: int, finished: bool) -> None:
        self.busy -= self.procs[job]
        self.spans.append((job, self.began.pop(job), now))


def simulate(
    jobs: list[Job], machine: Machine, cluster: Mapping[str, object] | None = None
) -> tuple[Simulation, Meter]:
    workload = workload_of(jobs)
    meter = Meter(machine.capacity, workload.procs)
    simulation = Simulation(workload, machine, Kueue(cluster or {}), watcher=meter)
    simulation.run()
    return simulation, meter


def table(**entries: object) -> dict[str, object]:
    return {"kueue": entries}


TWO = [
    {"name": "a", "cohort": "all", "nominal": 4, "reclaim": "Any"},
    {"name": "b", "cohort": "all", "nominal": 4, "reclaim": "Any"},
]


def test_a_queue_borrows_idle_quota_and_gives_it_back_at_once() -> None:
    jobs = [(0, 100, 8, "a", 0), (10, 20, 4, "b", 0)]
    simulation, _ = simulate(jobs, Pool(8), table(queues=TWO))
    assert simulation.first_start == [0, 10]
    assert simulation.preemptions == [1, 0]
    assert simulation.last_end == [130, 30]


def test_progress_is_kept_where_the_table_says_so() -> None:
    jobs = [(0, 100, 8, "a", 0), (10, 20, 4, "b", 0)]
    simulation, _ = simulate(jobs, Pool(8), table(queues=TWO, keep_progress=True))
    assert simulation.last_end == [120, 30]


def test_without_reclaim_the_owner_waits() -> None:
    queues = [{**queue, "reclaim": "Never"} for queue in TWO]
    jobs = [(0, 100, 8, "a", 0), (10, 20, 4, "b", 0)]
    simulation, _ = simulate(jobs, Pool(8), table(queues=queues))
    assert simulation.first_start == [0, 100]


def test_lending_and_borrowing_limits_hold() -> None:
    queues = [{**TWO[0], "borrowing_limit": 2}, {**TWO[1], "lending_limit": 1}]
    jobs = [(0, 10, 3, "a", 0), (0, 10, 2, "a", 0), (0, 10, 1, "a", 0)]
    simulation, _ = simulate(jobs, Pool(8), table(queues=queues))
    assert simulation.first_start == [0, 0, 10]


def test_a_higher_priority_evicts_within_its_queue() -> None:
    queues = [{"name": "a", "nominal": 4, "within": "LowerPriority"}]
    jobs = [(0, 50, 2, "a", 0), (0, 50, 2, "a", 1), (5, 10, 2, "a", 2)]
    simulation, _ = simulate(jobs, Pool(4), table(queues=queues))
    assert simulation.preemptions == [1, 0, 0]
    assert simulation.first_start == [0, 0, 5]


def test_a_strict_queue_waits_for_its_head() -> None:
    jobs = [(0, 10, 3, "a", 0), (1, 10, 4, "a", 0), (2, 5, 1, "a", 0)]
    queues = [{"name": "a", "nominal": 4}]
    assert simulate(jobs, Pool(4), table(queues=queues))[0].first_start == [0, 10, 2]
    assert simulate(jobs, Pool(4), table(queues=queues, strict=True))[0].first_start == [0, 10, 20]


def test_fair_sharing_lets_the_smaller_borrower_go_first() -> None:
    queues = [
        {"name": "a", "cohort": "all", "nominal": 0, "fair_weight": 1},
        {"name": "b", "cohort": "all", "nominal": 0, "fair_weight": 3},
    ]
    cohorts = [{"name": "all", "nominal": 3}]
    jobs = [(0, 100, 1, account, 0) for account in "aabb"]

    def first(fair: bool) -> list[int]:
        cluster = table(queues=queues, cohorts=cohorts, fair_sharing=fair)
        starts = simulate(jobs, Pool(3), cluster)[0].first_start
        return [job for job, start in enumerate(starts) if start == 0]

    assert first(False) == [0, 1, 2]
    assert first(True) == [0, 2, 3]


def test_jobs_without_a_name_belong_to_the_default_queue() -> None:
    queues = [{"name": "default", "nominal": 1}]
    jobs = [(0, 10, 1, "", 0), (0, 10, 1, "", 0)]
    assert simulate(jobs, Pool(4), table(queues=queues))[0].first_start == [0, 10]


def test_a_gang_starts_whole_or_not_on_nodes() -> None:
    jobs = [(0, 10, 4, "a", 0), (0, 30, 6, "a", 0), (1, 10, 8, "a", 0), (2, 5, 2, "a", 0)]
    simulation, _ = simulate(jobs, Nodes(2, 8))
    assert simulation.first_start == [0, 0, 10, 2]


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ({"queue": []}, "kueue has no entry queue"),
        ({"queue_by": "colour"}, "kueue.queue_by must be one of account"),
        ({"queues": [{"nominal": 4}]}, r"kueue.queues\[0\].name is missing"),
        ({"queues": [{"name": "a", "nominal": -1}]}, "nominal must be at least 0"),
        ({"queues": [{"name": "a", "within": "Any!"}]}, "within must be one of Never"),
        ({"queues": [{"name": "a"}, {"name": "a"}]}, "names a twice"),
        ({"cohorts": [{"name": "all"}]}, "kueue has cohorts but no queue"),
        ({"queues": [{"name": "a"}]}, "the account 'b', for which"),
    ],
)
def test_a_wrong_table_is_named(entries: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        simulate([(0, 1, 1, "b", 0)], Pool(4), {"kueue": entries})


jobs_drawn = st.lists(
    st.tuples(
        st.integers(0, 30),
        st.integers(1, 12),
        st.integers(1, 6),
        st.sampled_from("abc"),
        st.integers(0, 2),
    ),
    min_size=1,
    max_size=14,
)


@given(jobs_drawn, st.booleans(), st.booleans(), st.booleans())
@settings(max_examples=150, deadline=None)
def test_everything_ends_and_nothing_is_overdrawn(
    jobs: list[Job], fair: bool, strict: bool, nodes: bool
) -> None:
    queues = [
        {
            "name": name,
            "cohort": "all",
            "nominal": 2,
            "within": "LowerPriority",
            "reclaim": "Any",
            "borrow_within": name == "c",
        }
        for name in "abc"
    ]
    cluster = table(queues=queues, fair_sharing=fair, strict=strict)
    simulation, meter = simulate(jobs, Nodes(3, 2) if nodes else Pool(6), cluster)
    assert all(end >= 0 for end in simulation.last_end)
    last = {job: (begin, end) for job, begin, end in meter.spans}
    for job, (_, run, *_rest) in enumerate(jobs):
        assert last[job][1] - last[job][0] == run
    again, _ = simulate(jobs, Nodes(3, 2) if nodes else Pool(6), cluster)
    assert again.last_end == simulation.last_end


def obvious(jobs: list[Job], nominal: dict[str, int], limit: int) -> list[int]:
    """Queues in one cohort, no eviction: second by second, cycle by cycle, head by head.

    A job that does not fit is passed over until something ends, and with it every later job
    of its queue and size.
    """
    starts, pool = [-1] * len(jobs), sum(nominal.values())
    passed: set[int] = set()

    def busy(time: int, queue: str | None = None) -> int:
        return sum(
            procs
            for (_, run, procs, account, _), start in zip(jobs, starts, strict=True)
            if start >= 0 and time < start + run and queue in (None, account)
        )

    def rank(job: int) -> tuple[int, int, int]:
        return -jobs[job][4], jobs[job][0], job

    def like(job: int, other: int) -> bool:
        return jobs[job][2:4] == jobs[other][2:4] and rank(other) >= rank(job)

    for time in range(250):
        if any(s >= 0 and s + job[1] == time for s, job in zip(starts, jobs, strict=True)):
            passed.clear()
        waiting = {j for j, job in enumerate(jobs) if starts[j] < 0 and job[0] <= time}
        while left := {j for j in waiting if not any(like(p, j) for p in passed)}:
            queues = {jobs[j][3] for j in left}
            heads = [min((j for j in left if jobs[j][3] == queue), key=rank) for queue in queues]
            used = {queue: busy(time, queue) for queue in queues}
            lends = {j: used[jobs[j][3]] + jobs[j][2] <= nominal[jobs[j][3]] for j in heads}
            for job in sorted(heads, key=lambda j: (not lends[j], rank(j))):
                _, _, procs, queue, _ = jobs[job]
                if busy(time) + procs <= pool and used[queue] + procs <= nominal[queue] + limit:
                    starts[job] = time
                    waiting.discard(job)
                else:
                    passed.add(job)
    return starts


@given(jobs_drawn, st.integers(0, 4))
@settings(max_examples=150, deadline=None)
def test_quotas_without_eviction_equal_the_obvious_schedule(jobs: list[Job], limit: int) -> None:
    nominal = {"a": 1, "b": 2, "c": 3}
    queues = [
        {"name": name, "cohort": "all", "nominal": amount, "borrowing_limit": limit}
        for name, amount in nominal.items()
    ]
    simulation, _ = simulate(jobs, Pool(6), table(queues=queues))
    assert simulation.first_start == obvious(jobs, nominal, limit)
