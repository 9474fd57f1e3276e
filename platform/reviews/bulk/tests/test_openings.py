"""What is done to a whole opening: the copy, extra time for everybody; and how much the pages ask."""

from __future__ import annotations

import time
from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.roles import INTERVIEWER
from accounts.tests.reading import words_of
from assessments.models import Attempt, TimeEvent
from assessments.tests.stage import NOW, Stage, begin, member
from hiring.models import Accommodation, Candidate, Invitation, MessageWords, Opening
from library.company import keep
from reviews.bulk.tests.test_acts import PAGES, choose
from reviews.models import Assignment
from reviews.tests.crowd import Crowd, build
from reviews.tests.scene import clients
from scenarios.company.profile import DEFAULT

__all__ = ["clients"]
SERVER_TIME_S = 0.3


def test_a_copy_has_all_settings_and_none_of_the_people(
    clients: dict[str, Client], stage: Stage
) -> None:
    old = stage.opening
    old.company = keep(DEFAULT, old=None, origin="form", by=stage.rhea, now=NOW)
    old.work_sample_weight, old.evaluators_per_answer, old.repeat_months = 60, 3, 6
    old.closed_at = NOW
    old.save()
    stage.exercise.references_policy = "Nothing but the manual."
    stage.exercise.save()
    for text in ("Older words.", "Come to us: {{ link }}"):
        MessageWords.objects.create(
            occasion="invitation", opening=old, subject="Hello", text=text, changed_by=stage.rhea
        )
    rhea = clients["rhea"]
    url = reverse("admin:opening-copy", args=[old.pk])
    page = words_of(rhea.get(url))
    assert f"{old.title} (copy)" in page
    assert "Its own words of messages: invitation" in page
    press = {"title": "The next round", "press": str(uuid4())}
    assert "Copied from GPU engineer." in words_of(rhea.post(url, press, follow=True))
    rhea.post(url, press)
    made = Opening.objects.get(title="The next round")
    for name in ("level", "company", "work_sample_weight", "evaluators_per_answer", "repeat_months",
                 "hiring_manager", "answer_languages"):  # fmt: skip
        assert getattr(made, name) == getattr(old, name), name
    assert made.closed_at is None
    assert made.exercises.get().references_policy == "Nothing but the manual."
    assert made.message_words.get().text == "Come to us: {{ link }}"
    assert not made.invitations.exists()
    assert old.exercises.count() == 1


def running(stage: Stage) -> Attempt:
    attempt, now = begin(stage), timezone.now()
    TimeEvent.objects.update(at=now, after=now + timedelta(hours=1))
    Attempt.objects.update(started_at=now, deadline_at=now + timedelta(hours=1))
    return Attempt.objects.get(pk=attempt.pk)


def test_extra_time_for_everybody_is_shown_and_then_given(
    clients: dict[str, Client], stage: Stage, published: list[Any]
) -> None:
    attempt = running(stage)
    bela = Candidate.objects.create(name="Bela Kiss", email="bela@example.com", created_at=NOW)
    other = Invitation.objects.get(pk=stage.invitation.pk)
    other.pk, other.candidate, other.token_hash = None, bela, "x"
    other.save()
    Accommodation.objects.create(
        candidate=bela, multiplier=Decimal("1.5"), granted_by=stage.rhea, granted_at=NOW
    )
    rhea, url = clients["rhea"], reverse("admin:opening-extra-time", args=[stage.opening.pk])
    data = {"factor": "1.25", "minutes": "10", "reason": "The proxy was slow all day."}
    page = rhea.post(url, data)
    words = words_of(page)
    assert "1 × time becomes 1.25 × time" in words
    assert "has 1.50 × time already and keeps it" in words
    assert "has 10 minutes more at once" in words
    assert Accommodation.objects.count() == 1
    sent = data | {"shown": page.context["shown"], "press": str(page.context["press"])}
    assert "Extra time for 2." in words_of(rhea.post(url, sent, follow=True))
    rhea.post(url, sent)
    assert stage.ada.accommodations.get().note == "The proxy was slow all day."
    later = Attempt.objects.get(pk=attempt.pk)
    assert later.deadline_at == attempt.deadline_at + timedelta(minutes=10)


