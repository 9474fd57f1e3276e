"""The home page says what waits for whom; lists cost the same number of queries however long."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from accounts.roles import GUEST
from assessments import attempts
from assessments.models import Attempt, GradingRun, PreparedVariant
from assessments.prepared.drawing import prepare
from assessments.submissions import request_grading
from assessments.tests.stage import NOW, POLICIES, Stage, begin, member, submit
from hiring.invitations import invite
from hiring.models import Accommodation, Candidate, Opening
from reviews.decisions import decisions
from reviews.feedback import feedback
from reviews.models import Evaluation
from reviews.scoring import evaluations
from reviews.tests.scene import LATER, grade, ready_for_feedback, score_all
from reviews.workload import waiting_for

Clients = dict[str, Client]


def labels(viewer: User, key: str) -> list[str]:
    """The rows of a section of the viewer's home page; a section without any is not there."""
    fresh = User.objects.get(pk=viewer.pk)
    for section in waiting_for(fresh, LATER):
        assert section.rows, section.title
        if section.key == key:
            return [row.label for row in section.rows]
    return []


def test_who_is_assigned_owes_a_scorecard_until_it_is_in(handed_in: Attempt, stage: Stage) -> None:
    assert labels(stage.ines, "to-score") == [f"Candidate {stage.ada.pseudonym}"]
    assert labels(stage.otto, "to-score") == []
    assert labels(stage.rhea, "to-score") == []
    score_all(handed_in, stage.ines)
    assert labels(stage.ines, "to-score") == []


def test_an_open_correction_is_owed_again(scored: Attempt, stage: Stage) -> None:
    evaluations.correct(Evaluation.objects.of(scored).get(), reason="Misread.", now=LATER)
    assert len(labels(stage.ines, "to-score")) == 1


@pytest.mark.nightly
def test_the_revision_is_owed_a_second_scorecard(scored: Attempt, stage: Stage) -> None:
    said = feedback.Wording(**ready_for_feedback(scored, stage.ines))
    words = feedback.write(attempt=scored, wording=said, by=stage.ines, now=LATER)
    feedback.release(words, by=stage.ines, now=LATER)
    assert labels(stage.ines, "to-score") == []
    assert len(labels(stage.ines, "revisions")) == 1
    attempts.start_revision(scored.pk, now=LATER)
    submit(scored, "Better.", at=LATER + timedelta(minutes=1))
    assert len(labels(stage.ines, "to-score")) == 1
    assert labels(stage.ines, "revisions") == []
    assert labels(stage.hana, "decisions") == []
    score_all(scored, stage.ines, round=2)
    assert labels(stage.hana, "decisions") == ["Ada Fontaine"]


def test_feedback_is_owed_after_the_own_scorecard(handed_in: Attempt, stage: Stage) -> None:
    assert labels(stage.ines, "feedback") == []
    score_all(handed_in, stage.ines)
    assert len(labels(stage.ines, "feedback")) == 1
    assert labels(stage.hana, "feedback") == []


def test_feedback_is_the_openings_where_nobody_who_scored_may_give_it(
    handed_in: Attempt, stage: Stage
) -> None:
    guest = member("gus", GUEST)
    handed_in.assignments.update(evaluator=guest)
    score_all(handed_in, guest)
    assert labels(guest, "feedback") == []
    assert labels(stage.hana, "feedback") == ["Ada Fontaine"]


def test_decisions_are_the_hiring_managers_where_one_is_named(
    scored: Attempt, stage: Stage, clients: Clients
) -> None:
    adam = User.objects.get(username="adam")
    assert labels(stage.hana, "decisions") == ["Ada Fontaine"]
    assert labels(adam, "decisions") == []
    Opening.objects.update(hiring_manager=None)
    assert labels(adam, "decisions") == ["Ada Fontaine"]


def test_decision_is_owed_when_all_scorecards_are_in(handed_in: Attempt, stage: Stage) -> None:
    evaluations.assign(attempt=handed_in, evaluator=stage.otto, by=stage.rhea, now=LATER)
    score_all(handed_in, stage.ines)
    assert labels(stage.hana, "decisions") == []
    score_all(handed_in, stage.otto)
    assert labels(stage.hana, "decisions") == ["Ada Fontaine"]
    decisions.decide(
        opening=stage.opening,
        candidate=stage.ada,
        outcome="hire",
        reasons="Good.",
        by=stage.hana,
        now=LATER,
    )
    assert labels(stage.hana, "decisions") == []
    assert labels(stage.ines, "feedback") == []


def test_answers_that_nobody_scores_are_named(handed_in: Attempt, stage: Stage) -> None:
    assert labels(stage.rhea, "unassigned") == []
    handed_in.assignments.all().delete()
    assert labels(stage.rhea, "unassigned") == ["Ada Fontaine"]


def test_failed_gradings_wait_for_whoever_can_repeat_them(handed_in: Attempt, stage: Stage) -> None:
    GradingRun.objects.update(result="infrastructure_error")
    assert labels(stage.hana, "failed") == ["Ada Fontaine"]
    assert labels(stage.ines, "failed") == []
    request_grading(handed_in.submissions.get(), now=LATER)
    assert labels(stage.hana, "failed") == []


