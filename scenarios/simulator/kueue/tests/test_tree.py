from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenarios.simulator.kueue.tree import DEEPEST, NodeSpec, Quota, QuotaTree


def tree_of(*specs: NodeSpec) -> QuotaTree:
    return QuotaTree(specs, 1)


def cohort(name: str, parent: str | None = None, quota: Quota | None = None) -> NodeSpec:
    return NodeSpec(name, parent, queue=False, quotas={0: quota or Quota()})


def queue(name: str, parent: str | None, quota: Quota) -> NodeSpec:
    return NodeSpec(name, parent, queue=True, quotas={0: quota})


def test_a_queue_borrows_what_its_sibling_lends() -> None:
    tree = tree_of(cohort("c"), queue("a", "c", Quota(6)), queue("b", "c", Quota(4)))
    assert tree.available(1, 0) == 10
    tree.add(2, {0: 3})
    assert tree.available(1, 0) == 7
    tree.add(1, {0: 7})
    assert (tree.available(1, 0), tree.available(2, 0)) == (0, 0)


def test_lending_limit_keeps_quota_at_home() -> None:
    tree = tree_of(cohort("c"), queue("a", "c", Quota(6, lending=2)), queue("b", "c", Quota(4)))
    assert tree.local[1][0] == 4
    assert tree.available(2, 0) == 6
    tree.add(1, {0: 5})
    assert tree.available(2, 0) == 5
    assert tree.available(1, 0) == 5


def test_borrowing_limit_caps_what_comes_from_above() -> None:
    tree = tree_of(cohort("c"), queue("a", "c", Quota(6, borrowing=1)), queue("b", "c", Quota(4)))
    assert tree.available(1, 0) == tree.potential(1, 0) == 7
    tree.add(1, {0: 7})
    assert tree.available(1, 0) == 0
    assert tree.available(2, 0) == 3


def test_use_beyond_local_quota_bubbles_up_every_level() -> None:
    tree = tree_of(
        cohort("root", quota=Quota(5)),
        cohort("mid", "root", Quota(3, lending=1)),
        queue("a", "mid", Quota(2, lending=0)),
    )
    tree.add(2, {0: 7})
    assert [row[0] for row in tree.used] == [3, 5, 7]
    tree.remove(2, {0: 6})
    assert [row[0] for row in tree.used] == [0, 0, 1]


def test_cohorts_in_a_circle_are_refused() -> None:
    with pytest.raises(ValueError, match="above p form a circle"):
        tree_of(cohort("p", "q"), cohort("q", "p"), queue("a", None, Quota(1)))


def test_endless_nesting_is_refused() -> None:
    chain = [cohort(str(n), str(n - 1) if n else None) for n in range(DEEPEST + 2)]
    with pytest.raises(ValueError, match="nested more than"):
        tree_of(*chain)


amounts = st.integers(0, 12)
limits = st.none() | amounts
quotas = st.builds(Quota, amounts, limits, limits)


@st.composite
def trees(draw: st.DrawFn) -> tuple[QuotaTree, list[int]]:
    cohorts = [cohort("c0", None, draw(quotas))]
    for n in range(1, draw(st.integers(1, 4))):
        cohorts.append(cohort(f"c{n}", f"c{draw(st.integers(0, n - 1))}", draw(quotas)))
    count = draw(st.integers(1, 4))
    homes = [draw(st.sampled_from(cohorts)).name for _ in range(count)]
    queues = [queue(f"q{n}", home, draw(quotas)) for n, home in enumerate(homes)]
    return tree_of(*cohorts, *queues), list(range(len(cohorts), len(cohorts) + count))


@given(trees(), st.lists(st.tuples(st.integers(0, 3), st.integers(1, 9)), max_size=12))
def test_admitting_what_is_available_never_overdraws(
    drawn: tuple[QuotaTree, list[int]], asks: list[tuple[int, int]]
) -> None:
    tree, queues = drawn
    given_out = []
    for number, amount in asks:
        node = queues[number % len(queues)]
        if tree.fits(node, {0: amount}):
            tree.add(node, {0: amount})
            given_out.append((node, amount))
    assert tree.used[0][0] <= tree.subtree[0][0]
    for node in queues:
        limit = tree.quotas[node][0].borrowing
        if limit is not None:
            assert tree.used[node][0] <= tree.subtree[node][0] + limit
    assert sum(amount for _, amount in given_out) <= sum(quota[0].nominal for quota in tree.quotas)
    for node, amount in given_out:
        tree.remove(node, {0: amount})
    assert all(row == [0] for row in tree.used)


@given(trees())
def test_an_empty_tree_offers_its_potential(drawn: tuple[QuotaTree, list[int]]) -> None:
    tree, queues = drawn
    for node in queues:
        assert tree.available(node, 0) == tree.potential(node, 0)
