"""E4: an automation exercise may ask for pseudocode, which is never run and never measured."""

from __future__ import annotations

import json
import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from assessments import answers, pages
from assessments.models import Attempt, GradingRun, Submission
from assessments.tests.stage import NOW, Stage, begin, enter, make_stage, submit
from hiring.models import AnswerForm
from library.packs import pack_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def written(stage: Stage) -> Attempt:
    stage.exercise.answer_form = AnswerForm.PSEUDOCODE
    stage.exercise.save()
    return begin(stage)


def test_editor_begins_with_a_page_for_the_design_and_the_packs_sections(written: Attempt) -> None:
    body = answers.starting_body(written)
    assert list(body["files"]) == ["design.md"]
    assert "Nothing here is run" in body["files"]["design.md"]
    pack = pack_of(written.pack_version.name)
    assert list(body["sections"]) == [section.key for section in pack.sections("mid")]


def test_workspace_offers_nothing_to_run(written: Attempt) -> None:
    data: dict[str, Any] = pages.workspace_data(written, NOW)
    assert data["workloads"] == []
    assert data["files"][0]["starter"]


def test_workspace_and_lobby_say_in_which_languages_answers_may_be_written(
    written: Attempt, client: Client, stage: Stage
) -> None:
    first = pages.workspace_data(written, NOW)["sections"][0]["prompt"]
    assert first.endswith(" Answers may be written in English.")
    opening = written.invitation.opening
    opening.answer_languages = "English or German"
    opening.save()
    shown = pages.workspace_data(written, NOW)["sections"]
    assert shown[0]["prompt"].endswith(" Answers may be written in English or German.")
    assert "may be written" not in shown[1]["prompt"]
    enter(client, stage.token)
    lobby = client.get(reverse("lobby", args=[written.invitation_id])).content.decode()
    assert "What you write may be in English or German." in lobby


def test_run_is_refused_in_one_sentence_and_the_draft_is_kept(db: None, client: Client) -> None:
    stage = make_stage(timezone.now())
    stage.exercise.answer_form = AnswerForm.PSEUDOCODE
    stage.exercise.save()
    written = begin(stage, timezone.now())
    enter(client, stage.token)
    answer = answers.starting_body(written) | {"files": {"design.md": "Every minute: look."}}
    sent = {"client": str(uuid.uuid4()), "seq": 1, "body": answer, "workload": "public-1"}
    url = f"/api/attempts/{written.pk}/runs"
    response = client.post(url, json.dumps(sent), content_type="application/json")
    assert response.status_code == 409
    assert "nothing to run" in response.json()["detail"]
    assert written.drafts.get().body["files"] == {"design.md": "Every minute: look."}
    assert not written.runs.exists()


def test_what_is_handed_in_is_frozen_and_not_graded(written: Attempt) -> None:
    submit(written, "done", at=NOW + timedelta(minutes=3))
    assert Submission.objects.get().body["sections"]["architecture"] == "done"
    assert not GradingRun.objects.exists()
