"""Scoring: independent, saved at once, frozen when submitted, corrected only with a reason."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse

from assessments.models import Attempt
from assessments.tests.stage import Stage
from reviews.models import Evaluation, Rating
from reviews.scoring import evaluations
from reviews.tests.scene import LATER, SECRET_SCORE, score_all

Clients = dict[str, Client]


def page(attempt: Attempt, round: int = 1) -> str:
    return reverse("admin:score", args=[attempt.pk, round])


def save(client: Client, attempt: Attempt, data: Any, round: int = 1) -> Any:
    card = Evaluation.objects.current().of(attempt, round).first()
    url = reverse("admin:rating", args=[attempt.pk, round])
    url += f"?card={card.pk}" if card else ""
    body = data if isinstance(data, str) else json.dumps(data)
    return client.post(url, body, content_type="application/json")


def begun(clients: Clients, attempt: Attempt) -> Evaluation:
    clients["ines"].get(page(attempt))
    return Evaluation.objects.get(submission__attempt=attempt)


def full_form(card: Evaluation, level: int = 3) -> dict[str, str]:
    levels = {f"level-{item['key']}": str(level) for item in card.criteria()}
    return levels | {"card": str(card.pk)}


def test_page_shows_five_described_levels_and_no_name(
    clients: Clients, handed_in: Attempt, stage: Stage
) -> None:
    text = clients["ines"].get(page(handed_in)).content.decode()
    assert stage.ada.pseudonym in text
    assert stage.ada.name not in text
    assert stage.ada.email not in text
    card = Evaluation.objects.get()
    for item in card.criteria():
        assert text.count(f'name="level-{item["key"]}"') == 5
    assert all(item["round"] == 1 for item in card.criteria())


def test_measures_and_total_are_hidden_before_and_shown_after(
    clients: Clients, handed_in: Attempt, stage: Stage
) -> None:
    """S2, S3: evidence beside the answer, no score of it before the own ratings are in."""
    for url in (page(handed_in), reverse("admin:attempt", args=[handed_in.pk])):
        before = clients["ines"].get(url).content.decode()
        assert "0.43" not in before
        assert "17.53" not in before
        assert str(SECRET_SCORE) not in before
        assert "KeyError at 14:20" in before
        assert "hidden until your scorecard" in before
    score_all(handed_in, stage.ines)
    after = clients["ines"].get(page(handed_in)).content.decode()
    assert "0.43" in after
    assert "17.53" in after


@pytest.mark.nightly
def test_others_ratings_are_hidden_until_the_own_are_in(
    clients: Clients, handed_in: Attempt, stage: Stage
) -> None:
    evaluations.assign(attempt=handed_in, evaluator=stage.otto, by=stage.rhea, now=LATER)
    card = score_all(handed_in, stage.otto, level=2)
    words = card.ratings.first()
    assert words is not None
    rating = Rating.objects.get(pk=words.pk)
    rating.note = "Otto was not convinced."
    rating.save()
    for url in (
        page(handed_in),
        reverse("admin:attempt", args=[handed_in.pk]),
        decision(handed_in),
    ):
        assert "Otto was not convinced." not in clients["ines"].get(url).content.decode()
    score_all(handed_in, stage.ines)
    assert (
        "Otto was not convinced."
        in clients["ines"].get(reverse("admin:attempt", args=[handed_in.pk])).content.decode()
    )


def decision(attempt: Attempt) -> str:
    return reverse("admin:decision", args=[attempt.pk])


def test_rating_is_saved_at_once(clients: Clients, handed_in: Attempt) -> None:
    card = begun(clients, handed_in)
    key = card.criteria()[0]["key"]
    answer = save(clients["ines"], handed_in, {"criterion": key, "level": 4, "note": "Line 12."})
    assert answer.status_code == 200
    assert answer.json()["rated"] == 1
    rating = card.ratings.get()
    assert (rating.level, rating.note) == (4, "Line 12.")
    assert rating.level_text == card.criteria()[0]["levels"]["4"]


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ("no json", 400),
        ("[]", 400),
        ({"level": 3}, 400),
        ({"criterion": 7, "level": 3}, 400),
        ({"criterion": "{key}", "level": "5"}, 400),
        ({"criterion": "{key}", "level": True}, 400),
        ({"criterion": "{key}", "level": 3, "note": 9}, 400),
        ({"criterion": "{key}", "level": 3, "note": "x" * 5001}, 400),
        ({"criterion": "{key}", "level": 3, "note": "\x00"}, 400),
        ({"criterion": "{key}", "level": 6}, 409),
        ({"criterion": "{key}", "level": 0}, 409),
        ({"criterion": "nonsense", "level": 3}, 409),
    ],
)
@pytest.mark.by_day(every=4)
def test_rubbish_is_refused_with_one_sentence(
    clients: Clients, handed_in: Attempt, sent: Any, status: int
) -> None:
    card = begun(clients, handed_in)
    key = card.criteria()[0]["key"]
    data = {**sent, "criterion": key} if _wants_key(sent) else sent
    answer = save(clients["ines"], handed_in, data)
    assert answer.status_code == status
    assert answer.json()["detail"].endswith((".", "5."))
    assert not Rating.objects.exists()


def _wants_key(sent: Any) -> bool:
    return isinstance(sent, dict) and sent.get("criterion") == "{key}"


def test_only_the_own_scorecard_can_be_written(
    clients: Clients, handed_in: Attempt, stage: Stage
) -> None:
    card = begun(clients, handed_in)
    data = {"criterion": card.criteria()[0]["key"], "level": 1}
    statuses = {name: save(clients[name], handed_in, data).status_code for name in clients}
    assert statuses.pop("ines") == 200
    assert statuses == {"adam": 403, "rhea": 403, "hana": 404, "otto": 404, "nobody": 403}


def test_submitting_needs_every_level(clients: Clients, handed_in: Attempt) -> None:
    card = begun(clients, handed_in)
    form = full_form(card)
    last = card.criteria()[-1]
    del form[f"level-{last['key']}"]
    answer = clients["ines"].post(page(handed_in), form)
    assert answer.status_code == 409
    assert f"Still without a level: {last['title']}." in answer.content.decode()
    assert card.ratings.count() == len(card.criteria()) - 1  # what was sent is kept


def test_submitted_scorecard_is_frozen(clients: Clients, handed_in: Attempt) -> None:
    card = begun(clients, handed_in)
    assert clients["ines"].post(page(handed_in), full_form(card)).status_code == 302
    again = clients["ines"].post(page(handed_in), full_form(card, level=5))
    assert again.status_code == 409
    late = save(clients["ines"], handed_in, {"criterion": card.criteria()[0]["key"], "level": 1})
    assert late.status_code == 409
    assert set(card.ratings.values_list("level", flat=True)) == {3}
    assert LogEntry.objects.filter(change_message__contains="Submitted the scorecard").count() == 1


def test_correction_is_a_new_row_with_a_reason(
    clients: Clients, handed_in: Attempt, stage: Stage
) -> None:
    card = score_all(handed_in, stage.ines)
    url = reverse("admin:correct", args=[handed_in.pk, 1])
    assert clients["ines"].post(url, {"reason": " "}).status_code == 400
    assert clients["otto"].post(url, {"reason": "x"}).status_code == 404
    assert clients["ines"].post(url, {"reason": "I misread line 40."}).status_code == 302
    copy = Evaluation.objects.current().get()
    assert (copy.supersedes, copy.correction_reason) == (card, "I misread line 40.")
    clients["ines"].post(page(handed_in), full_form(copy, level=5))
    card.refresh_from_db()
    assert set(card.ratings.values_list("level", flat=True)) == {4}
    assert set(copy.ratings.values_list("level", flat=True)) == {5}


def test_times_of_the_candidate_are_not_shown_to_who_scores(
    clients: Clients, handed_in: Attempt
) -> None:
    """T4: extra time must not be inferable."""
    for url in (page(handed_in), reverse("admin:attempt", args=[handed_in.pk])):
        text = clients["ines"].get(url).content.decode()
        assert "2 Mar 2026, 09:00" not in text
        assert "2 Mar 2026, 09:30" not in text
        assert "Deadline" not in text
    whole = clients["rhea"].get(reverse("admin:attempt", args=[handed_in.pk])).content.decode()
    assert "2 Mar 2026, 09:30" in whole


def test_nothing_to_score_before_the_answer_is_in(
    clients: Clients, attempt: Attempt, stage: Stage
) -> None:
    evaluations.assign(attempt=attempt, evaluator=stage.ines, by=stage.rhea, now=LATER)
    answer = clients["ines"].get(page(attempt), follow=True)
    assert "nothing to score" in answer.content.decode()
    assert not Evaluation.objects.exists()
