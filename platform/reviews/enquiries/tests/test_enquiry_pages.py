"""Staff answer one or all from a page that names nobody; whoever can answer is told that a question waits."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from accounts.not_possible import NotPossible
from accounts.tests.reading import words_of
from assessments import attempts
from assessments.enquiries import asking
from assessments.models import Announcement, Attempt, Enquiry
from assessments.tests.stage import Stage, begin, make_stage, submit
from hiring.models import Message
from reviews.scoring import evaluations
from reviews.workload import waiting_for

pytestmark = pytest.mark.django_db


@pytest.fixture
def asked() -> tuple[Stage, Attempt, Enquiry]:
    now = timezone.now()
    stage = make_stage(now)
    User.objects.update(email="staff@example.com")
    attempt = begin(stage, now)
    return stage, attempt, asking.ask(attempt, id=uuid4(), text="Which unit?", now=now)


def browser(person: User) -> Client:
    client = Client()
    client.force_login(person)
    return client


def test_question_is_told_and_waits_without_a_name(asked: tuple[Stage, Attempt, Enquiry]) -> None:
    stage, attempt, _ = asked
    evaluations.assign(attempt=attempt, evaluator=stage.ines, by=stage.rhea, now=timezone.now())
    told = Message.objects.filter(occasion="question_waits")
    assert {row.recipient for row in told} == {stage.rhea, stage.hana}
    for person, sees in ((stage.rhea, True), (stage.ines, True), (stage.otto, False)):
        page = words_of(browser(person).get(reverse("admin:enquiries")))
        assert ("Which unit?" in page) == sees
        assert "Ada" not in page
        sections = {one.key for one in waiting_for(person, timezone.now())}
        assert ("questions" in sections) == sees
    assert not [row for row in told if "Ada" in row.text + row.subject]


def test_answer_is_given_once_and_leaves_the_list(asked: tuple[Stage, Attempt, Enquiry]) -> None:
    stage, _, enquiry = asked
    client, url = browser(stage.rhea), reverse("admin:enquiry-answer", args=[enquiry.pk])
    assert "They ask: “Which unit?”" in words_of(client.get(url))
    data = {"text": "Seconds.", "minutes": "", "press": str(uuid4())}
    for _ in range(2):
        client.post(url, data)
    assert Announcement.objects.get().to == enquiry.attempt
    page = words_of(client.get(reverse("admin:enquiries")))
    assert "Nobody waits." in page
    assert "Seconds." in page
    assert not Message.objects.filter(occasion="answered").exists()  # the open page says it


def test_announcement_answers_a_question_with_time_for_everybody(
    asked: tuple[Stage, Attempt, Enquiry],
) -> None:
    stage, attempt, enquiry = asked
    url = reverse("admin:announce", args=[stage.opening.pk])
    client = browser(stage.rhea)
    page = client.get(f"{url}?enquiry={enquiry.pk}")
    assert "At work at this moment: 1." in words_of(page)
    data = {"exercise": stage.exercise.pk, "text": "Seconds.", "is_correction": "on", "minutes": 3}
    done = client.post(f"{url}?enquiry={enquiry.pk}", data, follow=True)
    assert "3 min were added to 1 running clock" in words_of(done)
    due = attempt.deadline_at
    attempt.refresh_from_db()
    assert attempt.deadline_at == due + timedelta(minutes=3)
    assert enquiry.answers.get().to is None
    wrong = client.post(url, {"text": "", "minutes": "900"})
    assert wrong.status_code == 400
    for person in (stage.ines, stage.otto):
        assert browser(person).get(url).status_code in (403, 404)


def test_query_about_feedback_is_answered_by_somebody_else(
    asked: tuple[Stage, Attempt, Enquiry],
) -> None:
    stage, attempt, _ = asked
    now: Any = timezone.now()
    with pytest.raises(NotPossible, match="no feedback"):
        asking.ask_about_feedback(attempt, id=uuid4(), text="Why?", now=now)
    submit(attempt, "mine", at=now)
    attempts.open_revision(
        attempt.pk, strength="s", improvement="i", focus="", start_now=False, by=stage.hana, now=now
    )
    query = asking.ask_about_feedback(attempt, id=uuid4(), text="Why the clock?", now=now)
    with pytest.raises(NotPossible, match="already"):
        asking.ask_about_feedback(attempt, id=uuid4(), text="And?", now=now)
    told = Message.objects.filter(occasion="question_waits", subject_key=f"question {query.pk}")
    assert [row.recipient for row in told] == [stage.rhea]
    url = reverse("admin:enquiry-answer", args=[query.pk])
    assert browser(stage.hana).get(url).status_code == 403
    assert "Why the clock?" not in words_of(browser(stage.hana).get("/admin/"))
    assert browser(stage.rhea).post(url, {"text": "Since it stood."}).status_code == 302
    assert Message.objects.get(occasion="answered").candidate == stage.ada
