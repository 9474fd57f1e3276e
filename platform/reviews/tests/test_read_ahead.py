"""E8 for staff: arranging what is shown ahead, and the fact beside the scores, in report and tables."""

from __future__ import annotations

import io
import re
import zipfile
from datetime import timedelta
from html import unescape
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from assessments.ahead import release
from assessments.models import Attempt
from assessments.models.ahead import AdvanceRelease
from assessments.tests.stage import Stage
from hiring.models import Exercise, Invitation
from reviews import read_ahead
from reviews.decisions import tables
from reviews.privacy import candidate_export, erasure
from reviews.tests.scene import score_all

Clients = dict[str, Client]
FAR, FARTHER, BEFORE = "2036-01-05T10:00", "2036-01-12T10:00", "2036-01-03T22:00"


@pytest.fixture
def cost(stage: Stage) -> Exercise:
    """The opening has a cost exercise beside the automation exercise."""
    return Exercise.objects.create(
        opening=stage.opening,
        pack_name="cost/fleet-bill",
        kind="cost",
        level="mid",
        limit_minutes=100,
        revision_minutes=10,
        position=1,
    )


def form(stage: Stage, *exercises: Exercise, **changes: Any) -> dict[str, Any]:
    return {
        "id": str(uuid4()),
        "opening": stage.opening.pk,
        "exercises": [row.pk for row in exercises],
        "candidate": stage.ada.pk,
        "name": "",
        "email": "",
        "opens_at": FAR,
        "closes_at": FARTHER,
        "ahead_at": BEFORE,
    } | changes


def invite(clients: Clients, data: dict[str, Any]) -> Any:
    return clients["rhea"].post(reverse("admin:hiring_invitation_add"), data)


def newest() -> Invitation:
    found = Invitation.objects.order_by("created_at").last()
    assert found
    return found


def test_inviting_arranges_it_for_those_that_can(
    clients: Clients, stage: Stage, cost: Exercise
) -> None:
    answer = invite(clients, form(stage, stage.exercise, cost))
    assert answer.status_code == 200
    assert "24 to 48 hours before is usual" not in answer.content.decode()
    row = AdvanceRelease.objects.get()
    assert (row.exercise, row.invitation) == (cost, newest())
    assert row.opens_at.strftime("%Y-%m-%dT%H:%M") == BEFORE
    trail = [entry.change_message for entry in LogEntry.objects.all()]
    assert any("Materials are shown ahead from 2036-01-03 22:00 UTC." in text for text in trail)
    page = (
        clients["rhea"]
        .get(reverse("admin:hiring_invitation_change", args=[row.invitation_id]))
        .content.decode()
    )
    assert "first opened not yet" in re.sub(r"<[^>]+>", "", page)
    assert "this kind is always a surprise" in page


def test_unusual_moment_is_pointed_out_and_taken(
    clients: Clients, stage: Stage, cost: Exercise
) -> None:
    answer = invite(clients, form(stage, cost, ahead_at="2036-01-05T04:00"))
    assert "shown 6 h before the link opens; 24 to 48 hours" in answer.content.decode()
    assert AdvanceRelease.objects.count() == 1


def test_nothing_is_arranged_where_nothing_was_asked(
    clients: Clients, stage: Stage, cost: Exercise
) -> None:
    assert invite(clients, form(stage, cost, ahead_at="")).status_code == 200
    assert not AdvanceRelease.objects.exists()


def test_form_refuses_what_cannot_be(clients: Clients, stage: Stage, cost: Exercise) -> None:
    before = Invitation.objects.count()
    said = invite(clients, form(stage, stage.exercise))
    assert said.status_code == 400
    assert "None of the chosen exercises can be shown ahead" in said.content.decode()
    said = invite(clients, form(stage, cost, ahead_at=FARTHER))
    assert "Show the materials before the link closes." in said.content.decode()
    assert Invitation.objects.count() == before


def verb(clients: Clients, invitation: Invitation, opens_at: str) -> Any:
    url = reverse("admin:invitation-ahead", args=[invitation.pk])
    assert clients["rhea"].get(url).status_code == 200
    return clients["rhea"].post(url, {"opens_at": opens_at}, follow=True)


