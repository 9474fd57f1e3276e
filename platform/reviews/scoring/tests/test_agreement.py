"""Several evaluators (requirement S4): who differs, what it asks for, who may know, what is discussed."""

from __future__ import annotations

import io
import random
import zipfile
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.roles import GUEST
from assessments.models import Attempt, Submission
from assessments.tests.stage import Stage, member
from reviews.models import DiscussionOutcome, Evaluation
from reviews.privacy.candidate_export import export
from reviews.privacy.erasure import erase
from reviews.scoring import agreement, evaluations
from reviews.scoring.agreement import Agreement, agreement_of_round, with_known_cards
from reviews.scoring.disagreements import asking_for_another
from reviews.tests.scene import LATER, score_all


def rate(attempt: Attempt, who: User, levels: dict[str, int], default: int = 3) -> Evaluation:
    """A submitted scorecard of round 1 with these levels, and `default` for the rest."""
    if not attempt.assignments.filter(evaluator=who).exists():
        boss = User.objects.get(username="rhea")
        evaluations.assign(attempt=attempt, evaluator=who, by=boss, now=LATER)
    card = evaluations.begin(attempt=attempt, round=1, evaluator=who, now=LATER)
    for item in card.criteria():
        evaluations.rate(
            card, criterion=item["key"], level=levels.get(item["key"], default), note="", now=LATER
        )
    evaluations.submit(card, now=LATER)
    return card


def known_agreement(attempt: Attempt, viewer: User) -> Agreement:
    found = Attempt.objects.select_related("invitation__opening").prefetch_related(
        "assignments", with_known_cards(viewer)
    )
    row = found.get(pk=attempt.pk)
    return agreement_of_round(row, row.judged[0])  # type: ignore[attr-defined]


@pytest.fixture
def adam(db: None) -> User:
    return member("adam2", "Administrator")


def test_two_levels_apart_ask_for_another_evaluator(
    handed_in: Attempt, stage: Stage, adam: User
) -> None:
    rate(handed_in, stage.ines, {})
    assert known_agreement(handed_in, adam) == Agreement.TOO_FEW
    rate(handed_in, stage.otto, {"method": 4})
    assert known_agreement(handed_in, adam) == Agreement.AGREED
    card = Evaluation.objects.get(evaluator=stage.otto)
    again = evaluations.correct(card, reason="Read it again.", now=LATER)
    evaluations.rate(again, criterion="method", level=5, note="", now=LATER)
    evaluations.submit(again, now=LATER)
    assert known_agreement(handed_in, adam) == Agreement.ASK
    evaluations.assign(attempt=handed_in, evaluator=stage.hana, by=stage.rhea, now=LATER)
    assert known_agreement(handed_in, adam) == Agreement.ASKED
    rate(handed_in, stage.hana, {})
    assert known_agreement(handed_in, adam) == Agreement.DISCUSS


def test_one_level_throughout_differs_by_the_means(
    handed_in: Attempt, stage: Stage, adam: User
) -> None:
    rate(handed_in, stage.ines, {}, default=3)
    rate(handed_in, stage.otto, {}, default=4)
    assert known_agreement(handed_in, adam) == Agreement.ASK
    stage.opening.means_apart = Decimal("1.25")
    stage.opening.save()
    assert known_agreement(handed_in, adam) == Agreement.AGREED


def test_means_that_differ_can_be_discussed_and_settled(
    handed_in: Attempt, stage: Stage, adam: User, clients: dict[str, Client]
) -> None:
    rate(handed_in, stage.ines, {}, default=3)
    rate(handed_in, stage.otto, {}, default=4)
    page = clients["ines"].get(reverse("admin:discussion", args=[handed_in.pk, 1])).content.decode()
    assert "The means of the levels are 1.00 apart" in page
    assert discuss(clients["ines"], handed_in).status_code == 302
    assert known_agreement(handed_in, adam) == Agreement.SETTLED
    assert not asking_for_another(adam).exists()


