"""E13: the one recommendation that is praised and the one that is challenged; the revision is about that."""

from __future__ import annotations

import json
import time
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from assessments import answers, pages
from assessments.answers import BadAnswer
from assessments.cost.workplace import OPPORTUNITIES
from assessments.models import Attempt, RevisionRound
from assessments.tests.stage import Stage, enter
from graders.cost.answer import MOST_ROWS
from reviews.feedback import challenges, defence
from reviews.models import Feedback
from reviews.tests.scene import LATER, score_all

Clients = dict[str, Client]


def url_of(attempt: Attempt) -> str:
    return reverse("admin:feedback", args=[attempt.pk])


@pytest.fixture
def talked(cost_attempt: Attempt, stage: Stage) -> Attempt:
    """Ines has scored, and Ada has explained and defended her answer."""
    score_all(cost_attempt, stage.ines)
    defence.skip(attempt=cost_attempt, because="She was ill that day.", by=stage.ines, now=LATER)
    return cost_attempt


def suggested(attempt: Attempt, stage: Stage) -> list[challenges.Suggestion]:
    found = challenges.suggestions(attempt, stage.ines)
    assert found
    return found


def form(**changes: Any) -> dict[str, Any]:
    return {
        "strength": "It names the lines and the months.",
        "strength_place": "row-2",
        "improvement": "",
        "improvement_place": "row-1",
        "focus": OPPORTUNITIES,
    } | changes


@pytest.mark.nightly
def test_suggestions_come_ranked_once_the_scorecard_is_in(
    clients: Clients, cost_attempt: Attempt, stage: Stage
) -> None:
    before = unescape(clients["ines"].get(url_of(cost_attempt)).content.decode())
    assert challenges.HIDDEN in before
    assert "data-challenge=" not in before
    assert "Suggested 1" not in before
    assert '<option value="row-1">Recommendation 1 (' in before  # a row can be chosen all the same
    score_all(cost_attempt, stage.ines)
    after = unescape(clients["ines"].get(url_of(cost_attempt)).content.decode())
    rows = suggested(cost_attempt, stage)
    assert [row.rank for row in rows] == list(range(1, len(rows) + 1))
    places = [after.index(f'data-challenge="{row.value}"') for row in rows]
    assert places == sorted(places)
    for row in rows:
        assert row.question in after
        assert f"Suggested {row.rank}: {row.place}" in after


@pytest.mark.nightly
def test_chosen_suggestion_is_a_fact_and_brings_its_question(
    clients: Clients, talked: Attempt, stage: Stage
) -> None:
    first = suggested(talked, stage)[0]
    sent = form(improvement_place=first.value, release="1")
    assert clients["ines"].post(url_of(talked), sent).status_code == 302
    kept = Feedback.objects.get(attempt=talked)
    assert (kept.strength_row, kept.challenged_row) == ("2", first.value.removeprefix("row-"))
    assert kept.challenge["rank"] == 1
    assert kept.challenge["question"] == first.question
    revision = RevisionRound.objects.get(attempt=talked)
    assert revision.improvement == f"{first.place}:\n{first.question}"
    assert revision.strength.startswith("Recommendation 2 (")
    assert revision.subject == kept.challenged_row
    said = unescape(clients["ines"].get(url_of(talked)).content.decode())
    assert f"Suggested as number 1 of {kept.challenge['of']}" in said
    assert challenges.FOCUS in said


def test_any_other_row_or_own_words_can_be_challenged(
    clients: Clients, talked: Attempt, stage: Stage
) -> None:
    known = {row.value for row in suggested(talked, stage)}
    other = next(value for value in challenges.rows_for(talked) if value not in known)
    sent = form(improvement_place=other, improvement="Who would do this work, and when?", keep="1")
    assert clients["ines"].post(url_of(talked), sent).status_code == 302
    kept = Feedback.objects.get(attempt=talked)
    assert (kept.challenged_row, kept.challenge) == (other.removeprefix("row-"), {})
    part = "part-Side effects, and what you leave alone"
    sent = form(improvement_place=part, improvement="You leave out the freeze.", keep="1")
    assert clients["ines"].post(url_of(talked), sent).status_code == 302
    kept.refresh_from_db()
    assert (kept.challenged_row, kept.challenge) == ("", {})
    assert kept.improvement_place == "Side effects, and what you leave alone"


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"strength_place": "part-Prioritised list"}, "particularly valuable"),
        ({"improvement_place": "row-99"}, "Select a valid choice"),
        ({"improvement_place": "", "improvement": "Hm?"}, "choose for each where it shows"),
        ({"improvement_place": "row-odd"}, "one strength and one improvement"),
    ],
)
@pytest.mark.by_day(every=2)
def test_release_says_what_is_missing(
    clients: Clients, talked: Attempt, changes: dict[str, str], sentence: str
) -> None:
    answer = clients["ines"].post(url_of(talked), form(release="1", **changes))
    assert answer.status_code in (400, 409)
    assert sentence in unescape(answer.content.decode())
    assert not RevisionRound.objects.exists()


