"""What-ifs: a stated number for each round, played as they stand, and none lost to a failure of ours (E1)."""

from __future__ import annotations

import json
import subprocess
import threading
import time
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from assessments import execution
from assessments.jobs import Result
from assessments.models import Attempt, Draft, Run
from assessments.outages import credit_run
from assessments.scaling import player, playing, what_ifs
from assessments.scaling.tests.scaling_stage import ada as ada
from assessments.scaling.tests.scaling_stage import order, plan, play, staff_only
from assessments.scaling.workplace import FAILED
from assessments.tests.stage import Stage, begin_as_another

pytestmark = pytest.mark.django_db
Ada = tuple[Client, Attempt]


def told(client: Client, attempt: Attempt) -> Any:
    return client.get(reverse("plan-what-ifs", args=[attempt.pk])).json()


def ended(attempt: Attempt, result: str, **more: Any) -> Run:
    """A what-if that has ended so."""
    draft = attempt.drafts.first() or Draft.objects.create(
        attempt=attempt,
        round=1,
        number=900,  # far from those that the page saves
        client="3f2c1f3e-9d52-4a8e-8a3b-5b1d6f1c2a10",
        seq=1,
        body={"files": {}, "sections": {}},
        sha256="",
        size=0,
        received_at=timezone.now(),
    )
    now = timezone.now()
    given = {"round": 1, "workload": what_ifs.WORKLOAD, "created_at": now, "finished_at": now}
    return Run.objects.create(attempt=attempt, draft=draft, result=result, **(given | more))


def failing(code: int) -> Any:
    """Stands for a process that ends like that."""
    return lambda *_, **__: subprocess.CompletedProcess([], code, "", "broken\n")


@pytest.mark.nightly
def test_a_plan_is_played_as_it_stands(ada: Ada, published: Any) -> None:
    client, attempt = ada
    before = told(client, attempt)
    assert before["left"] == before["allowed"] == what_ifs.allowed(attempt) > 0
    text = plan(purchases=[order(1)])
    answer = play(client, attempt, text)
    assert answer.status_code == 202
    run = Run.objects.get()
    assert json.loads(run.draft.body["files"]["plan.json"])["purchases"][0]["count"] == 1
    execution.execute_run(str(run.pk))
    run.refresh_from_db()
    assert (run.result, run.trouble) == (Result.DONE, "")
    after = told(client, attempt)
    assert after["left"] == before["left"] - 1
    shown = client.get(reverse("plan-what-if", args=[attempt.pk, run.pk])).json()
    year = shown["report"]["timeline"]
    assert len(year["months"]) == 12
    assert set(year["measures"]) == {row["key"] for row in after["measures"]}
    assert len(year["naive"]["months"]) == 12
    assert shown["plan"] == text
    for secret in (*staff_only(attempt), "reference"):
        assert secret not in json.dumps([shown, after])


def test_a_what_if_of_another_candidate_is_not_found(
    ada: Ada, stage: Stage, client: Client
) -> None:
    _, attempt = ada
    others = begin_as_another(stage, stage.exercise, timezone.now())
    run = ended(others, Result.DONE)
    assert client.get(reverse("plan-what-if", args=[attempt.pk, run.pk])).status_code == 404
    stop = reverse("plan-what-if-stop", args=[attempt.pk, run.pk])
    assert client.post(stop).status_code == 404
    own = reverse("plan-what-if", args=[attempt.pk, ended(attempt, Result.DONE).pk])
    assert client.get(own).status_code == 200


@pytest.mark.nightly
def test_half_an_emoji_in_a_plan_is_played_and_read(ada: Ada, published: Any) -> None:
    client, attempt = ada
    text = plan(purchases=[order(1) | {"id": "cut \ud83d", "site": "Hall \u0000"}])
    assert play(client, attempt, text).status_code == 202
    run = Run.objects.get()
    execution.execute_run(str(run.pk))
    run.refresh_from_db()
    assert run.result == Result.DONE
    kept = json.dumps(run.report, ensure_ascii=False)
    assert "\\u0000" not in kept  # PostgreSQL would refuse to keep it
    assert kept.encode()
    assert "cut \ufffd" in kept
    shown = client.get(reverse("plan-what-if", args=[attempt.pk, run.pk]))
    assert (shown.status_code, shown.json()["plan"]) == (200, text)


def test_a_second_one_waits_for_the_first(ada: Ada, published: Any) -> None:
    client, attempt = ada
    assert play(client, attempt, plan()).status_code == 202
    attempt.refresh_from_db()
    answer = play(client, attempt, plan(purchases=[order(1)]))
    assert answer.status_code == 429
    assert answer.json()["detail"] == what_ifs.UNDER_WAY
    assert Run.objects.count() == 1
    assert attempt.drafts.count() == 2, "what was written is kept all the same"


