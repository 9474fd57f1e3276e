"""Live checks of a plan: what they say, what they cost, and who may ask for them (E1)."""

from __future__ import annotations

import json
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from assessments.models import Attempt, Draft
from assessments.scaling import checking
from assessments.scaling.access import LONGEST_PLAN
from assessments.scaling.tests.scaling_stage import (
    EMPTY,
    check,
    order,
    plan,
    staff_only,
    start_plan,
)
from assessments.scaling.tests.scaling_stage import ada as ada
from assessments.tests.stage import Stage, begin, enter

pytestmark = pytest.mark.django_db


def test_checks_tell_what_holds_and_what_does_not(ada: tuple[Client, Attempt]) -> None:
    fine = check(*ada, plan()).json()
    assert {row["tone"] for row in fine["rows"]} <= {"ok", "warn"}
    told = check(*ada, plan(purchases=[order(2_000)])).json()
    bad = [row["text"] for row in told["rows"] if row["tone"] == "bad"]
    assert any("too much" in text for text in bad), bad
    assert len(told["months"]) == 12
    assert [row["id"] for row in told["orders"]] == ["p1"]
    assert told["months"][0]["capex_usd"] > fine["months"][0]["capex_usd"]
    for secret in staff_only(ada[1]):
        assert secret not in json.dumps([fine, told])


def test_checks_build_nothing_store_nothing_and_are_quick(
    ada: tuple[Client, Attempt], settings: Any, tmp_path: Path
) -> None:
    settings.VARIANTS = tmp_path / "variants"
    check(*ada, plan())
    took = []
    for count in (3, 4, 5):
        began = time.perf_counter()
        assert check(*ada, plan(purchases=[order(count)])).status_code == 200
        took.append(time.perf_counter() - began)
    assert min(took) < 1.0, took  # some 20 ms, on a busy machine more; a build takes seconds
    assert not settings.VARIANTS.exists()
    assert not Draft.objects.exists()


LARGE = int("9" * 400)


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        '{"purchases": 3}',
        None,
        5,
        {"purchases": []},
        "x" * (LONGEST_PLAN + 1),
    ],
)
def test_what_is_no_plan_is_refused_with_one_sentence(
    ada: tuple[Client, Attempt], text: Any
) -> None:
    answer = check(*ada, text)
    assert answer.status_code == 400
    said = answer.json()["detail"]
    assert said.endswith(".")
    assert "\n" not in said
    assert len(said) < 300


@pytest.mark.parametrize("table", [one for one in EMPTY if one not in ("sheet", "claims")])
@pytest.mark.parametrize("key", ["id", "count", "gpus", "value", "month", "likelihood", "depends"])
@pytest.mark.by_day(every=4)
def test_row_with_an_absurd_number_is_named_and_the_rest_is_checked(
    ada: tuple[Client, Attempt], table: str, key: str
) -> None:
    sound = [] if table == "purchases" else [order(3)]
    said = check(*ada, plan(**{"purchases": sound, table: [{key: LARGE}]}))
    assert said.status_code == 200
    told = said.json()
    assert [row["id"] for row in told["orders"]] == [row["id"] for row in sound]
    assert any(f"Row 1 of {table} does not count yet" in row["text"] for row in told["rows"])


@pytest.mark.parametrize(
    ("table", "row", "why"),
    [
        ("purchases", order(LARGE), "its count must be a whole number from 1 to 1,000,000"),
        (
            "policies",
            {"month": "2026-03", "policy": "preemption", "value": LARGE},
            "its value is no number, or far too large",
        ),
    ],
)
def test_absurd_number_in_a_whole_row_is_told(
    ada: tuple[Client, Attempt], table: str, row: dict[str, Any], why: str
) -> None:
    said = check(*ada, plan(**{table: [row]}))
    assert said.status_code == 200
    assert any(why in told["text"] for told in said.json()["rows"])


def test_body_without_a_plan_is_refused(ada: tuple[Client, Attempt]) -> None:
    client, attempt = ada
    url = reverse("plan-checks", args=[attempt.pk])
    assert client.post(url, [1], content_type="application/json").status_code == 400
    assert client.get(url).status_code == 405


def test_strangers_have_neither_checks_nor_what_ifs(ada: tuple[Client, Attempt]) -> None:
    _, attempt = ada
    assert check(Client(), attempt, plan()).status_code in (401, 403, 404)
    assert Client().get(reverse("plan-what-ifs", args=[attempt.pk])).status_code in (401, 403, 404)


def test_exercise_with_code_has_no_checks(client: Client, stage: Stage) -> None:
    now = timezone.now()
    stage.invitation.opens_at, stage.invitation.closes_at = now, now + timedelta(days=1)
    stage.invitation.save()
    attempt = begin(stage, now)
    enter(client, stage.token)
    assert check(client, attempt, plan()).status_code == 404


def test_checks_are_closed_when_the_time_is_over(client: Client, stage: Stage) -> None:
    now = timezone.now()
    stage.invitation.opens_at = now - timedelta(days=1)
    stage.invitation.closes_at = now + timedelta(days=1)
    stage.invitation.save()
    attempt = start_plan(stage, now - timedelta(hours=5))
    enter(client, stage.token)
    answer = check(client, attempt, plan())
    assert answer.status_code == 409
    assert "safe" in answer.json()["detail"]


def test_a_page_that_floods_is_asked_to_wait(
    ada: tuple[Client, Attempt], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checking, "PACE", checking.Pace())
    monkeypatch.setattr(checking, "MOST", 3)
    codes = [check(*ada, plan()).status_code for _ in range(5)]
    assert codes == [200, 200, 200, 429, 429]


def test_pace_forgets_after_its_time() -> None:
    pace, now = checking.Pace(), timezone.now()
    key = Attempt().pk
    assert all(pace.admits(key, now) for _ in range(checking.MOST))
    assert not pace.admits(key, now)
    assert pace.admits(key, now + checking.PER)


def test_half_an_emoji_in_a_row_does_not_end_the_checks(ada: tuple[Client, Attempt]) -> None:
    cut = order(3, item="rack\ud83d") | {"id": "\u0000", "site": "Hall \ude00"}
    answer = check(*ada, plan(purchases=[cut]))
    assert answer.status_code == 200
    assert "\ufffd" in json.dumps(answer.json(), ensure_ascii=False)
