"""A candidate stops a run: at once where it waits, by its worker where one has it, and at no cost."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from assessments import answers, api, execution
from assessments.jobs import LEASE, Result
from assessments.models import Attempt, Run
from assessments.scaling import playing, what_ifs
from assessments.scaling.tests.scaling_stage import ada as planner
from assessments.scaling.tests.scaling_stage import plan, play
from assessments.scaling.workplace import STOPPED
from assessments.tests.stage import Stage, begin, enter, run_of
from sandbox import Backend, open_backend

__all__ = ["planner"]

pytestmark = pytest.mark.django_db
Ada = tuple[Client, Attempt]
AT_ONCE_S = 3.0
FOREVER = 'print("begun", flush=True)\nwhile True:\n    pass\n'


@pytest.fixture
def ada(client: Client, stage: Stage) -> Ada:
    """Ada at her browser, at work."""
    now = timezone.now()
    stage.invitation.opens_at = now - timedelta(days=1)
    stage.invitation.closes_at = now + timedelta(days=6)
    stage.invitation.save()
    enter(client, stage.token)
    return client, begin(stage, now)


def stop(client: Client, attempt: Attempt, run: uuid.UUID) -> Any:
    return client.post(reverse("attempt-run-stop", args=[attempt.pk, run]))


def test_run_that_waits_ends_at_once_and_never_runs(
    ada: Ada, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, attempt = ada
    run = run_of(attempt, timezone.now())
    deadline = attempt.deadline_at
    answer = stop(client, attempt, run.pk)
    assert (answer.status_code, answer.json()["state"]) == (200, "stopped")
    monkeypatch.setattr(execution, "run_public", None)
    assert not execution.execute_run(run.pk)
    run.refresh_from_db()
    attempt.refresh_from_db()
    assert (run.result, run.tries, run.report) == (Result.STOPPED, 0, None)
    assert run.stop_requested_at is not None
    assert attempt.deadline_at == deadline


def test_stopping_twice_is_stopping_once(ada: Ada) -> None:
    client, attempt = ada
    run = run_of(attempt, timezone.now())
    first, second = (stop(client, attempt, run.pk) for _ in range(2))
    assert (second.status_code, second.json()) == (200, first.json())


def test_run_that_somebody_has_is_asked_to_end(ada: Ada) -> None:
    client, attempt = ada
    run = run_of(attempt, timezone.now())
    Run.objects.claim(run.pk, "worker", timezone.now())
    answer = stop(client, attempt, run.pk)
    assert answer.status_code == 200
    assert (answer.json()["state"], answer.json()["stopping"]) == ("running", True)
    asked = Run.objects.get().stop_requested_at
    stop(client, attempt, run.pk)
    assert Run.objects.get().stop_requested_at == asked


def test_what_has_ended_or_is_not_hers_is_refused_in_words(ada: Ada) -> None:
    client, attempt = ada
    run = run_of(attempt, timezone.now())
    Run.objects.update(finished_at=timezone.now(), result=Result.DONE)
    answer = stop(client, attempt, run.pk)
    assert (answer.status_code, answer.json()["detail"]) == (409, api.Ended.default_detail)
    assert Run.objects.get().stop_requested_at is None
    answer = stop(client, attempt, uuid.uuid4())
    assert (answer.status_code, answer.json()["detail"]) == (404, "There is nothing here.")
    assert stop(Client(), attempt, run.pk).status_code in (401, 403, 404)


def test_run_whose_worker_is_lost_after_the_request_is_not_begun_again(
    ada: Ada, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, attempt = ada
    run = run_of(attempt, timezone.now() - LEASE)
    Run.objects.claim(run.pk, "lost", timezone.now())
    stop(client, attempt, run.pk)
    Run.objects.update(lease_until=timezone.now())
    monkeypatch.setattr(execution, "run_public", None)
    assert execution.execute_run(run.pk)
    run.refresh_from_db()
    assert (run.result, run.detail, run.trouble) == (Result.STOPPED, Run.STOPPED, "")


def test_wait_before_the_stop_is_given_back_and_nothing_else(ada: Ada) -> None:
    client, attempt = ada
    run = run_of(attempt, attempt.started_at)
    deadline = attempt.deadline_at
    Attempt.objects.update(started_at=attempt.started_at - timedelta(minutes=3))
    Run.objects.update(created_at=timezone.now() - timedelta(minutes=2))
    stop(client, attempt, run.pk)
    attempt.refresh_from_db()
    assert timedelta(minutes=2) <= attempt.deadline_at - deadline < timedelta(minutes=2, seconds=20)


def test_stopped_runs_count_among_those_of_ten_minutes(ada: Ada, published: Any) -> None:
    client, attempt = ada
    for _ in range(api.MAX_RUNS):
        run_of(attempt, timezone.now()).stop(timezone.now())
    sent = {"client": str(uuid.uuid4()), "seq": 1, "body": answers.starting_body(attempt)}
    url = reverse("attempt-runs", args=[attempt.pk])
    answer = client.post(url, sent, content_type="application/json")
    assert answer.status_code == 429
    assert str(api.MAX_RUNS) in answer.json()["detail"]


class Asks(threading.Thread):
    """Asks for the end of the one run once it has been going on for a moment, as another process does."""

    def __init__(self, after_s: float) -> None:
        super().__init__(daemon=True)
        self.after_s = after_s
        self.asked_at = 0.0

    def run(self) -> None:
        time.sleep(self.after_s)
        self.asked_at = time.monotonic()
        Run.objects.get().stop(timezone.now())
        connection.close()


@pytest.fixture(params=["namespace", pytest.param("docker", marks=pytest.mark.docker)])
def backend(request: pytest.FixtureRequest, settings: Any) -> Iterator[Backend]:
    opened = open_backend(
        request.param,
        allow_reduced=True,
        state_dir=settings.ROOT / "data/sandbox",
        docker_url=settings.SANDBOX_DOCKER_URL,
        spares=0,
    )
    yield opened
    opened.close()


@pytest.mark.django_db(transaction=True)
def test_program_is_stopped_at_once_and_what_it_printed_is_kept(
    attempt: Attempt, backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(execution, "sandbox", lambda: backend)
    run = run_of(attempt, timezone.now())
    body = run.draft.body
    body["files"]["controller.py"] = FOREVER
    run.draft.save(update_fields=["body"])
    asks = Asks(after_s=4)
    asks.start()
    execution.execute_run(run.pk)
    asks.join()
    run.refresh_from_db()
    assert (run.result, run.detail) == (Result.STOPPED, Run.STOPPED)
    assert run.report is not None
    assert (run.report["status"], run.report["stdout"]) == ("stopped", "begun\n")
    assert run.report["measures"] == []
    assert time.monotonic() - asks.asked_at < AT_ONCE_S


@pytest.mark.django_db(transaction=True)
def test_what_if_is_stopped_at_once_and_counts_as_none(
    planner: Ada, published: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, attempt = planner
    assert play(client, attempt, plan()).status_code == 202
    endless = ["-c", "import time; time.sleep(600)"]
    monkeypatch.setattr(playing, "PLAYER", endless)
    asks = Asks(after_s=2)
    asks.start()
    execution.execute_run(Run.objects.get().pk)
    asks.join()
    assert time.monotonic() - asks.asked_at < AT_ONCE_S
    told = client.get(reverse("plan-what-ifs", args=[attempt.pk])).json()
    (row,) = told["runs"]
    assert (row["state"], row["counts"], row["detail"]) == ("stopped", False, STOPPED)
    assert told["left"] == told["allowed"]
    again = client.post(reverse("plan-what-if-stop", args=[attempt.pk, row["id"]]))
    assert (again.status_code, again.json()["state"]) == (200, "stopped")


def test_what_ifs_that_are_stopped_over_and_over_are_bounded(planner: Ada, published: Any) -> None:
    client, attempt = planner
    for _ in range(api.MAX_RUNS):
        run_of(attempt, timezone.now()).stop(timezone.now())
    assert what_ifs.carried_out(attempt) == 0
    answer = play(client, attempt, plan())
    assert answer.status_code == 429
    assert str(api.MAX_RUNS) in answer.json()["detail"]
