from __future__ import annotations

import pickle

from hypothesis import given
from hypothesis import strategies as st

from scenarios.simulator.engine import EVENT_ORDERS, EventOrder, Simulation
from scenarios.simulator.machine import Machine, Nodes, Pool
from scenarios.simulator.outputs import rows as csv_rows
from scenarios.simulator.policies import open_policy
from scenarios.simulator.tests.jobs import (
    CAPACITY,
    Meter,
    Row,
    examples,
    outcome,
    rows,
    run,
    workload_of,
)

TIMELESS = ["fcfs", "easy", "easy-sjbf", "conservative", "sjf", "srtf", "srgf"]
policies = st.sampled_from([*TIMELESS, "las"])
orders = st.sampled_from(EVENT_ORDERS)
on_nodes = st.booleans()
few = examples(200)


def machine(nodes: bool) -> Machine:
    return Nodes(2, CAPACITY // 2) if nodes else Pool(CAPACITY)


@few
@given(jobs=rows, policy=policies, nodes=on_nodes, order=orders)
def test_machine_is_never_over_allocated_and_work_is_conserved(
    jobs: list[Row], policy: str, nodes: bool, order: EventOrder
) -> None:
    meter = Meter()
    simulation = Simulation(workload_of(jobs), machine(nodes), open_policy(policy), order, meter)
    meter.simulation = simulation
    simulation.run()
    assert meter.peak <= CAPACITY
    assert simulation.machine.free == CAPACITY
    assert meter.work == dict(enumerate(simulation.run_time))
    assert all(
        start >= submit
        for start, submit in zip(simulation.first_start, simulation.submit, strict=True)
    )


@few
@given(jobs=rows, policy=policies, nodes=on_nodes, order=orders)
def test_same_inputs_give_the_same_bytes(
    jobs: list[Row], policy: str, nodes: bool, order: EventOrder
) -> None:
    first, again = (run(workload_of(jobs), machine(nodes), policy, order) for _ in range(2))
    assert list(csv_rows(first)) == list(csv_rows(again))


@few
@given(
    jobs=rows,
    policy=policies,
    nodes=on_nodes,
    order=orders,
    stops=st.lists(st.integers(0, 200), max_size=8),
)
def test_a_run_in_pieces_is_the_run_in_one(
    jobs: list[Row], policy: str, nodes: bool, order: EventOrder, stops: list[int]
) -> None:
    whole = run(workload_of(jobs), machine(nodes), policy, order)
    pieces = Simulation(workload_of(jobs), machine(nodes), open_policy(policy), order)
    for stop in sorted(stops):
        pieces.run_until(stop)
        assert pieces.now == stop
    pieces.run()
    assert outcome(pieces) == outcome(whole)


@few
@given(jobs=rows, policy=policies, nodes=on_nodes, stop=st.integers(0, 60))
def test_a_run_put_away_goes_on_as_if_it_had_not_been(
    jobs: list[Row], policy: str, nodes: bool, stop: int
) -> None:
    simulation = Simulation(workload_of(jobs), machine(nodes), open_policy(policy))
    simulation.run_until(stop)
    put_away = pickle.dumps(simulation)
    simulation.run()
    again: Simulation = pickle.loads(put_away)  # noqa: S301  our own bytes
    again.run()
    assert outcome(again) == outcome(simulation)


@few
@given(jobs=rows, policy=st.sampled_from(TIMELESS), nodes=on_nodes, factor=st.integers(2, 1000))
def test_longer_times_lengthen_every_wait_alike(
    jobs: list[Row], policy: str, nodes: bool, factor: int
) -> None:
    once = run(workload_of(jobs), machine(nodes), policy)
    scaled = run(workload_of(jobs, factor), machine(nodes), policy)
    assert [start * factor for start in once.first_start] == scaled.first_start
    assert [end * factor for end in once.last_end] == scaled.last_end


@few
@given(jobs=rows, policy=policies, nodes=on_nodes, order=orders, run_time=st.integers(0, 9))
def test_a_job_that_never_fits_changes_nothing(
    jobs: list[Row], policy: str, nodes: bool, order: EventOrder, run_time: int
) -> None:
    last = max((submit for submit, *_ in jobs), default=0)
    without = run(workload_of(jobs), machine(nodes), policy, order)
    giant = [*jobs, (last, run_time, 3, CAPACITY + 1)]
    beside = run(workload_of(giant), machine(nodes), policy, order)
    assert outcome(beside) == [*outcome(without), (-1, -1, 0)]
