"""The assistant: offered where it was accepted, recorded whole, bounded, and never in anybody's way."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterator
from datetime import timedelta
from threading import Thread
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from assessments import attempts
from assessments.assistant import answering, asking, endpoint
from assessments.assistant.tests.model_server import KEY, WORDS, Model, speaking
from assessments.models import AssistantTurn, Attempt
from assessments.pages import policies
from assessments.tests.stage import Stage, begin, enter, published, stage

pytestmark = pytest.mark.django_db
__all__ = ["published", "stage"]
WHOLE = "".join(WORDS)


@pytest.fixture
def model(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Model]:
    """An endpoint that is set up; answers are fetched when the test says so."""
    monkeypatch.setattr(answering, "begin", lambda key: answering.give_back())
    monkeypatch.setattr(endpoint, "FIRST_S", 0.5)
    with speaking() as running:
        settings.ASSISTANT_URL, settings.ASSISTANT_MODEL = running.url, "small-1"
        settings.ASSISTANT_KEY, settings.ASSISTANT_TOKENS = KEY, 10_000
        yield running


def opened(stage: Stage) -> None:
    """The invitation can be used now."""
    now = timezone.now()
    stage.invitation.opens_at, stage.invitation.closes_at = now - timedelta(1), now + timedelta(1)
    stage.invitation.save()


@pytest.fixture
def ada(stage: Stage, model: Model, client: Client) -> Attempt:
    """Ada works at an exercise that provides the assistant; her browser is `client`."""
    now = timezone.now()
    opened(stage)
    stage.exercise.assistants = "provided"
    stage.exercise.save()
    attempt = attempts.start(
        invitation=stage.invitation,
        exercise=stage.exercise,
        policies=policies(stage.exercise),
        now=now,
    )
    enter(client, stage.token)
    return attempt


def post(client: Client, attempt: Attempt, text: str, id: uuid.UUID | None = None) -> Any:
    data = json.dumps({"id": str(id or uuid.uuid4()), "text": text})
    url = f"/api/attempts/{attempt.pk}/assistant/"
    return client.post(url, data, content_type="application/json")


def talk(client: Client, attempt: Attempt) -> dict[str, Any]:
    found: dict[str, Any] = client.get(f"/api/attempts/{attempt.pk}/assistant/").json()
    return found


def asked(client: Client, attempt: Attempt, text: str = "How do I drain a node?") -> AssistantTurn:
    """A question, answered as the endpoint answers now."""
    answer = post(client, attempt, text)
    assert answer.status_code == 201, answer.content
    answering.fetch(uuid.UUID(answer.json()["id"]), timezone.now)
    return AssistantTurn.objects.get(pk=answer.json()["id"])


def test_an_answer_is_recorded_whole_with_time_and_tokens(
    client: Client, ada: Attempt, model: Model
) -> None:
    row = asked(client, ada)
    assert (row.answer, row.problem, row.model) == (WHOLE, "", "small-1")
    assert (row.tokens_in, row.tokens_out, row.is_counted) == (120, 30, True)
    assert row.ended_at is not None
    assert row.ended_at >= row.asked_at
    found = talk(client, ada)
    assert found["turns"][0]["answer"] == WHOLE
    assert (found["left"], found["most"], found["closed"]) == (9_850, 10_000, "")
    assert model.paths == ["/v1/chat/completions"]
    assert model.keys == [f"Bearer {KEY}"]


def test_what_was_said_before_goes_along_and_nothing_of_the_exercise(
    client: Client, ada: Attempt, model: Model
) -> None:
    asked(client, ada, "First?")
    asked(client, ada, "Second?")
    said = [(one["role"], one["content"]) for one in model.asked[1]["messages"]]
    assert said[0][0] == "system"
    assert said[1:] == [("user", "First?"), ("assistant", WHOLE), ("user", "Second?")]
    assert (model.asked[1]["model"], model.asked[1]["stream"]) == ("small-1", True)


@pytest.mark.parametrize(
    ("way", "problem", "kept"),
    [
        ("refuses", "refused", ""),
        ("busy", "busy", ""),
        ("elsewhere", "refused", ""),
        ("page", "rubbish", ""),
        ("silent", "slow", ""),
        ("stalls", "slow", "Drain the node "),
        ("breaks", "cut", "Drain the node "),
        ("rubbish", "cut", "Drain the node "),
        ("error", "cut", "Drain the node "),
    ],
)
@pytest.mark.by_day(
    but=["busy-busy-", "page-rubbish-", "silent-slow-", "stalls-slow-Drain the node "]
)
def test_an_endpoint_that_misbehaves_costs_one_sentence_and_no_time(
    client: Client, ada: Attempt, model: Model, way: str, problem: str, kept: str
) -> None:
    model.way = way
    before = Attempt.objects.get(pk=ada.pk).deadline_at
    row = asked(client, ada)
    assert (row.problem, row.answer) == (problem, kept)
    assert row.ended_at is not None
    assert model.paths == ["/v1/chat/completions"]  # and not where it pointed
    told = talk(client, ada)["turns"][0]["problem"]
    assert told.endswith(
        "Your work and your clock are not concerned: ask again, or go on without it."
    )
    assert Attempt.objects.get(pk=ada.pk).deadline_at == before
    model.way = "well"
    assert asked(client, ada).answer == WHOLE  # the next one is asked as if nothing had been


def test_nothing_at_the_address_is_told(client: Client, ada: Attempt, settings: Any) -> None:
    settings.ASSISTANT_URL = "http://127.0.0.1:9/v1"
    row = asked(client, ada)
    assert (row.problem, row.tokens) == ("unreachable", 0)


def test_one_question_at_a_time_and_the_second_is_refused_in_words(
    client: Client, ada: Attempt, model: Model
) -> None:
    first = post(client, ada, "One?")
    second = post(client, ada, "Two?")
    assert (first.status_code, second.status_code) == (201, 409)
    assert "still being answered" in second.json()["detail"]
    assert post(client, ada, "One?", uuid.UUID(first.json()["id"])).status_code == 201
    assert ada.assistant_turns.count() == 1


def test_an_answer_can_be_stopped_and_what_came_stays(
    client: Client, ada: Attempt, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answering, "WRITTEN_EVERY_S", 0.0)
    model.way = "endless"
    stopped: list[int] = []

    def clock() -> Any:
        if len(stopped) == 8:
            client.post(f"/api/attempts/{ada.pk}/assistant/{key}/stop")
        stopped.append(1)
        return timezone.now()

    key = post(client, ada, "Go on and on").json()["id"]
    answering.fetch(uuid.UUID(key), clock)
    row = AssistantTurn.objects.get(pk=key)
    assert row.problem == "stopped"
    assert row.answer.startswith("Drain the node")
    assert row.tokens_out > 0
    assert model.go.wait(5), "the endpoint still sends"


def test_what_came_is_written_while_the_rest_is_awaited(
    client: Client, ada: Attempt, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model that pauses after two words does not keep these to itself."""
    monkeypatch.setattr(answering, "WRITTEN_EVERY_S", 0.05)
    monkeypatch.setattr(endpoint, "FIRST_S", 10)
    model.way = "waits"
    seen = []

    def clock() -> Any:
        seen.append(AssistantTurn.objects.get(pk=key).answer)
        if "Drain the node " in seen:
            model.go.set()
        return timezone.now()

    monkeypatch.setattr(answering, "BEAT_S", 0.05)
    key = post(client, ada, "Slowly?").json()["id"]
    answering.fetch(uuid.UUID(key), clock)
    assert "Drain the node " in seen
    assert AssistantTurn.objects.get(pk=key).answer == WHOLE


