from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scenarios.simulator.machine import Nodes


def test_small_job_takes_the_fullest_node_it_fits_on() -> None:
    """Twelve one-node jobs on 4 x 8 GPUs, as the real slurmctld placed them."""
    nodes, placed = Nodes(4, 8), []
    for job, gpus in enumerate([1, 2, 4, 8, 1, 4, 2, 1, 8, 3, 1, 2]):
        if nodes.fits(gpus):
            nodes.take(job, gpus)
            placed.append(nodes.where[job][0][0] + 1)
        else:
            placed.append(0)
    assert placed == [1, 1, 1, 2, 1, 3, 3, 3, 4, 0, 3, 0]


def test_large_job_takes_empty_nodes_and_the_fullest_for_its_remainder() -> None:
    nodes = Nodes(5, 4)
    nodes.take(0, 2)
    nodes.take(1, 10)
    assert nodes.where[1] == ((1, 4), (2, 4), (0, 2))
    assert nodes.free == 8
    nodes.give(1, 10)
    assert nodes.level == [2, 4, 4, 4, 4]


def test_gang_waits_rather_than_spread_over_leftovers() -> None:
    nodes = Nodes(2, 4)
    nodes.take(0, 3)
    nodes.take(1, 3)
    assert nodes.where == {0: ((0, 3),), 1: ((1, 3),)}
    assert nodes.free == 2
    assert not nodes.fits(2)
    assert nodes.largest() == 1


def test_node_out_of_service_takes_no_more_jobs() -> None:
    nodes = Nodes(2, 4)
    nodes.take(0, 1)
    nodes.take_out(0)
    assert (nodes.capacity, nodes.free) == (4, 4)
    assert not nodes.fits(5)
    nodes.take(1, 1)
    assert nodes.where[1] == ((1, 1),)
    nodes.give(0, 1)
    assert nodes.free == 3
    nodes.put_back(0)
    assert (nodes.capacity, nodes.free) == (8, 7)
    assert list(nodes.add_nodes(2)) == [2, 3]
    assert (nodes.capacity, nodes.free, nodes.largest()) == (16, 15, 15)


@given(st.lists(st.integers(1, 20), max_size=20))
def test_largest_is_the_bound_between_what_fits_and_what_does_not(asked: list[int]) -> None:
    nodes = Nodes(4, 4)
    for job, gpus in enumerate(asked):
        if nodes.fits(gpus):
            nodes.take(job, gpus)
        empty = sum(level == 4 for level in nodes.level)
        partial = max((level for level in nodes.level if level < 4), default=0)
        assert nodes.largest() == 4 * empty + partial
        assert nodes.free == sum(nodes.level)
        assert [mask.bit_count() for mask in nodes.at_level] == [
            nodes.level.count(level) for level in range(5)
        ]