def test_what_cannot_be_read_costs_nothing(ada: Ada, published: Any) -> None:
    client, attempt = ada
    answer = play(client, attempt, "{")
    assert answer.status_code == 400
    assert not Run.objects.exists()
    assert told(client, attempt)["left"] == what_ifs.allowed(attempt)


def test_only_what_was_carried_out_counts(ada: Ada, published: Any) -> None:
    client, attempt = ada
    for result in (Result.INFRASTRUCTURE_ERROR, Result.CANDIDATE_ERROR, Result.DONE):
        ended(attempt, result)
    shown = told(client, attempt)
    assert shown["left"] == shown["allowed"] - 1
    assert sorted(row["counts"] for row in shown["runs"]) == [False, False, True]


def test_used_up_ones_are_refused_with_a_sentence(ada: Ada, published: Any) -> None:
    client, attempt = ada
    for _ in range(what_ifs.allowed(attempt)):
        ended(attempt, Result.DONE)
    answer = play(client, attempt, plan())
    assert answer.status_code == 429
    assert answer.json()["detail"] == what_ifs.used_up(attempt) == told(client, attempt)["used_up"]
    assert str(what_ifs.allowed(attempt)) in answer.json()["detail"]
    assert Run.objects.count() == what_ifs.allowed(attempt)


def test_each_round_has_its_own(ada: Ada) -> None:
    _, attempt = ada
    ended(attempt, Result.DONE)
    Attempt.objects.filter(pk=attempt.pk).update(round=2)
    attempt.refresh_from_db()
    assert what_ifs.carried_out(attempt) == 0


def test_a_failure_of_ours_is_tried_again_and_gives_the_time_back(
    ada: Ada, published: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, attempt = ada
    monkeypatch.setattr("assessments.scaling.playing._run", failing(1))
    assert play(client, attempt, plan()).status_code == 202
    run = Run.objects.get()
    execution.execute_run(str(run.pk))
    run.refresh_from_db()
    assert run.finished_at is None
    assert "broken" in run.trouble
    Run.objects.filter(pk=run.pk).update(
        tries=3, lease_until=None, created_at=timezone.now() - timedelta(minutes=1)
    )
    deadline = attempt.deadline_at
    now = timezone.now()
    assert Run.objects.give_up(now) == [run.pk]
    assert credit_run(Run.objects.get(), now=now)
    attempt.refresh_from_db()
    assert attempt.deadline_at - deadline >= timedelta(seconds=59)
    shown = told(client, attempt)
    assert shown["left"] == shown["allowed"]
    assert shown["runs"][0]["detail"] == FAILED
    assert "broken" not in json.dumps(shown)


@pytest.mark.parametrize("code", [-24, player.OUT_OF_MEMORY])
def test_a_plan_beyond_all_bounds_is_said_to_be_that(
    ada: Ada, published: Any, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    client, attempt = ada
    monkeypatch.setattr("assessments.scaling.playing._run", failing(code))
    play(client, attempt, plan())
    run = Run.objects.get()
    execution.execute_run(str(run.pk))
    run.refresh_from_db()
    assert (run.result, run.detail) == (Result.CANDIDATE_ERROR, playing.TOO_LARGE)
    assert told(client, attempt)["left"] == what_ifs.allowed(attempt)


def test_candidates_are_not_told_how_good_plans_do() -> None:
    row = {"key": "delivered", "value": 91.0, "naive": 88.0}
    kept = playing.for_candidate(
        {"status": "ok", "score": 0.4, "measures": [row | {"reference": 97.0, "score": 0.3}]}
    )
    assert kept == {"status": "ok", "measures": [row]}


def test_the_files_of_a_run_are_not_for_the_runs_of_programs(ada: Ada, published: Any) -> None:
    """The page's other address for runs refuses a plan, so that no what-if goes uncounted."""
    client, attempt = ada
    sent = {
        "client": "3f2c1f3e-9d52-4a8e-8a3b-5b1d6f1c2a11",
        "seq": 1,
        "body": {"files": {"plan.json": plan()}, "sections": {}},
        "workload": "median",
    }
    url = reverse("attempt-runs", args=[attempt.pk])
    assert client.post(url, sent, content_type="application/json").status_code in (400, 409)
    assert not Run.objects.exists()


def test_what_if_that_is_cancelled_ends_at_once(ada: Ada, published: Any) -> None:
    _, attempt = ada
    cancel = threading.Event()
    threading.Timer(0.3, cancel.set).start()
    began = time.monotonic()
    report = playing.play(attempt, {"plan.json": plan()}, what_ifs.WORKLOAD, cancel)
    assert report["status"] == "cancelled"
    assert time.monotonic() - began < 2.0
