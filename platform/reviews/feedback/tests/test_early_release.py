"""Feedback waits for every scorecard and for a settled difference, or for two people and a reason."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from accounts.not_possible import NotPossible
from assessments.models import Attempt, RevisionRound
from assessments.tests.stage import Stage
from reviews.feedback import early_release, feedback
from reviews.models import EarlyRelease, Feedback
from reviews.scoring import agreement, evaluations
from reviews.tests.scene import LATER, let_go_early, ready_for_feedback, score_all

Clients = dict[str, Client]


@pytest.fixture
def written(handed_in: Attempt, stage: Stage) -> Feedback:
    """Ines has scored and written; Otto is asked to score as well and has not."""
    evaluations.assign(attempt=handed_in, evaluator=stage.otto, by=stage.rhea, now=LATER)
    score_all(handed_in, stage.ines, level=2)
    said = feedback.Wording(**ready_for_feedback(handed_in, stage.ines))
    return feedback.write(attempt=handed_in, wording=said, by=stage.ines, now=LATER)


def page(row: Feedback) -> str:
    return reverse("admin:feedback", args=[row.attempt_id])


def test_it_waits_for_a_scorecard_that_is_owed(written: Feedback, stage: Stage) -> None:
    with pytest.raises(NotPossible, match="Otto owes a scorecard"):
        feedback.release(written, by=stage.ines, now=LATER)
    assert not RevisionRound.objects.exists()
    assert Feedback.objects.get().released_at is None
    score_all(written.attempt, stage.otto, level=2)
    feedback.release(written, by=stage.ines, now=LATER)
    assert RevisionRound.objects.exists()


def test_it_waits_until_a_correction_is_in(written: Feedback, stage: Stage) -> None:
    card = score_all(written.attempt, stage.otto, level=2)
    again = evaluations.correct(card, reason="Misread.", now=LATER)
    with pytest.raises(NotPossible, match="Otto owes"):
        feedback.release(written, by=stage.ines, now=LATER)
    evaluations.submit(again, now=LATER)
    feedback.release(written, by=stage.ines, now=LATER)


def test_it_waits_until_a_difference_is_settled(written: Feedback, stage: Stage) -> None:
    score_all(written.attempt, stage.otto, level=5)
    with pytest.raises(NotPossible, match="far apart"):
        feedback.release(written, by=stage.ines, now=LATER)
    answer = written.attempt.submissions.get(round=1)
    cards = agreement.may_be_discussed(written.attempt, answer, stage.hana)
    for item in cards[0].criteria():
        agreement.record(
            answer,
            cards,
            criterion=item["key"],
            level=4,
            reason="Line 3.",
            by=stage.ines,
            now=LATER,
        )
    feedback.release(written, by=stage.ines, now=LATER)


def test_two_people_and_a_reason_let_it_out(written: Feedback, stage: Stage) -> None:
    with pytest.raises(NotPossible, match="Write why"):
        early_release.ask(written, reason=" ", by=stage.ines, now=LATER)
    asked = early_release.ask(written, reason="The visit is today.", by=stage.ines, now=LATER)
    with pytest.raises(NotPossible, match="a second person"):
        feedback.release(written, by=stage.ines, now=LATER)
    with pytest.raises(NotPossible, match="a second person"):
        early_release.agree(written, request=asked.pk, by=stage.ines, now=LATER)
    with pytest.raises(NotPossible, match="own scores"):  # who owes it does not wave it through
        early_release.agree(written, request=asked.pk, by=stage.otto, now=LATER)
    early_release.agree(written, request=asked.pk, by=stage.hana, now=LATER)
    feedback.release(written, by=stage.ines, now=LATER)
    kept = EarlyRelease.objects.get()
    assert (kept.asked_by, kept.agreed_by) == (stage.ines, stage.hana)
    assert kept.matters == ["Otto owes a scorecard of the first answer."]


def test_what_opens_afterwards_is_not_covered(written: Feedback, stage: Stage) -> None:
    let_go_early(written, stage.ines, stage.hana)
    score_all(written.attempt, stage.otto, level=5)  # now they differ
    with pytest.raises(NotPossible, match="far apart"):
        feedback.release(written, by=stage.ines, now=LATER)


def test_another_request_needs_its_own_second_person(written: Feedback, stage: Stage) -> None:
    first = early_release.ask(written, reason="One.", by=stage.ines, now=LATER)
    early_release.ask(written, reason="Two.", by=stage.ines, now=LATER)
    with pytest.raises(NotPossible, match="has changed"):
        early_release.agree(written, request=first.pk, by=stage.hana, now=LATER)
    again = early_release.ask(
        written, reason="Two.", by=stage.ines, now=LATER + timedelta(minutes=1)
    )
    assert EarlyRelease.objects.latest("pk") == again
    assert EarlyRelease.objects.count() == 2


def test_the_database_wants_two_people_as_well(written: Feedback, stage: Stage) -> None:
    asked = early_release.ask(written, reason="One.", by=stage.ines, now=LATER)
    with pytest.raises(IntegrityError), transaction.atomic():
        EarlyRelease.objects.filter(pk=asked.pk).update(agreed_by=stage.ines)


def test_page_leads_two_people_through_it(
    clients: Clients, written: Feedback, stage: Stage
) -> None:
    text = clients["ines"].get(page(written)).content.decode()
    assert "Otto owes a scorecard" in text
    sent = clients["ines"].post(page(written), {"ask-early": "1", "early_reason": ""})
    assert sent.status_code == 409
    assert "Write why it cannot wait" in sent.content.decode()
    assert "Drain before scaling down." in sent.content.decode()  # the draft is still there
    ask = {"ask-early": "1", "early_reason": "The visit is today."}
    assert clients["ines"].post(page(written), ask).status_code == 302
    key = EarlyRelease.objects.get().pk
    assert "agree-early" not in clients["ines"].get(page(written)).content.decode()
    assert "agree-early" in clients["hana"].get(page(written)).content.decode()
    assert clients["ines"].post(page(written), {"agree-early": key}).status_code == 409
    assert clients["hana"].post(page(written), {"agree-early": key}).status_code == 302
    assert clients["ines"].get(page(written)).content.decode().count("Hana agreed") == 1
    said = LogEntry.objects.values_list("change_message", flat=True)
    assert "Asked to release the feedback early. Reason: The visit is today." in said
    words = dict(ready_for_feedback(written.attempt, stage.ines)) | {"release": "1"}
    assert clients["ines"].post(page(written), words).status_code == 302
    assert "Released early, as Ines asked and Hana agreed" in (
        clients["ines"].get(page(written)).content.decode()
    )


@pytest.mark.nightly
def test_who_owes_a_scorecard_learns_nothing_of_the_difference(
    clients: Clients, written: Feedback, stage: Stage
) -> None:
    score_all(written.attempt, stage.otto, level=5)
    evaluations.assign(attempt=written.attempt, evaluator=stage.hana, by=stage.rhea, now=LATER)
    assert "far apart" in clients["ines"].get(page(written)).content.decode()
    assert "far apart" not in clients["hana"].get(page(written)).content.decode()
    sent = clients["hana"].post(page(written), {"ask-early": "1", "early_reason": "x"})
    assert "far apart" not in sent.content.decode()
