"""Evaluators for all answers: evenly, nobody who knows the name, changed by hand, asked once."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.roles import HIRING_MANAGER, INTERVIEWER
from accounts.tests.reading import words_of
from assessments.tests.stage import NOW, member
from hiring import seen_by
from hiring.models import Message, Sighting
from reviews.bulk.assigning import Proposal, propose
from reviews.models import Acquaintance, Assignment
from reviews.tests.crowd import Crowd, build

pytestmark = pytest.mark.django_db


@pytest.fixture
def crowd(db: None) -> Crowd:
    """Six answers of six candidates that nobody was asked to score, and three evaluators."""
    made = build(6, now=NOW, exercises=1, evaluators=0)
    made.panel = [member(f"panel{number}", INTERVIEWER) for number in range(3)]
    return made


def proposed(crowd: Crowd, each: int = 2, people: list[User] | None = None) -> Proposal:
    keys = [person.pk for person in people or crowd.panel]
    return propose(crowd.opening, keys, each, viewer=crowd.rhea, now=NOW)


def given(proposal: Proposal) -> dict[str, int]:
    return {person.user.username: person.added for person in proposal.people}


def test_answers_are_shared_evenly_two_for_each(crowd: Crowd) -> None:
    found = proposed(crowd)
    assert given(found) == {"panel0": 4, "panel1": 4, "panel2": 4}
    assert all(len(set(answer.proposed)) == 2 for answer in found.answers)
    assert not Assignment.objects.exists()


def test_whoever_owes_much_already_gets_less(crowd: Crowd) -> None:
    busy, *_ = crowd.panel
    for attempt in crowd.attempts[:4]:
        Assignment.objects.create(
            attempt=attempt, evaluator=busy, assigned_by=crowd.rhea, assigned_at=NOW
        )
    found = proposed(crowd, each=2)
    assert found.people[0].open_work == 4
    assert given(found) == {"panel0": 0, "panel1": 4, "panel2": 4}


def test_nobody_scores_whose_name_they_know(crowd: Crowd) -> None:
    one, two, three = crowd.panel
    first, second, third = crowd.candidates[:3]
    seen_by.note(one, first, "candidates", now=NOW, named=True)
    seen_by.note(one, second, "comparison", now=NOW)
    seen_by.note(two, second, "attempt", now=NOW, named=False)
    Acquaintance.objects.create(candidate=third, person=three, how="school", declared_at=NOW)
    by_candidate = {
        answer.attempt.invitation.candidate_id: answer for answer in proposed(crowd).answers
    }
    assert "saw who the candidate is on 2 Mar 2026" in by_candidate[first.pk].cannot[one.pk]
    assert "opened a page about them" in by_candidate[second.pk].cannot[one.pk]
    assert two.pk not in by_candidate[second.pk].cannot
    assert "school" in by_candidate[third.pk].cannot[three.pk]
    for candidate, knows in ((first, one), (second, one), (third, three)):
        assert knows.pk not in by_candidate[candidate.pk].proposed
        assert len(by_candidate[candidate.pk].proposed) == 2


def test_what_cannot_be_given_is_counted(crowd: Crowd) -> None:
    one, two, _ = crowd.panel
    seen_by.note(one, crowd.candidates[0], "candidates", now=NOW, named=True)
    found = proposed(crowd, people=[one, two])
    assert sum(answer.missing for answer in found.answers) == 1
    assert found.people[0].cannot == 1


def page(crowd: Crowd, who: User, **query: Any) -> tuple[Client, str]:
    client = Client()
    client.force_login(who)
    url = reverse("admin:opening-assign", args=[crowd.opening.pk])
    return (
        client,
        f"{url}?{'&'.join(f'{key}={value}' for key, values in query.items() for value in values)}",
    )


def ticked(answer: Any) -> list[str]:
    tags = re.findall(r'name="ask" value="([^"]+)"\s+checked', answer.content.decode())
    return [str(value) for value in tags]


@pytest.mark.nightly
def test_the_grid_shows_the_proposal_and_asks_when_sent(crowd: Crowd) -> None:
    client, url = page(crowd, crowd.rhea, people=[row.pk for row in crowd.panel], each=[2])
    answer = client.get(url)
    sent = ticked(answer)
    assert len(sent) == 12
    assert not Assignment.objects.exists()
    done = client.post(url, {"ask": sent[1:]}, follow=True)
    assert "Asked for 11 scorecards." in words_of(done)
    assert Assignment.objects.filter(assigned_by=crowd.rhea).count() == 11
    assert Message.objects.filter(occasion="assigned").count() == 11
    assert LogEntry.objects.filter(change_message__startswith="Asked Panel").count() == 11
    again = client.post(url, {"ask": sent[1:]}, follow=True)
    assert "Asked for 0 scorecards." in words_of(again)
    left = client.get(url)
    assert "1 answer without enough evaluators" in words_of(left)
    assert "scores it already" in words_of(left)


@pytest.mark.nightly
def test_by_hand_nothing_is_ticked(crowd: Crowd) -> None:
    client, url = page(crowd, crowd.rhea, people=[crowd.panel[0].pk], each=[0])
    answer = client.get(url)
    assert ticked(answer) == []
    assert "scores Person 0000" in words_of(answer)


def test_a_hiring_manager_staffs_their_own_opening_and_never_themselves(crowd: Crowd) -> None:
    client, url = page(crowd, crowd.hana, people=[crowd.hana.pk, crowd.panel[0].pk], each=[1])
    answer = client.get(url)
    assert "is you: nobody puts themselves on a panel" in words_of(answer)
    forged = f"{crowd.attempts[0].pk}:{crowd.hana.pk}"
    refused = client.post(url, {"ask": [forged]}, follow=True)
    assert "Nobody puts themselves on a panel" in words_of(refused)
    assert not Assignment.objects.exists()
    other = member("other", HIRING_MANAGER)
    stranger, _ = page(crowd, other)
    assert stranger.get(url).status_code == 404


@pytest.mark.parametrize(
    "sent", ["", "x", "x:1", "00000000-0000-4000-8000-000000000000:1", "a:b:c"]
)
@pytest.mark.by_day(every=3)
def test_rubbish_asks_nobody(crowd: Crowd, sent: str) -> None:
    client, url = page(crowd, crowd.rhea, people=["x", "9" * 30], each=["9" * 30])
    assert client.get(url).status_code == 200
    assert client.post(url, {"ask": [sent]}, follow=True).status_code == 200
    assert not Assignment.objects.exists()
    assert not Sighting.objects.filter(by=crowd.rhea).exists()
