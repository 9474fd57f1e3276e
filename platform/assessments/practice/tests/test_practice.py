"""The practice room is the workspace on a miniature, and leaves nothing behind (T5)."""

from __future__ import annotations

import json
import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.not_possible import NotPossible
from accounts.tests.reading import words_of
from assessments import attempts, execution
from assessments.enquiries import asking
from assessments.models import Attempt, GradingRun, Run
from assessments.practice import rooms
from assessments.tests.stage import Stage, begin, body, enter, make_stage, run_of
from hiring.models import Candidate, Exercise, Invitation, Message, Opening
from hiring.trials import real
from library.models import PackVersion
from scenarios.kinds import KINDS
from scenarios.packs import load_pack

pytestmark = pytest.mark.django_db


@pytest.fixture
def stage() -> Stage:
    return make_stage(timezone.now())


def practised(stage: Stage) -> Attempt:
    now = timezone.now()
    made = rooms.begin(stage.invitation, stage.exercise, now=now)
    return attempts.start(
        invitation=made, exercise=made.exercises.get(), policies={}, now=timezone.now()
    )


def test_candidate_practises_from_the_overview_as_often_as_they_like(
    stage: Stage, client: Client
) -> None:
    enter(client, stage.token)
    lobby = client.get(reverse("lobby", args=[stage.invitation.pk]))
    assert "Open the practice room" in words_of(lobby)
    room = reverse("practice", args=[stage.invitation.pk])
    assert "Nodes that get too hot" in words_of(client.get(room))
    begin_url = reverse("practice-begin", args=[stage.invitation.pk])
    for _ in range(2):
        page: Any = client.post(begin_url, {"exercise": stage.exercise.pk}, follow=True)
        data = page.context["workspace_data"]
        assert data["practice"] is True
        assert "kit" not in data["urls"]
        assert [row["path"] for row in data["files"]] == ["controller.py"]
    attempt = Attempt.objects.get()  # the first try was let go
    assert "Go on practising" in words_of(client.get(room))
    fields = {"client": str(uuid.uuid4()), "seq": 1, "base": None, "body": body_of(attempt)}
    submit = reverse("attempt-submit", args=[attempt.pk])
    answer = client.post(submit, json.dumps(fields), content_type="application/json")
    assert answer.status_code == 200
    after = client.get(answer.json()["receipt_url"])
    assert (after.status_code, after["Location"]) == (302, room)
    assert not GradingRun.objects.exists()
    assert not Message.objects.exists()
    stage.invitation.refresh_from_db()
    assert stage.invitation.practised_at is not None
    assert not stage.invitation.attempts.exists()


def body_of(attempt: Attempt) -> dict[str, Any]:
    found = body(attempt, "")
    found["sections"].pop("architecture", None)
    return found


def test_practice_is_in_no_query_of_staff_and_asks_nobody(stage: Stage) -> None:
    attempt = practised(stage)
    assert list(real(Opening.objects.all())) == [stage.opening]
    assert list(real(Candidate.objects.all())) == [stage.ada]
    assert list(real(Invitation.objects.all())) == [stage.invitation]
    assert list(real(Exercise.objects.all())) == [stage.exercise]
    assert not real(Attempt.objects.all()).exists()
    with pytest.raises(NotPossible, match="nobody is asked"):
        asking.ask(attempt, id=uuid.uuid4(), text="?", now=timezone.now())
    admin = Client()
    admin.force_login(stage.rhea)
    packs = admin.get(reverse("admin:library_packversion_changelist"))
    assert PackVersion.objects.filter(name="practice/automation").exists()
    assert "practice/" not in words_of(packs)


def test_practice_opens_by_the_link_it_is_for_alone(stage: Stage, client: Client) -> None:
    attempt = practised(stage)
    url = reverse("workspace", args=[attempt.pk])
    assert client.get(url).status_code == 404
    enter(client, stage.token)
    assert client.get(url).status_code == 200
    lobby = client.get(reverse("lobby", args=[attempt.invitation_id]))
    assert lobby["Location"] == reverse("practice", args=[stage.invitation.pk])
    Invitation.objects.filter(pk=stage.invitation.pk).update(revoked_at=timezone.now())
    assert client.get(url).status_code == 404


def test_tries_are_swept_and_a_running_one_waits(stage: Stage) -> None:
    attempt = practised(stage)
    run = run_of(attempt, timezone.now())
    Run.objects.filter(pk=run.pk).update(worker="w", lease_until=timezone.now())
    later = timezone.now() + rooms.KEPT + timedelta(minutes=1)
    assert rooms.sweep(timezone.now()) == 0
    assert rooms.sweep(later) == 0
    with pytest.raises(NotPossible, match="still running"):
        rooms.begin(stage.invitation, stage.exercise, now=timezone.now())
    Run.objects.filter(pk=run.pk).update(finished_at=timezone.now())
    assert rooms.sweep(later) == 1
    assert not Opening.objects.filter(practice_of__isnull=False).exists()
    assert not Candidate.objects.filter(practice_of__isnull=False).exists()
    assert not Attempt.objects.exists()
    assert not Run.objects.exists()
    assert Invitation.objects.get() == stage.invitation


def test_practice_runs_come_after_real_ones_and_take_not_every_place(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.CELERY_WORKER_CONCURRENCY = 2
    now = timezone.now()
    first = run_of(practised(stage), now)
    second = run_of(begin(stage, now), now + timedelta(seconds=1))
    taken: list[Any] = []

    def execute(pk: Any) -> bool:
        taken.append(pk)
        return False

    monkeypatch.setattr(execution, "execute_run", execute)
    execution.take_run()
    assert taken == [second.pk, first.pk]
    held = {"worker": "host:1:1", "lease_until": now + timedelta(minutes=1)}
    Run.objects.filter(pk=first.pk).update(**held)
    third = Run.objects.create(
        attempt=first.attempt, round=1, draft=first.draft, workload="public-1", created_at=now
    )
    taken.clear()
    execution.take_run()
    assert taken == [second.pk]
    assert third.finished_at is None


def test_every_kind_has_a_miniature_and_nothing_is_practised_that_was_begun(stage: Stage) -> None:
    for name in {kind.practice for kind in KINDS}:
        assert load_pack(name).public_workloads("junior") or load_pack(name).generator
    now = timezone.now()
    begin(stage, now)
    with pytest.raises(NotPossible, match="until you have started"):
        rooms.begin(stage.invitation, stage.exercise, now=now)


def test_erasing_the_candidate_takes_practice_along(stage: Stage) -> None:
    from accounts.hanging_rows import hanging_on

    practised(stage)
    rows = hanging_on(stage.ada)
    assert Opening in rows
    assert stage.opening.pk not in rows[Opening]
