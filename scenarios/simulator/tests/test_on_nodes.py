from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenarios.simulator.engine import Simulation
from scenarios.simulator.machine import Machine, Nodes, Pool
from scenarios.simulator.policies.conservative import Conservative
from scenarios.simulator.tests import plain_nodes
from scenarios.simulator.tests.jobs import CAPACITY, Row, examples, outcome, rows, run, workload_of
from scenarios.simulator.tests.plain import Job

RULES = {"fcfs": plain_nodes.fcfs, "sjf": plain_nodes.sjf, "easy": plain_nodes.easy}


@pytest.mark.parametrize("policy", RULES)
@examples(300)
@given(jobs=rows)
@pytest.mark.by_day(but=["easy", "sjf"])
def test_policy_does_on_nodes_what_the_plain_rule_does(policy: str, jobs: list[Row]) -> None:
    slow = [
        Job(submit, run, run + over, procs, number)
        for number, (submit, run, over, procs) in enumerate(jobs)
    ]
    plain_nodes.simulate(slow, RULES[policy])
    nodes = Nodes(plain_nodes.NODES, plain_nodes.PER_NODE)
    fast = outcome(run(workload_of(jobs), nodes, policy))
    assert fast == [(job.first, job.end, 0) for job in slow]


class Promises(Conservative):
    """Notes the start each job is promised on submission."""

    def _plan_newcomer(self, job: int) -> None:
        super()._plan_newcomer(job)
        self.promised[job] = self._planned[job]

    promised: dict[int, int]


@examples(200)
@given(jobs=rows, nodes=st.booleans())
def test_conservative_keeps_every_promise(jobs: list[Row], nodes: bool) -> None:
    machine: Machine = Nodes(2, CAPACITY // 2) if nodes else Pool(CAPACITY)
    policy = Promises({})
    policy.promised = {}
    simulation = Simulation(workload_of(jobs), machine, policy)
    simulation.run()
    assert all(simulation.first_start[job] <= start for job, start in policy.promised.items())


@examples(200)
@given(jobs=rows)
@pytest.mark.nightly
def test_conservative_on_one_large_node_is_that_on_a_pool(jobs: list[Row]) -> None:
    on_node = run(workload_of(jobs), Nodes(1, CAPACITY), "conservative")
    assert outcome(on_node) == outcome(run(workload_of(jobs), Pool(CAPACITY), "conservative"))


@pytest.mark.parametrize("policy", ["srtf", "srgf", "las", "easy", "easy-sjbf"])
@examples(400)
@given(jobs=rows)
@pytest.mark.by_day(but=["easy", "easy-sjbf", "las", "srgf"])
def test_one_large_node_is_a_pool(policy: str, jobs: list[Row]) -> None:
    on_node = run(workload_of(jobs), Nodes(1, CAPACITY), policy)
    assert outcome(on_node) == outcome(run(workload_of(jobs), Pool(CAPACITY), policy))


def test_newcomer_goes_where_nobody_has_to_leave() -> None:
    simulation = run(workload_of([(0, 9, 0, 3), (4, 2, 0, 4)]), Nodes(2, 4), "srtf")
    assert simulation.first_start == [0, 4]
    assert simulation.preemptions == [0, 0]