def test_an_endless_answer_is_cut_and_the_budget_ends(
    client: Client, ada: Attempt, model: Model, settings: Any
) -> None:
    settings.ASSISTANT_TOKENS = 900
    model.way = "endless"
    row = asked(client, ada)
    assert row.problem == "long"
    assert len(row.answer) <= 4 * 900
    model.go.set()
    refused = post(client, ada, "More?")
    assert refused.status_code == 409
    assert "used all" in refused.json()["detail"]
    assert talk(client, ada)["closed"] == refused.json()["detail"]


def test_tokens_are_reckoned_where_the_endpoint_does_not_count(
    client: Client, ada: Attempt, model: Model
) -> None:
    model.way = "uncounted"
    row = asked(client, ada)
    assert not row.is_counted
    assert row.tokens_out == 1 + len(WHOLE) // 4
    assert row.tokens_in > 10


def test_who_did_not_accept_it_has_none(client: Client, stage: Stage, model: Model) -> None:
    opened(stage)
    attempt = begin(stage, timezone.now())
    enter(client, stage.token)
    assert client.get(f"/api/attempts/{attempt.pk}/assistant/").status_code == 404
    assert post(client, attempt, "Hello?").status_code == 404
    assert b"assistant-open" not in client.get(f"/attempts/{attempt.pk}/").content


