"""Attempts, answers, gradings, scorecards and reports: each reader gets what their pages show and no more."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from accounts.roles import ADMINISTRATOR
from assessments.models import Attempt, GradingRun
from assessments.tests.stage import Stage, member
from hiring.models import Sighting
from integrations.tests.world import Program
from library.models import Question
from reviews.decisions.decisions import decide
from reviews.scoring import evaluations
from reviews.tests.scene import LATER, SECRET_SCORE, score_all
from reviews.visibility import grading_visible_to, gradings_visible_to

Api = Callable[..., Program]


def test_whoever_scores_is_blind_until_their_card_is_in(
    api: Api, handed_in: Attempt, stage: Stage
) -> None:
    ines, at = api(stage.ines), f"attempts/{handed_in.pk}"
    seen = ines.get(at).json()
    assert seen["candidate_name"] == f"Candidate {stage.ada.pseudonym}"
    assert seen["scores_it"] is True
    hidden = ("candidate", "invitation", "started_at", "deadline_at")
    assert [seen[name] for name in hidden] == [None] * 4
    assert ines.get(f"attempts?candidate={stage.ada.pk}").json()["results"] == []
    assert ines.get("gradings").json()["results"] == []
    assert (
        ines.get(f"submissions?attempt={handed_in.pk}").json()["results"][0]["submitted_at"] is None
    )
    score_all(handed_in, stage.ines)
    (graded,) = ines.get("gradings").json()["results"]
    assert (graded["score"], graded["finished_at"]) == (SECRET_SCORE, None)
    assert graded["measures"][0]["key"] == "wait_high_p95"
    decide(
        id=None,
        opening=stage.opening,
        candidate=stage.ada,
        outcome="hire",
        reasons="Sound.",
        by=stage.hana,
        now=LATER,
    )
    named = ines.get(at).json()
    assert (named["candidate"], named["candidate_name"]) == (stage.ada.pk, stage.ada.name)
    assert ines.get(f"attempts?candidate={stage.ada.pk}").json()["results"] == [named]
    assert named["started_at"] is None  # whoever scores sees no times, even later


def test_who_oversees_sees_name_and_clock(api: Api, handed_in: Attempt, stage: Stage) -> None:
    seen = api(stage.rhea).get(f"attempts/{handed_in.pk}").json()
    assert seen["candidate_name"] == stage.ada.name
    assert seen["started_at"] == "2026-03-02T09:00:00Z"
    assert seen["phase"] == "submitted"
    assert api(stage.rhea).get("submissions").status_code == 403  # recruiters read no answer


def test_others_scorecards_wait_for_the_own(api: Api, handed_in: Attempt, stage: Stage) -> None:
    evaluations.assign(attempt=handed_in, evaluator=stage.otto, by=stage.rhea, now=LATER)
    score_all(handed_in, stage.ines, level=2)
    assert api(stage.otto).get("scorecards").json()["results"] == []
    score_all(handed_in, stage.otto)
    cards = api(stage.otto).get("scorecards").json()["results"]
    assert {card["evaluator"]: card["is_own"] for card in cards} == {"Ines": False, "Otto": True}
    ines = next(card for card in cards if not card["is_own"])
    assert {rating["level"] for rating in ines["ratings"]} == {2}
    assert api(stage.otto).get(f"scorecards/{ines['id']}").json() == ines


def test_the_list_of_gradings_is_the_rule_of_one(handed_in: Attempt, stage: Stage) -> None:
    """The query narrows as the rule that the pages ask for each."""
    adam = member("adam2", ADMINISTRATOR)
    for scores in (False, True):
        if scores:
            score_all(handed_in, stage.ines)
        for who in (stage.ines, stage.otto, stage.hana, stage.rhea, adam):
            listed = set(gradings_visible_to(who))
            assert listed == {
                row for row in GradingRun.objects.all() if grading_visible_to(who, row)
            }


def test_a_report_is_the_pages_report(api: Api, handed_in: Attempt, stage: Stage) -> None:
    score_all(handed_in, stage.ines, level=4)
    found = api(stage.hana).get(f"attempts/{handed_in.pk}/report")
    assert found.status_code == 200
    said = found.json()
    assert said["name"] == stage.ada.name
    assert said["work_samples"]["value"] == 4
    (part,) = said["parts"]
    (row,) = part["rounds"]
    assert row["measures"][0]["score"] == SECRET_SCORE
    assert {one["mean"] for one in row["criteria"]} == {4}
    assert said["decisions"] == []
    assert Sighting.objects.filter(by=stage.hana, page="api-report", named=True).exists()
    evaluations.assign(attempt=handed_in, evaluator=stage.otto, by=stage.rhea, now=LATER)
    owing = api(stage.otto).get(f"attempts/{handed_in.pk}/report").json()
    assert owing["name"] == f"Candidate {stage.ada.pseudonym}"
    assert (owing["owes_scorecard"], owing["decisions"]) == (True, None)
    (row,) = owing["parts"][0]["rounds"]
    assert (row["measures"], row["criteria"], row["hidden_scorecards"]) == (None, [], 1)


def test_what_is_not_yours_is_not_there(api: Api, handed_in: Attempt, stage: Stage) -> None:
    otto = api(stage.otto)
    answer = handed_in.submissions.get()
    grading = answer.latest_grading()
    card = score_all(handed_in, stage.ines)
    assert grading
    for path in (
        f"attempts/{handed_in.pk}",
        f"attempts/{handed_in.pk}/report",
        f"submissions/{answer.pk}",
        f"gradings/{grading.pk}",
        f"scorecards/{card.pk}",
        f"openings/{stage.opening.pk}",
    ):
        assert otto.get(path).status_code == 404, path
    for path in ("attempts", "submissions", "gradings", "scorecards", "openings"):
        assert otto.get(path).json()["results"] == [], path


def test_trials_are_in_no_list(api: Api, handed_in: Attempt, stage: Stage) -> None:
    stage.opening.trial_by = stage.ada.trial_by = stage.ines
    stage.opening.save()
    stage.ada.save()
    adam = api(member("adam2", ADMINISTRATOR))
    for path in ("openings", "candidates", "attempts", "submissions", "gradings", "scorecards"):
        assert adam.get(path).json()["results"] == [], path


def test_questions_and_the_trail(api: Api, stage: Stage) -> None:
    row = Question.objects.create(
        topic_id="X1", topic="T", section="S", text="Why?", level="mid", created_at=LATER,
        expected_points=["one"], follow_ups=["And then?"],
    )  # fmt: skip
    listed = api(stage.ines).get("questions?topic=X1&level=mid").json()["results"]
    assert [one["id"] for one in listed] == [row.pk]
    assert listed[0]["expected_points"] == ["one"]
    adam = api(member("adam2", ADMINISTRATOR))
    api(stage.rhea).post(f"openings/{stage.opening.pk}/close", {"reason": "Filled."})
    (said,) = adam.get("audit?since=2026-01-01T00:00:00Z").json()["results"]
    assert (said["kind"], said["row"]) == ("hiring.opening", str(stage.opening.pk))
    assert said["said"] == "Closed the opening. Reason: Filled."
    assert adam.get("audit?until=2026-01-01T00:00:00Z").json()["results"] == []
    assert api(stage.rhea).get("audit").status_code == 403


@pytest.mark.parametrize("path", ["webhooks", "deliveries"])
def test_webhooks_are_an_administrators(api: Api, stage: Stage, path: str) -> None:
    assert api(stage.rhea).get(path).status_code == 403
    assert api(member("adam2", ADMINISTRATOR)).get(path).status_code == 200
