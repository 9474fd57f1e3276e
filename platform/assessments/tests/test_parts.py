"""A grading that workers share: each part once, the same report, and nothing lost with a worker."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from assessments import execution, parts
from assessments.jobs import LEASE, Result
from assessments.models import Attempt, GradingPart, GradingRun, Submission
from assessments.reproduction import compare
from assessments.tests.stage import NOW, another_worker, submit
from graders.automation.grading import AutomationGrader
from graders.automation.parts import Part
from graders.kinds import Asked
from graders.tests.local_backend import LocalBackend

pytestmark = pytest.mark.django_db


@pytest.fixture
def grading(attempt: Attempt, monkeypatch: pytest.MonkeyPatch) -> GradingRun:
    monkeypatch.setattr(execution, "sandbox", LocalBackend)
    monkeypatch.setattr(execution, "publish", lambda *_, **__: None)
    monkeypatch.setattr(parts, "publish", lambda *_, **__: None)
    monkeypatch.setattr(parts, "PAUSE_S", 0.01)
    submit(attempt, "done", at=NOW + timedelta(minutes=1))
    return GradingRun.objects.get()


def part(number: int, status: str = "ok") -> Part:
    return Part(
        name=f"hidden-{number}",
        title="",
        family="steady",
        status=status,
        detail="As told.",
        stopped_at=None,
        counts=False,
        stderr="",
        image="",
        backend="local",
        marks=[],
        figures={},
        naive={},
        reference={},
        replay={},
    )


def playing(monkeypatch: pytest.MonkeyPatch, statuses: dict[int, str] | None = None) -> list[int]:
    """Parts that are played are noted; nothing runs."""
    played: list[int] = []

    def grade_part(_: Any, asked: Asked, number: int) -> Part:
        played.append(number)
        return part(number, (statuses or {}).get(number, "ok"))

    monkeypatch.setattr(AutomationGrader, "grade_part", grade_part)
    monkeypatch.setattr(AutomationGrader, "assemble", lambda *args: Assembled(args[2]))
    monkeypatch.setattr(AutomationGrader, "of_code", lambda *_: [])
    return played


class Assembled:
    def __init__(self, given: list[Part]) -> None:
        self.given = given

    def to_dict(self) -> dict[str, Any]:
        return {"status": "done", "detail": ", ".join(one.name for one in self.given)}


def test_one_worker_alone_plays_every_part_in_order(
    grading: GradingRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    played = playing(monkeypatch)
    execution.execute_grading(grading.pk)
    grading.refresh_from_db()
    assert played == [1, 2, 3, 4, 5]
    assert grading.result == Result.DONE
    assert grading.detail == "hidden-1, hidden-2, hidden-3, hidden-4, hidden-5"
    assert not GradingPart.objects.exists()


def test_part_that_another_worker_has_is_waited_for_and_not_played_again(
    grading: GradingRun, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.GRADING_SLOTS = 2
    played = playing(monkeypatch)
    parts.open_parts(grading)
    other = GradingPart.objects.get(number=3)
    GradingPart.objects.claim(other.pk, "other:1:1", timezone.now())
    pauses: list[float] = []

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        mine = GradingPart.objects.get(pk=other.pk)
        report = {"status": "done", "part": json.dumps(part(3).to_dict())}
        mine.finish(result=Result.DONE, detail="", report=report, now=timezone.now())

    monkeypatch.setattr("assessments.parts.time.sleep", pause)
    execution.execute_grading(grading.pk)
    grading.refresh_from_db()
    assert played == [1, 2, 4, 5]
    assert pauses
    assert grading.detail.count("hidden-3") == 1


def test_what_a_killed_worker_had_played_is_kept(
    grading: GradingRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    played = playing(monkeypatch)
    parts.open_parts(grading)
    now = timezone.now() - LEASE
    done, begun = GradingPart.objects.order_by("number")[:2]
    GradingPart.objects.claim(done.pk, "dead:1:1", now)
    report = {"status": "done", "part": json.dumps(part(1).to_dict())}
    GradingPart.objects.get(pk=done.pk).finish(result="done", detail="", report=report, now=now)
    GradingPart.objects.claim(begun.pk, "dead:1:1", now)
    execution.execute_grading(grading.pk)
    assert played == [2, 3, 4, 5]


def test_failure_of_ours_in_a_part_is_tried_again_with_the_others_kept(
    grading: GradingRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    played = playing(monkeypatch, {3: "sandbox_error"})
    execution.execute_grading(grading.pk)
    grading.refresh_from_db()
    assert grading.finished_at is None
    assert grading.trouble == "As told."
    again = playing(monkeypatch)
    GradingRun.objects.update(lease_until=timezone.now())
    execution.execute_grading(grading.pk)
    grading.refresh_from_db()
    assert (played, again) == ([1, 2, 3], [3, 4, 5])
    assert grading.result == Result.DONE


@pytest.mark.parametrize(("slots", "helps"), [(1, False), (2, True)])
def test_other_workers_help_only_where_there_are_slots(
    grading: GradingRun, monkeypatch: pytest.MonkeyPatch, settings: Any, slots: int, helps: bool
) -> None:
    settings.GRADING_SLOTS = slots
    played = playing(monkeypatch)
    parts.open_parts(grading)
    GradingRun.objects.claim(grading.pk, another_worker(), timezone.now())
    wanted = GradingPart.objects.get(number=2)
    execution.execute_part(wanted.pk)
    assert bool(played) is helps


def test_part_of_a_grading_that_nobody_holds_is_left_alone(
    grading: GradingRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    played = playing(monkeypatch)
    parts.open_parts(grading)
    execution.execute_part(GradingPart.objects.get(number=2).pk)
    assert played == []


@pytest.mark.nightly
def test_shared_grading_gives_the_bytes_of_one_that_was_done_at_once(grading: GradingRun) -> None:
    GradingRun.objects.update(hidden_workloads=2)
    execution.execute_grading(grading.pk)
    grading = GradingRun.objects.select_related("submission__attempt__pack_version").get()
    assert grading.result == Result.DONE, grading.detail
    assert json.dumps(grading.report, sort_keys=True) == json.dumps(
        execution.graded(grading), sort_keys=True
    )


@pytest.mark.parametrize(("round_", "prefix"), [(1, "hidden-"), (2, "hidden-2-")])
@pytest.mark.nightly
def test_each_round_has_its_own_workloads_and_is_reproduced_on_them(
    round_: int, prefix: str, grading: GradingRun
) -> None:
    Submission.objects.filter(pk=grading.submission_id).update(round=round_)
    GradingRun.objects.update(hidden_workloads=2)
    execution.execute_grading(grading.pk)
    grading = GradingRun.objects.get(pk=grading.pk)
    assert grading.report is not None, grading.trouble
    names = [row["name"] for row in grading.report["evidence"] if row["kind"] == "workload"]
    assert names == [f"{prefix}1", f"{prefix}2"]
    assert compare(grading.report, execution.graded(grading)) == []