def begun_revision(clients: Clients, talked: Attempt, client: Client, stage: Stage) -> Attempt:
    assert clients["ines"].post(url_of(talked), form(release="1")).status_code == 302
    enter(client, stage.token)
    client.post(
        reverse("start", args=[stage.invitation.pk]),
        {"exercise": stage.exercise.pk, "accept": "yes"},
    )
    attempt = Attempt.objects.get(pk=talked.pk)
    assert attempt.round == 2
    return attempt


def test_revision_is_about_that_row_and_its_prose(
    clients: Clients, talked: Attempt, client: Client, stage: Stage
) -> None:
    attempt = begun_revision(clients, talked, client, stage)
    data = pages.workspace_data(attempt, LATER + timedelta(minutes=1))
    assert data["feedback"]["focus"] == OPPORTUNITIES
    assert set(data["feedback"]["also"]) == {row["key"] for row in data["sections"]}
    assert data["feedback"]["subject"] == "1"
    first = answers.starting_body(attempt)
    rows = json.loads(first["files"][OPPORTUNITIES])["opportunities"]
    rows[0]["saving"] = {"kind": "money", "value": 1000, "of": ""}
    changed = {
        "files": {OPPORTUNITIES: json.dumps({"opportunities": rows})},
        "sections": first["sections"] | {"risks": "We lose the reserve for the peak."},
    }
    answers.check_focus(attempt, changed)
    more = changed | {"files": changed["files"] | {"own.md": "A new file."}}
    with pytest.raises(BadAnswer, match=r"own\.md"):
        answers.check_focus(attempt, more)


def test_candidate_reads_question_and_row_and_no_ranking(
    clients: Clients, talked: Attempt, client: Client, stage: Stage
) -> None:
    first = suggested(talked, stage)[0]
    sent = form(improvement_place=first.value, release="1")
    assert clients["ines"].post(url_of(talked), sent).status_code == 302
    enter(client, stage.token)
    client.post(
        reverse("start", args=[stage.invitation.pk]),
        {"exercise": stage.exercise.pk, "accept": "yes"},
    )
    page = client.get(reverse("workspace", args=[talked.pk])).content.decode()
    assert json.dumps(first.question)[1:-1] in page
    for text in (*first.reasons, first.title, "Suggested"):
        assert text not in page


def test_guest_reads_no_suggestion(stage: Stage, cost_attempt: Attempt) -> None:
    assert challenges.suggestions(cost_attempt, stage.otto) == []  # not assigned
    assert challenges.suggestions(cost_attempt, stage.ines) == []  # own scorecard not in
    assert challenges.suggestions(cost_attempt, stage.hana) != []
    cost_attempt.submissions.get().grading_runs.all().delete()
    assert challenges.suggestions(cost_attempt, stage.hana) == []  # the machine has read nothing


def test_feedback_of_other_exercises_is_as_before(clients: Clients, handed_in: Attempt) -> None:
    said = clients["ines"].get(url_of(handed_in)).content.decode()
    assert "What to challenge" not in said
    assert "One improvement" in said
    assert challenges.rows_for(handed_in) == {}


def test_a_table_of_very_many_rows_does_not_hold_the_page_up(
    clients: Clients, cost_attempt: Attempt
) -> None:
    """Nobody reads more rows than a table may have; the page still has to open."""
    answer = cost_attempt.submissions.get()
    rows = [{"id": f"r{at}", "what": "Move it."} for at in range(8_000)]
    answer.body["files"][OPPORTUNITIES] = json.dumps({"opportunities": rows})
    answer.save()
    began = time.thread_time()
    found = list(challenges.rows_for(cost_attempt).items())
    assert time.thread_time() - began < 2
    assert found[0] == ("row-r0", "Recommendation 1 (Move it.)")
    assert len(found) == MOST_ROWS
    assert clients["ines"].get(url_of(cost_attempt)).status_code == 200