def test_organisation_and_opening_set_the_rule(
    handed_in: Attempt, stage: Stage, adam: User, settings: Any
) -> None:
    rate(handed_in, stage.ines, {})
    rate(handed_in, stage.otto, {"method": 5})
    settings.LEVELS_APART = 3
    assert known_agreement(handed_in, adam) == Agreement.AGREED
    stage.opening.levels_apart = 1
    stage.opening.save()
    assert known_agreement(handed_in, adam) == Agreement.ASK


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.by_day(but=["3"])
def test_database_finds_what_the_definition_says(
    handed_in: Attempt, stage: Stage, adam: User, seed: int
) -> None:
    draw = random.Random(seed)
    stage.opening.levels_apart = draw.choice([None, 1, 3])
    stage.opening.means_apart = draw.choice([None, Decimal("0.5")])
    stage.opening.save()
    keys = ("technical", "method", "reliability", "observability", "business", "communication")
    for who in (stage.ines, stage.otto)[: draw.choice([1, 2, 2, 2])]:
        rate(handed_in, who, {key: draw.randint(2, 4) for key in keys})
    if draw.random() < 0.3:
        evaluations.assign(attempt=handed_in, evaluator=stage.hana, by=stage.rhea, now=LATER)
    found = asking_for_another(adam).filter(attempt=handed_in).exists()
    assert found == (known_agreement(handed_in, adam) == Agreement.ASK)


def test_whoever_owes_a_scorecard_learns_of_no_difference(handed_in: Attempt, stage: Stage) -> None:
    rate(handed_in, stage.ines, {})
    rate(handed_in, stage.otto, {"method": 5})
    assert known_agreement(handed_in, stage.ines) == Agreement.ASK
    evaluations.assign(attempt=handed_in, evaluator=stage.hana, by=stage.rhea, now=LATER)
    assert known_agreement(handed_in, stage.hana) == Agreement.TOO_FEW
    guest = member("gus", GUEST)
    assert known_agreement(handed_in, guest) == Agreement.TOO_FEW


def test_recruiter_learns_that_they_differ_and_not_how(
    handed_in: Attempt, stage: Stage, clients: dict[str, Client]
) -> None:
    rate(handed_in, stage.ines, {})
    rate(handed_in, stage.otto, {"method": 5})
    page = clients["rhea"].get(reverse("admin:attempt", args=[handed_in.pk])).content.decode()
    assert "Another evaluator needed" in page
    assert "May be asked: Hana" in page
    assert "Ines, round 1" not in page  # no scorecard is shown
    url = reverse("admin:discussion", args=[handed_in.pk, 1])
    assert clients["rhea"].get(url).status_code == 403
    home = clients["rhea"].get(reverse("admin:index")).content.decode()
    assert "scorecards differ" in home
    listed = clients["rhea"].get(reverse("admin:assessments_attempt_changelist")).content.decode()
    assert "Another evaluator needed" in listed
    opening = reverse("admin:hiring_opening_change", args=[stage.opening.pk])
    assert "Another evaluator needed" in clients["rhea"].get(opening).content.decode()


def test_list_asks_the_same_number_of_queries_however_many_scorecards(
    handed_in: Attempt, stage: Stage, clients: dict[str, Client], django_assert_max_num_queries: Any
) -> None:
    url = reverse("admin:assessments_attempt_changelist")
    clients["rhea"].get(url)
    with django_assert_max_num_queries(60) as before:
        clients["rhea"].get(url)
    rate(handed_in, stage.ines, {})
    rate(handed_in, stage.otto, {"method": 5})
    with django_assert_max_num_queries(len(before.captured_queries) + 1):
        clients["rhea"].get(url)


def discuss(client: Client, attempt: Attempt, **data: Any) -> Any:
    sent = {"criterion": "method", "level": "4", "reason": "The threshold is explained in the log."}
    return client.post(reverse("admin:discussion", args=[attempt.pk, 1]), sent | data)


