"""After handing in a candidate reads their answer, the feedback and the decision, and can ask once (T9)."""

from __future__ import annotations

import io
import json
import uuid
import zipfile
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.roles import ADMINISTRATOR
from accounts.tests.reading import words_of
from assessments import attempts
from assessments.models import Attempt, DataRequest, Enquiry, Impression
from assessments.tests.stage import Stage, begin, body, enter, make_stage, member, submit
from hiring.messages.outbox import Told, tell_candidate
from hiring.models import Message

pytestmark = pytest.mark.django_db


@pytest.fixture
def done(client: Client) -> tuple[Stage, Attempt]:
    """Ada has handed in, was given feedback, and revised; Rhea told her the result."""
    now = timezone.now()
    stage = make_stage(now)
    attempt = begin(stage, now)
    submit(attempt, "mine, first", at=now)
    attempts.open_revision(
        attempt.pk, strength="Clear parts.", improvement="Say when.", focus="architecture",
        start_now=True, by=stage.ines, now=now,
    )  # fmt: skip
    enter(client, stage.token)
    return stage, attempt


def revise(attempt: Attempt) -> None:
    once: dict[str, Any] = {"client": uuid.uuid4(), "seq": 1, "base": None}
    attempts.submit(attempt.pk, **once, body=body(attempt, "mine, revised"), now=timezone.now())


def test_answer_is_read_and_downloaded(client: Client, done: tuple[Stage, Attempt]) -> None:
    _, attempt = done
    revise(attempt)
    page = words_of(client.get(reverse("answer", args=[attempt.pk])))
    assert "mine, first" in page
    assert "mine, revised" in page
    held = client.get(reverse("answer-zip", args=[attempt.pk]))
    with zipfile.ZipFile(io.BytesIO(held.content)) as archive:
        assert archive.read("answer-2/sections/architecture.md") == b"mine, revised"
        assert "answer-1/controller.py" in archive.namelist()


def test_feedback_is_shown_after_the_revision_alone(
    client: Client, done: tuple[Stage, Attempt]
) -> None:
    stage, attempt = done
    url = reverse("receipt", args=[attempt.pk])
    assert "Say when." not in words_of(client.get(url))
    revise(attempt)
    about: dict[str, Any] = {
        "opening": stage.opening,
        "candidate": stage.ada,
        "invitation": stage.invitation,
    }
    tell_candidate(Told("result_onward", "d", **about), now=timezone.now())
    page = words_of(client.get(url))
    for said in ("Clear parts.", "Say when.", "We liked what we saw", "the revised answer"):
        assert said in page
    assert "candidate’s own link" not in page


def test_one_query_about_the_feedback(client: Client, done: tuple[Stage, Attempt]) -> None:
    _, attempt = done
    revise(attempt)
    url, key = reverse("afterwards", args=[attempt.pk]), str(uuid.uuid4())
    for _ in range(2):
        assert client.post(url, {"id": key, "text": "Why?"}).status_code == 302
    assert Enquiry.objects.get().about == "feedback"
    again = client.post(url, {"id": str(uuid.uuid4()), "text": "And this?"})
    assert again.status_code == 409
    assert "And this?" in words_of(again)  # nothing typed is lost
    assert "Not answered yet" in words_of(client.get(reverse("receipt", args=[attempt.pk])))


def test_how_it_was_is_kept_once_and_shown_to_no_one_alone(
    client: Client, done: tuple[Stage, Attempt]
) -> None:
    stage, attempt = done
    revise(attempt)
    url = reverse("afterwards", args=[attempt.pk])
    assert client.post(url, {"how": "9"}).status_code == 409
    for how in ("2", "4"):
        assert client.post(url, {"how": how, "text": "Calm."}).status_code == 302
    assert Impression.objects.get().how == 4
    staff = Client()
    staff.force_login(stage.rhea)
    page = words_of(staff.get(reverse("admin:impressions", args=[stage.opening.pk])))
    assert "1 answer so far" in page
    assert "Calm." not in page


def test_data_is_given_and_its_end_asked_for(client: Client, done: tuple[Stage, Attempt]) -> None:
    stage, _attempt = done
    invitation = stage.invitation.pk
    copy = client.get(reverse("your-data-copy", args=[invitation]))
    with zipfile.ZipFile(io.BytesIO(copy.content)) as archive:
        data = json.loads(archive.read("data.json"))
    assert (
        data["attempts"][0]["submissions"][0]["body"]["sections"]["architecture"] == "mine, first"
    )
    assert data["attempts"][0]["feedback"] is None  # its revision still runs
    for gone in ("decisions", "interview_scores"):
        assert gone not in data
    assert "scorecards" not in data["attempts"][0]["submissions"][0]
    adam = member("adam", ADMINISTRATOR)
    url = reverse("your-data", args=[invitation])
    for _ in range(2):
        assert client.post(url, {"wish": "erasure"}).status_code == 302
    client.post(url, {"wish": "everything"})
    assert DataRequest.objects.get().wish == "erasure"
    assert "You have asked for it" in words_of(client.get(url))
    assert {row.recipient for row in Message.objects.filter(occasion="data_asked")} == {adam}