def test_materials_that_could_not_be_prepared_wait_for_whoever_can_send_the_link_again(
    stage: Stage,
) -> None:
    prepare(stage.invitation, now=NOW)
    assert labels(stage.rhea, "unprepared") == []
    failed = {"result": "infrastructure_error", "trouble": "The disk is full.", "finished_at": NOW}
    PreparedVariant.objects.update(**failed)
    assert labels(stage.rhea, "unprepared") == ["Ada Fontaine"]
    assert labels(stage.ines, "unprepared") == []
    prepare(stage.invitation, now=NOW, again=True)
    assert labels(stage.rhea, "unprepared") == []


def test_time_left_is_told_to_recruiters_only(stage: Stage, clients: Clients) -> None:
    now = timezone.now()
    stage.invitation.opens_at = now
    stage.invitation.closes_at = now + timedelta(days=1)
    stage.invitation.save()
    attempt = begin(stage, now)
    evaluations.assign(attempt=attempt, evaluator=stage.ines, by=stage.rhea, now=now)
    assert "59 min left" in clients["rhea"].get("/admin/").content.decode()
    page = clients["ines"].get("/admin/").content.decode()
    assert "Working" in page
    assert "min" not in page.split("Running now")[1].split("</section>")[0].replace("admin", "")


def test_invitations_that_were_not_opened_are_watched(stage: Stage) -> None:
    assert labels(stage.rhea, "invitations") == ["Ada Fontaine"]
    assert labels(stage.hana, "invitations") == []
    stage.invitation.first_opened_at = NOW
    stage.invitation.save()
    assert labels(stage.rhea, "invitations") == []


def more(stage: Stage, number: int) -> None:
    """`number` more candidates, each with a graded, scored answer and extra time."""
    for at in range(number):
        candidate = Candidate.objects.create(
            name=f"Person {at}", email=f"p{number}-{at}@example.com", created_at=NOW
        )
        Accommodation.objects.create(
            candidate=candidate, multiplier="1.25", granted_by=stage.rhea, granted_at=NOW
        )
        link, _ = invite(
            opening=stage.opening,
            candidate=candidate,
            exercises=[stage.exercise],
            opens_at=NOW,
            closes_at=NOW + timedelta(days=2),
            by=stage.rhea,
            now=NOW,
        )
        attempt = attempts.start(
            invitation=link, exercise=stage.exercise, policies=POLICIES, now=NOW
        )
        submit(attempt, "x", at=NOW + timedelta(minutes=5))
        grade(attempt)
        evaluations.assign(attempt=attempt, evaluator=stage.ines, by=stage.rhea, now=LATER)


LISTS = [
    ("rhea", "admin:index"),
    ("ines", "admin:index"),
    ("hana", "admin:index"),
    ("rhea", "admin:assessments_attempt_changelist"),
    ("ines", "admin:assessments_attempt_changelist"),
    ("rhea", "admin:hiring_invitation_changelist"),
    ("rhea", "admin:hiring_candidate_changelist"),
    ("rhea", "admin:hiring_opening_changelist"),
]


@pytest.mark.nightly
def test_lists_cost_the_same_however_long(
    clients: Clients,
    stage: Stage,
    published: list[Any],
    django_assert_max_num_queries: Any,
) -> None:
    more(stage, 2)
    few = [queries(clients[who], name) for who, name in LISTS]
    more(stage, 5)
    assert [queries(clients[who], name) for who, name in LISTS] == few
    opening = reverse("admin:hiring_opening_change", args=[stage.opening.pk])
    clients["rhea"].get(opening)  # as in `queries`
    with django_assert_max_num_queries(45):
        clients["rhea"].get(opening)


def queries(client: Client, name: str) -> int:
    from django.db import connection

    client.get(reverse(name))  # the first time fills caches
    with CaptureQueriesContext(connection) as captured:
        assert client.get(reverse(name)).status_code == 200
    return len(captured)


@pytest.mark.database
@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("q=Ada", True),
        ("q=nobody", False),
        ("phase=handed-in", True),
        ("phase=running", False),
        ("phase=revised", False),
        ("scored_by=nobody", False),
        ("opening=999", False),
        ("opening=x", True),
    ],
)
def test_list_of_attempts_is_searched_and_filtered(
    clients: Clients, handed_in: Attempt, query: str, found: bool
) -> None:
    url = reverse("admin:assessments_attempt_changelist")
    text = clients["rhea"].get(f"{url}?{query}", follow=True).content.decode()
    assert (str(handed_in.pk) in text) is found


def test_assigned_to_me_finds_the_own_ones(clients: Clients, handed_in: Attempt) -> None:
    url = reverse("admin:assessments_attempt_changelist") + "?scored_by=me"
    assert str(handed_in.pk) in clients["ines"].get(url).content.decode()
    assert str(handed_in.pk) not in clients["hana"].get(url).content.decode()
