"""What the workspace and the overview say: of the newest run, of what can be called, of before and after."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.tests.reading import words_of
from assessments import pages
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
