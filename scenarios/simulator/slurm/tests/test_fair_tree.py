from __future__ import annotations

from math import inf

from hypothesis import assume, given
from hypothesis import strategies as st

from scenarios.simulator.slurm.fair_tree import fair_tree
from scenarios.simulator.slurm.shares import Tree

Row = tuple[str, str, str, int | None, float]
"""account, user, parent account, shares, usage"""


def _stand(rows: list[Row]) -> tuple[dict[str, float | None], dict[str, float | None]]:
    """(factor of each user, level value of each user and account) after hand-made usage."""
    tree, usage, at = Tree(), [0.0], {"root": 0}
    tree.add("root", "", -1, 1)
    for account, user, parent, shares, used in rows:
        index = tree.add(account, user, at[account if user else parent], shares)
        usage.append(used)
        if not user:
            at[account] = index
    usage[0] = sum(used for (_, _, parent, _, used) in rows if parent == "root")
    standing = fair_tree(tree, usage)
    names = [user or account for account, user in zip(tree.account, tree.user, strict=True)]
    users = {n: f for n, f, u in zip(names, standing.fair_share, tree.user, strict=True) if u}
    return users, dict(zip(names, standing.level_fs, strict=True))


def test_users_of_the_better_served_account_come_last() -> None:
    users, level = _stand(
        [
            ("a", "", "root", 1, 30.0),
            ("a", "ann", "", 1, 10.0),
            ("a", "abe", "", 1, 20.0),
            ("b", "", "root", 1, 10.0),
            ("b", "bob", "", 1, 10.0),
        ]
    )
    assert level["a"] == 0.5 / 0.75
    assert level["b"] == 0.5 / 0.25
    assert users == {"bob": 1.0, "ann": 2 / 3, "abe": 1 / 3}


def test_unused_is_infinitely_under_served_and_no_shares_is_the_end() -> None:
    users, level = _stand(
        [
            ("a", "", "root", 1, 10.0),
            ("a", "fresh", "", 1, 0.0),
            ("a", "busy", "", 1, 10.0),
            ("a", "none", "", 0, 0.0),
        ]
    )
    assert (level["fresh"], level["busy"], level["none"]) == (inf, 0.5, 0.0)
    assert users == {"fresh": 1.0, "busy": 2 / 3, "none": 1 / 3}


def test_equal_users_share_a_rank_and_the_next_one_is_counted_past_them() -> None:
    users, _ = _stand(
        [
            ("a", "", "root", 1, 40.0),
            ("a", "one", "", 1, 10.0),
            ("a", "two", "", 1, 10.0),
            ("a", "three", "", 1, 20.0),
        ]
    )
    assert users == {"one": 1.0, "two": 1.0, "three": 1 / 3}


def test_equal_accounts_have_their_children_merged() -> None:
    users, level = _stand(
        [
            ("a", "", "root", 1, 10.0),
            ("a", "a-low", "", 1, 9.0),
            ("a", "a-high", "", 1, 1.0),
            ("b", "", "root", 1, 10.0),
            ("b", "b-low", "", 1, 6.0),
            ("b", "b-high", "", 1, 4.0),
        ]
    )
    assert level["a"] == level["b"]
    assert users == {"a-high": 1.0, "b-high": 0.75, "b-low": 0.5, "a-low": 0.25}


def test_merged_children_that_are_equal_share_a_rank() -> None:
    users, _ = _stand(
        [
            ("a", "", "root", 1, 10.0),
            ("a", "ann", "", 1, 10.0),
            ("b", "", "root", 1, 10.0),
            ("b", "bob", "", 1, 10.0),
            ("c", "", "root", 1, 80.0),
            ("c", "cat", "", 1, 80.0),
        ]
    )
    assert users == {"ann": 1.0, "bob": 1.0, "cat": 1 / 3}


def test_user_equal_to_an_account_ties_with_its_best_user() -> None:
    users, level = _stand(
        [
            ("root", "solo", "root", 1, 10.0),
            ("a", "", "root", 1, 10.0),
            ("a", "best", "", 1, 2.0),
            ("a", "worst", "", 1, 8.0),
        ]
    )
    assert level["solo"] == level["a"]
    assert users == {"solo": 1.0, "best": 1.0, "worst": 1 / 3}


def test_tie_reaches_through_an_account_without_users_of_its_own() -> None:
    users, _ = _stand(
        [
            ("root", "solo", "root", 1, 10.0),
            ("a", "", "root", 1, 10.0),
            ("deep", "", "a", 1, 10.0),
            ("deep", "best", "", 1, 10.0),
        ]
    )
    assert users == {"solo": 1.0, "best": 1.0}


def test_user_with_the_parents_shares_ranks_first_and_takes_none_from_the_others() -> None:
    users, level = _stand(
        [
            ("a", "", "root", 1, 30.0),
            ("a", "guest", "", None, 20.0),
            ("a", "owner", "", 1, 10.0),
        ]
    )
    assert (level["guest"], level["owner"]) == (inf, 3.0)
    assert users == {"guest": 1.0, "owner": 0.5}


def test_account_with_the_parents_shares_hands_its_children_up() -> None:
    users, level = _stand(
        [
            ("a", "", "root", 1, 30.0),
            ("group", "", "a", None, 20.0),
            ("group", "gus", "", 1, 20.0),
            ("a", "ann", "", 1, 10.0),
        ]
    )
    assert level["group"] is None
    assert users == {"ann": 1.0, "gus": 0.5}


USERS = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 1), st.integers(1, 9), st.integers(1, 10**6)),
    min_size=1,
    max_size=12,
)


@given(USERS)
def test_without_ties_ranks_are_the_order_of_level_values_down_the_tree(
    drawn: list[tuple[int, int, int, int]],
) -> None:
    rows, used = _three_levels(drawn)
    users, level = _stand(rows)
    siblings = [(parent or account, level[user or account]) for account, user, parent, _, _ in rows]
    assume(len(set(siblings)) == len(siblings))
    paths = {
        user: tuple(level[name] or 0.0 for name in (top, f"{top}{low}", user))
        for user, (top, low) in used.items()
    }
    order = sorted(paths, key=lambda user: paths[user])
    assert users == {user: (place + 1) / len(order) for place, user in enumerate(order)}


def _three_levels(
    drawn: list[tuple[int, int, int, int]],
) -> tuple[list[Row], dict[str, tuple[str, str]]]:
    total: dict[str, int] = {}
    for top, low, _, usage in drawn:
        for name in (f"t{top}", f"t{top}l{low}"):
            total[name] = total.get(name, 0) + usage
    rows: list[Row] = [
        (name, "", name[:2] if "l" in name else "root", 1 + len(name), float(total[name]))
        for name in sorted(total, key=lambda name: (len(name), name))
    ]
    used = {}
    for number, (top, low, shares, usage) in enumerate(drawn):
        rows.append((f"t{top}l{low}", f"u{number}", "", shares, float(usage)))
        used[f"u{number}"] = (f"t{top}", f"l{low}")
    return rows, used
