"""Results: who decided, who tells, many at once, once each; and that nobody is forgotten."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from accounts.tests.reading import words_of
from assessments.models import Attempt
from assessments.tests.stage import Stage
from hiring.models import Message
from reviews.decisions.decisions import decide
from reviews.messages.results import ASKED_FOR, to_tell
from reviews.models import Decision
from reviews.tests.crowd import Crowd, build

Clients = dict[str, Client]
HIDDEN = re.compile(r'name="(press|shown)" value="([^"]*)"')


@pytest.fixture
def crowd(stage: Stage) -> Crowd:
    """Four candidates whose answers are in, in an opening that the stage's hiring manager leads."""
    crowd = build(4, now=timezone.now(), exercises=1, evaluators=0)
    crowd.opening.hiring_manager = stage.hana
    crowd.opening.save()
    return crowd


def decided(crowd: Crowd, number: int, outcome: str, by: User) -> Decision:
    attempt = crowd.attempts[number]
    row, _ = decide(
        opening=crowd.opening,
        candidate=attempt.invitation.candidate,
        outcome=outcome,
        reasons="Read twice.",
        by=by,
        now=timezone.now(),
    )
    return row


def pressed(client: Client, page: str, **data: str) -> str:
    """The page's button, pressed for what the page shows."""
    hidden = dict(HIDDEN.findall(client.post(page, data).content.decode()))
    return words_of(client.post(page, data | hidden | {"do": "yes"}, follow=True))


def page_of(client: Client, crowd: Crowd) -> str:
    answer = client.get(reverse("admin:opening-results", args=[crowd.opening.pk]))
    assert answer.status_code == 302
    return answer["Location"]


@pytest.mark.nightly
def test_a_recruiter_tells_everybody_who_was_decided_about_once(
    crowd: Crowd, stage: Stage, clients: Clients
) -> None:
    for number, outcome in enumerate(("hire", "decline", "decline", "hold")):
        decided(crowd, number, outcome, stage.hana)
    rhea = clients["rhea"]
    assert "3 candidates decided" in words_of(rhea.get(reverse("admin:index")))
    page = page_of(rhea, crowd)
    shown = words_of(rhea.get(page))
    assert "3 of 3 results" in shown
    assert "person0001@example.com: decline, decided by Hana" in shown
    assert "person0003" not in shown  # who is on hold waits for a decision, not for a word
    assert "done for 3 results" in pressed(rhea, page, tell="on")
    sent = Message.objects.filter(occasion__startswith="result_", recipient=None)
    assert sorted(sent.values_list("occasion", flat=True)) == [
        "result_declined", "result_declined", "result_onward",
    ]  # fmt: skip
    assert "They were told on" in words_of(rhea.get(page))
    assert page_of(rhea, crowd) == reverse("admin:board", args=[crowd.opening.pk])
    assert "not told" not in words_of(rhea.get(reverse("admin:index")))
    assert sent.count() == 3


def test_who_knows_already_is_noted_and_not_written_to(
    crowd: Crowd, stage: Stage, clients: Clients
) -> None:
    row = decided(crowd, 0, "hire", stage.hana)
    page = page_of(clients["hana"], crowd)
    assert "is noted as told" in words_of(clients["hana"].post(page, {}))
    pressed(clients["hana"], page)
    assert Decision.objects.get(pk=row.pk).told_at
    assert not Message.objects.filter(occasion="result_onward").exists()
    at = reverse("admin:decision", args=[crowd.attempts[0].pk])
    said = words_of(clients["hana"].get(at))
    assert "The candidate was told on" in said
    assert "Tell the candidate" not in said


def test_who_has_no_address_is_named_and_stops_nobody(
    crowd: Crowd, stage: Stage, clients: Clients
) -> None:
    rows = [decided(crowd, number, "decline", stage.hana) for number in (0, 1)]
    rows[0].candidate.email = ""
    rows[0].candidate.save()
    page = page_of(clients["rhea"], crowd)
    assert "1 cannot" in words_of(clients["rhea"].get(page))
    pressed(clients["rhea"], page, tell="on")
    told = Decision.objects.exclude(told_at=None)
    assert [row.pk for row in told] == [rows[1].pk]


def test_a_new_decision_is_told_anew_and_the_one_before_it_never(
    crowd: Crowd, stage: Stage, clients: Clients
) -> None:
    decided(crowd, 0, "decline", stage.hana)
    second = decided(crowd, 0, "advance", stage.hana)
    assert [row.pk for row in to_tell(stage.rhea, timezone.now())] == [second.pk]
    late = timezone.now() + ASKED_FOR + timedelta(days=1)
    assert not to_tell(stage.rhea, late).exists()


def test_the_board_says_whose_turn_it_is_to_tell(
    crowd: Crowd, stage: Stage, clients: Clients
) -> None:
    crowd.attempts[0].invitation.__class__.objects.update(created_by=stage.rhea)
    decided(crowd, 0, "decline", stage.hana)
    board = reverse("admin:board", args=[crowd.opening.pk])
    said = words_of(clients["rhea"].get(board))
    assert "Tell 1 result" in " ".join(said.split())
    assert "decline, not told yet" in said
    link = reverse("admin:decision-tell", args=[crowd.attempts[0].pk])
    assert f'href="{link}"' in clients["rhea"].get(board).content.decode()
    assert "Rhea" in words_of(clients["hana"].get(board, {"next": "telling"}))
    words = {"tell": "on", "subject": "About {{ opening }}", "text": "Dear {{ name }}."}
    assert clients["rhea"].post(link, words).status_code == 302
    said = words_of(clients["rhea"].get(board))
    assert "not told yet" not in said
    assert "Tell 1 result" not in " ".join(said.split())


def test_whoever_invited_hears_that_somebody_else_decided(handed_in: Attempt, stage: Stage) -> None:
    stage.rhea.email = "rhea@corp.example"
    stage.rhea.save()
    given: dict[str, Any] = {
        "opening": stage.opening,
        "candidate": stage.ada,
        "reasons": "Read twice.",
    }
    decide(**given, outcome="hold", by=stage.hana, now=timezone.now())
    assert not Message.objects.filter(occasion="result_to_tell").exists()
    decide(**given, outcome="decline", by=stage.hana, now=timezone.now())
    told = Message.objects.get(occasion="result_to_tell")
    assert told.recipient == stage.rhea
    assert "Ada" not in told.subject + told.text
    assert "decline" not in told.text.lower()


def test_nobody_else_tells_and_who_owes_a_scorecard_learns_nothing(
    crowd: Crowd, stage: Stage, clients: Clients
) -> None:
    from reviews.scoring.evaluations import assign

    decided(crowd, 0, "decline", stage.hana)
    assign(attempt=crowd.attempts[0], evaluator=stage.hana, by=stage.rhea, now=timezone.now())
    attempt = crowd.attempts[0].pk
    assert not to_tell(stage.hana, timezone.now()).exists()
    answer = clients["hana"].get(reverse("admin:decision-tell", args=[attempt]), follow=True)
    assert "hidden from you until your own scorecard is in" in words_of(answer)
    for name, pk in (("opening-results", crowd.opening.pk), ("decision-tell", attempt)):
        assert clients["ines"].get(reverse(f"admin:{name}", args=[pk])).status_code == 403
    crowd.opening.hiring_manager = None
    crowd.opening.save()
    url = reverse("admin:opening-results", args=[crowd.opening.pk])
    assert clients["hana"].get(url).status_code == 404
