"""The buttons of an attempt: each asks for confirmation and a reason, acts once, leaves a trail."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.not_possible import NotPossible
from assessments.models import Attempt, GradingRun
from assessments.tests.stage import Stage, begin
from reviews.models import Assignment
from reviews.scoring import evaluations
from reviews.tests.scene import LATER

Clients = dict[str, Client]


def at(name: str, attempt: Attempt) -> str:
    return reverse(f"admin:{name}", args=[attempt.pk])


@pytest.fixture
def running(clients: Clients, stage: Stage) -> Attempt:
    """An attempt whose clock runs while the test runs."""
    now = timezone.now()
    stage.invitation.opens_at = now - timedelta(hours=1)
    stage.invitation.closes_at = now + timedelta(days=1)
    stage.invitation.save()
    return begin(stage, now)


def test_extending_moves_the_deadline_and_leaves_a_trail(
    clients: Clients, running: Attempt
) -> None:
    before = running.deadline_at
    answer = clients["rhea"].post(at("extend", running), {"minutes": 10, "reason": "Fire alarm."})
    assert answer.status_code == 302
    running.refresh_from_db()
    assert running.deadline_at == before + timedelta(minutes=10)
    event = running.time_events.last()
    assert event is not None
    assert (event.actor_name, event.reason) == ("Rhea", "Fire alarm.")
    entry = LogEntry.objects.get()
    assert entry.change_message == "Extended by 10 minutes. Reason: Fire alarm."
    page = clients["rhea"].get(at("attempt", running)).content.decode()
    assert "Fire alarm." in page
    assert "70 min" not in page  # 69 minutes and some seconds are left
    assert "69 min" in page


def test_the_same_page_sent_twice_extends_once(clients: Clients, running: Attempt) -> None:
    before = running.deadline_at
    page = clients["rhea"].get(at("extend", running)).content.decode()
    press = page.split('name="press" value="')[1].split('"')[0]
    data = {"minutes": 10, "reason": "Fire alarm.", "press": press}
    for _ in range(2):
        assert clients["rhea"].post(at("extend", running), data).status_code == 302
    running.refresh_from_db()
    assert running.deadline_at == before + timedelta(minutes=10)
    refused = clients["rhea"].post(at("extend", running), data | {"press": "", "minutes": 0})
    assert refused.status_code == 400


def test_a_request_sent_twice_without_its_page_extends_once_too(
    clients: Clients, running: Attempt
) -> None:
    before = running.deadline_at
    for reason in ("Fire alarm.", "Fire alarm.", "And the lift."):
        data = {"minutes": 10, "reason": reason}
        assert clients["rhea"].post(at("extend", running), data).status_code == 302
    running.refresh_from_db()
    assert running.deadline_at == before + timedelta(minutes=20)


def test_a_refused_press_can_be_made_again(clients: Clients, handed_in: Attempt) -> None:
    data = {"minutes": 10, "reason": "Fire alarm.", "press": str(uuid.uuid4())}
    for _ in range(2):
        assert clients["rhea"].post(at("extend", handed_in), data).status_code == 409


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"minutes": 10},
        {"reason": "x"},
        {"minutes": 0, "reason": "x"},
        {"minutes": "ten", "reason": "x"},
    ],
)
def test_extending_asks_for_minutes_and_a_reason(
    clients: Clients, running: Attempt, data: dict[str, Any]
) -> None:
    before = running.deadline_at
    assert clients["rhea"].post(at("extend", running), data).status_code == 400
    running.refresh_from_db()
    assert running.deadline_at == before
    assert not LogEntry.objects.exists()


def test_what_is_over_cannot_be_extended_but_reopened(clients: Clients, handed_in: Attempt) -> None:
    data = {"minutes": 10, "reason": "The network failed."}
    refused = clients["rhea"].post(at("extend", handed_in), data)
    assert refused.status_code == 409
    assert "Reopen it instead." in refused.content.decode()
    assert clients["rhea"].post(at("reopen", handed_in), data).status_code == 302
    assert handed_in.submissions.exclude(superseded_at=None).count() == 1
    page = clients["adam"].get(at("attempt", handed_in)).content.decode()
    assert "was replaced when the attempt was reopened" in page


def test_grading_again_is_a_new_row_with_a_reason(clients: Clients, handed_in: Attempt) -> None:
    assert clients["hana"].post(at("regrade", handed_in), {"reason": ""}).status_code == 400
    clients["hana"].post(at("regrade", handed_in), {"reason": "New image."})
    newest = GradingRun.objects.latest("pk")
    assert newest.reason == "New image."
    assert str(newest.requested_by) == "Hana"
    assert GradingRun.objects.count() == 2


def test_regrading_without_an_answer_is_refused(clients: Clients, running: Attempt) -> None:
    answer = clients["hana"].post(at("regrade", running), {"reason": "x"})
    assert answer.status_code == 409
    assert "Nothing was handed in yet" in answer.content.decode()


def test_people_who_can_score_are_offered_once(
    clients: Clients, handed_in: Attempt, stage: Stage
) -> None:
    page = clients["rhea"].get(at("assign", handed_in)).content.decode()
    assert "Otto" in page
    assert "Hana" in page
    assert ">Ines<" not in page  # is assigned
    assert ">Adam<" not in page  # does not score
    clients["rhea"].post(at("assign", handed_in), {"evaluator": stage.otto.pk})
    assert Assignment.objects.filter(evaluator=stage.otto, assigned_by=stage.rhea).exists()
    assert clients["rhea"].post(at("assign", handed_in), {"evaluator": 999}).status_code == 400


def test_a_recruiter_cannot_be_made_to_score(handed_in: Attempt, stage: Stage) -> None:
    with pytest.raises(NotPossible, match="can score"):
        evaluations.assign(attempt=handed_in, evaluator=stage.rhea, by=stage.rhea, now=LATER)


def test_who_has_begun_stays_on_the_panel(clients: Clients, scored: Attempt, stage: Stage) -> None:
    url = reverse("admin:withdraw", args=[scored.pk, stage.ines.pk])
    answer = clients["rhea"].post(url, {"reason": "x"})
    assert answer.status_code == 409
    assert Assignment.objects.filter(evaluator=stage.ines).exists()


def test_history_of_the_clock_is_not_for_who_scores(
    clients: Clients, handed_in: Attempt, stage: Stage
) -> None:
    url = reverse("admin:assessments_attempt_history", args=[handed_in.pk])
    assert clients["rhea"].get(url).status_code == 200
    assert clients["ines"].get(url).status_code == 404
    assert clients["hana"].get(url).status_code == 404
