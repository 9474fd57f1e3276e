"""The reliability panel: who sees it, what it counts, and when it says that there is too little to say."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from assessments.models import Attempt, Submission
from assessments.tests.stage import NOW, PACK, Stage
from hiring.models import Candidate, Invitation
from library.packs import latest_rubric, load_rubric, pack_of
from reviews.fairness import calibration
from reviews.fairness.pages.reliability import in_hundredths, in_percent
from reviews.fairness.reliability import Exercise, choices, counted, panel
from reviews.fairness.statistics_of_agreement import LEAST_ANSWERS, Figure
from reviews.models import Assignment, Evaluation, Rating
from reviews.scoring import evaluations
from reviews.tests.scene import LATER, score_all

KEYS = ("technical", "method", "reliability", "observability", "business", "communication")
FIRST = Exercise(PACK, "mid", 1)
URL = "/admin/reliability/"


def answers(stage: Stage, first: Attempt, number: int) -> list[Submission]:
    """So many handed-in answers of other candidates, as rows and nothing more."""
    found = []
    for at in range(number):
        who = Candidate.objects.create(name=f"No {at}", email=f"{at}@example.com", created_at=NOW)
        link = Invitation.objects.get(pk=stage.invitation.pk)
        link.pk, link.candidate, link.token_hash = None, who, f"token {at}"
        link._state.adding = True
        link.save()
        attempt = Attempt.objects.get(pk=first.pk)
        answer = first.submissions.get()
        attempt.pk, attempt.invitation = None, link
        attempt._state.adding = True
        attempt.save()
        answer.pk, answer.attempt, answer.draft = None, attempt, None
        answer.save()
        found.append(answer)
    return found


def card(answer: Submission, who: User, level: int, **other: int) -> Evaluation:
    rubric = latest_rubric(PACK, "mid") or load_rubric(pack_of(PACK), "mid", now=NOW)
    row = Evaluation.objects.create(
        submission=answer,
        evaluator=who,
        rubric=rubric,
        snapshot=rubric.snapshot(),
        created_at=LATER,
        submitted_at=LATER,
    )
    Rating.objects.bulk_create(
        Rating(evaluation=row, criterion_key=key, level=other.get(key, level), rated_at=LATER)
        for key in KEYS
    )
    return row


@pytest.fixture
def many(stage: Stage, handed_in: Attempt) -> list[Submission]:
    """LEAST_ANSWERS answers that Ines and Otto scored; Otto is one level kinder on method."""
    found = answers(stage, handed_in, LEAST_ANSWERS)
    for at, answer in enumerate(found):
        level = 1 + at % 4
        card(answer, stage.ines, level)
        card(answer, stage.otto, level, method=level + 1)
    return found


def test_only_administrator_and_hiring_manager_see_it(clients: dict[str, Client]) -> None:
    codes = {name: client.get(URL).status_code for name, client in clients.items()}
    assert {name for name, code in codes.items() if code == 200} == {"adam", "hana"}


def test_nothing_scored_yet_says_what_will_be_there(clients: dict[str, Client]) -> None:
    page = clients["adam"].get(URL).content.decode()
    assert "No scorecard that you may read is in yet" in page


@pytest.mark.nightly
def test_figures_of_an_exercise(
    many: list[Submission], stage: Stage, clients: dict[str, Client]
) -> None:
    adam = User.objects.get(username="adam")
    assert [row.exercise for row in choices(counted(adam, None))] == [FIRST]
    found = {row.title: row.figures for row in panel(counted(adam, None), FIRST).criteria}
    code, method = (
        found["Code: structure and correctness"],
        found["Decision logic and how it was reached"],
    )
    assert code.exact is not None
    assert (code.answers, code.exact.value) == (LEAST_ANSWERS, 1)
    assert method.exact is not None
    assert method.adjacent is not None
    assert (method.exact.value, method.adjacent.value) == (0, 1)
    assert method.icc_form == "ICC(2,1)"
    people = {row.name: row for row in panel(counted(adam, None), FIRST).people}
    assert people["Otto"].kindness.off is not None
    assert people["Otto"].kindness.off.value == pytest.approx(1 / 6)
    page = clients["adam"].get(URL).content.decode()
    assert "Too few to say" not in page
    assert "+0.17" in page
    assert "\N{MINUS SIGN}0.17" in page


def test_below_the_least_it_says_too_few(
    many: list[Submission], clients: dict[str, Client], stage: Stage
) -> None:
    Evaluation.objects.filter(submission=many[0], evaluator=stage.otto).first()
    Rating.objects.filter(evaluation__submission=many[0]).delete()
    page = clients["adam"].get(URL).content.decode()
    assert page.count(f"Too few to say: {LEAST_ANSWERS} answers with two ratings") == len(KEYS)
    assert "0 %" not in page.split("by-person")[0].split("by-criterion")[-1]


def test_first_scorecards_count_and_corrections_do_not(
    handed_in: Attempt, stage: Stage, clients: dict[str, Client]
) -> None:
    score_all(handed_in, stage.ines, level=2)
    first = Evaluation.objects.get()
    again = evaluations.correct(first, reason="Read it again.", now=LATER)
    for key in KEYS:
        evaluations.rate(again, criterion=key, level=5, note="", now=LATER)
    evaluations.submit(again, now=LATER)
    adam = User.objects.get(username="adam")
    (choice,) = choices(counted(adam, None))
    assert choice.cards == 1
    found = panel(counted(adam, None), choice.exercise)
    assert (found.answers, found.shared) == (1, 0)


def test_whoever_still_owes_a_scorecard_gets_figures_without_that_answer(
    many: list[Submission], stage: Stage
) -> None:
    assert panel(counted(stage.hana, None), FIRST).answers == LEAST_ANSWERS
    Assignment.objects.create(
        attempt=many[0].attempt, evaluator=stage.hana, assigned_by=stage.rhea, assigned_at=LATER
    )
    assert panel(counted(stage.hana, None), FIRST).answers == LEAST_ANSWERS - 1
    assert panel(counted(stage.ines, None), FIRST).answers == 0  # may not study anything


def test_opening_narrows_it(
    many: list[Submission], stage: Stage, clients: dict[str, Client]
) -> None:
    page = clients["adam"].get(f"{URL}?opening={stage.opening.pk}").content.decode()
    assert f"{LEAST_ANSWERS} answers scored" in page
    for rubbish in ("0", "x", "-1", "9" * 40):
        assert clients["adam"].get(f"{URL}?opening={rubbish}").status_code == 404
    assert clients["adam"].get(f"{URL}?exercise=rubbish").status_code == 200


def test_calibration_stands_beside_leniency(
    many: list[Submission], stage: Stage, clients: dict[str, Client]
) -> None:
    from library.exemplars import exemplars_of

    exemplar = exemplars_of(PACK, "mid")[0]
    own = calibration.begin(PACK, "mid", exemplar, evaluator=stage.ines, now=LATER)
    calibration.rate(own, {key: (item.level, "") for key, item in exemplar.agreed.items()})
    calibration.submit(own, exemplar, now=LATER)
    page = clients["hana"].get(URL).content.decode()
    assert "0.0 off on average over 6 ratings" in " ".join(page.split())
    assert "none scored" in page


def test_number_of_queries_does_not_grow(
    many: list[Submission], stage: Stage, django_assert_num_queries: Any
) -> None:
    adam = User.objects.get_or_create(username="ada2", is_staff=True, is_superuser=True)[0]
    with django_assert_num_queries(2):
        cards = counted(adam, None)
    with django_assert_num_queries(4):
        panel(cards, FIRST)


def test_figures_in_words() -> None:
    assert in_percent(Figure(0.467, 0.447, 0.486)) == {"value": "47 %", "span": "45 to 49 %"}
    minus = "\N{MINUS SIGN}"
    assert in_hundredths(Figure(-0.1, -0.2, 0.05)) == {
        "value": f"{minus}0.10",
        "span": f"{minus}0.20 to 0.05",
    }
    assert in_percent(None) is None
    assert in_hundredths(Figure(0.5), "+") == {"value": "+0.50", "span": ""}