def test_discussion_shows_only_what_differs_and_keeps_the_originals(
    handed_in: Attempt, stage: Stage, clients: dict[str, Client], adam: User
) -> None:
    rate(handed_in, stage.ines, {})
    rate(handed_in, stage.otto, {"method": 5})
    page = clients["ines"].get(reverse("admin:discussion", args=[handed_in.pk, 1])).content.decode()
    assert "Decision logic and how it was reached" in page
    assert "Monitoring and alerting" not in page
    assert "Average of the scorecards: <strong>4.0</strong>" in page
    assert discuss(clients["ines"], handed_in).status_code == 302
    assert discuss(clients["ines"], handed_in).status_code == 302  # sent twice, kept once
    outcome = DiscussionOutcome.objects.get()
    assert (outcome.level, outcome.recorded_by) == (4, stage.ines)
    levels = Evaluation.objects.get(evaluator=stage.otto).ratings.get(criterion_key="method")
    assert levels.level == 5
    assert known_agreement(handed_in, adam) == Agreement.SETTLED
    assert not asking_for_another(adam).exists()
    discuss(clients["otto"], handed_in, level="5", reason="We read it again together.")
    assert [row.level for row in DiscussionOutcome.objects.all()] == [4, 5]


def test_discussion_is_exported_and_erased_with_the_candidate(
    handed_in: Attempt, stage: Stage, clients: dict[str, Client]
) -> None:
    rate(handed_in, stage.ines, {})
    rate(handed_in, stage.otto, {"method": 5})
    discuss(clients["ines"], handed_in)
    assert b"The threshold is explained" in zipfile.ZipFile(io.BytesIO(export(stage.ada))).read(
        "data.json"
    )
    erase(stage.ada, mode="erase", by=None, now=LATER)
    assert not DiscussionOutcome.objects.exists()


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ({"reason": " "}, "Write what in the answer settled it"),
        ({"level": "6"}, "6 is not one of the available choices"),
        ({"level": ""}, "Choose the level you agreed on"),
    ],
)
def test_unfit_outcome_gets_one_sentence_and_is_not_kept(
    handed_in: Attempt, stage: Stage, clients: dict[str, Client], data: Any, says: str
) -> None:
    rate(handed_in, stage.ines, {})
    rate(handed_in, stage.otto, {"method": 5})
    answer = discuss(clients["ines"], handed_in, **data)
    assert answer.status_code == 400
    assert says in answer.content.decode()
    assert not DiscussionOutcome.objects.exists()


def test_criteria_that_agree_are_not_discussed(
    handed_in: Attempt, stage: Stage, clients: dict[str, Client]
) -> None:
    rate(handed_in, stage.ines, {})
    rate(handed_in, stage.otto, {"method": 5})
    assert discuss(clients["ines"], handed_in, criterion="business").status_code == 409
    assert discuss(clients["ines"], handed_in, criterion="no-such").status_code == 409
    assert not DiscussionOutcome.objects.exists()


def test_nobody_discusses_while_somebody_still_scores_alone(
    handed_in: Attempt, stage: Stage, clients: dict[str, Client]
) -> None:
    rate(handed_in, stage.ines, {})
    rate(handed_in, stage.otto, {"method": 5})
    evaluations.assign(attempt=handed_in, evaluator=stage.hana, by=stage.rhea, now=LATER)
    for name in ("ines", "hana", "adam"):
        url = reverse("admin:discussion", args=[handed_in.pk, 1])
        answer = clients[name].get(url)
        assert answer.status_code == 302, name
    assert discuss(clients["ines"], handed_in).status_code == 302
    assert not DiscussionOutcome.objects.exists()
    outcome = agreement.record(
        Submission.objects.get(),
        list(Evaluation.objects.submitted()),
        criterion="method",
        level=4,
        reason="Before.",
        by=stage.ines,
        now=LATER,
    )
    seen = DiscussionOutcome.objects.visible_to
    assert list(seen(stage.ines)) == [outcome]
    assert list(seen(stage.hana)) == []  # she owes a scorecard
    score_all(handed_in, stage.hana)
    assert list(seen(stage.hana)) == [outcome]
