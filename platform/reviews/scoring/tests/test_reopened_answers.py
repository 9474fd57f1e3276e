"""A scorecard is about one answer: when an attempt is reopened, the old one counts no more."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from accounts.not_possible import NotPossible
from accounts.tests.reading import words_of
from assessments import attempts
from assessments.models import Attempt
from assessments.tests.stage import Stage, submit
from reviews.decisions.pages.decision import ratings_table
from reviews.models import Evaluation
from reviews.phases import for_list, scorecards
from reviews.scoring import evaluations
from reviews.tests.scene import LATER, grade, score_all
from reviews.visibility import may_see_measures
from reviews.workload import waiting_for

Clients = dict[str, Client]


@pytest.fixture
def replaced(scored: Attempt, stage: Stage) -> Attempt:
    """Ines scored; then the attempt was reopened and another answer was handed in."""
    attempts.reopen(scored.pk, minutes=30, by=stage.rhea, reason="Network failed.", now=LATER)
    submit(scored, "A different answer.", at=LATER + timedelta(minutes=10))
    grade(scored)
    return Attempt.objects.get(pk=scored.pk)


def sections(stage: Stage, who: str) -> Counter[str]:
    """Section of My work -> rows in it; what is empty is not there."""
    found = waiting_for(getattr(stage, who), LATER)
    return Counter({section.key: len(section.rows) for section in found})


def test_the_old_scorecard_does_not_count_as_in(replaced: Attempt, stage: Stage) -> None:
    assert not Evaluation.objects.current().exists()
    assert scorecards(for_list(Attempt.objects.all()).get()) == (0, 1)
    assert sections(stage, "ines")["to-score"] == 1
    assert sections(stage, "hana")["decisions"] == 0
    assert not may_see_measures(stage.ines, replaced, 1)


def test_the_new_answer_gets_a_scorecard_of_its_own(replaced: Attempt, stage: Stage) -> None:
    old = Evaluation.objects.get()
    card = score_all(replaced, stage.ines, level=2)
    assert card.pk != old.pk
    assert card.submission.superseded_at is None
    assert set(old.ratings.values_list("level", flat=True)) == {4}
    assert scorecards(for_list(Attempt.objects.all()).get()) == (1, 1)
    assert sections(stage, "hana")["decisions"] == 1


def test_old_scorecards_stay_on_record_as_what_they_are(
    clients: Clients, replaced: Attempt, stage: Stage
) -> None:
    page = words_of(clients["hana"].get(reverse("admin:attempt", args=[replaced.pk])))
    assert "about the replaced answer" in page
    decision = words_of(clients["hana"].get(reverse("admin:decision", args=[replaced.pk])))
    assert "0 scorecards you may see, 1 asked" in decision


def test_others_scorecards_of_the_replaced_answer_wait_as_well(
    replaced: Attempt, stage: Stage
) -> None:
    evaluations.assign(attempt=replaced, evaluator=stage.otto, by=stage.rhea, now=LATER)
    assert not Evaluation.objects.visible_to(stage.otto).exists()
    score_all(replaced, stage.otto)
    assert Evaluation.objects.visible_to(stage.otto).replaced().count() == 1


def test_who_scored_only_the_replaced_answer_owes_the_new_one_first(
    replaced: Attempt, stage: Stage
) -> None:
    evaluations.assign(attempt=replaced, evaluator=stage.otto, by=stage.rhea, now=LATER)
    card = score_all(replaced, stage.otto)
    assert card not in Evaluation.objects.visible_to(stage.ines)
    score_all(replaced, stage.ines)
    assert card in Evaluation.objects.visible_to(stage.ines)


def test_a_page_that_shows_the_old_answer_cannot_rate_the_new_one(
    clients: Clients, replaced: Attempt, stage: Stage
) -> None:
    old = Evaluation.objects.get()
    url = reverse("admin:score", args=[replaced.pk, 1])
    clients["ines"].get(url)
    levels = {f"level-{item['key']}": "5" for item in old.criteria()}
    answer = clients["ines"].post(url, levels | {"card": str(old.pk)})
    assert answer.status_code == 409
    assert "no longer shows your present scorecard" in words_of(answer)
    save = reverse("admin:rating", args=[replaced.pk, 1]) + f"?card={old.pk}"
    body = {"criterion": old.criteria()[0]["key"], "level": 5}
    late = clients["ines"].post(save, body, content_type="application/json")
    assert late.status_code == 409
    assert not Evaluation.objects.current().get().ratings.exists()


def test_an_open_scorecard_of_a_replaced_answer_cannot_be_handed_in(
    handed_in: Attempt, stage: Stage
) -> None:
    card = evaluations.begin(attempt=handed_in, round=1, evaluator=stage.ines, now=LATER)
    attempts.reopen(handed_in.pk, minutes=30, by=stage.rhea, reason="x", now=LATER)
    for act in (
        lambda: evaluations.rate(card, criterion="x", level=1, note="", now=LATER),
        lambda: evaluations.submit(card, now=LATER),
    ):
        with pytest.raises(NotPossible, match="answer was replaced"):
            act()


def test_who_scored_the_replaced_answer_stays_on_the_panel(replaced: Attempt, stage: Stage) -> None:
    with pytest.raises(NotPossible, match="stays on record"):
        evaluations.withdraw(replaced.assignments.get(), by=stage.rhea)


def test_one_scorecard_for_each_answer_and_evaluator(scored: Attempt, stage: Stage) -> None:
    card = Evaluation.objects.get()
    with pytest.raises(IntegrityError), transaction.atomic():
        Evaluation.objects.create(
            submission=card.submission,
            evaluator=stage.ines,
            rubric=card.rubric,
            snapshot=card.snapshot,
            created_at=LATER,
        )
    assert ratings_table([card])
