"""Small promises: what is missing is a dash, a set is full at its bound, nothing due is nothing done."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest

from accounts.not_possible import NotPossible
from reviews.evidence import scaling_years
from reviews.interviews import question_sets
from reviews.interviews.question_sets import MOST_QUESTIONS
from reviews.privacy import retention
from reviews.tests.scene import LATER


def test_a_figure_that_is_missing_is_a_dash_and_the_others_are_said() -> None:
    cells = cast(dict[str, Callable[[Any], str]], dict(scaling_years.MONTHS))
    used = cells["Own GPUs used, %"]
    assert used({"own": {"utilisation_percent": 81.25}}) == "81.2"
    assert used({}) == "–"


@pytest.mark.parametrize("compacted", [True, False])
def test_where_nothing_is_due_the_file_is_left_alone(
    compacted: bool, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    asked: list[bool] = []

    def compact() -> bool:
        asked.append(True)
        return compacted

    monkeypatch.setattr(retention, "overdue", lambda now: [])
    monkeypatch.setattr(retention, "compact", compact)
    assert retention.carry_out(LATER) == []
    assert not asked
    assert not caplog.records


class _Saved(Exception):
    """It came as far as being saved."""


class _Set:
    pk = None

    def save(self) -> None:
        raise _Saved


def test_a_set_is_full_at_its_bound_and_not_before() -> None:
    def save(count: int) -> None:
        questions = [type("Question", (), {"pk": number})() for number in range(count)]
        items = cast(Any, [(one, 5, "") for one in questions])
        bare = cast(Any, question_sets.save_set).__wrapped__
        bare(_Set(), items, by=None, now=LATER)

    with pytest.raises(_Saved):
        save(MOST_QUESTIONS)
    with pytest.raises(NotPossible, match=f"at most {MOST_QUESTIONS} questions"):
        save(MOST_QUESTIONS + 1)
