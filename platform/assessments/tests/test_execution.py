"""Runs and gradings as rows: claimed once, tried again, ended once, whatever is killed (design rule 3)."""

from __future__ import annotations

import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.utils import timezone

from assessments import execution
from assessments.clock import EventKind
from assessments.jobs import LEASE, MAX_LOSSES, MAX_TRIES, Result
from assessments.models import Attempt, GradingRun, Run
from assessments.tasks import sweep
from assessments.tests.stage import NOW, another_worker, run_of, save, submit
from sandbox import SandboxUnavailable

pytestmark = pytest.mark.django_db


@dataclass
class Report:
    """What a grader hands back."""

    status: str
    detail: str = ""

    def to_dict(self) -> dict[str, Any]:
        return {"status": self.status, "detail": self.detail}


@pytest.fixture
def grading(attempt: Attempt) -> GradingRun:
    submit(attempt, "done", at=NOW + timedelta(minutes=1))
    return GradingRun.objects.get()


@pytest.fixture(autouse=True)
def _no_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(execution, "sandbox", lambda: None)
    monkeypatch.setattr(execution, "publish", lambda *_, **__: None)
    monkeypatch.setattr(execution, "is_parted", lambda pack: False)


def grade_as(monkeypatch: pytest.MonkeyPatch, outcome: Report | Exception) -> list[int]:
    calls: list[int] = []

    def grade(*args: Any, **kwargs: Any) -> Report:
        calls.append(1)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    monkeypatch.setattr(execution, "grade", grade)
    return calls


