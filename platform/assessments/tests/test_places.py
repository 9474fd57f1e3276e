"""Places for expensive work: who gets one, who is refused, and what never waits behind them."""

from __future__ import annotations

from contextlib import ExitStack
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from assessments import places
from assessments.places import EACH, PLACES, SPARED, Asking, Busy, Places
from assessments.tests.stage import Stage, begin, enter

FEW = {"query": 2, "file": 1}


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "WAIT_S", 0.01)


def test_an_asker_has_one_place_of_a_kind_and_others_have_theirs() -> None:
    found = Places(5, FEW)
    with found.place("query", "ada"):
        with pytest.raises(Asking, match="Your last question"), found.place("query", "ada"):
            pytest.fail("two at a time")
        with found.place("file", "ada"), found.place("query", "bo"):
            assert found.held == 3
    assert found.held == 0


def test_a_kind_has_so_many_places_and_all_kinds_together_leave_threads() -> None:
    found = Places(2, FEW)
    with found.place("query", 1), found.place("file", 2):
        for kind, asker in (("file", 3), ("query", 4)):
            with pytest.raises(Busy) as refused, found.place(kind, asker):
                pytest.fail("no place was left")
            assert (refused.value.status_code, refused.value.wait) == (429, 1)
        assert found.held == 2  # whoever was refused holds nothing
    with found.place("file", 3):
        pass


def test_work_that_fails_gives_its_place_back() -> None:
    found = Places(1, FEW)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError), found.place("query", 1):
            raise ZeroDivisionError


def test_the_site_spares_threads_for_saves(settings: Any) -> None:
    """Every kind at once is more than may be held; three threads stay."""
    most = settings.WEB_THREADS - SPARED
    assert 0 < most < sum(EACH.values())
    with ExitStack() as held:
        kinds = [kind for kind, count in EACH.items() for _ in range(count)]
        for number, kind in enumerate(kinds[:most]):
            held.enter_context(PLACES.place(kind, number))
        with pytest.raises(Busy), PLACES.place(kinds[most], "one more"):
            pytest.fail("a thread that saves need")


@pytest.mark.django_db
def test_a_file_without_a_place_is_waited_for_by_a_page(client: Client, stage: Stage) -> None:
    now = timezone.now()
    stage.invitation.closes_at = now + timedelta(days=1)
    stage.invitation.save()
    attempt = begin(stage, now)
    enter(client, stage.token)
    url = f"/attempts/{attempt.pk}/kit/"
    with PLACES.place("file", "somebody else"):
        answer = client.get(url)
    assert answer.status_code == 429
    assert (answer["Retry-After"], answer["Refresh"]) == ("1", "2")
    assert "Waiting for a free place" in answer.text
    assert client.get(url)["Content-Type"] == "application/zip"