@pytest.mark.nightly
def test_moment_can_be_set_moved_and_taken_back_until_it_is_read(
    clients: Clients, stage: Stage, cost: Exercise
) -> None:
    invite(clients, form(stage, cost, ahead_at=""))
    made = newest()
    assert "Materials are shown ahead from" in verb(clients, made, BEFORE).content.decode()
    assert "48" in verb(clients, made, "2036-01-01T10:00").content.decode()
    assert AdvanceRelease.objects.get().opens_at.day == 1
    assert "Nothing is shown ahead." in verb(clients, made, "").content.decode()
    assert not AdvanceRelease.objects.exists()
    assert verb(clients, made, FARTHER).status_code == 409
    AdvanceRelease.objects.all().delete()
    now = timezone.now()
    release.arrange(made, opens_at=now, by=stage.rhea, now=now)
    release.look(made, cost, now=now)
    said = verb(clients, made, BEFORE)
    assert said.status_code == 409
    assert "has opened the materials already" in said.content.decode()


def test_exercise_that_was_read_ahead_stays_as_it_is(
    clients: Clients, stage: Stage, cost: Exercise
) -> None:
    """What was read is what is worked on, so pack and level cannot change in between."""
    invite(clients, form(stage, cost, ahead_at=""))
    now = timezone.now()
    release.arrange(newest(), opens_at=now, by=stage.rhea, now=now)
    release.look(newest(), cost, now=now)
    page = clients["rhea"].get(reverse("admin:hiring_opening_change", args=[stage.opening.pk]))
    assert "read its materials ahead" in page.content.decode()


@pytest.fixture
def shown(cost_attempt: Attempt) -> Attempt:
    """Ada could read the exercise for 31 hours and opened it five hours before she started."""
    cost_attempt.ahead_from = cost_attempt.started_at - timedelta(hours=31)
    cost_attempt.ahead_opened_at = cost_attempt.started_at - timedelta(hours=5)
    cost_attempt.save(update_fields=["ahead_from", "ahead_opened_at"])
    return cost_attempt


SAID = "Shown ahead for 31 h; first opened 5.0 h before the start."


def test_fact_stands_beside_the_scores_and_in_the_report(
    clients: Clients, shown: Attempt, stage: Stage
) -> None:
    score = clients["ines"].get(reverse("admin:score", args=[shown.pk, 1])).content.decode()
    assert SAID in score
    assert f"{shown.ahead_from:%H:%M}" not in score[score.index(SAID) : score.index(SAID) + 300]
    page = clients["hana"].get(reverse("admin:attempt", args=[shown.pk])).content.decode()
    assert SAID in page
    report = clients["hana"].get(reverse("admin:report", args=[shown.pk])).content.decode()
    assert SAID in unescape(report)


def test_fact_is_in_every_table(shown: Attempt, stage: Stage) -> None:
    score_all(shown, stage.ines)
    for name in ("ratings", "measures"):
        row = tables.TABLES[name](stage.hana, stage.opening)[0]
        assert row["shown ahead"] == "yes"
        assert row["shown ahead, h before the start"] == 31.0
        assert row["first opened, h before the start"] == 5.0


def test_words_for_each_case(stage: Stage, cost_attempt: Attempt) -> None:
    found = read_ahead.of(cost_attempt)
    assert found is not None
    assert found.said == "Not shown ahead: the candidate saw it when the clock started."
    cost_attempt.ahead_from = cost_attempt.started_at - timedelta(minutes=40)
    again = read_ahead.of(cost_attempt)
    assert again is not None
    assert again.said == "Shown ahead for 40 min, and not opened before the start."


def test_surprise_kinds_say_nothing(handed_in: Attempt) -> None:
    assert read_ahead.of(handed_in) is None
    assert set(read_ahead.cells(handed_in).values()) == {"", None}


def test_release_goes_and_is_exported_with_the_candidate(
    clients: Clients, stage: Stage, cost: Exercise
) -> None:
    invite(clients, form(stage, cost))
    assert b"shown_ahead" in _data(candidate_export.export(stage.ada))
    erasure.erase(stage.ada, mode="erase", by=None, now=timezone.now())
    assert not AdvanceRelease.objects.exists()


def _data(body: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        return archive.read("data.json")
