from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenarios.simulator.placement.topology import Topology

TWO_LEAVES = Topology(leaf=[0, 0, 0, 1, 1, 1], numa=[0, 0, 0, 0, 1, 1, 1, 1])
ALL = 0b11111111


def test_a_gang_stays_under_the_leaf_with_least_to_spare() -> None:
    free = [ALL, ALL, ALL, ALL, ALL, 0]
    assert TWO_LEAVES.place_gang(free, 2, 8) == [(3, ALL), (4, ALL)]


def test_a_gang_too_large_for_a_leaf_spans_as_few_as_can_be() -> None:
    shares = TWO_LEAVES.place_gang([ALL] * 6, 4, 8)
    assert shares is not None
    assert TWO_LEAVES.locality(shares).leaves == 2
    assert [node for node, _ in shares] == [0, 1, 2, 3]


def test_workers_share_rails_where_they_can() -> None:
    free = [0b11110000, 0b00001111, 0b11110000, 0, 0, 0]
    shares = TWO_LEAVES.place_gang(free, 2, 4)
    assert shares == [(0, 0b11110000), (2, 0b11110000)]
    assert TWO_LEAVES.locality(shares).on_rail


def test_workers_go_on_different_rails_rather_than_wait() -> None:
    shares = TWO_LEAVES.place_gang([0b11110000, 0b00001111, 0, 0, 0, 0], 2, 4)
    assert shares == [(0, 0b11110000), (1, 0b00001111)]
    assert not TWO_LEAVES.locality(shares).on_rail


def test_a_worker_stays_in_one_numa_domain_where_it_can() -> None:
    shares = TWO_LEAVES.place_gang([0b11110111, 0, 0, 0, 0, 0], 1, 4)
    assert shares == [(0, 0b11110000)]
    assert TWO_LEAVES.locality(shares).numa == 1


def test_a_gang_is_placed_whole_or_not_at_all() -> None:
    assert TWO_LEAVES.place_gang([ALL, ALL, 0, 0, 0, 0], 3, 8) is None
    assert TWO_LEAVES.place_gang([ALL] * 6, 1, 9) is None
    assert TWO_LEAVES.place_gang([ALL] * 6, 0, 1) is None


def test_nodes_of_more_gpus_than_can_be_weighed_are_refused() -> None:
    with pytest.raises(ValueError, match="at most 16 GPUs, not 17"):
        Topology([0], [0] * 17)


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 15)), min_size=1, max_size=6),
    st.integers(1, 4),
    st.integers(1, 4),
)
def test_the_number_of_leaves_is_the_smallest_possible(
    nodes: list[tuple[int, int]], workers: int, gpus: int
) -> None:
    topology = Topology([leaf for leaf, _ in nodes], [0, 0, 1, 1])
    free = [mask for _, mask in nodes]
    shares = topology.place_gang(free, workers, gpus)
    able = [node for node, mask in enumerate(free) if mask.bit_count() >= gpus]
    ways = [len({nodes[n][0] for n in chosen}) for chosen in combinations(able, workers)]
    if shares is None:
        assert not ways
        return
    assert len({node for node, _ in shares}) == workers
    assert all(mask & ~free[node] == 0 and mask.bit_count() == gpus for node, mask in shares)
    assert topology.locality(shares).leaves == min(ways)


def test_the_room_is_that_of_the_leaf_with_most_free() -> None:
    assert TWO_LEAVES.room([ALL, 0b1, 0, 0b11, 0b1111, 0]) == 9
    assert TWO_LEAVES.room([0] * 6) == 0


def test_a_gang_counts_its_nodes_and_leaves() -> None:
    where = TWO_LEAVES.locality([(0, 0b11), (1, 0b11), (3, 0b1)])
    assert (where.nodes, where.leaves, where.on_rail) == (3, 2, False)
