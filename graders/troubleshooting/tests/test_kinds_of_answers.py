"""What people write in several languages and styles, and what each must come to beside the right answer."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from graders.troubleshooting.tests.kinds import FOLDER, Written, answers

LATER = Path(__file__).parent / "answers_later"
"""Answers that were written after the rules of reading."""
RIGHT, KEEPS, FALLS = 0.8, 0.8, 1 / 3
WRITTEN = [*answers(FOLDER), *answers(LATER)]
BASE = {one.variant: one for one in reversed(WRITTEN) if one.bar == "right"}


@cache
def score(variant: str, name: str) -> float:
    return next(o for o in WRITTEN if (o.variant, o.name) == (variant, name)).score()


def state(one: Written, key: str) -> str:
    rows = one.assessed().evidence
    found = (row["state"] for row in rows if row["kind"] == "cause" and row["key"] == key)
    return str(next(found))


def written(variant: str, name: str) -> Written:
    return next(one for one in WRITTEN if (one.variant, one.name) == (variant, name))


@pytest.mark.parametrize("one", WRITTEN, ids=lambda one: f"{one.variant}-{one.name}")
@pytest.mark.by_day(every=3)
def test_an_answer_of_each_kind_comes_to_what_it_is_worth(one: Written) -> None:
    right, found = score(one.variant, BASE[one.variant].name), score(one.variant, one.name)
    if one.bar == "right":
        assert found >= RIGHT
    elif one.bar == "keeps":
        assert found >= KEEPS * right
    elif one.bar == "falls":
        assert found <= FALLS * right
    else:
        assert found <= right - 0.03


def test_a_cause_said_of_another_host_is_named_at_a_wrong_place_with_the_sentence() -> None:
    one = written("mid-4", "wrong_place")
    row = next(r for r in one.assessed().evidence if r.get("key") == "acs-enabled")
    assert row["state"] == "named, wrong place"
    first = row["statements"][0]
    assert first["elsewhere"] == ["h-n007"]
    assert "h-n007 got BIOS" in first["text"]
    assert state(written("mid-4", "right"), "acs-enabled") == "found"


def test_what_is_taken_back_says_where() -> None:
    rows = written("mid-4", "retracted_one_by_one").assessed().evidence
    row = next(r for r in rows if r.get("key") == "nfs-slots-full")
    assert row["state"] == "put aside"
    assert "is taken back in long term" in row["statements"][0]["why"]


def test_a_quotation_outweighs_no_claim() -> None:
    assert state(written("mid-4", "drain_reason_quoted"), "acs-enabled") == "found"


def test_every_sentence_says_what_it_was_taken_for_and_how_many_were_not_read() -> None:
    rows = written("mid-4", "copied_changes").assessed().evidence
    read = next(row for row in rows if row["kind"] == "how_read")
    assert read["sentences"] == len(read["rows"]) > 20
    assert read["copied"] > 20
    assert read["unread"] < read["sentences"]
    rows = written("mid-4", "german").assessed().evidence
    read = next(row for row in rows if row["kind"] == "how_read")
    assert read["languages"] == ["German"]
    assert {"a claim", "something put aside", "a mitigation", "a prevention", "an order"} <= {
        row["taken"] for row in read["rows"]
    }
