"""What the workspace and the overview say: of the newest run, of what can be called, of before and after."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.tests.reading import words_of
from assessments import pages
from assessments.clock import Phase
from assessments.tests.stage import NOW, Stage, begin, enter, make_stage, run_of, submit

pytestmark = pytest.mark.django_db


def test_newest_result_names_its_workload_and_its_draft(stage: Stage) -> None:
    attempt = begin(stage)
    run = run_of(attempt)
    run.report, run.finished_at = {"status": "ok"}, NOW
    run.save()
    shown = pages.workspace_data(attempt, NOW)["last_run"]
    assert (shown["workload"], shown["draft"]) == (run.workload, run.draft.number)
    assert shown["report"] == {"status": "ok"}


def test_editor_is_told_what_the_exercise_can_call_and_nothing_else(stage: Stage) -> None:
    told = pages.workspace_data(begin(stage), NOW)["proposals"]
    by_label = {(row["label"], row["kind"]): row for row in told}
    assert by_label["scale", "method"]["detail"] == "(pool: str, size: int) -> ScaleResult"
    assert by_label["scale", "method"]["about"].startswith("Bring a pool to")
    assert by_label["gpus", "property"]["detail"] == "int, of Job, Node, Queue"
    assert ("requeue", "method") not in by_label  # another exercise's


@pytest.mark.parametrize("page", ["lobby", "workspace"])
def test_pages_open_while_the_site_works_off_an_outage(
    db: None, client: Client, monkeypatch: pytest.MonkeyPatch, page: str
) -> None:
    """Then nothing is handed in yet, though the time is over."""
    now = timezone.now()
    stage = make_stage(now)
    attempt = begin(stage, now - timedelta(hours=3))
    monkeypatch.setattr("assessments.submissions.has_worked_off", lambda _: False)
    enter(client, stage.token)
    key = stage.invitation.pk if page == "lobby" else attempt.pk
    answer = client.get(reverse(page, args=[key]))
    assert answer.status_code == 200
    assert ("Continue" in words_of(answer)) == (page == "lobby")
    assert not attempt.submissions.exists()


def test_every_phase_has_a_state_on_the_overview() -> None:
    assert set(pages.STATES) == set(Phase)


def test_nobody_who_has_handed_in_reads_of_before_the_start(db: None, client: Client) -> None:
    now = timezone.now()
    stage = make_stage(now)
    enter(client, stage.token)
    lobby = reverse("lobby", args=[stage.invitation.pk])
    before = words_of(client.get(lobby))
    assert "before you start" in before
    assert f"For {stage.invitation.candidate.name}" in before
    submit(begin(stage, now), "pass", at=now)
    after = words_of(client.get(lobby))
    assert "Submitted" in after
    assert "before you start" not in after
