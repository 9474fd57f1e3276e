"""As many queries for thirty candidates as for three, and no more work for each: lists, report, home."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.db.models import QuerySet
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import User
from assessments.tests.stage import NOW
from reviews.bulk.assigning import open_work
from reviews.tests.crowd import Crowd, build
from reviews.visibility import attempts_visible_to, with_viewer

STEPS_AT_ONCE = 100


def addresses(crowd: Crowd) -> Iterator[tuple[str, User, str]]:
    opening, attempt = crowd.opening.pk, crowd.attempts[0].pk
    first = crowd.exercises[0].pk
    compare = reverse("admin:comparison", args=[opening])
    board = reverse("admin:board", args=[opening])
    yield "board of a recruiter", crowd.rhea, board
    for who in (crowd.hana, crowd.panel[0]):
        yield f"board of {who}", who, board
        yield f"home of {who}", who, reverse("admin:index")
        yield f"attempts of {who}", who, reverse("admin:assessments_attempt_changelist")
        yield f"comparison of {who}", who, compare
        yield f"one exercise of {who}", who, f"{compare}?exercise={first}&sort=-rating"
        yield f"opening of {who}", who, reverse("admin:hiring_opening_change", args=[opening])
        yield f"report of {who}", who, reverse("admin:report", args=[attempt])
    yield "scoring", crowd.panel[0], reverse("admin:score", args=[attempt, 1])
    yield "decision", crowd.hana, reverse("admin:decision", args=[attempt])
    yield "candidates", crowd.rhea, reverse("admin:hiring_candidate_changelist")
    yield "invitations", crowd.rhea, reverse("admin:hiring_invitation_changelist")
    yield "openings", crowd.rhea, reverse("admin:hiring_opening_changelist")
    yield "interviews", crowd.hana, reverse("admin:interviews")
    for name in ("summary", "ratings", "measures", "interviews"):
        csv = reverse("admin:opening-csv", args=[opening])
        yield f"table of {name}", crowd.hana, f"{csv}?table={name}"


def asked(crowd: Crowd) -> dict[str, int]:
    """Name of the page -> how many queries it makes, warm."""
    found = {}
    for name, who, url in addresses(crowd):
        client = Client()
        client.force_login(who)
        client.get(url)
        with CaptureQueriesContext(connection) as queries:
            answer: Any = client.get(url)
        assert answer.status_code == 200, (name, answer.status_code)
        found[name] = len(queries)
    return found


@pytest.mark.django_db
@pytest.mark.nightly
def test_queries_do_not_grow_with_the_candidates() -> None:
    crowd = build(3, now=NOW, exercises=2, evaluators=2)
    few = asked(crowd)
    crowd.add(27, now=NOW)
    many = asked(crowd)
    grown = {name: (few[name], many[name]) for name in few if many[name] > few[name]}
    assert grown == {}
    assert max(many.values()) < 80


def work(rows: QuerySet[Any]) -> int:
    """How much the database does: SQLite's own steps, or the rows that PostgreSQL looks at."""
    if connection.vendor == "postgresql":
        return looked_at(json.loads(rows.explain(analyze=True, format="json"))[0]["Plan"])
    made = 0

    def count() -> None:
        nonlocal made
        made += 1

    connection.ensure_connection()
    connection.connection.set_progress_handler(count, STEPS_AT_ONCE)
    try:
        list(rows)
    finally:
        connection.connection.set_progress_handler(None, 0)
    return made


def looked_at(node: dict[str, Any]) -> int:
    rows = node["Actual Rows"] + node.get("Rows Removed by Filter", 0)
    below = sum(looked_at(child) for child in node.get("Plans", []))
    return int(rows * node["Actual Loops"]) + below


@pytest.mark.django_db
def test_four_times_as_many_answers_are_four_times_the_work() -> None:
    """For each attempt the database reads what is its own, not all that its evaluators ever scored."""

    def asked() -> list[int]:
        viewer = User.objects.get(pk=crowd.panel[0].pk)
        panel = User.objects.filter(pk__in=[one.pk for one in crowd.panel])
        return [work(with_viewer(attempts_visible_to(viewer), viewer)), work(open_work(panel))]

    crowd = build(20, now=NOW, exercises=2, evaluators=2)
    few = asked()
    crowd.add(60, now=NOW)
    assert [many < 6 * before for before, many in zip(few, asked(), strict=True)] == [True, True]
