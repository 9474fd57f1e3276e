"""The terminal's addresses: whose they are, what they take, what they tell."""

from __future__ import annotations

import base64
import json
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone

from assessments.materials import variants
from assessments.models import Attempt, TerminalChunk, TerminalSession
from assessments.terminal import endings, sessions
from assessments.tests.stage import Stage, begin, enter, make_stage
from hiring.models import Exercise

pytestmark = pytest.mark.django_db


@pytest.fixture
def scene(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Stage:
    """Ada works in a room whose materials need no building."""
    (tmp_path / "manifest.json").write_text(json.dumps({"files": [], "incident": {}}))
    monkeypatch.setattr(variants, "folder_of", lambda *_, **__: tmp_path)
    stage = make_stage(timezone.now())
    return stage


@pytest.fixture
def ada(scene: Stage, client: Client) -> Attempt:
    attempt = begin(scene, timezone.now())
    Exercise.objects.update(kind="troubleshooting")
    enter(client, scene.token)
    return attempt


def post(client: Client, attempt: Attempt, verb: str, **fields: Any) -> Any:
    url = f"/api/attempts/{attempt.pk}/room/terminal/{verb}"
    return client.post(url, json.dumps(fields), content_type="application/json")


def exchange(client: Client, attempt: Attempt, session: str, **fields: Any) -> Any:
    given = {"session": session, "page": str(uuid4()), "after": 0, "columns": 80, "rows": 24}
    return post(client, attempt, "exchange", **(given | fields))


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def test_typing_goes_in_once_and_output_comes_back(ada: Attempt, client: Client) -> None:
    assert client.get(f"/api/attempts/{ada.pk}/room/terminal/state").json()["state"] == "none"
    session = post(client, ada, "start", columns=100, rows=30).json()["session"]
    row = TerminalSession.objects.get(pk=session)
    TerminalChunk.objects.create(
        session=row, direction="out", seq=1, at=timezone.now(), data=b"\xc3\xa9 \x00 [you"
    )
    page = str(uuid4())
    typed = {"page": page, "number": 1, "input": encoded("ls\r")}
    for _ in range(2):
        answer = exchange(client, ada, session, **typed, columns=100, rows=30).json()
    assert (answer["typed"], answer["upto"], answer["state"]) == (1, 1, "waiting")
    assert base64.b64decode(answer["data"]) == b"\xc3\xa9 \x00 [you"
    exchange(client, ada, session, page=page, columns=100, rows=40)
    kept = TerminalChunk.objects.exclude(direction="out").order_by("seq")
    assert [(one.direction, bytes(one.data)) for one in kept] == [
        ("in", b"ls\r"),
        ("size", b"100,40"),
    ]
    answer = exchange(client, ada, session, page=page, after=1).json()
    assert (answer["data"], answer["typed"]) == ("", 1)


@pytest.mark.parametrize(
    "fields",
    [
        {"input": "not base64!"},
        {"input": encoded("x" * 70_000)},
        {"after": -1},
        {"columns": 100_000},
        {"page": "me"},
        {"number": "two"},
    ],
    ids=["encoding", "size", "after", "columns", "page", "number"],
)
def test_what_cannot_be_read_is_refused(
    fields: dict[str, Any], ada: Attempt, client: Client
) -> None:
    session = post(client, ada, "start").json()["session"]
    assert exchange(client, ada, session, **fields).status_code == 400
    assert not TerminalChunk.objects.filter(direction="in").exists()


def test_a_session_is_the_candidates_own(ada: Attempt, scene: Stage, client: Client) -> None:
    session = post(client, ada, "start").json()["session"]
    stranger = Client()
    for verb in ("start", "exchange"):
        assert post(stranger, ada, verb).status_code in (401, 403, 404)
    assert stranger.get(f"/api/attempts/{ada.pk}/room/terminal/state").status_code in (
        401,
        403,
        404,
    )
    assert exchange(client, ada, str(uuid4())).status_code == 404
    other = Attempt.objects.get(pk=ada.pk)
    other.pk = uuid4()
    other.exercise = Exercise.objects.create(
        opening=scene.opening,
        pack_name=scene.exercise.pack_name,
        kind="troubleshooting",
        level="mid",
        limit_minutes=60,
        revision_minutes=15,
    )
    other.save(force_insert=True)
    foreign = sessions.start(other, columns=80, rows=24, now=timezone.now())
    assert exchange(client, ada, str(foreign.pk)).status_code == 404
    assert exchange(client, ada, session).status_code == 200


def test_when_time_is_over_nothing_is_taken(
    ada: Attempt, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = post(client, ada, "start").json()["session"]
    late = timezone.now() + timedelta(hours=3)
    monkeypatch.setattr("assessments.api.timezone.now", lambda: late)
    answer = exchange(client, ada, session, number=1, input=encoded("ls\r"))
    assert (answer.status_code, answer.json()["code"]) == (409, "closed")
    assert not TerminalChunk.objects.exists()


def test_ended_session_gives_what_it_printed_and_why(ada: Attempt, client: Client) -> None:
    session = post(client, ada, "start").json()["session"]
    row = TerminalSession.objects.filter(pk=session)
    for seq in (1, 2):
        TerminalChunk.objects.create(
            session=row.get(), direction="out", seq=seq, at=timezone.now(), data=b"%d" % seq
        )
    sessions.end(row, endings.LOST, now=timezone.now(), trouble="inner details")
    answer = exchange(client, ada, session, number=1, input=encoded("lost?")).json()
    assert base64.b64decode(answer["data"]) == b"12"
    assert (answer["state"], answer["typed"]) == ("ended", 1)
    assert "not your fault" in answer["sentence"]
    assert "inner" not in json.dumps(answer)
