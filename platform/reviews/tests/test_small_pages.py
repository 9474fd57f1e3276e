"""Small things that pages do with what they are sent: without a database, each by itself."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast
from uuid import uuid4

import pytest
from django.contrib import messages
from django.test import RequestFactory

from reviews.decisions.pages import comparison
from reviews.privacy import candidate_export
from reviews.scoring import blindness
from reviews.scoring.pages import materials, scoring
from reviews.tests.scene import LATER


def test_how_somebody_knows_the_candidate_is_kept_in_their_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kept: list[str] = []

    def declare(*, how: str, **_: Any) -> Any:
        kept.append(how)
        return SimpleNamespace(how=how)

    attempt = SimpleNamespace(pk=uuid4(), scores_it=True)
    monkeypatch.setattr(scoring, "attempt_for", lambda *given: (SimpleNamespace(), attempt))
    monkeypatch.setattr(blindness, "declare", declare)
    monkeypatch.setattr(scoring, "note_action", lambda *given: None)
    monkeypatch.setattr(messages, "success", lambda *given: None)
    request = RequestFactory().post("/", {"how": "We studied\x00 together"})
    assert scoring.met(request, pk=attempt.pk, round=1).status_code == 302
    assert kept == ["We studied together"]


def test_one_column_says_which_way_it_is_sorted() -> None:
    labels = [("Rating", "rating"), ("Interview", "interview")]

    def ways(key: str, down: bool) -> list[str]:
        order = SimpleNamespace(key=key, down=down, then=lambda key: key)
        return [one.now for one in cast(Any, comparison._columns(labels, cast(Any, order)))]

    assert ways("rating", True) == ["descending", ""]
    assert ways("interview", False) == ["", "ascending"]


def test_the_materials_have_every_address_of_the_room_but_the_terminals() -> None:
    names = [str(one.name) for one in materials.room_urls("a/")]
    assert names
    assert not [name for name in names if "terminal" in name]


@pytest.mark.parametrize(
    ("source", "place"),
    [
        ("answer", "line 3"),
        ("graded-2", "a hidden workload"),
        ("material", "a line of the materials"),
    ],
)
def test_a_candidates_export_has_remarks_without_hidden_places(source: str, place: str) -> None:
    pin = SimpleNamespace(
        source=source, place="line 3", text="Why?", withdrawn=False, pinned_at=LATER
    )
    found = candidate_export._pin(cast(Any, pin))
    assert found == {"place": place, "text": "Why?", "withdrawn": False, "at": LATER}
