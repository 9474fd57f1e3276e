from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenarios.simulator.engine import Simulation
from scenarios.simulator.machine import Machine, Nodes, Pool
from scenarios.simulator.slurm.policy import Slurm
from scenarios.simulator.trace import Workload

LONG = 36_000


class Diary:
    """The nodes of every start, and what every instant held."""

    def __init__(self, nodes: Nodes) -> None:
        self.nodes = nodes
        self.places: dict[int, list[tuple[int, ...]]] = {}

    def started(self, job: int, now: int) -> None:
        where = tuple(node for node, _ in self.nodes.where[job])
        self.places.setdefault(job, []).append(where)
        assert all(0 <= free <= self.nodes.per_node for free in self.nodes.level)

    def left(self, job: int, now: int, finished: bool) -> None:
        pass


def _workload(*jobs: tuple[int, int, int]) -> Workload:
    """Jobs of (submit, GPUs, run time), planned for as long as they run."""
    workload = Workload()
    for number, (submit, procs, run) in enumerate(jobs, 1):
        workload.add(number, submit, run, run, procs)
    return workload


def _run(
    workload: Workload, machine: Machine, table: Mapping[str, object] | None = None, unit: int = 1
) -> tuple[Simulation, Diary]:
    policy = Slurm({"slurm": dict(table or {})})
    simulation = Simulation(workload, machine, policy, ticks_per_second=unit)
    simulation.watcher = diary = Diary(policy.nodes)
    simulation.run()
    return simulation, diary


def test_small_jobs_fill_the_fullest_node_and_one_passes_the_blocked_job() -> None:
    sizes = (1, 2, 4, 8, 1, 4, 2, 1, 8, 3, 1, 2)
    jobs = [(second, gpus, LONG) for second, gpus in enumerate(sizes)]
    simulation = Simulation(_workload(*jobs), Nodes(4, 8), Slurm({}))
    simulation.watcher = diary = Diary(simulation.policy.nodes)  # type: ignore[attr-defined]
    simulation.run_until(600)
    places = [diary.places.get(job, [()])[0] for job in range(12)]
    assert places == [(0,), (0,), (0,), (1,), (0,), (2,), (2,), (2,), (3,), (), (2,), ()]
    assert simulation.first_start[10] % 30 == 25  # at a beat: the main loop is blocked


def test_blocked_job_is_not_delayed_by_those_behind_it() -> None:
    jobs = _workload((0, 3, 1_000), (1, 4, 500), (2, 1, 998), (3, 1, 900))
    simulation, _ = _run(jobs, Pool(4))
    assert simulation.first_start[1] == 1_000
    assert simulation.first_start[3] == 25
    assert simulation.first_start[2] == 1_500


def test_main_loop_acts_at_once_and_keeps_the_order() -> None:
    simulation, _ = _run(_workload((0, 4, 100), (1, 4, 10), (2, 4, 10)), Pool(4))
    assert simulation.first_start == [0, 100, 110]


def test_milliseconds_are_scheduled_as_seconds_are() -> None:
    jobs = [(0, 3, 1_000), (7, 4, 500), (11, 1, 900), (40, 2, 77)]
    seconds, _ = _run(_workload(*jobs), Pool(4))
    fine = _workload(*((submit * 1_000, procs, run * 1_000) for submit, procs, run in jobs))
    milliseconds, _ = _run(fine, Pool(4), unit=1_000)
    assert milliseconds.first_start == [start * 1_000 for start in seconds.first_start]


PARTITIONS = {"preempt": "partition", "partitions": {"low": {"tier": 1}, "high": {"tier": 2}}}


def _two_partitions(low: list[tuple[int, int, int]], high: tuple[int, int, int]) -> Workload:
    workload = _workload(*low, high)
    workload.partition = ["low"] * len(low) + ["high"]
    return workload


def test_one_job_of_the_right_size_is_evicted_rather_than_several_small_ones() -> None:
    low = [(0, 4, LONG), (1, 1, LONG), (2, 1, LONG), (3, 1, LONG), (4, 1, LONG)]
    simulation, diary = _run(
        _two_partitions([*low, (5, 7, LONG)], (100, 4, 3_000)), Nodes(2, 8), PARTITIONS
    )
    assert simulation.preemptions == [1, 0, 0, 0, 0, 0, 0]
    assert simulation.first_start[6] == 100
    assert diary.places[0] == [(0,), (0,)]


