"""A button pressed twice, or by two people at one moment, acts once and answers both."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from threading import Barrier
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.test import Client
from django.urls import reverse

from accounts.not_possible import NotPossible
from assessments.models import Attempt, GradingRun
from assessments.tests.stage import Stage
from hiring.models import Candidate, Invitation
from library.models import Rubric
from reviews.decisions import decisions
from reviews.models import Assignment, Decision, Evaluation, Feedback
from reviews.scoring import evaluations
from reviews.tests.scene import LATER

Clients = dict[str, Client]
PRESSES = 6
together = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(
        connection.vendor != "postgresql", reason="needs PostgreSQL (set DATABASE_URL)"
    ),
]


def at_once(*acts: Callable[[], Any]) -> list[Any]:
    """What each act answered, all begun at the same moment on connections of their own."""
    gate = Barrier(len(acts))

    def one(act: Callable[[], Any]) -> Any:
        try:
            gate.wait()
            return act()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(acts)) as pool:
        return [done.result() for done in [pool.submit(one, act) for act in acts]]


def presses(client: Client, url: str, data: dict[str, Any] | None = None) -> list[int]:
    """The statuses of several presses of one button at the same moment."""

    def press() -> int:
        browser = Client(raise_request_exception=False)
        browser.cookies = client.cookies
        answer = browser.get(url) if data is None else browser.post(url, data)
        return int(answer.status_code)

    return at_once(*[press] * PRESSES)


def invitation_form(stage: Stage, **changes: Any) -> dict[str, Any]:
    return {
        "id": str(uuid4()),
        "opening": stage.opening.pk,
        "exercises": [stage.exercise.pk],
        "name": "Bo Li",
        "email": "bo@example.com",
        "opens_at": "2036-01-05T10:00",
        "closes_at": "2036-01-12T10:00",
    } | changes


def test_a_decision_sent_twice_is_one(clients: Clients, scored: Attempt) -> None:
    url = reverse("admin:decision", args=[scored.pk])
    form = {"id": str(uuid4()), "outcome": "hire", "reasons": "Convincing."}
    assert [clients["hana"].post(url, form).status_code for _ in range(2)] == [302, 302]
    assert Decision.objects.count() == 1
    assert LogEntry.objects.filter(change_message__startswith="Decided").count() == 1
    assert "This was recorded before" in clients["hana"].get(url).content.decode()


def test_a_decision_without_its_number_is_asked_for_again(
    clients: Clients, scored: Attempt
) -> None:
    url = reverse("admin:decision", args=[scored.pk])
    form = {"outcome": "hire", "reasons": "Convincing."}
    answer = clients["hana"].post(url, form)
    assert answer.status_code == 400
    assert "send it again" in answer.content.decode()
    again = form | {"id": answer.context["form"]["id"].value()}
    assert clients["hana"].post(url, again).status_code == 302
    assert Decision.objects.count() == 1


def test_a_decision_form_of_somebody_else_is_refused(scored: Attempt, stage: Stage) -> None:
    bo = Candidate.objects.create(name="Bo", email="bo@example.com", created_at=LATER)
    words: dict[str, Any] = {"outcome": "hire", "reasons": "x", "by": stage.hana, "now": LATER}
    key = uuid4()
    decisions.decide(opening=stage.opening, candidate=bo, id=key, **words)
    with pytest.raises(NotPossible, match="another decision"):
        decisions.decide(opening=stage.opening, candidate=stage.ada, id=key, **words)


def test_regrading_waits_for_the_grading_under_way(clients: Clients, handed_in: Attempt) -> None:
    url = reverse("admin:regrade", args=[handed_in.pk])
    statuses = [clients["hana"].post(url, {"reason": "x"}).status_code for _ in range(2)]
    assert statuses == [302, 409]
    assert GradingRun.objects.count() == 2
    assert LogEntry.objects.count() == 1


def test_a_correction_asked_for_twice_is_one(clients: Clients, scored: Attempt) -> None:
    url = reverse("admin:correct", args=[scored.pk, 1])
    for _ in range(2):
        answer = clients["ines"].post(url, {"reason": "Misread."}, follow=True)
        assert answer.status_code == 200
    assert "Your correction is open" in answer.content.decode()
    assert Evaluation.objects.count() == 2
    assert LogEntry.objects.filter(change_message__contains="correction").count() == 1


def test_a_new_candidate_invited_twice_is_one(clients: Clients, stage: Stage) -> None:
    url, form = reverse("admin:hiring_invitation_add"), invitation_form(stage)
    statuses = [clients["rhea"].post(url, form).status_code for _ in range(2)]
    assert statuses == [200, 302]
    assert Invitation.objects.filter(candidate__name="Bo Li").count() == 1


@pytest.mark.parametrize("who", ["again", "changed"])
def test_a_rubric_duplicated_twice_is_one_until_it_is_changed(
    clients: Clients, scored: Attempt, who: str
) -> None:
    first = Rubric.objects.get(evaluation__isnull=False)
    url = reverse("admin:rubric-duplicate", args=[first.pk])
    clients["adam"].post(url)
    if who == "changed":
        Rubric.objects.exclude(pk=first.pk).update(title="Mine")
    clients["adam"].post(url)
    made = 2 if who == "changed" else 1
    assert Rubric.objects.filter(based_on=first).count() == made
    assert LogEntry.objects.filter(change_message__startswith="Duplicated").count() == made


class TestTogether:
    pytestmark = together

    def test_opening_the_scoring_page(self, clients: Clients, handed_in: Attempt) -> None:
        Rubric.objects.all().delete()
        url = reverse("admin:score", args=[handed_in.pk, 1])
        assert presses(clients["ines"], url) == [200] * PRESSES
        assert Evaluation.objects.count() == 1

    def test_first_scorecards_of_two_people(self, handed_in: Attempt, stage: Stage) -> None:
        evaluations.assign(attempt=handed_in, evaluator=stage.otto, by=stage.rhea, now=LATER)
        at_once(
            *(
                lambda who=who: evaluations.begin(
                    attempt=handed_in, round=1, evaluator=who, now=LATER
                )
                for who in (stage.ines, stage.otto)
            )
        )
        assert Evaluation.objects.count() == 2
        assert Rubric.objects.count() == 1

    def test_correcting(self, clients: Clients, scored: Attempt) -> None:
        url = reverse("admin:correct", args=[scored.pk, 1])
        assert set(presses(clients["ines"], url, {"reason": "Misread."})) == {302}
        assert Evaluation.objects.count() == 2
        assert LogEntry.objects.filter(change_message__contains="correction").count() == 1

    def test_deciding(self, clients: Clients, scored: Attempt) -> None:
        url = reverse("admin:decision", args=[scored.pk])
        form = {"id": str(uuid4()), "outcome": "hire", "reasons": "Convincing."}
        assert presses(clients["hana"], url, form) == [302] * PRESSES
        assert Decision.objects.count() == 1
        assert LogEntry.objects.filter(change_message__startswith="Decided").count() == 1

    def test_regrading(self, clients: Clients, handed_in: Attempt) -> None:
        url = reverse("admin:regrade", args=[handed_in.pk])
        statuses = presses(clients["hana"], url, {"reason": "New image."})
        assert sorted(statuses) == [302, *[409] * (PRESSES - 1)]
        assert GradingRun.objects.count() == 2

    @pytest.mark.parametrize("known", [True, False])
    def test_inviting(self, clients: Clients, stage: Stage, known: bool) -> None:
        form = invitation_form(stage, **({"candidate": stage.ada.pk} if known else {}))
        statuses = presses(clients["rhea"], reverse("admin:hiring_invitation_add"), form)
        assert sorted(statuses) == [200, *[302] * (PRESSES - 1)]
        assert Invitation.objects.count() == 2  # with the stage's own

    def test_inviting_one_new_address_from_two_pages(self, clients: Clients, stage: Stage) -> None:
        url = reverse("admin:hiring_invitation_add")
        forms = [invitation_form(stage) for _ in range(2)]
        answers = at_once(*(lambda form=form: clients["rhea"].post(url, form) for form in forms))
        assert sorted(answer.status_code for answer in answers) == [200, 400]
        assert Candidate.objects.filter(email="bo@example.com").count() == 1

    def test_duplicating_a_rubric(self, clients: Clients, scored: Attempt) -> None:
        first = Rubric.objects.get()
        url = reverse("admin:rubric-duplicate", args=[first.pk])
        assert presses(clients["adam"], url, {}) == [302] * PRESSES
        assert Rubric.objects.count() == 2

    def test_beginning_feedback(self, clients: Clients, scored: Attempt) -> None:
        url = reverse("admin:feedback", args=[scored.pk])
        form = {"strength": "a", "improvement": "b", "focus": "", "keep": "1"}
        assert presses(clients["ines"], url, form) == [302] * PRESSES
        assert Feedback.objects.count() == 1

    def test_submitting_while_a_level_is_cleared(self, handed_in: Attempt, stage: Stage) -> None:
        """A submitted scorecard is complete, whichever of the two comes first."""
        for _ in range(30):
            Evaluation.objects.all().delete()
            card = evaluations.begin(attempt=handed_in, round=1, evaluator=stage.ines, now=LATER)
            for item in card.criteria():
                evaluations.rate(card, criterion=item["key"], level=3, note="", now=LATER)
            key = card.criteria()[0]["key"]
            rate = partial(evaluations.rate, card, criterion=key, level=None, note="", now=LATER)
            at_once(
                partial(_tried, partial(evaluations.submit, card, now=LATER)),
                partial(_tried, rate),
            )
            card.refresh_from_db()
            assert card.submitted_at is None or evaluations.missing(card) == []

    def test_withdrawing_while_the_scorecard_begins(self, handed_in: Attempt, stage: Stage) -> None:
        assignment = Assignment.objects.get()
        begin = partial(
            evaluations.begin, attempt=handed_in, round=1, evaluator=stage.ines, now=LATER
        )
        at_once(
            partial(_tried, lambda: evaluations.withdraw(assignment, by=stage.rhea)),
            partial(_tried, begin),
        )
        assert Assignment.objects.exists() is Evaluation.objects.exists()


def _tried(act: Callable[[], Any]) -> None:
    with suppress(NotPossible):
        act()
