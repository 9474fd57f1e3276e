"""Texts that two people change at once: whatever either wrote is in the result."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assessments.sitting.merging import merged


@pytest.mark.parametrize(
    ("base", "mine", "theirs", "both"),
    [
        ("a\nb", "a\nb\nmine", "theirs\na\nb", "theirs\na\nb\nmine"),
        ("a\nb\nc", "a\nB\nc", "a\nb\nC", "a\nB\nC"),
        ("a", "a mine", "a theirs", "a theirs\na mine"),
        ("", "mine", "theirs", "theirs\nmine"),
        ("a\nb", "a", "a\nb\nc", "a\nc"),
        ("a\nb", "a\nb", "c", "c"),
        ("a\nb", "a\nx\nb", "a\nx\nb", "a\nx\nb"),
        ("a\nb\nc", "a\nc", "a\nb!\nc", "a\nb!\nc"),
    ],
)
def test_both_are_there(base: str, mine: str, theirs: str, both: str) -> None:
    assert merged(base, mine, theirs) == both


texts = st.lists(st.sampled_from(["", "a", "b", "c", "d"]), max_size=6).map("\n".join)


@given(base=texts, mine=st.lists(st.sampled_from(["x", "y"]), max_size=3), theirs=texts)
def test_a_line_that_was_added_is_never_lost(base: str, mine: list[str], theirs: str) -> None:
    text = "\n".join([base, *mine])
    found = merged(base, text, theirs).split("\n")
    assert all(line in found for line in mine)
    if text != base:
        assert merged(base, text, theirs).count("x") <= theirs.count("x") + text.count("x")


@given(base=texts, mine=texts, theirs=texts)
def test_merging_again_what_was_merged_changes_nothing(base: str, mine: str, theirs: str) -> None:
    once = merged(base, mine, theirs)
    assert merged(mine, mine, once) == once
    assert merged(base, base, theirs) == theirs
