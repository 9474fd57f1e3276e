"""What was asked of the assistant stands beside the answer, in the course of the work and in one's own copy."""

from __future__ import annotations

import io
import json
import zipfile
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from assessments.models import AssistantTurn, Attempt
from assessments.tests.stage import NOW, Stage, attempt, published, stage
from reviews.evidence import assistant_record, work_history
from reviews.privacy.candidate_export import export, export_own
from reviews.privacy.erasure import erase
from reviews.tests.scene import handed_in

pytestmark = pytest.mark.django_db
__all__ = ["attempt", "handed_in", "published", "stage"]


@pytest.fixture
def asked(handed_in: Attempt) -> Attempt:
    """Ada's answer, for which she asked the assistant twice."""
    handed_in.policies["assistant"] = "It is recorded."
    handed_in.save(update_fields=["policies"])
    for minute, question, answer, problem in (
        (5, "How do I drain?", "Call <b>drain</b>.\nThen wait.", ""),
        (9, "And then?", "", "unreachable"),
    ):
        at = NOW + timedelta(minutes=minute)
        AssistantTurn.objects.create(
            attempt=handed_in,
            round=1,
            question=question,
            answer=answer,
            problem=problem,
            asked_at=at,
            heard_at=at,
            ended_at=at,
            model="small-1",
            tokens_in=100,
            tokens_out=20,
            is_counted=True,
        )
    return handed_in


def test_the_record_is_whole_and_by_the_ordinary_minute(asked: Attempt) -> None:
    found = assistant_record.record(asked)
    assert [(row.minute, row.question) for row in found.asked] == [
        (5, "How do I drain?"),
        (9, "And then?"),
    ]
    assert found.asked[0].answer == "Call <b>drain</b>.\nThen wait."
    assert found.asked[1].problem == "The address did not answer"
    assert found.tokens == 240


def test_staff_read_it_beside_the_answer_as_text(asked: Attempt, stage: Stage) -> None:
    client = Client()
    client.force_login(stage.hana)
    text = client.get(reverse("admin:attempt", args=[asked.pk])).content.decode()
    assert 'data-tab="Assistant"' in text
    assert "Call &lt;b&gt;drain&lt;/b&gt;." in text


def test_without_it_there_is_no_such_part(handed_in: Attempt, stage: Stage) -> None:
    client = Client()
    client.force_login(stage.hana)
    text = client.get(reverse("admin:attempt", args=[handed_in.pk])).content.decode()
    assert 'data-tab="Assistant"' not in text


def test_each_question_is_a_step_of_the_work_and_changes_no_file(
    asked: Attempt, stage: Stage
) -> None:
    steps = work_history.steps(asked)
    number = next(step.number for step in steps if step.kind == "assistant")
    assert steps[number - 1].title == "Asked the assistant: How do I drain?"
    assert work_history.body_at(asked, steps, number) == work_history.body_at(
        asked, steps, number - 1
    )
    client = Client()
    client.force_login(stage.hana)
    page = client.get(reverse("admin:work-history", args=[asked.pk]), {"step": number})
    assert "Call &lt;b&gt;drain" in page.content.decode()


@pytest.mark.parametrize("whole", [True, False], ids=["whole", "own"])
def test_the_copy_of_the_data_holds_it(asked: Attempt, stage: Stage, whole: bool) -> None:
    packed = export(stage.ada) if whole else export_own(stage.ada)
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        data: dict[str, Any] = json.loads(archive.read("data.json"))
    said = data["attempts"][0]["assistant"]
    assert [row["question"] for row in said] == ["How do I drain?", "And then?"]
    assert said[0]["answer"].startswith("Call <b>drain")


def test_it_goes_with_the_data(asked: Attempt, stage: Stage) -> None:
    erase(stage.ada, mode="erase", by=None, now=NOW)
    assert not AssistantTurn.objects.exists()


def test_an_answer_that_names_the_candidate_is_no_reason_to_keep_it(
    asked: Attempt, stage: Stage
) -> None:
    asked.assistant_turns.update(question=f"I am {stage.ada.name}: help me.")
    stone = erase(stage.ada, mode="pseudonymise", by=None, now=NOW)
    assert stone.mode == "erase"
    assert not AssistantTurn.objects.exists()
