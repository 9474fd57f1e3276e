"""Overriding a measure (S3): a new row with a reason and a person; the report is never touched."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse

from accounts.not_possible import NotPossible
from assessments.models import Attempt, GradingRun
from assessments.tests.stage import Stage
from reviews.models import MeasureOverride
from reviews.scoring import overrides
from reviews.tests.scene import LATER, REPORT, SECRET_SCORE, grade

Clients = dict[str, Client]
SENT = {"measure": "wait_high_p95", "score": "0.9", "reason": "The burst was drawn wrong."}


def grading(attempt: Attempt) -> GradingRun:
    return GradingRun.objects.get(submission__attempt=attempt)


def url(attempt: Attempt) -> str:
    return reverse("admin:override", args=[attempt.pk, grading(attempt).pk])


def evidence_page(client: Client, attempt: Attempt) -> str:
    return client.get(reverse("admin:attempt", args=[attempt.pk])).content.decode()


@pytest.mark.parametrize("name", ["ines", "adam", "hana"])
@pytest.mark.by_day(but=["adam", "hana"])
def test_override_stands_beside_the_original(clients: Clients, scored: Attempt, name: str) -> None:
    before = deepcopy(grading(scored).report)
    assert clients[name].post(url(scored), SENT).status_code == 302
    assert grading(scored).report == before
    row = MeasureOverride.objects.get()
    assert (row.machine_score, row.score, row.by.username) == (SECRET_SCORE, 0.9, name)
    for page in (
        evidence_page(clients["hana"], scored),
        clients["hana"].get(reverse("admin:decision", args=[scored.pk])).content.decode(),
    ):
        assert "0.43" in page
        assert "0.90" in page
        assert "The burst was drawn wrong." in page
        assert "with the overrides in place" in page
    assert LogEntry.objects.filter(change_message__contains="machine: 0.43").exists()


def test_a_reason_is_needed_and_the_range_is_kept(clients: Clients, scored: Attempt) -> None:
    for wrong in (
        {"reason": " "},
        {"score": "1.2"},
        {"score": "x"},
        {"score": "nan"},
        {"measure": "no"},
    ):
        assert clients["ines"].post(url(scored), SENT | wrong).status_code == 400, wrong
    assert clients["ines"].post(url(scored), SENT | {"score": ""}).status_code == 409
    assert not MeasureOverride.objects.exists()


def test_it_waits_for_the_own_scorecard(clients: Clients, handed_in: Attempt, stage: Stage) -> None:
    assert clients["ines"].get(url(handed_in)).status_code == 404
    assert clients["ines"].post(url(handed_in), SENT).status_code == 404
    assert clients["rhea"].post(url(handed_in), SENT).status_code == 403
    assert clients["otto"].post(url(handed_in), SENT).status_code == 404
    with pytest.raises(NotPossible, match="hidden until then"):
        overrides.override(
            grading(handed_in),
            measure="wait_high_p95",
            score=1.0,
            reason="x",
            by=stage.ines,
            now=LATER,
        )


def test_newest_counts_and_can_be_taken_back(clients: Clients, scored: Attempt) -> None:
    for score in ("0.9", "0.9", "0.7", ""):  # the second press of one button changes nothing
        clients["ines"].post(url(scored), SENT | {"score": score})
    held = overrides.of(grading(scored))
    assert held.newest == {}
    assert held.total is None
    assert [row.score for row in held.log] == [0.9, 0.7, None]
    page = evidence_page(clients["ines"], scored)
    assert "3 overrides on record" in page
    assert "taken back" in page


def test_mean_has_the_overrides_in_place(scored: Attempt, stage: Stage) -> None:
    other: dict[str, Any] = {**REPORT["measures"][0], "key": "cost", "label": "Cost", "score": 1.4}
    run = grade(scored, 1, REPORT | {"measures": [*REPORT["measures"], other]})
    overrides.override(
        run, measure="wait_high_p95", score=0.5, reason="x", by=stage.ines, now=LATER
    )
    assert overrides.of(run).total == pytest.approx(0.75)  # 0.5 and 1.4 clipped to 1
    assert {
        row.key: row.override is not None for row in overrides.beside(run.report, overrides.of(run))
    } == {
        "wait_high_p95": True,
        "cost": False,
    }
