"""Who may watch, compare and keep which replay, and what an address gives away."""

from __future__ import annotations

import copy
import json
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from assessments.models import Attempt, GradingRun, Run
from assessments.tests.stage import NOW, Stage
from graders.reference_replay import made_with
from library.packs import pack_of
from reviews.evidence import reference, replays
from reviews.evidence.reference import NotPlayed
from reviews.tests.scene import REPORT, SECRET_SCORE, grade, score_all
from reviews.tests.test_permissions import answers

Clients = dict[str, Client]
PLAYED = b'{"t":[0],"series":[]}'


@pytest.fixture
def graded(handed_in: Attempt, monkeypatch: pytest.MonkeyPatch) -> Attempt:
    """The grading was made with today's pack, and references take no time to play."""
    report = copy.deepcopy(REPORT)
    report["versions"] = made_with(pack_of(handed_in.pack_version.name))
    grade(handed_in, report=report)
    monkeypatch.setattr(
        "reviews.evidence.pages.replays.reference_json", lambda attempt, name: PLAYED
    )
    return handed_in


@pytest.fixture
def run(graded: Attempt) -> Run:
    report = {"timeline": REPORT["evidence"][0]["replay"], "measures": [{"score": SECRET_SCORE}]}
    return Run.objects.create(
        attempt=graded,
        round=1,
        draft=graded.drafts.get(),
        workload="public-1",
        created_at=NOW,
        finished_at=NOW,
        result="done",
        report=report,
    )


def grading(attempt: Attempt) -> GradingRun:
    return GradingRun.objects.get(submission__attempt=attempt)


def page(client: Client, attempt: Attempt, query: str = "") -> str:
    answer = client.get(reverse("admin:compare", args=[attempt.pk]) + query)
    assert answer.status_code == 200
    return answer.content.decode()


def chosen(text: str) -> list[str]:
    """Values of the options that the page has selected."""
    parts = text.split("<option ")[1:]
    return [part.split('value="')[1].split('"')[0] for part in parts if " selected>" in part]


def test_comparing_is_for_the_panel(clients: Clients, graded: Attempt) -> None:
    url = reverse("admin:compare", args=[graded.pk])
    assert answers(clients, url) == (200, 403, 200, 200, 404, 302)


def test_reference_waits_for_the_own_scorecard(
    clients: Clients, graded: Attempt, stage: Stage
) -> None:
    url = reverse("admin:reference-chart", args=[graded.pk, "hidden-1"])
    assert answers(clients, url) == (200, 403, 200, 404, 404, 403)
    assert "reference-hidden-1" not in page(clients["ines"], graded)
    assert "once your scorecard is in" in page(clients["ines"], graded)
    score_all(graded, stage.ines)
    assert clients["ines"].get(url).content == PLAYED
    assert "reference-hidden-1" in page(clients["ines"], graded)


@pytest.mark.parametrize("name", ["hidden-2", "hidden-99", "public-9", "hidden-0"])
def test_reference_is_played_only_on_workloads_of_the_attempt(
    clients: Clients, graded: Attempt, name: str
) -> None:
    url = reverse("admin:reference-chart", args=[graded.pk, name])
    assert clients["adam"].get(url).status_code == 404


def test_reference_of_another_pack_is_not_offered(clients: Clients, handed_in: Attempt) -> None:
    text = page(clients["adam"], handed_in)  # REPORT names the version of no pack
    assert "reference-hidden-1" not in text
    assert "reference-public-1" in text


def test_first_choice_is_an_answer_beside_the_reference(clients: Clients, graded: Attempt) -> None:
    first = f"graded-{grading(graded).pk}-0"
    assert chosen(page(clients["adam"], graded)) == [first, "reference-hidden-1"]


def test_what_is_asked_for_is_chosen(clients: Clients, graded: Attempt, run: Run) -> None:
    first = f"graded-{grading(graded).pk}-0"
    text = page(clients["ines"], graded, f"?a=run-{run.pk}&b={first}")
    assert sorted(chosen(text)) == sorted([f"run-{run.pk}", first])
    rubbish = page(clients["ines"], graded, "?a=<script>&b=" + "x" * 3000)
    assert first in chosen(rubbish)
    assert "<script>&" not in rubbish


def test_revision_is_compared_with_the_first_answer(graded: Attempt, stage: Stage) -> None:
    found = [
        replays.Source("graded-1-0", "", "", "hidden-1", ""),
        replays.Source("graded-2-0", "", "", "hidden-1", ""),
        replays.Source("reference-hidden-1", "", "", "hidden-1", ""),
        replays.Source("run-1", "", "", "public-1", ""),
    ]
    assert replays.chosen(found, "", "") == (found[0], found[1])
    assert replays.chosen(found, "run-1", "") == (found[3], None)
    assert replays.chosen(found, "graded-1-0", "run-1") == (found[0], found[3])
    assert replays.chosen([], "", "") == (None, None)


