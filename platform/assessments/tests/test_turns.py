"""Which row a free worker takes, whatever message woke it: runs, then gradings, then parts of them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.utils import timezone

from assessments import execution, parts, turns
from assessments.gpu.cards import DEFAULT_QUEUE, GPU_QUEUE
from assessments.jobs import MAX_LOSSES
from assessments.models import Attempt, GradingPart, GradingRun, Pulse, Run
from assessments.pulses import GPU
from assessments.tasks import execute_grading, execute_part, execute_run
from assessments.tests.stage import NOW, another_worker, run_of, submit
from graders.tests.local_backend import LocalBackend

pytestmark = pytest.mark.django_db


def saying(taken: list[str], kind: str, status: str) -> Callable[..., Any]:
    """Stands for the work: notes its kind and reports the status."""

    def work(*_: Any, **__: Any) -> Any:
        taken.append(kind)
        return SimpleNamespace(to_dict=lambda: {"status": status})

    return work


@pytest.fixture(autouse=True)
def took(monkeypatch: pytest.MonkeyPatch, settings: Any) -> list[str]:
    """What was carried out, in order."""
    settings.GRADING_SLOTS = 1
    taken: list[str] = []
    monkeypatch.setattr(execution, "run_public", saying(taken, "run", "ok"))
    monkeypatch.setattr(execution, "grade", saying(taken, "grading", "done"))
    monkeypatch.setattr(execution, "sandbox", LocalBackend)
    monkeypatch.setattr(execution, "is_parted", lambda pack: False)
    for module in (execution, parts):
        monkeypatch.setattr(module, "publish", lambda *_, **__: None)
    return taken


@pytest.fixture(autouse=True)
def woken(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The messages after a turn, without the name of the module."""
    sent: list[str] = []
    monkeypatch.setattr(turns, "publish", lambda task, _pk: sent.append(task.rpartition(".")[2]))
    return sent


def gradings(attempt: Attempt, number: int) -> list[GradingRun]:
    """So many that wait, in the order in which they were asked for."""
    submit(attempt, "done", at=NOW + timedelta(minutes=1))
    given = {"submission": GradingRun.objects.get().submission, "hidden_workloads": 3}
    for minutes in range(2, number + 1):
        GradingRun.objects.create(**given, created_at=NOW + timedelta(minutes=minutes))
    return list(GradingRun.objects.order_by("pk"))


@pytest.mark.parametrize("message", [execute_run, execute_grading, execute_part])
def test_run_is_taken_first_whatever_the_message_was_about(
    attempt: Attempt, took: list[str], message: Any
) -> None:
    gradings(attempt, 5)
    run_of(attempt, timezone.now())
    for _ in range(3):
        message("any row")
    assert took == ["run", "grading", "grading"]


def test_runs_and_gradings_go_in_the_order_in_which_they_came(attempt: Attempt) -> None:
    first, second = gradings(attempt, 2)
    GradingRun.objects.filter(pk=first.pk).update(created_at=NOW + timedelta(days=1))
    late, early = (run_of(attempt, NOW + timedelta(seconds=at)) for at in (9, 3))
    for _ in range(4):
        assert turns.take_turn()
    assert not turns.take_turn()
    ended = [row.finished_at for row in map(refreshed, (early, late, second, first))]
    assert ended == sorted(ended)


def refreshed(row: Any) -> Any:
    row.refresh_from_db()
    return row


def test_run_is_taken_where_gradings_have_every_place(attempt: Attempt, took: list[str]) -> None:
    held, _ = gradings(attempt, 2)
    GradingRun.objects.claim(held.pk, another_worker(), timezone.now())
    GradingRun.objects.update(created_at=NOW)
    assert not turns.take_grading(DEFAULT_QUEUE)
    run_of(attempt, timezone.now())
    assert execution.take_run(DEFAULT_QUEUE)
    assert took == ["run"]


def test_run_that_comes_meanwhile_goes_before_the_next_part_of_a_grading(
    attempt: Attempt, took: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the process that grades: there may be no other."""
    gradings(attempt, 1)
    monkeypatch.setattr(execution, "is_parted", lambda pack: True)
    monkeypatch.setattr(parts, "_report", lambda *_: {"status": "done"})

    def grade_part(*given: Any, **_: Any) -> None:
        took.append(f"part {given[-1]}")
        if given[-1] == 2:
            run_of(attempt, timezone.now())

    monkeypatch.setattr(parts, "grade_part", grade_part)
    execute_grading("any row")
    assert took == ["part 1", "part 2", "run", "part 3", "part 4", "part 5"]
    assert not Run.objects.unfinished().exists()
    assert not GradingRun.objects.unfinished().exists()


def test_gradings_that_wait_go_before_help_with_another(attempt: Attempt, took: list[str]) -> None:
    held, _ = gradings(attempt, 2)
    parts.open_parts(held)
    GradingRun.objects.claim(held.pk, another_worker("elsewhere"), timezone.now())
    turns.take_turn()
    assert took == ["grading"]


def test_more_work_calls_for_a_worker_and_no_work_for_none(
    attempt: Attempt, woken: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    held, _, _ = gradings(attempt, 3)
    parts.open_parts(held)
    GradingRun.objects.claim(held.pk, another_worker("elsewhere"), timezone.now())
    turns.take_turn()
    assert woken == ["execute_grading"]
    turns.take_turn()
    assert woken == ["execute_grading", "execute_part"]
    GradingPart.objects.all().delete()
    run_of(attempt)
    turns.take_turn()
    assert not turns.take_turn()
    assert len(woken) == 2


def test_workers_of_a_queue_take_what_belongs_to_it(attempt: Attempt, took: list[str]) -> None:
    version = attempt.pack_version
    run_of(attempt)
    assert not turns.take_turn(GPU_QUEUE)
    version.kind = "gpu"
    version.save()
    Pulse.objects.create(component=GPU, at=timezone.now())
    assert not turns.take_turn(DEFAULT_QUEUE)
    assert turns.take_turn(GPU_QUEUE)
    assert took == ["run"]


def test_without_a_gpu_worker_everybody_takes_what_is_for_it(attempt: Attempt) -> None:
    version = attempt.pack_version
    version.kind = "gpu"
    version.save()
    run_of(attempt)
    assert turns.take_turn(DEFAULT_QUEUE)


def test_part_that_kills_its_workers_ends_the_try_and_not_the_day(attempt: Attempt) -> None:
    (grading,) = gradings(attempt, 1)
    parts.open_parts(grading)
    GradingPart.objects.filter(number=1).update(losses=MAX_LOSSES)
    said = parts.conduct(
        grading, "worker", LocalBackend(), execution.perform, lambda *_: None, lambda: None
    )
    assert said["status"] == "infrastructure_error"
    assert "10 workers were lost" in said["detail"]