def test_gang_evicts_exactly_the_jobs_on_whole_nodes() -> None:
    low = [(0, 4, LONG), (1, 3, LONG), (2, 8, LONG), (3, 8, LONG), (4, 5, LONG), (5, 2, LONG)]
    simulation, diary = _run(_two_partitions(low, (60, 16, 900)), Nodes(4, 8), PARTITIONS)
    assert simulation.preemptions == [0, 0, 1, 1, 0, 0, 0]
    assert sorted(diary.places[6][0]) == [1, 2]


def test_evicted_job_starts_over_when_the_other_ends() -> None:
    simulation, _ = _run(_two_partitions([(0, 8, 1_000)], (400, 8, 300)), Nodes(1, 8), PARTITIONS)
    assert simulation.last_end == [1_700, 700]
    assert simulation.preemptions == [1, 0]


def test_evicted_job_is_held_for_two_minutes() -> None:
    simulation, _ = _run(_two_partitions([(0, 8, 1_000)], (400, 8, 30)), Nodes(1, 8), PARTITIONS)
    assert simulation.last_end == [1_520, 430]


def test_qos_evicts_only_those_it_names() -> None:
    workload = _workload((0, 8, LONG), (1, 8, LONG), (60, 8, 900))
    workload.qos = ["normal", "scavenger", "urgent"]
    table = {"preempt": "qos", "qos": {"urgent": {"preempt": ["scavenger"]}, "scavenger": {}}}
    table["qos"] = {**table["qos"], "normal": {}}  # type: ignore[dict-item]
    simulation, _ = _run(workload, Nodes(2, 8), table)
    assert simulation.preemptions == [0, 1, 0]
    assert simulation.first_start[2] == 60


def test_of_equal_choices_the_lowest_tier_goes_and_then_the_youngest() -> None:
    table = {"preempt": "partition", "partitions": {f"p{n}": {"tier": n} for n in (1, 2, 3)}}
    workload = _workload((0, 4, LONG), (1, 4, LONG), (60, 4, 900))
    workload.partition = ["p1", "p2", "p3"]
    simulation, _ = _run(workload, Nodes(1, 8), table)
    assert simulation.preemptions == [1, 0, 0]
    workload.partition = ["p1", "p1", "p3"]
    simulation, _ = _run(workload, Nodes(1, 8), table)
    assert simulation.preemptions == [0, 1, 0]


def test_nobody_is_evicted_where_it_would_not_suffice() -> None:
    workload = _workload((0, 8, 900), (1, 8, 900), (60, 16, 100))
    workload.partition = ["low", "high", "high"]
    simulation, _ = _run(workload, Nodes(2, 8), PARTITIONS)
    assert simulation.preemptions == [0, 0, 0]
    assert simulation.first_start[2] == 901


SHARES = {
    "fair_share": "fair-tree",
    "weights": {"fair_share": 1_000},
    "associations": [
        {"account": "lab", "shares": 1},
        {"account": "lab", "user": "ann"},
        {"account": "lab", "user": "abe"},
    ],
}


@pytest.mark.parametrize("rule", ["classic", "fair-tree"])
def test_user_who_used_less_goes_first(rule: str) -> None:
    workload = _workload((0, 4, 2_000), (100, 4, 50), (200, 4, 50))
    workload.account, workload.user = ["lab"] * 3, ["ann", "ann", "abe"]
    simulation, _ = _run(workload, Pool(4), {**SHARES, "fair_share": rule})
    assert simulation.first_start == [0, 2_050, 2_000]


def test_priority_column_decides_before_the_time_of_submission() -> None:
    workload = _workload((0, 4, 100), (1, 4, 10), (2, 4, 10))
    workload.priority = [0, 0, 5]
    simulation, _ = _run(workload, Pool(4))
    assert simulation.first_start == [0, 110, 100]


def test_large_jobs_go_first_where_size_counts() -> None:
    workload = _workload((0, 4, 100), (1, 1, 10), (2, 4, 10))
    simulation, _ = _run(workload, Pool(4), {"weights": {"job_size": 1_000}})
    assert simulation.first_start == [0, 110, 100]


@pytest.mark.parametrize("weight", ["association", "qos", "partition", "tres"])
def test_each_weight_moves_the_job_it_favours_to_the_front(weight: str) -> None:
    workload = _workload((0, 4, 100), (1, 3, 10), (2, 4, 10))
    workload.account, workload.qos, workload.partition = (
        ["plain"] * 2 + ["better"] for _ in range(3)
    )
    table = {
        "weights": {weight: 100},
        "associations": [{"account": "plain"}, {"account": "better", "priority": 7}],
        "qos": {"better": {"priority": 7}},
        "partitions": {"plain": {"factor": 2}, "better": {"factor": 7}},
    }
    simulation, _ = _run(workload, Pool(4), table)
    assert simulation.first_start == [0, 110, 100]


