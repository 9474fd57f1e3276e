"""One candidate asks their materials as fast as a page does, not as fast as a program can."""

from __future__ import annotations

import uuid

import pytest
from django.test import Client

from assessments import throttle
from assessments.link import COOKIE
from assessments.throttle import ASKED, CHARTS, Buckets

ATTEMPT = str(uuid.uuid4())
ROOM = f"/api/attempts/{ATTEMPT}/room"
LONG = 1e-6
"""Requests a second: what is used up stays so."""


def test_a_page_full_of_charts_at_once_and_then_as_it_fills_up() -> None:
    buckets = Buckets(at_once=3, per_s=2)
    assert [buckets.take("a", 0) for _ in range(4)] == [True, True, True, False]
    assert buckets.take("b", 0)
    assert [buckets.take("a", at) for at in (0.4, 0.5, 0.6, 1.1)] == [False, True, False, True]
    assert [buckets.take("a", 100) for _ in range(4)] == [True, True, True, False]


def test_refusals_do_not_put_off_the_next_answer() -> None:
    buckets = Buckets(at_once=1, per_s=1)
    assert buckets.take("a", 0)
    assert not any(buckets.take("a", tenth / 10) for tenth in range(1, 10))
    assert buckets.take("a", 1.01)


def test_who_was_quiet_longest_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(throttle, "ATTEMPTS", 2)
    buckets = Buckets(at_once=1, per_s=0.001)
    assert [buckets.take(one, 0) for one in "abc"] == [True] * 3
    assert buckets.take("a", 0)
    assert not buckets.take("c", 0)


def test_whoever_asks_heavy_questions_without_a_pause_holds_a_place_half_of_the_time() -> None:
    buckets = Buckets(at_once=30, per_s=1)
    now, held = 0, 0
    while now < 1000:
        if buckets.take("a", now):
            now, held = now + 10, held + 10
            buckets.spend("a", 10, now)
        else:
            now += 1
    assert 0.4 * now < held < 0.6 * now


def test_brief_questions_cost_nothing_more() -> None:
    buckets = Buckets(at_once=3, per_s=LONG)
    for _ in range(3):
        assert buckets.take("a", 0)
        buckets.spend("a", 0.9, 0)
    assert not buckets.take("a", 0)


@pytest.mark.parametrize(
    ("path", "kind", "at_once"),
    [
        ("query?query=up", "asked", ASKED[0]),
        ("bill/sql", "asked", ASKED[0]),
        ("metrics/series?metric=up", "charts", CHARTS[0]),
    ],
)
def test_a_program_is_refused_in_words_and_nothing_else_is_concerned(
    path: str, kind: str, at_once: int, monkeypatch: pytest.MonkeyPatch, db: None
) -> None:
    monkeypatch.setattr(throttle, kind, Buckets(at_once, LONG))
    monkeypatch.setattr(
        throttle, "BRIEF_S", 600
    )  # what a busy machine takes for an answer is not at issue
    client = Client()
    asked = []
    for number in range(at_once + 5):
        client.cookies[COOKIE] = f"as the link gave it at second {number}"
        asked.append(client.get(f"{ROOM}/{path}").status_code)
    assert 429 not in asked[:at_once]
    assert asked[at_once:] == [429] * 5
    refused = client.get(f"{ROOM}/{path}")
    assert (refused.headers["Retry-After"], refused.json()["code"]) == ("1", "busy")
    for other in ("../drafts", "../submit", "terminal/exchange", "files/brief.md", "plan/checks"):
        assert client.get(f"{ROOM}/{other}").status_code != 429
    another = ROOM.replace(ATTEMPT, str(uuid.uuid4()))
    assert client.get(f"{another}/{path}").status_code != 429