def test_page_says_so_where_there_is_nothing(clients: Clients, handed_in: Attempt) -> None:
    GradingRun.objects.update(report=None)
    assert "nothing to compare yet" in page(clients["ines"], handed_in)


def test_a_reference_that_cannot_be_played_is_said(
    clients: Clients, graded: Attempt, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(attempt: Attempt, workload: str) -> bytes:
        raise NotPlayed("It took too long.")

    monkeypatch.setattr("reviews.evidence.pages.replays.reference_json", fails)
    answer = clients["adam"].get(reverse("admin:reference-chart", args=[graded.pk, "hidden-1"]))
    assert (answer.status_code, answer.json()) == (503, {"detail": "It took too long."})


def test_reference_is_played_once_and_kept(
    graded: Attempt, settings: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.DATA = tmp_path
    first = reference.reference_json(graded, "hidden-1")
    assert json.loads(first)["t"][-1] == 86_400
    monkeypatch.setattr(reference, "_played", lambda asked: pytest.fail("played twice"))
    assert reference.reference_json(graded, "hidden-1") == first
    assert len(list(tmp_path.glob("replays/*"))) == 1


def test_failed_reference_is_not_kept(graded: Attempt, settings: Any, tmp_path: Any) -> None:
    settings.DATA = tmp_path
    with pytest.raises(NotPlayed, match="There is no workload"):
        reference.reference_json(graded, "hidden-0")
    assert list(tmp_path.glob("replays/*")) == []


def test_picture_is_for_the_panel_and_names_no_score(clients: Clients, graded: Attempt) -> None:
    url = reverse("admin:evidence-picture", args=[graded.pk, grading(graded).pk, 0])
    assert answers(clients, url) == (200, 403, 200, 200, 404, 302)
    answer = clients["ines"].get(url)
    assert answer["Content-Type"].startswith("image/svg+xml")
    assert answer["Content-Disposition"].startswith("inline")
    assert str(SECRET_SCORE) not in answer.content.decode()
    assert answer.content.startswith(b"<svg ")
    kept = clients["ines"].get(url + "?download")
    assert kept["Content-Disposition"] == 'attachment; filename="round-1-hidden-1.svg"'
    assert kept.content == answer.content


def test_run_has_a_picture(clients: Clients, graded: Attempt, run: Run) -> None:
    url = reverse("admin:run-picture", args=[graded.pk, run.pk])
    assert answers(clients, url) == (200, 403, 200, 200, 404, 302)
    assert "Run of draft" in clients["ines"].get(url).content.decode()


def test_unknown_pictures_are_not_found(clients: Clients, graded: Attempt) -> None:
    run = grading(graded).pk
    for name, args in (
        ("evidence-picture", [run, 7]),
        ("evidence-picture", [run + 1, 0]),
        ("run-picture", [uuid4()]),
    ):
        url = reverse(f"admin:{name}", args=[graded.pk, *args])
        assert clients["adam"].get(url).status_code == 404


def being_graded(attempt: Attempt, done: int) -> None:
    """As a worker leaves the row that is at work on it."""
    until = timezone.now() + timedelta(minutes=1)
    GradingRun.objects.filter(submission__attempt=attempt).update(
        finished_at=None,
        result="",
        report=None,
        worker="host:1:1",
        lease_until=until,
        progress=done,
        hidden_workloads=5,
    )


def test_progress_is_shown_while_an_answer_is_graded(
    clients: Clients, handed_in: Attempt, stage: Stage
) -> None:
    being_graded(handed_in, 3)
    url = reverse("admin:gradings", args=[handed_in.pk])
    assert answers(clients, url) == (200, 403, 200, 200, 404, 403)
    (row,) = clients["ines"].get(url).json()["rounds"]
    assert row == {
        "round": 1,
        "text": "Being graded",
        "tone": "info",
        "progress": "3 of 5 hidden days",
        "finished": False,
    }
    shown = clients["ines"].get(reverse("admin:attempt", args=[handed_in.pk])).content.decode()
    assert "3 of 5 hidden days" in shown
    assert "data-pending" in shown


def test_a_finished_grading_has_no_progress(clients: Clients, handed_in: Attempt) -> None:
    (row,) = clients["ines"].get(reverse("admin:gradings", args=[handed_in.pk])).json()["rounds"]
    assert (row["text"], row["progress"], row["finished"]) == ("Graded", "", True)
    shown = clients["ines"].get(reverse("admin:attempt", args=[handed_in.pk])).content.decode()
    assert "data-pending" not in shown
