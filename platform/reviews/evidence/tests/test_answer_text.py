"""What staff read of an answer: every line numbered, nothing hidden, differences aligned."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from reviews.evidence.answer_text import comparisons, numbered, parts, side_by_side, visible


def test_hidden_characters_are_spelt_out() -> None:
    assert visible("if ok\u202e:\x1b") == "if ok[U+202E]:[U+001B]"
    assert visible("\tnaïve → 日本") == "\tnaïve → 日本"


def test_lines_are_numbered_from_one() -> None:
    assert numbered("a\n\nb") == [(1, "a"), (2, ""), (3, "b")]


def test_sections_carry_their_titles() -> None:
    body = {"files": {"a.py": "x"}, "sections": {"why": "y", "old": "z"}}
    found = [(part.title, part.is_code) for part in parts(body, {"why": "Rationale"})]
    assert found == [("a.py", True), ("Rationale", False), ("old", False)]


def test_differences_are_aligned() -> None:
    rows = side_by_side("a\nb\nc", "a\nB\nc\nd")
    assert [(row.kind, row.left.number, row.right.number) for row in rows] == [
        ("same", 1, 1),
        ("changed", 2, 2),
        ("same", 3, 3),
        ("added", None, 4),
    ]


def test_long_stretches_without_a_change_are_left_out() -> None:
    before = "\n".join(str(number) for number in range(100))
    rows = side_by_side(before, before.replace("50", "fifty"))
    assert [row.kind for row in rows].count("gap") == 2
    assert len(rows) < 20


def test_only_parts_that_differ_are_compared() -> None:
    first = {"files": {"a.py": "x", "b.py": "y"}, "sections": {"why": "old"}}
    second = {"files": {"a.py": "x", "c.py": "z"}, "sections": {"why": "new"}}
    assert [item.key for item in comparisons(first, second, {})] == ["b.py", "c.py", "why"]


texts = st.lists(st.sampled_from(["a", "b", "", "x = 1"]), max_size=40).map("\n".join)


@given(texts, texts)
def test_no_changed_line_is_ever_left_out(before: str, after: str) -> None:
    rows = side_by_side(before, after)
    left = {row.left.number for row in rows if row.kind in ("changed", "removed")}
    right = {row.right.number for row in rows if row.kind in ("changed", "added")}
    rest_left = [line for n, line in enumerate(before.split("\n"), 1) if n not in left]
    rest_right = [line for n, line in enumerate(after.split("\n"), 1) if n not in right]
    assert rest_left == rest_right