def test_a_stranger_finds_nothing(ada: Attempt) -> None:
    assert Client().get(f"/api/attempts/{ada.pk}/assistant/").status_code in (401, 403, 404)


def test_the_key_and_the_address_reach_no_browser(
    client: Client, ada: Attempt, model: Model
) -> None:
    asked(client, ada)
    for url in (f"/attempts/{ada.pk}/", f"/api/attempts/{ada.pk}/assistant/"):
        text = client.get(url).content.decode()
        assert KEY not in text
        assert model.url not in text
    assert b"assistant-open" in client.get(f"/attempts/{ada.pk}/").content


def test_an_assistant_that_was_taken_away_is_one_sentence(
    client: Client, ada: Attempt, settings: Any
) -> None:
    settings.ASSISTANT_URL = ""
    assert "not there at present" in talk(client, ada)["closed"]
    assert post(client, ada, "Hello?").status_code == 409


def test_after_the_time_nothing_is_asked(client: Client, ada: Attempt) -> None:
    with pytest.raises(Exception, match="time for this exercise is over"):
        asking.ask(ada, id=uuid.uuid4(), text="Hello?", now=timezone.now() + timedelta(hours=5))


def test_what_a_lost_process_fetched_is_given_up(client: Client, ada: Attempt) -> None:
    post(client, ada, "Anybody?")
    AssistantTurn.objects.update(heard_at=timezone.now() - timedelta(minutes=5))
    found = talk(client, ada)["turns"][0]
    assert found["ended_at"]
    assert found["problem"].startswith("The answer was lost on our side.")
    assert post(client, ada, "And now?").status_code == 201


def test_all_places_taken_is_said_and_asked_again(
    client: Client, ada: Attempt, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answering, "has_place", lambda: False)
    answer = post(client, ada, "Hello?")
    assert (answer.status_code, answer.json()["code"]) == (429, "busy")
    assert not ada.assistant_turns.exists()


@pytest.mark.parametrize("text", ["", "  \n ", "x" * 20_001])
def test_what_is_no_question_is_refused_in_words(client: Client, ada: Attempt, text: str) -> None:
    answer = post(client, ada, text)
    assert answer.status_code == 400
    assert not ada.assistant_turns.exists()


def test_it_is_said_before_the_start(client: Client, stage: Stage, model: Model) -> None:
    opened(stage)
    enter(client, stage.token)
    page = f"/work/{stage.invitation.pk}/"
    assert b"The assistant in the workspace" not in client.get(page).content
    stage.exercise.assistants = "provided"
    stage.exercise.save()
    text = client.get(page).content.decode()
    assert "all that it answers is recorded" in text
    assert policies(stage.exercise)[asking.ACCEPTED] in text


def test_a_slow_answer_holds_no_request(client: Client, ada: Attempt, model: Model) -> None:
    """What a request does is read and write rows: asking ends before the model has said anything."""
    model.way = "silent"
    begun = time.monotonic()
    answer = post(client, ada, "Slow?")
    assert answer.status_code == 201
    assert time.monotonic() - begun < 2
    assert model.asked == []


def test_a_place_is_given_back_whatever_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any) -> None:
        raise RuntimeError

    monkeypatch.setattr(answering, "fetch", fails)
    monkeypatch.setattr(asking, "end", lambda *_: True)
    monkeypatch.setattr("assessments.assistant.answering.connections.close_all", lambda: None)
    for _ in range(2 * answering.AT_ONCE):
        assert answering.has_place()
        thread = Thread(target=answering._in_place, args=(uuid.uuid4(),))
        thread.start()
        thread.join()
