"""Waiting for a GPU costs nobody time, and without one the page says so (G2)."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from celery import current_app
from django.utils import timezone

from assessments import attempts, candidate_data, execution, pages, queue, tasks
from assessments.gpu import cards
from assessments.jobs import PAUSE
from assessments.models import Attempt, Pulse
from assessments.outages import credit_run
from assessments.pulses import GPU
from assessments.tests.stage import NOW, POLICIES, Stage, run_of
from graders.gpu.playing import NoCardNow
from graders.gpu.tests.trainees import StageBackend, trainee
from hiring.invitations import invite
from hiring.models import Exercise

pytestmark = pytest.mark.django_db
END = NOW + timedelta(minutes=60)


@pytest.fixture
def on_gpu(attempt: Attempt) -> Attempt:
    """Ada's exercise is one for a GPU."""
    version = attempt.pack_version
    version.kind = "gpu"
    version.save()
    attempt.refresh_from_db()
    return attempt


def serve(at: datetime) -> None:
    Pulse.objects.update_or_create(component=GPU, defaults={"at": at})


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The queues that messages went to."""
    found: list[str] = []

    def send(_task: str, **options: Any) -> None:
        found.append(options["queue"])

    monkeypatch.setattr(current_app, "send_task", send)
    return found


def test_run_goes_to_the_gpu_workers_while_there_are_any(
    on_gpu: Attempt, sent: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timezone, "now", lambda: NOW)
    run = run_of(on_gpu, NOW)
    queue.publish("assessments.tasks.execute_run", str(run.pk))
    serve(NOW - timedelta(seconds=5))
    queue.publish("assessments.tasks.execute_run", str(run.pk))
    serve(NOW - timedelta(seconds=16))
    queue.publish("assessments.tasks.execute_run", str(run.pk))
    assert sent == ["celery", "gpu", "celery"]


def test_other_runs_stay_where_they_are(attempt: Attempt, sent: list[str]) -> None:
    serve(datetime.now(NOW.tzinfo))
    run = run_of(attempt, NOW)
    queue.publish("assessments.tasks.execute_run", str(run.pk))
    queue.publish("assessments.tasks.execute_part", 1)
    assert sent == ["celery", "celery"]


def test_clock_stops_while_a_run_waits_for_a_gpu(on_gpu: Attempt) -> None:
    run_of(on_gpu, NOW + timedelta(minutes=10))
    for seconds in range(0, 301, 10):
        now = NOW + timedelta(minutes=10, seconds=seconds)
        serve(now)
        cards.stop_clocks(now)
    on_gpu.refresh_from_db()
    assert on_gpu.deadline_at == END + timedelta(minutes=5)
    assert on_gpu.time_events.filter(reason=cards.REASON).count() == 10


def test_time_does_not_run_out_under_somebody_who_waits(on_gpu: Attempt) -> None:
    run_of(on_gpu, END - timedelta(seconds=25))
    for seconds in range(-20, 120, 10):
        now = END + timedelta(seconds=seconds)
        serve(now)
        cards.stop_clocks(now)
        on_gpu.refresh_from_db()
        assert on_gpu.phase(now).is_working
        assert on_gpu.deadline_at > now


def test_even_a_short_wait_for_a_gpu_is_given_back_to_the_second(on_gpu: Attempt) -> None:
    run = run_of(on_gpu, NOW + timedelta(minutes=10))
    serve(NOW + timedelta(minutes=11))
    run.claimed_at = NOW + timedelta(minutes=10, seconds=9)
    run.finished_at = NOW + timedelta(minutes=11)
    run.result = "done"
    run.save()
    assert credit_run(run, now=NOW + timedelta(minutes=11))
    on_gpu.refresh_from_db()
    assert on_gpu.deadline_at == END + timedelta(seconds=9)
    assert on_gpu.time_events.last().reason == cards.REASON  # type: ignore[union-attr]


def test_wait_is_given_back_once(on_gpu: Attempt) -> None:
    run = run_of(on_gpu, NOW + timedelta(minutes=10))
    serve(NOW + timedelta(minutes=12))
    cards.stop_clocks(NOW + timedelta(minutes=12))
    run.claimed_at = run.finished_at = NOW + timedelta(minutes=12, seconds=4)
    run.result = "done"
    run.save()
    credit_run(run, now=NOW + timedelta(minutes=12, seconds=4))
    on_gpu.refresh_from_db()
    assert on_gpu.deadline_at == END + timedelta(minutes=2, seconds=4)


def test_card_that_is_lent_out_costs_the_run_no_try(
    on_gpu: Attempt, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(*_: object, **__: object) -> None:
        raise NoCardNow("0 of 1 GPUs are free.")

    serve(NOW)
    run = run_of(on_gpu, NOW)
    monkeypatch.setattr(execution, "run_public", busy)
    monkeypatch.setattr(execution, "sandbox", lambda: SimpleNamespace())
    monkeypatch.setattr(timezone, "now", lambda: NOW)
    execution.execute_run(str(run.pk))
    run.refresh_from_db()
    assert (run.finished_at, run.tries, run.worker) == (None, 0, "")
    assert run.lease_until == NOW + PAUSE
    assert cards.waits(run, NOW)


def test_page_says_what_a_run_waits_for(on_gpu: Attempt) -> None:
    run = run_of(on_gpu, NOW)
    assert candidate_data.run_row(run, NOW, with_report=False)["waiting_for"] == ""
    serve(NOW)
    row = candidate_data.run_row(run, NOW, with_report=False)
    assert row["waiting_for"] == "Waiting for a GPU; your clock is stopped for this"


def test_page_says_that_there_is_no_gpu(on_gpu: Attempt) -> None:
    assert "no GPU" in pages.workspace_data(on_gpu, NOW)["run_note"]
    serve(NOW)
    assert pages.workspace_data(on_gpu, NOW)["run_note"] == ""


def test_other_exercises_say_nothing_of_gpus(attempt: Attempt) -> None:
    serve(NOW)
    run = run_of(attempt, NOW)
    assert pages.workspace_data(attempt, NOW)["run_note"] == ""
    assert candidate_data.run_row(run, NOW, with_report=False)["waiting_for"] == ""


@pytest.mark.parametrize(
    ("queues", "trouble", "wanted"),
    [
        (["celery"], "", ["worker"]),
        (["gpu"], "", ["gpu"]),
        (["celery", "gpu"], "", ["gpu", "worker"]),
        (["gpu"], "Every GPU of this host is out of service.", []),
    ],
)
def test_worker_speaks_for_the_queues_it_serves(
    queues: list[str], trouble: str, wanted: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    spoken: list[str] = []

    def keep(component: str, serves: Any = lambda: True, **_: int) -> None:
        spoken.extend([component] if serves() else [])

    monkeypatch.setattr(tasks, "keep_pulse", keep)
    monkeypatch.setattr(tasks, "sweep", lambda: None)
    monkeypatch.setattr(cards, "obstacle", lambda: trouble)
    app = SimpleNamespace(amqp=SimpleNamespace(queues=SimpleNamespace(consume_from=queues)))
    tasks.start_pulse(sender=SimpleNamespace(app=app))
    assert sorted(spoken) == wanted


def test_host_without_a_card_serves_no_gpu_queue() -> None:
    assert "libnvidia-ml.so.1 was not found" in cards.obstacle()


@pytest.fixture
def exercise_on_gpu(stage: Stage) -> Attempt:
    """Ada has begun the exercise itself, as it is shipped."""
    exercise = Exercise.objects.create(
        opening=stage.opening,
        pack_name="gpu/low-utilisation",
        kind="gpu",
        level="senior",
        limit_minutes=75,
        revision_minutes=15,
    )
    invitation, _ = invite(
        opening=stage.opening,
        candidate=stage.ada,
        exercises=[exercise],
        opens_at=NOW - timedelta(days=1),
        closes_at=NOW + timedelta(days=6),
        by=stage.rhea,
        now=NOW,
    )
    return attempts.start(invitation=invitation, exercise=exercise, policies=POLICIES, now=NOW)


def test_exercise_opens_with_its_files_and_the_notice(exercise_on_gpu: Attempt) -> None:
    shown = pages.workspace_data(exercise_on_gpu, NOW)
    files = {file["path"]: file["read_only"] for file in shown["files"]}
    assert files == {"loader.py": False, "task.py": True, "train.py": False}
    assert [one["name"] for one in shown["workloads"]] == ["public-1", "public-2"]
    assert shown["run_note"] == cards.PRACTICE


def test_run_without_a_card_is_carried_out_and_marked_as_practice(
    exercise_on_gpu: Attempt, monkeypatch: pytest.MonkeyPatch
) -> None:
    everybody = StageBackend(defaultdict(lambda: trainee(1.0)))
    monkeypatch.setattr(execution, "sandbox", lambda: everybody)
    run = run_of(exercise_on_gpu, NOW)
    execution.execute_run(str(run.pk))
    run.refresh_from_db()
    assert run.report is not None
    assert (run.result, run.report["status"]) == ("done", "ok")
    assert "CPU practice: utilisation and energy not measured on a card" in run.report["marks"]
    assert run.report["measures"][0]["key"] == "samples_per_s"
