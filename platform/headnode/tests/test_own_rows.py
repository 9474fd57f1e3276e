"""One's own interviews and question sets: every role at every address of them, generated from the table."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.roles import ROLES
from assessments.models import Attempt
from assessments.tests.stage import NOW, Stage, attempt, member, published, stage
from headnode.permissions import Address, Scope, may
from headnode.tests.test_permission_matrix import all_addresses, ask, is_open
from library.models import Question
from reviews.interviews import interviews
from reviews.models import InterviewSession, QuestionSet, QuestionSetItem
from reviews.tests.scene import handed_in, score_all

__all__ = ["attempt", "handed_in", "published", "stage"]


def own_set(stage: Stage, user: User) -> QuestionSet:
    question = Question.objects.create(
        topic_id="X1",
        topic="T",
        section="S",
        text="Why?",
        level="mid",
        created_at=NOW,
        expected_points=["one"],
    )
    row = QuestionSet.objects.create(
        title="Own",
        opening=stage.opening,
        minutes=30,
        created_by=user,
        created_at=NOW,
        changed_at=NOW,
    )
    QuestionSetItem.objects.create(question_set=row, question=question, position=1, minutes=5)
    return row


def own_talk(stage: Stage, user: User, chosen: QuestionSet) -> InterviewSession:
    """The visitor's own session, begun; made by hand, since not every role can be asked to hold one."""
    row = InterviewSession.objects.create(
        opening=stage.opening,
        candidate=stage.ada,
        interviewer=user,
        question_set=chosen,
        planned_by=stage.rhea,
        planned_at=NOW,
    )
    return interviews.begin(row, now=NOW + timedelta(hours=2))


def path_of(address: Address, chosen: QuestionSet, talk: InterviewSession) -> str | None:
    """The address about the visitor's own row; None where it is about an attempt."""
    if "question-set" in address.name:
        return reverse(address.name, args=[chosen.pk])
    if "<row:asked>" in address.pattern:
        return reverse(address.name, args=[talk.pk, talk.asked.get().pk])
    return reverse(address.name, args=[talk.pk]) if "interviews/" in address.pattern else None


@pytest.mark.parametrize("role", [*ROLES, ""])
@pytest.mark.by_day(every=2)
def test_own_rows_open_to_whom_the_table_names(role: str, stage: Stage, handed_in: Attempt) -> None:
    score_all(handed_in, stage.ines)
    user = member("visitor", role) if role else User.objects.create_user("visitor", is_staff=True)
    user.access_ends_at = NOW + timedelta(days=9999)
    user.save()
    chosen = own_set(stage, user)
    talk = own_talk(stage, user, chosen)
    client, wrong, asked = Client(raise_request_exception=False), [], 0
    client.force_login(user)
    for address in all_addresses():
        rule = address.rule
        path = path_of(address, chosen, talk) if rule and rule.scope == Scope.OWN else None
        if rule is None or path is None:
            continue
        sends = rule.only_post
        answer: Any = ask(client, path, sends=sends)
        asked += 1
        if is_open(answer, []) != may(rule, role, assigned=False, sends=sends, own=True):
            wrong.append((address.name, answer.status_code))
    assert wrong == []
    assert asked >= 6
