"""EASY in one loop beside the same policy under the engine, every list of the simulation alike."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenarios.simulator.engine import EventOrder, Kind, Simulation
from scenarios.simulator.machine import Machine, Nodes, Pool
from scenarios.simulator.policies.easy import Easy
from scenarios.simulator.tests.jobs import CAPACITY, Meter, Row, examples, workload_of

LATER = 1 << 60
rows = st.lists(
    st.tuples(
        st.integers(0, 40), st.integers(0, 15), st.integers(0, 15), st.integers(1, CAPACITY + 1)
    ),
    max_size=40,
)


def everything(simulation: Simulation) -> list[object]:
    """All that a run leaves behind."""
    left = (
        simulation.first_start, simulation.last_end, simulation.began, simulation.remaining,
        simulation.served, simulation.preemptions, simulation.state, list(simulation.running()),
        simulation.now, simulation.next_time(), simulation.machine.free,
    )  # fmt: skip
    return [list(part) if isinstance(part, bytearray) else part for part in left]


def begin(
    jobs: list[Row], machine: Machine | None = None, order: EventOrder = "batch"
) -> Simulation:
    return Simulation(workload_of(jobs), machine or Pool(CAPACITY), Easy({}), order)


def in_one_loop(jobs: list[Row]) -> Simulation:
    simulation = begin(jobs)
    assert simulation.policy.play()
    return simulation


def event_by_event(jobs: list[Row]) -> Simulation:
    simulation = begin(jobs)
    simulation.run_until(LATER)
    simulation.now = max([*simulation.last_end, *simulation.submit, 0])
    return simulation


@examples(600)
@given(jobs=rows)
@pytest.mark.nightly
def test_one_loop_leaves_what_the_engine_leaves(jobs: list[Row]) -> None:
    assert everything(in_one_loop(jobs)) == everything(event_by_event(jobs))


@examples(20)
@given(
    st.lists(
        st.tuples(st.integers(1, 9), st.integers(0, 60), st.integers(1, CAPACITY)), min_size=200
    )
)
@pytest.mark.nightly
def test_one_loop_does_the_same_in_a_long_queue_whose_trees_grow_and_are_cleared(
    sizes: list[tuple[int, int, int]],
) -> None:
    jobs = [(at // 3, run, over, procs) for at, (run, over, procs) in enumerate(sizes)]
    assert everything(in_one_loop(jobs)) == everything(event_by_event(jobs))


def test_engine_plays_by_events_whenever_somebody_looks_on_or_more_can_happen() -> None:
    jobs = [(0, 9, 3, 5), (1, 4, 0, 8), (2, 6, 0, 3), (2, 9, 9, 3)]
    plain = begin(jobs)
    plain.policy.schedule = lambda: None  # type: ignore[method-assign]  # nobody asks the policy
    plain.run()
    assert plain.first_start == [0, 9, 2, 13]
    watched, meter = begin(jobs), Meter()
    watched.watcher, meter.simulation = meter, watched
    timed, seen = begin(jobs), list[int]()
    timed.at(5, Kind.TIMER, lambda: seen.append(timed.now))
    begun = begin(jobs)
    begun.run_until(1)
    one_by_one, nodes = begin(jobs, order="one-by-one"), begin(jobs, Nodes(1, CAPACITY))
    for simulation in (watched, timed, begun, one_by_one, nodes):
        simulation.run()
        assert simulation.first_start == plain.first_start
    assert meter.peak == CAPACITY
    assert seen == [5]