def test_without_weights_names_decide_nothing() -> None:
    workload = _workload((0, 4, 100), (1, 3, 10), (2, 4, 10))
    workload.qos = ["plain", "plain", "better"]
    simulation, _ = _run(workload, Pool(4), {"qos": {"better": {"priority": 7}}})
    assert simulation.first_start == [0, 100, 110]


def test_age_overtakes_size_when_it_has_grown_enough() -> None:
    """Priorities are renewed every 300 s; size gives 750 and 250, age 1 for each second."""
    jobs = _workload((0, 4, 1_000), (10, 1, 50), (900, 3, 50), (905, 1, 50))
    table = {"weights": {"age": 10_000, "job_size": 1_000}, "max_age": 10_000}
    simulation, _ = _run(jobs, Pool(4), table)
    assert simulation.first_start == [0, 1_000, 1_000, 1_050]
    young, _ = _run(_workload((0, 4, 1_000), (890, 2, 50), (900, 3, 50)), Pool(4), table)
    assert young.first_start == [0, 1_050, 1_000]


class Restless(Slurm):
    """Runs a pass at every beat while anybody waits, whether or not anything has changed."""

    def schedule(self) -> None:
        super().schedule()
        if self._queue.waiting:
            self._ask_for_beat(after=self.simulation.now + 1)


JOBS = st.lists(
    st.tuples(st.integers(0, 300), st.integers(1, 12), st.integers(0, 400), st.integers(0, 200)),
    min_size=1,
    max_size=14,
)


def _drawn(jobs: list[tuple[int, int, int, int]]) -> Workload:
    workload = Workload()
    for number, (submit, procs, run, slack) in enumerate(jobs, 1):
        workload.add(number, submit, run, run + slack, procs)
    return workload


EVERYTHING = {
    **SHARES,
    **PARTITIONS,
    "calc_period": 60,
    "half_life": 600,
    "max_age": 500,
    "weights": {"fair_share": 1_000, "age": 700, "job_size": 300},
}


@pytest.mark.parametrize("table", [{}, EVERYTHING])
@given(jobs=JOBS, per_node=st.sampled_from([1, 4]))
def test_beats_left_out_change_nothing(
    table: dict[str, object], jobs: list[tuple[int, int, int, int]], per_node: int
) -> None:
    workload = _drawn(jobs)
    workload.account = ["lab"] * len(jobs)
    workload.user = ["ann" if job % 2 else "abe" for job in range(len(jobs))]
    workload.partition = ["high" if job % 5 == 4 else "low" for job in range(len(jobs))]
    lazy, eager = (
        Simulation(workload, Nodes(12 // per_node, per_node), policy)
        for policy in (Slurm({"slurm": table}), Restless({"slurm": table}))
    )
    lazy.run()
    eager.run()
    assert lazy.first_start == eager.first_start
    assert lazy.last_end == eager.last_end


@given(JOBS, st.sampled_from([1, 4]))
def test_every_job_runs_once_for_its_time_without_over_allocation(
    jobs: list[tuple[int, int, int, int]], per_node: int
) -> None:
    simulation, _ = _run(_drawn(jobs), Nodes(12 // per_node, per_node))
    assert simulation.machine.free == 12
    for job, (submit, _, run, _) in enumerate(jobs):
        assert simulation.first_start[job] >= submit
        assert simulation.last_end[job] - simulation.first_start[job] == run


@settings(max_examples=50)
@given(JOBS)
def test_eviction_loses_no_job_and_ends_in_the_full_run_time(
    jobs: list[tuple[int, int, int, int]],
) -> None:
    workload = _drawn(jobs)
    workload.partition = ["high" if job % 3 == 2 else "low" for job in range(len(jobs))]
    simulation, _ = _run(workload, Nodes(3, 4), PARTITIONS)
    for job, (_, _, run, _) in enumerate(jobs):
        assert simulation.last_end[job] - simulation.began[job] == run
        assert workload.partition[job] == "low" or not simulation.preemptions[job]


def test_run_can_be_stopped_and_resumed_anywhere() -> None:
    jobs = [(n * 7, 1 + n % 5, 50 + n * 13 % 90) for n in range(40)]
    whole, _ = _run(_workload(*jobs), Pool(6))
    pieces = Simulation(_workload(*jobs), Pool(6), Slurm({}))
    for time in range(0, 6_000, 11):
        pieces.run_until(time)
    assert pieces.first_start == whole.first_start