@pytest.mark.parametrize(
    "data", [{}, {"factor": "0.5", "reason": "x"}, {"reason": "x"}, {"minutes": "5"}]
)
def test_extra_time_needs_an_amount_and_a_reason(
    clients: dict[str, Client], stage: Stage, data: dict[str, str]
) -> None:
    url = reverse("admin:opening-extra-time", args=[stage.opening.pk])
    assert clients["rhea"].post(url, data).status_code == 400
    assert not Accommodation.objects.exists()


def addresses(crowd: Crowd, client: Client) -> dict[str, tuple[str, dict[str, str]]]:
    """Name -> (address, form) of every page that shows a row for each of many."""
    links = Invitation.objects.values_list("pk", flat=True)
    people = "&".join(f"people={row.pk}" for row in crowd.panel)
    of = [crowd.opening.pk]
    data = {"closes_at": "2036-01-05T10:00", "reason": "x", "minutes": "5", "factor": "1.5"}
    found = {
        name: (choose(client, "invitations", f"bulk_{name}", *links), data)
        for name in ("remind", "send", "extend", "revoke")
    }
    keys = [row.pk for row in crowd.attempts]
    found["extend-time"] = (choose(client, "attempts", "bulk_extend_time", *keys), data)
    found["extra time"] = (reverse("admin:opening-extra-time", args=of), data)
    found["assign"] = (f"{reverse('admin:opening-assign', args=of)}?{people}&each=2", {})
    everybody = [row.pk for row in crowd.candidates]
    onward = client.post(
        reverse("admin:hiring_candidate_changelist"),
        {"action": "invite_many", "index": "0", "_selected_action": everybody},
    )
    second = Opening.objects.get_or_create(title="Next", level="mid", created_at=NOW)[0]
    exercise = crowd.exercises[0]
    exercise.pk, exercise.opening = None, second
    exercise.save()
    found["invite"] = (f"{onward['Location']}&opening={second.pk}", {})
    for name, label in PAGES.items():
        found[f"list of {name}"] = (reverse(label), {})
    return found


def _page(client: Client, url: str, data: dict[str, str]) -> Any:
    return client.post(url, data) if data else client.get(url)


def asked(crowd: Crowd) -> dict[str, tuple[int, float]]:
    """Name of the page -> (queries, seconds on the server), warm."""
    client = Client()
    client.force_login(crowd.rhea)
    found = {}
    for name, (url, data) in addresses(crowd, client).items():
        _page(client, url, data)
        with CaptureQueriesContext(connection) as queries:
            began = time.process_time()
            answer = _page(client, url, data)
            took = time.process_time() - began
        assert answer.status_code in (200, 400), (name, answer.status_code)
        found[name] = (len(queries), took)
    return found


@pytest.mark.django_db
@pytest.mark.nightly
def test_pages_ask_as_often_for_thirty_as_for_three() -> None:
    crowd = build(3, now=NOW, exercises=1, evaluators=0)
    crowd.panel = [member(f"panel{number}", INTERVIEWER) for number in range(3)]
    few = asked(crowd)
    panel, crowd.panel = crowd.panel, []
    crowd.add(27, now=NOW)
    crowd.panel = panel
    many = asked(crowd)
    assert not Assignment.objects.exists()
    grown = {name: (few[name][0], many[name][0]) for name in few if many[name][0] > few[name][0]}
    assert grown == {}
    assert max(count for count, _ in many.values()) < 50


@pytest.mark.nightly
@pytest.mark.django_db
def test_pages_take_less_than_a_third_of_a_second_with_a_thousand_candidates() -> None:
    crowd = build(1000, now=NOW, exercises=1, evaluators=0)
    crowd.panel = [member(f"panel{number}", INTERVIEWER) for number in range(6)]
    slow = {name: took for name, (_, took) in asked(crowd).items() if took > SERVER_TIME_S}
    assert slow == {}
