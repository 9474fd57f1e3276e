"""The kit: for its candidate only, from the newest draft, and without any effect on the clock."""

from __future__ import annotations

import io
import json
import zipfile
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from assessments import attempts, pages
from assessments.models import Attempt
from assessments.tests.stage import Stage, begin, enter, make_stage, save, submit
from graders.workloads import public_workload
from hiring.models import AnswerForm
from library.packs import pack_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def stage(db: None) -> Stage:
    """The browser's requests happen now, so the window must be open now."""
    return make_stage(timezone.now())


@pytest.fixture
def attempt(stage: Stage) -> Attempt:
    return begin(stage, timezone.now())


def address(attempt: Attempt) -> str:
    return reverse("kit", args=[attempt.pk])


def taken_home(client: Client, attempt: Attempt) -> dict[str, str]:
    """Path below the kit's folder -> text."""
    answer = client.get(address(attempt))
    assert answer.status_code == 200
    assert answer["Content-Type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        return {name.partition("/")[2]: archive.read(name).decode() for name in archive.namelist()}


@pytest.mark.nightly
def test_kit_holds_the_newest_draft_and_the_written_parts(
    client: Client, stage: Stage, attempt: Attempt
) -> None:
    enter(client, stage.token)
    save(attempt, "Two loops.", at=timezone.now())
    found = taken_home(client, attempt)
    pack = pack_of(attempt.pack_version.name)
    for path, text in pack.template("mid").items():
        assert found[f"answer/{path}"] == text
    assert "Two loops." in found["written/architecture.md"]
    rows = json.loads(found["workloads.json"])["workloads"]
    same = public_workload(pack, "mid", attempt.seed, "public-1")
    assert rows[0]["seed"] == same.seed


def test_same_draft_same_bytes(client: Client, stage: Stage, attempt: Attempt) -> None:
    enter(client, stage.token)
    assert client.get(address(attempt)).content == client.get(address(attempt)).content


def test_kit_costs_no_time_and_makes_no_draft(
    client: Client, stage: Stage, attempt: Attempt
) -> None:
    enter(client, stage.token)
    before = (attempt.deadline_at, attempt.drafts.count(), attempt.time_events.count())
    taken_home(client, attempt)
    attempt.refresh_from_db()
    assert (attempt.deadline_at, attempt.drafts.count(), attempt.time_events.count()) == before


def test_nobody_without_the_link_gets_it(client: Client, stage: Stage, attempt: Attempt) -> None:
    assert client.get(address(attempt)).status_code == 404
    client.force_login(stage.rhea)
    assert client.get(address(attempt)).status_code == 404


def test_only_reading_is_possible(client: Client, stage: Stage, attempt: Attempt) -> None:
    enter(client, stage.token)
    assert client.post(address(attempt)).status_code == 405


def test_after_submitting_there_is_none(client: Client, stage: Stage, attempt: Attempt) -> None:
    enter(client, stage.token)
    submit(attempt, "done", at=timezone.now())
    assert client.get(address(attempt)).status_code == 302


def test_time_that_is_over_is_settled_first(client: Client, stage: Stage) -> None:
    began = timezone.now() - timedelta(hours=2)
    attempt = begin(stage, began)
    save(attempt, "in time", at=began + timedelta(minutes=5))
    enter(client, stage.token)
    assert client.get(address(attempt)).status_code == 302
    assert attempt.submissions.get().body["sections"]["architecture"] == "in time"


def test_revision_begins_from_the_first_answer(
    client: Client, stage: Stage, attempt: Attempt
) -> None:
    enter(client, stage.token)
    now = timezone.now()
    submit(attempt, "First answer.", at=now)
    attempts.open_revision(
        attempt.pk, strength="a", improvement="b", focus="", start_now=True, by=stage.ines, now=now
    )
    assert "First answer." in taken_home(client, attempt)["written/architecture.md"]


def test_pseudocode_has_no_kit(client: Client, stage: Stage) -> None:
    stage.exercise.answer_form = AnswerForm.PSEUDOCODE
    stage.exercise.save()
    written = begin(stage, timezone.now())
    enter(client, stage.token)
    assert client.get(address(written)).status_code == 404
    assert "kit" not in pages.workspace_data(written, timezone.now())["urls"]
