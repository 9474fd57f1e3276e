from __future__ import annotations

import pytest
from hypothesis import given

from scenarios.simulator.engine import Simulation
from scenarios.simulator.machine import Nodes, Pool
from scenarios.simulator.policies.program import Controlled, Controls
from scenarios.simulator.snapshot import Snapshot
from scenarios.simulator.tests.jobs import CAPACITY, Row, examples, outcome, rows, run, workload_of


def in_order(snapshot: Snapshot, controls: Controls) -> None:
    for job in snapshot.waiting:
        if job.procs > snapshot.largest:
            return
        assert controls.start(job)


@examples(100)
@given(jobs=rows)
def test_program_that_serves_in_order_is_fcfs(jobs: list[Row]) -> None:
    simulation = Simulation(workload_of(jobs), Pool(CAPACITY), Controlled(in_order))
    simulation.run()
    assert outcome(simulation) == outcome(run(workload_of(jobs), Pool(CAPACITY), "fcfs"))


def test_program_is_asked_at_ticks_only_while_there_is_work() -> None:
    asked = []

    def control(snapshot: Snapshot, controls: Controls) -> None:
        asked.append(snapshot.now)
        in_order(snapshot, controls)

    policy = Controlled(control, every=10, at_events=False)
    simulation = Simulation(workload_of([(3, 4, 0, 1), (50, 12, 0, 1)]), Pool(1), policy)
    simulation.run()
    assert simulation.first_start == [10, 60]
    assert asked == [10, 20, 60, 70, 80]


def test_impossible_wishes_are_refused_and_counted() -> None:
    said = []

    def control(snapshot: Snapshot, controls: Controls) -> None:
        for job in snapshot.waiting:
            said.append((snapshot.now, job.job_id, controls.start(job)))
            said.append((snapshot.now, job.job_id, controls.start(job)))
            said.append((snapshot.now, job.job_id, controls.preempt(job)))
        for job in snapshot.running:
            controls.preempt(job)

    policy = Controlled(control)
    simulation = Simulation(workload_of([(0, 5, 0, 2), (1, 5, 0, 1)]), Pool(2), policy)
    simulation.run_until(0)
    assert said == [(0, 1, True), (0, 1, False), (0, 1, True)]
    assert (policy.controls.calls, policy.controls.refused) == (3, 1)
    assert simulation.preemptions == [1, 0]
    assert list(policy.waiting()) == [0]


def test_snapshot_shows_what_an_operator_would_see() -> None:
    nodes = Nodes(2, 4)
    jobs = [(0, 9, 3, 5), (1, 9, 0, 4)]
    simulation = Simulation(workload_of(jobs), nodes, Controlled(in_order))
    simulation.run_until(4)
    snapshot = Snapshot(simulation, simulation.policy.waiting())
    first, second = snapshot.running[0], snapshot.waiting[0]
    assert (first.job_id, first.began, first.attained, first.estimate) == (1, 0, 4, 12)
    assert first.nodes == ((0, 4), (1, 1))
    assert (second.submit, second.began, second.nodes, second.preemptions) == (1, None, (), 0)
    assert (snapshot.free, snapshot.capacity, snapshot.largest) == (3, 8, 3)
    assert snapshot.free_by_node == (0, 3)
    assert not hasattr(first, "run")


def test_asking_too_often_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        Controlled(in_order, every=0)
