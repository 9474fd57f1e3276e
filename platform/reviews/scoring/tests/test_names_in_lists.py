"""A name that a list showed, or the only one left, is on the scorecard; lists keep names back till then."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from assessments.models import Attempt
from assessments.tests.stage import NOW, Stage
from hiring.invitations import invite
from hiring.models import Candidate, Sighting
from reviews.decisions import decisions
from reviews.models import Evaluation
from reviews.scoring import blindness, evaluations
from reviews.tests.scene import LATER, score_all

Clients = dict[str, Client]


def another(stage: Stage, name: str) -> Candidate:
    person = Candidate.objects.create(name=name, email=f"{name[:2]}@example.com", created_at=NOW)
    invite(
        opening=stage.opening, candidate=person, exercises=[stage.exercise], by=stage.rhea,
        opens_at=NOW, closes_at=timezone.now() + timedelta(days=6), now=NOW,
    )  # fmt: skip
    return person


def said_of(attempt: Attempt, stage: Stage) -> str:
    """What the mark on Hana's scorecard says, given now."""
    evaluations.assign(attempt=attempt, evaluator=stage.hana, by=stage.rhea, now=timezone.now())
    score_all(attempt, stage.hana, now=timezone.now())
    return mark_of(stage)


def mark_of(stage: Stage) -> str:
    cards = Evaluation.objects.select_related("submission__attempt__invitation", "evaluator")
    (card,) = blindness.marked(cards.filter(evaluator=stage.hana))
    return str(card.not_blind)  # type: ignore[attr-defined]


LISTS = ("hiring_candidate_changelist", "assessments_attempt_changelist", "index", "interview-plan")


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.by_day(but=["index"])
def test_a_name_seen_in_a_list_is_on_the_scorecard(
    clients: Clients, handed_in: Attempt, stage: Stage, name: str
) -> None:
    score_all(handed_in, stage.ines)  # so that a decision is owed and stands on the home page
    page = clients["hana"].get(reverse(f"admin:{name}")).content.decode()
    assert stage.ada.name in page
    assert "saw who the candidate is" in said_of(handed_in, stage)


@pytest.mark.parametrize("page", ["hiring_opening_change", "board", "board-rows"])
def test_a_name_seen_on_the_openings_page_is_on_the_scorecard(
    clients: Clients, handed_in: Attempt, stage: Stage, page: str
) -> None:
    url = reverse(f"admin:{page}", args=[stage.opening.pk])
    assert stage.ada.name in clients["hana"].get(url).content.decode()
    assert "saw who the candidate is" in said_of(handed_in, stage)


def test_lists_that_showed_no_name_leave_one_blind(
    clients: Clients, handed_in: Attempt, stage: Stage
) -> None:
    evaluations.assign(attempt=handed_in, evaluator=stage.hana, by=stage.rhea, now=LATER)
    opening = reverse("admin:hiring_opening_change", args=[stage.opening.pk])
    board = reverse("admin:board", args=[stage.opening.pk])
    for url in (*(reverse(f"admin:{name}") for name in LISTS), opening, board):
        assert stage.ada.name not in clients["hana"].get(url).content.decode()
    clients["hana"].get(reverse("admin:attempt", args=[handed_in.pk]))
    assert not Sighting.objects.filter(candidate=stage.ada, named=True).exists()
    assert said_of(handed_in, stage) == ""


def test_a_pseudonym_seen_before_being_asked_again_is_blind(
    clients: Clients, handed_in: Attempt, stage: Stage
) -> None:
    clients["ines"].get(reverse("admin:attempt", args=[handed_in.pk]))
    evaluations.withdraw(handed_in.assignments.get(), by=stage.rhea)
    evaluations.assign(attempt=handed_in, evaluator=stage.ines, by=stage.rhea, now=timezone.now())
    score_all(handed_in, stage.ines, now=timezone.now())
    cards = Evaluation.objects.select_related("submission__attempt__invitation", "evaluator")
    assert [card.not_blind for card in blindness.marked(cards)] == [""]  # type: ignore[attr-defined]


def test_the_only_name_not_seen_is_known_by_elimination(
    clients: Clients, handed_in: Attempt, stage: Stage
) -> None:
    evaluations.assign(attempt=handed_in, evaluator=stage.hana, by=stage.rhea, now=LATER)
    bo, cy = another(stage, "Bo Li"), another(stage, "Cy Twombly")
    page = clients["hana"].get(reverse("admin:hiring_candidate_changelist")).content.decode()
    assert bo.name in page
    assert stage.ada.name not in page
    assert "saw the names of all others of the opening" in said_of(handed_in, stage)
    Sighting.objects.filter(candidate=cy).delete()
    assert mark_of(stage) == ""  # two are left


def test_inviting_somebody_is_knowing_them(handed_in: Attempt, stage: Stage) -> None:
    stage.invitation.created_by = stage.hana
    stage.invitation.save()
    assert "invited the candidate" in said_of(handed_in, stage)


def test_a_decision_does_not_name_whom_one_will_score(
    clients: Clients, attempt: Attempt, stage: Stage
) -> None:
    """The answer is not in yet, so nothing is owed; it will be."""
    evaluations.assign(attempt=attempt, evaluator=stage.ines, by=stage.rhea, now=LATER)
    decisions.decide(
        opening=stage.opening, candidate=stage.ada, outcome="hire", reasons="Known.",
        by=stage.hana, now=LATER,
    )  # fmt: skip
    for name in ("assessments_attempt_changelist", "index"):
        assert stage.ada.name not in clients["ines"].get(reverse(f"admin:{name}")).content.decode()


def test_who_never_scores_leaves_no_trace_in_lists(
    clients: Clients, handed_in: Attempt, stage: Stage
) -> None:
    for name in ("adam", "rhea"):
        clients[name].get(reverse("admin:hiring_candidate_changelist"))
    assert not Sighting.objects.exists()
