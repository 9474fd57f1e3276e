"""Forty told at one press: few statements, all of it or nothing, workers called once."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.not_possible import NotPossible
from accounts.tests.reading import words_of
from assessments.building import draw_of
from assessments.models.prepared import PreparedVariant
from assessments.tests.stage import Stage
from hiring.invitations import Invited, invite_many
from hiring.messages.to_candidates import remind
from hiring.messages.together import together
from hiring.models import Candidate, Invitation, Message
from hiring.tests.desk import Desk, desk
from reviews.bulk.acts import carry_out
from reviews.bulk.pages.known_acts import BY_KEY
from reviews.bulk.tests.test_acts import choose, do
from reviews.bulk.tests.test_people_pages import hidden, listed, terms
from reviews.tests.scene import clients

__all__ = ["clients", "desk"]
FORTY = 40
FOR_EACH = 1
"""Statements that one more row may cost."""


@pytest.fixture
def bells(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """How often the workers were told that messages wait."""
    rung: list[str] = []
    for place in ("reviews.bulk.acts.ring", "reviews.bulk.inviting.ring"):
        monkeypatch.setattr(place, lambda place=place: rung.append(place))
    monkeypatch.setattr("hiring.messages.outbox.ring", lambda: rung.append("each"))
    return rung


def invited(stage: Stage, count: int) -> list[Invitation]:
    now = timezone.now()
    people = Candidate.objects.bulk_create(
        Candidate(
            name=f"P{number}",
            email=f"p{number}@example.com",
            pseudonym=f"P{number}",
            created_at=now,
        )
        for number in range(count)
    )
    return invite_many(
        [Invited(person, uuid4()) for person in people],
        opening=stage.opening,
        exercises=[stage.exercise],
        opens_at=now - timedelta(days=1),
        closes_at=now + timedelta(days=1),
        by=stage.rhea,
        now=now,
    )


@pytest.mark.parametrize("verb", ["remind", "send", "extend"])
@pytest.mark.by_day(but=["remind", "send"])
def test_telling_forty_costs_few_statements_and_one_call(
    clients: dict[str, Client], stage: Stage, bells: list[str], verb: str
) -> None:
    rows = invited(stage, FORTY)
    asked = {}
    for count in (10, FORTY):
        Message.objects.all().delete()
        bells.clear()
        closes_at = timezone.now() + timedelta(days=count)
        data = {"closes_at": f"{closes_at:%Y-%m-%dT%H:%M}", "tell": "on", "reason": "Holidays."}
        url = choose(
            clients["rhea"], "invitations", f"bulk_{verb}", *[row.pk for row in rows[:count]]
        )
        page = clients["rhea"].post(url, data)
        with CaptureQueriesContext(connection) as queries:
            done = clients["rhea"].post(url, data | hidden(page) | {"do": "yes"})
        asked[count] = len(queries)
        assert done.status_code == 302
        assert Message.objects.count() == count
        assert bells == ["reviews.bulk.acts.ring"]
    assert asked[FORTY] - asked[10] <= (FORTY - 10) * FOR_EACH + 10
    assert LogEntry.objects.count() == 10 + FORTY
    now = timezone.now()
    assert {row.state(now) for row in Message.objects.all()} == {"queued"}


def test_what_became_impossible_stops_nobody_else(stage: Stage, bells: list[str]) -> None:
    rows, now = invited(stage, 3), timezone.now()
    Invitation.objects.filter(pk=rows[1].pk).update(revoked_at=now)  # after the page was shown
    until = now + timedelta(days=9)
    data = {"closes_at": until, "tell": True, "reason": "Holidays."}
    outcome = carry_out(BY_KEY["extend"], rows, data, by=stage.rhea, now=now)
    assert [line.row.pk for line in outcome.done] == [rows[0].pk, rows[2].pk]
    assert [line.row.pk for line in outcome.refused] == [rows[1].pk]
    later = Invitation.objects.filter(closes_at=until)
    told = Message.objects.values_list("invitation", flat=True)
    assert set(later.values_list("pk", flat=True)) == {rows[0].pk, rows[2].pk} == set(told)
    assert LogEntry.objects.count() == 2
    assert bells == ["reviews.bulk.acts.ring"]


def test_a_press_says_where_the_mails_are_looked_up(
    clients: dict[str, Client], stage: Stage, bells: list[str]
) -> None:
    rows = invited(stage, 2)
    url = choose(clients["rhea"], "invitations", "bulk_remind", *[row.pk for row in rows])
    done = do(clients["rhea"], url, {})
    assert "done for 2 invitations. “Messages” shows which of their mails went out." in words_of(
        done
    )


def test_what_is_told_together_is_stored_once_or_not_at_all(stage: Stage, bells: list[str]) -> None:
    (row,) = invited(stage, 1)
    now = timezone.now()
    with together():
        assert remind(row, by=stage.rhea, now=now)
        assert remind(row, by=stage.rhea, now=now)
        assert not Message.objects.exists()
    assert Message.objects.count() == 1
    with together():
        remind(row, by=stage.rhea, now=now)
    assert Message.objects.count() == 1
    with suppress(NotPossible), together():
        remind(row, by=stage.rhea, now=now, about="another")
        raise NotPossible("The window was closed meanwhile.")
    assert Message.objects.count() == 1
    assert bells == []


@pytest.mark.nightly
def test_forty_are_invited_in_few_statements_and_drawn_by_a_worker(
    desk: Desk, bells: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[Any] = []
    monkeypatch.setattr("reviews.bulk.inviting.enqueue_drawing", drawn.append)
    asked = {}
    for count in (10, FORTY):
        people = [(f"P{count}-{n}", f"p{count}-{n}@example.com") for n in range(count)]
        url, data = listed(desk, *people), terms(desk)
        go = data | {"invite": "yes", "shown": hidden(desk.client.post(url, data))["shown"]}
        with CaptureQueriesContext(connection) as queries:
            desk.client.post(url, go)
        asked[count] = len(queries)
    assert asked[FORTY] - asked[10] < FORTY - 10
    assert Invitation.objects.count() == Message.objects.count() == 10 + FORTY
    assert Invitation.objects.filter(exercises=desk.exercise).count() == 10 + FORTY
    assert bells == ["reviews.bulk.inviting.ring"] * 2
    assert drawn == [desk.opening.pk] * 2
    assert not PreparedVariant.objects.exists()


def test_a_worker_draws_what_is_missing_and_nothing_else(
    stage: Stage, published: list[Any]
) -> None:
    rows = invited(stage, 3)
    Invitation.objects.filter(pk=rows[0].pk).update(revoked_at=timezone.now())
    assert draw_of(stage.opening.pk, timezone.now) == 2
    found = PreparedVariant.objects.filter(invitation__in=[row.pk for row in rows])
    assert {row.invitation_id for row in found} == {rows[1].pk, rows[2].pk}
    assert draw_of(stage.opening.pk, timezone.now) == 0
