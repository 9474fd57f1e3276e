"""An opening's board: everybody's state, whose turn it is, as far as the viewer may know."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.tests.reading import words_of
from assessments.models import Attempt, GradingRun
from assessments.tests.stage import NOW, Stage
from hiring.invitations import invite
from hiring.models import Candidate, Invitation
from reviews.decisions import decisions
from reviews.models import Assignment, Evaluation
from reviews.scoring import evaluations
from reviews.tests.scene import LATER, score_all

Clients = dict[str, Client]


def asked(clients: Clients, who: str, stage: Stage, **query: str) -> Any:
    return clients[who].get(reverse("admin:board-rows", args=[stage.opening.pk]), query)


def rows(clients: Clients, who: str, stage: Stage, **query: str) -> list[str]:
    """What the board says of each person, tags taken out."""
    answer = asked(clients, who, stage, **query)
    assert answer.status_code == 200
    bodies = re.findall(r"<tbody.*?</tbody>", words_of(answer))
    return [" ".join(re.sub(r"<[^>]+>", " ", body).split()) for body in bodies]


def another(stage: Stage, name: str, **window: Any) -> Invitation:
    person = Candidate.objects.create(name=name, email=f"{name[:2]}@example.com", created_at=NOW)
    now = timezone.now()
    link, _ = invite(
        opening=stage.opening,
        candidate=person,
        exercises=[stage.exercise],
        by=stage.rhea,
        now=NOW,
        **{"opens_at": now - timedelta(days=1), "closes_at": now + timedelta(days=1), **window},
    )
    return link


def test_who_is_invited_opens_and_misses_it(
    clients: Clients, handed_in: Attempt, stage: Stage
) -> None:
    bela = another(stage, "Bela Kiss")
    assert "Bela Kiss Invited Candidate to open the link" in rows(clients, "rhea", stage)[1]
    Invitation.objects.filter(pk=bela.pk).update(first_opened_at=NOW)
    assert "Bela Kiss Opened Candidate to start" in rows(clients, "hana", stage)[1]
    gone = timezone.now() - timedelta(hours=1)
    Invitation.objects.filter(pk=bela.pk).update(opens_at=gone - timedelta(days=9), closes_at=gone)
    row = rows(clients, "rhea", stage)[1]
    assert "Not started in time You to invite again or let go Overdue" in row


def test_scorecards_disputes_and_decisions_move_the_turn(
    clients: Clients, handed_in: Attempt, stage: Stage
) -> None:
    assert rows(clients, "rhea", stage)[0].startswith("Ada Fontaine Graded Ines to score")
    evaluations.assign(attempt=handed_in, evaluator=stage.otto, by=stage.rhea, now=LATER)
    score_all(handed_in, stage.ines, level=1)
    assert "Scored 1 of 2 Otto to score" in rows(clients, "rhea", stage)[0]
    score_all(handed_in, stage.otto, level=5)
    (row,) = rows(clients, "rhea", stage)
    assert "Disputed scored 2 of 2 You to ask somebody to score with Hana" in row
    decisions.decide(
        opening=stage.opening,
        candidate=stage.ada,
        outcome="hire",
        reasons="Good.",
        by=stage.hana,
        now=LATER,
    )
    assert rows(clients, "rhea", stage) == ["Ada Fontaine Decided make an offer"]


def test_who_scores_reads_a_pseudonym_and_nothing_of_the_others(
    clients: Clients, handed_in: Attempt, stage: Stage
) -> None:
    evaluations.assign(attempt=handed_in, evaluator=stage.otto, by=stage.rhea, now=LATER)
    another(stage, "Bela Kiss")
    score_all(handed_in, stage.otto, level=1)
    (row,) = rows(clients, "ines", stage)
    assert row.startswith(f"Candidate {stage.ada.pseudonym} Scored 1 of 2 You to score")
    assert "Otto" not in row
    assert "days" not in row
    assert rows(clients, "ines", stage, q="Ada") == []
    score_all(handed_in, stage.ines, level=5)
    assert "Disputed" in rows(clients, "ines", stage)[0]


def test_a_decision_is_kept_from_who_still_owes_a_scorecard(
    clients: Clients, handed_in: Attempt, stage: Stage
) -> None:
    decisions.decide(
        opening=stage.opening,
        candidate=stage.ada,
        outcome="hire",
        reasons="Good.",
        by=stage.hana,
        now=LATER,
    )
    assert "Decided" in rows(clients, "rhea", stage)[0]
    assert "Decided" not in rows(clients, "ines", stage)[0]


def test_filters_choose_and_say_how_many(
    clients: Clients, handed_in: Attempt, stage: Stage
) -> None:
    another(stage, "Bela Kiss")
    for query, names in (
        ({"state": "invited"}, ["Bela"]),
        ({"state": "graded"}, ["Ada"]),
        ({"next": "candidate"}, ["Bela"]),
        ({"next": f"person-{stage.ines.pk}"}, ["Ada"]),
        ({"next": "me"}, []),
        ({"overdue": "yes"}, ["Ada"]),
        ({"q": "kiss"}, ["Bela"]),
        ({"state": "nonsense", "next": ""}, ["Ada", "Bela"]),
    ):
        found = rows(clients, "rhea", stage, **query)
        assert [row.split()[0] for row in found] == names, query
    text = words_of(asked(clients, "rhea", stage, state="invited"))
    assert 'Graded <span class="count">1</span>' in text


def test_rows_are_sent_again_only_where_something_changed(
    clients: Clients, handed_in: Attempt, stage: Stage
) -> None:
    etag = asked(clients, "rhea", stage)["ETag"]
    url = reverse("admin:board-rows", args=[stage.opening.pk])
    again = {"HTTP_IF_NONE_MATCH": etag}
    assert clients["rhea"].get(url, **again).status_code == 304
    GradingRun.objects.update(result="")
    assert clients["rhea"].get(url, **again).status_code == 200


def test_the_invitation_list_and_the_candidates_page_say_the_same(
    clients: Clients, handed_in: Attempt, stage: Stage, client: Client
) -> None:
    Assignment.objects.all().delete()
    Evaluation.objects.all().delete()
    GradingRun.objects.update(result="", finished_at=None)
    assert "Handed in" in rows(clients, "rhea", stage)[0]
    listed = words_of(clients["rhea"].get(reverse("admin:hiring_invitation_changelist")))
    assert '<span class="tag good">Handed in</span>' in listed
    assert '<span class="tag good" >Handed in</span>' in words_of(
        client.get(f"/t/{stage.token}/", follow=True)
    )
