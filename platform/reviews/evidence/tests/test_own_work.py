"""What staff read of questions about an own answer, and of an assistant alone; and when they may."""

from __future__ import annotations

import io
import zipfile
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from assessments.models import Attempt, OwnWorkRound, OwnWorkSave
from assessments.own_work import rounds
from assessments.own_work.tests.test_own_work import SECRET, found, handed_in, make_scene, sent
from graders.assistant.lines import Line, line_of
from reviews.decisions.candidate_scores import candidate_scores
from reviews.evidence.assistant_alone import beside, line_for
from reviews.evidence.automation import measures
from reviews.evidence.own_work import asked_of, begun_of
from reviews.privacy.candidate_export import export
from reviews.privacy.erasure import erase, rows_of
from reviews.scoring.evaluations import assign
from reviews.tests.scene import score_all

pytestmark = pytest.mark.django_db


@pytest.fixture
def answered(monkeypatch: pytest.MonkeyPatch) -> tuple[Attempt, Client]:
    """Ada answered two of the questions; Ines is asked to score and is signed in."""
    monkeypatch.setattr("assessments.queue.publish", lambda *_, **__: None)
    scene, now = make_scene()
    attempt = handed_in(scene, now)
    found(attempt, now)
    rounds.begin(attempt, now=now)
    rounds.save(attempt, sent(1, given="2", why="It grows there."), now=now)
    rounds.hand_in(attempt, sent(4, given="10"), now=now + timedelta(minutes=1))
    assign(attempt=attempt, evaluator=scene.ines, by=scene.rhea, now=now)
    ines = Client()
    ines.force_login(scene.ines)
    ines.person = scene.ines  # type: ignore[attr-defined]
    return attempt, ines


def test_it_is_hidden_until_the_own_scorecard_is_in(answered: tuple[Attempt, Client]) -> None:
    attempt, ines = answered
    pages = [reverse(f"admin:{name}", args=[attempt.pk]) for name in ("attempt", "defence")]
    for page in pages:
        text = ines.get(page).content.decode()
        assert SECRET not in text
        assert "Hidden until your scorecard" in text
    score_all(Attempt.objects.get(pk=attempt.pk), ines.person, now=timezone.now())  # type: ignore[attr-defined]
    for page in pages:
        text = ines.get(page).content.decode()
        assert f"{SECRET}-1" in text
        assert "It grows there." in text
        assert "1 right, 1 wrong, 2 not answered" in text


def test_the_report_has_it_beside_explain_and_defend(answered: tuple[Attempt, Client]) -> None:
    attempt, ines = answered
    score_all(Attempt.objects.get(pk=attempt.pk), ines.person, now=timezone.now())  # type: ignore[attr-defined]
    hana = Client()
    hana.force_login(attempt.invitation.opening.hiring_manager)  # type: ignore[arg-type]
    text = hana.get(reverse("admin:report", args=[attempt.pk])).content.decode()
    assert "Questions about the own answer" in text
    assert "What does it do at 1?" in text


def test_it_enters_no_score(answered: tuple[Attempt, Client]) -> None:
    attempt, ines = answered
    score_all(Attempt.objects.get(pk=attempt.pk), ines.person, now=timezone.now())  # type: ignore[attr-defined]
    opening, candidate = attempt.invitation.opening, attempt.invitation.candidate
    viewer = opening.hiring_manager
    assert viewer is not None
    with_it = candidate_scores(viewer, opening, candidates=[candidate.pk])
    assert with_it[candidate.pk].work.value is not None
    row = rounds.round_of(attempt)
    assert row is not None
    row.saves.all().delete()
    row.delete()
    assert candidate_scores(viewer, opening, candidates=[candidate.pk]) == with_it


def test_nobody_was_asked_nothing_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assessments.queue.publish", lambda *_, **__: None)
    scene, now = make_scene()
    attempt = handed_in(scene, now, told=False)
    assert asked_of(attempt, scene.hana, now) is None
    assert begun_of(attempt, scene.hana) is None


def test_the_export_has_what_was_said_and_not_what_is_right(
    answered: tuple[Attempt, Client],
) -> None:
    attempt, _ = answered
    held = zipfile.ZipFile(io.BytesIO(export(attempt.invitation.candidate)))
    text = held.read("data.json").decode()
    assert "It grows there." in text
    assert "What does it do at 1?" in text
    assert SECRET not in text


def test_an_erasure_takes_questions_and_answers_with_it(answered: tuple[Attempt, Client]) -> None:
    attempt, _ = answered
    candidate = attempt.invitation.candidate
    assert {OwnWorkRound, OwnWorkSave} <= set(rows_of(candidate))
    erase(candidate, mode="erase", by=None, now=timezone.now())
    assert not OwnWorkRound.objects.exists()
    assert not OwnWorkSave.objects.exists()


LINE = Line(2, 0.95, 0.91, 0.99, "2026-11-21", "2026-11-21", {"wait": 0.8})


def test_an_assistant_alone_stands_beside_each_measure() -> None:
    rows = measures({"measures": [{"key": "wait", "score": 0.7}, {"key": "cost", "score": 0.9}]})
    assert [row.alone for row in beside(rows, LINE)] == [0.8, None]
    assert beside(rows, None) == rows


def test_its_line_is_that_of_the_exercises_pack_and_level() -> None:
    scene, _ = make_scene()
    assert line_for(scene.exercise) == line_of(scene.exercise.pack_name, "mid")
    scene.exercise.pack_name = "automation/gone"
    assert line_for(scene.exercise) is None


def test_catalogue_shows_the_line(client: Client) -> None:
    scene, _ = make_scene()
    client.force_login(scene.rhea)
    page = reverse("admin:catalogue-entry", args=["automation", "queue-autoscaler"])
    text = client.get(page, {"level": "senior"}).content.decode()
    assert "An assistant alone" in text
    assert "2 answers" in text