def test_grading_is_done_once(grading: GradingRun, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = grade_as(monkeypatch, Report("done"))
    execution.execute_grading(grading.pk)
    execution.execute_grading(grading.pk)
    grading.refresh_from_db()
    assert len(calls) == 1
    assert (grading.result, grading.tries) == (Result.DONE, 1)


def test_candidate_error_ends_the_grading_and_is_told_apart(
    grading: GradingRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    grade_as(monkeypatch, Report("candidate_error", "Your program stopped with ValueError."))
    execution.execute_grading(grading.pk)
    grading.refresh_from_db()
    assert grading.result == Result.CANDIDATE_ERROR
    assert "ValueError" in grading.detail


@pytest.mark.parametrize("outcome", [Report("infrastructure_error"), RuntimeError("disk")])
def test_our_failure_is_tried_again_and_never_scored(
    grading: GradingRun, monkeypatch: pytest.MonkeyPatch, outcome: Report | Exception
) -> None:
    calls = grade_as(monkeypatch, outcome)
    execution.execute_grading(grading.pk)
    execution.execute_grading(grading.pk)
    assert len(calls) == 1  # the next try waits: what failed may be restarting
    for _ in range(MAX_TRIES):
        GradingRun.objects.update(lease_until=timezone.now())
        execution.execute_grading(grading.pk)
    assert len(calls) == MAX_TRIES
    GradingRun.objects.update(lease_until=timezone.now())
    sweep()
    grading.refresh_from_db()
    assert grading.result == Result.INFRASTRUCTURE_ERROR
    assert grading.report is None
    assert grading.detail == GradingRun.GAVE_UP
    assert grading.trouble


def test_sandbox_that_refuses_is_waited_for_and_counts_as_no_try(
    grading: GradingRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    grade_as(monkeypatch, SandboxUnavailable("No Docker engine answers."))
    for _ in range(MAX_TRIES + 2):
        GradingRun.objects.update(lease_until=timezone.now())
        execution.execute_grading(grading.pk)
    sweep()
    grading.refresh_from_db()
    assert grading.finished_at is None
    assert grading.trouble == "No Docker engine answers."


def test_heartbeat_survives_a_database_that_is_locked(
    grading: GradingRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    beats: list[int] = []

    def locked(*_: Any) -> bool:
        beats.append(1)
        raise OperationalError("database is locked")

    monkeypatch.setattr("assessments.jobs.HEARTBEAT_S", 0.01)
    monkeypatch.setattr(GradingRun, "extend_lease", locked)
    until = time.monotonic() + 20
    with grading.heartbeat():
        while len(beats) <= 2 and time.monotonic() < until:
            time.sleep(0.01)
    assert len(beats) > 2


def test_candidate_is_given_back_what_a_run_waited(
    attempt: Attempt, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = run_of(attempt, timezone.now() - timedelta(minutes=3))
    monkeypatch.setattr(execution, "run_public", lambda *_: Report("ok"))
    execution.execute_run(str(run.pk))
    attempt.refresh_from_db()
    gained = attempt.deadline_at - (NOW + timedelta(minutes=60))
    assert timedelta(minutes=3) <= gained < timedelta(minutes=3, seconds=20)


def test_report_is_marked_where_the_pack_has_changed(attempt: Attempt) -> None:
    assert execution.with_pack(attempt, {"marks": []}) == {"marks": []}
    attempt.pack_version.digest = "0" * 64
    (mark,) = execution.with_pack(attempt, {"marks": []})["marks"]
    assert "00000000" in mark


def test_claim_is_for_one_worker(grading: GradingRun) -> None:
    now = timezone.now()
    assert GradingRun.objects.claim(grading.pk, "left", now)
    assert not GradingRun.objects.claim(grading.pk, "right", now)
    assert GradingRun.objects.claim(grading.pk, "right", now + LEASE)


def test_worker_that_lost_its_lease_cannot_write_the_end(grading: GradingRun) -> None:
    now = timezone.now()
    GradingRun.objects.claim(grading.pk, "left", now)
    slow = GradingRun.objects.get(pk=grading.pk)
    GradingRun.objects.claim(grading.pk, "right", now + LEASE)
    assert not slow.finish(result=Result.DONE, detail="", report={}, now=now + LEASE)
    grading.refresh_from_db()
    assert grading.finished_at is None


def test_finished_grading_is_never_written_again(
    grading: GradingRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    grade_as(monkeypatch, Report("done", "first"))
    execution.execute_grading(grading.pk)
    row = GradingRun.objects.get(pk=grading.pk)
    assert not row.finish(result=Result.DONE, detail="second", report={}, now=timezone.now())
    row.refresh_from_db()
    assert row.detail == "first"


def test_lease_of_a_killed_worker_is_freed_at_once(grading: GradingRun) -> None:
    now = timezone.now()
    host = execution.worker_name().split(":")[0]
    GradingRun.objects.claim(grading.pk, f"{host}:4194303:1", now)
    assert execution.free_dead_leases(now) == 1
    assert GradingRun.objects.claim(grading.pk, "next", now)


def test_lost_workers_cost_no_try_but_not_without_end(
    grading: GradingRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = timezone.now()
    for lost in range(MAX_LOSSES):
        assert GradingRun.objects.claim(grading.pk, f"worker-{lost}", now)
        now += LEASE
    grading.refresh_from_db()
    assert (grading.tries, grading.losses) == (1, MAX_LOSSES - 1)
    assert GradingRun.objects.give_up(now) == []
    assert GradingRun.objects.claim(grading.pk, "last", now)
    now += LEASE
    assert not GradingRun.objects.claim(grading.pk, "one too many", now)
    assert GradingRun.objects.give_up(now) == [grading.pk]
    grading.refresh_from_db()
    assert (grading.result, grading.tries) == (Result.INFRASTRUCTURE_ERROR, 1)


def test_failures_count_beside_losses(grading: GradingRun, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = grade_as(monkeypatch, Report("infrastructure_error"))
    for _ in range(MAX_TRIES):
        now = timezone.now() - LEASE
        GradingRun.objects.filter(pk=grading.pk).update(lease_until=now)
        assert GradingRun.objects.claim(grading.pk, "lost", now)
        execution.execute_grading(grading.pk)
    grading.refresh_from_db()
    assert (len(calls), grading.tries, grading.losses) == (MAX_TRIES, MAX_TRIES, MAX_TRIES)


def test_failed_run_is_called_for_again_when_its_pause_is_over(
    attempt: Attempt, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not by the next sweep: that pauses and sweeps together hold nobody for a minute."""
    sent: list[dict[str, Any]] = []
    monkeypatch.setattr(execution, "publish", lambda *_, **options: sent.append(options))
    monkeypatch.setattr(execution, "run_public", lambda *_: Report("sandbox_error"))
    run = run_of(attempt)
    for _ in range(MAX_TRIES):
        Run.objects.update(lease_until=timezone.now())
        execution.execute_run(run.pk)
    pauses = [options["countdown"] for options in sent]
    assert pauses == sorted(pauses)
    assert sum(pauses[:-1]) < 60


def test_lease_of_a_living_worker_is_left_alone(grading: GradingRun) -> None:
    now = timezone.now()
    GradingRun.objects.claim(grading.pk, execution.worker_name(), now)
    assert execution.free_dead_leases(now) == 0


def test_no_more_gradings_at_once_than_there_are_slots(
    grading: GradingRun, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.GRADING_SLOTS = 1
    calls = grade_as(monkeypatch, Report("done"))
    other = GradingRun.objects.create(
        submission=grading.submission, hidden_workloads=5, created_at=NOW
    )
    GradingRun.objects.claim(grading.pk, another_worker(), timezone.now())
    execution.execute_grading(other.pk)
    assert not calls
    GradingRun.objects.update(worker=another_worker("elsewhere"))
    execution.execute_grading(other.pk)
    assert calls, "The places of a host are its own."


@pytest.mark.django_db(transaction=True)
def test_last_place_is_taken_once_by_those_who_look_at_the_same_time(
    grading: GradingRun, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.GRADING_SLOTS = 1
    look, begun = execution.has_slot, []
    given = {"submission": grading.submission, "hidden_workloads": 5, "created_at": NOW}
    both = [grading.pk, GradingRun.objects.create(**given).pk]

    def look_slowly(*who: Any) -> bool:
        found = look(*who)
        time.sleep(0.2)
        return found

    def grade(*_: Any, **__: Any) -> Report:
        begun.append(1)
        time.sleep(1)
        return Report("done")

    def work(pk: int) -> None:
        execution.execute_grading(pk)
        connection.close()

    name = f"{socket.gethostname()}:{{}}:1"
    monkeypatch.setattr(execution, "worker_name", lambda: name.format(threading.get_ident()))
    monkeypatch.setattr(execution, "has_slot", look_slowly)
    monkeypatch.setattr(execution, "grade", grade)
    with ThreadPoolExecutor() as workers:
        list(workers.map(work, both))
    assert len(begun) == 1


def test_run_records_the_report_and_tells_failure_kinds_apart(
    attempt: Attempt, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends = {
        "ok": "done",
        "timeout": "candidate_error",
        "sandbox_error": "queued",
        "cancelled": "queued",
    }
    for status, expected in ends.items():
        run = run_of(attempt)
        monkeypatch.setattr(execution, "run_public", lambda *_, s=status: Report(s))
        execution.execute_run(str(run.pk))
        run.refresh_from_db()
        assert run.state(timezone.now()) == expected


def test_run_that_the_host_was_too_busy_for_is_tried_again_and_then_given_back(
    attempt: Attempt, monkeypatch: pytest.MonkeyPatch
) -> None:
    draft = save(attempt, "x", at=NOW).draft
    said = "The host was too busy: after 660 s your program had had only 30 s of its 60 s; not its fault."
    monkeypatch.setattr(execution, "run_public", lambda *_: Report("sandbox_error", said))
    Attempt.objects.update(deadline_at=timezone.now() + timedelta(hours=1))
    run = Run.objects.create(
        attempt=attempt, round=1, draft=draft, workload="public-1", created_at=timezone.now()
    )
    for _ in range(MAX_TRIES):
        execution.execute_run(str(run.pk))
        run.refresh_from_db()
        assert (run.state(timezone.now()), run.trouble) == ("queued", said)
        # A busy host is left alone for a while.
        assert run not in Run.objects.claimable(timezone.now())
        Run.objects.update(lease_until=timezone.now(), created_at=NOW)
    sweep()
    run.refresh_from_db()
    assert run.result == Result.INFRASTRUCTURE_ERROR
    assert run.detail == Run.GAVE_UP
    assert attempt.time_events.filter(kind=EventKind.CREDITED).count() == 1
