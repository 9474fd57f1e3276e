from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from scenarios.simulator.topology import Locality, Topology

TWO_LEAVES = Topology(leaf=[0, 0, 0, 1, 1, 1])


def test_the_room_is_that_of_the_leaf_with_most_free() -> None:
    assert TWO_LEAVES.room([0] * 8 + [1] + [3, 3] + [4] * 4) == 9
    assert TWO_LEAVES.room([]) == 0


def test_a_gang_counts_its_nodes_and_leaves() -> None:
    assert TWO_LEAVES.locality([0, 0, 1, 3]) == Locality(nodes=3, leaves=2)
    assert TWO_LEAVES.locality([4, 4]) == Locality(nodes=1, leaves=1)


@given(
    st.lists(st.integers(0, 2), min_size=5, max_size=5),
    st.lists(st.integers(0, 4), min_size=1, max_size=7),
)
def test_the_room_is_the_largest_gang_under_one_leaf(leaf: list[int], free: list[int]) -> None:
    topology = Topology(leaf)
    sizes = range(1, len(free) + 1)
    gangs = [gang for size in sizes for gang in combinations(free, size)]
    near = [len(gang) for gang in gangs if topology.locality(gang).leaves == 1]
    assert topology.room(free) == max(near)
