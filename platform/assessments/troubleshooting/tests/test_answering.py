"""Questions to a variant's data are worked out by processes that may end without harm to the site."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from assessments.models import Attempt
from assessments.troubleshooting import answerer, answering
from assessments.troubleshooting.answering import (
    TOO_LONG,
    TOO_MUCH,
    Answerers,
    Left,
    Refused,
    TooSlow,
)
from assessments.workplace.access import room

pytestmark = pytest.mark.django_db
LONG = "+".join(['count({__name__=~"node.*"})'] * 60)
"""Seconds of work, within what one query may take."""
NOWHERE: dict[str, Any] = {"at": None, "points": 300, "step": 0, "from": None, "to": None}


@pytest.fixture
def answerers() -> Iterator[Answerers]:
    found = Answerers()
    yield found
    for one in found._idle:
        one.end()


def asked(answerers: Answerers, attempt: Attempt, query: str) -> Any:
    return json.loads(answerers.ask("query", room(attempt).folder, query=query, **NOWHERE))


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("+".join(["1"] * 901), "joins at most 200 parts"),
        ("+".join(["up"] * 600), "joins at most 200 parts"),
        ("(" * 5_000 + "1" + ")" * 5_000, "at most 2,000 characters"),
        ("(" * 900 + "1" + ")" * 900, "at most 40 deep"),
        ("-" * 1_900 + "1", "at most 40 deep"),
        ('up{instance=~"' + "(" * 900 + "a" + ")" * 900 + '"}', "regex"),
    ],
)
def test_a_query_without_end_is_refused_in_a_sentence(
    answerers: Answerers, incident: Attempt, query: str, said: str
) -> None:
    with pytest.raises(Refused, match=said) as refused:
        asked(answerers, incident, query)
    assert "\n" not in str(refused.value)
    assert asked(answerers, incident, "count(up)")["series"]
    assert len(answerers._idle) == 1  # the same process answers the next


@pytest.mark.parametrize(("by", "said"), [(signal.SIGSEGV, TOO_MUCH), (signal.SIGXCPU, TOO_LONG)])
def test_a_question_that_ends_its_process_is_refused_and_the_next_is_answered(
    answerers: Answerers, incident: Attempt, by: signal.Signals, said: str
) -> None:
    """As a stack that overflows in a library does, or the limit on processor time."""
    asked(answerers, incident, "count(up)")
    process = answerers._idle[0]._process
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(asked, answerers, incident, LONG)
        _await_question(answerers)
        os.kill(process.pid, by)
        assert str(slow.exception()) == said
    assert asked(answerers, incident, "count(up)")["series"]
    assert answerers._idle[0]._process.pid != process.pid


def test_a_process_that_the_host_ends_is_not_blamed_on_the_question(
    answerers: Answerers, incident: Attempt
) -> None:
    asked(answerers, incident, "count(up)")
    process = answerers._idle[0]._process
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(asked, answerers, incident, LONG)
        _await_question(answerers)
        process.kill()
        assert isinstance(slow.exception(), TooSlow)


def _await_question(answerers: Answerers) -> None:
    """Until the only process has been taken for one."""
    until = time.monotonic() + 20
    while answerers._idle and time.monotonic() < until:
        time.sleep(0.01)


@pytest.mark.nightly
def test_a_busy_host_is_not_blamed_on_the_question(
    answerers: Answerers, incident: Attempt, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked(answerers, incident, "count(up)")
    process = answerers._idle[0]._process
    monkeypatch.setattr(answering, "WALL_S", 0.05)
    with pytest.raises(TooSlow):
        asked(answerers, incident, LONG)
    assert process.poll() == -signal.SIGKILL
    monkeypatch.undo()
    assert asked(answerers, incident, "count(up)")["series"]


def test_a_process_that_nobody_asks_goes_and_the_next_question_has_another(
    answerers: Answerers, incident: Attempt
) -> None:
    asked(answerers, incident, "count(up)")
    idle = answerers._idle[0]._process
    idle.kill()
    idle.wait()
    assert asked(answerers, incident, "count(up)")["series"]
    assert [one._process.pid for one in answerers._idle] != [idle.pid]


def test_two_questions_at_once_have_two_processes_that_are_kept(
    answerers: Answerers, incident: Attempt
) -> None:
    with ThreadPoolExecutor(2) as pool:
        query = 'count({__name__=~"node.*"})'
        found = [pool.submit(asked, answerers, incident, query) for _ in range(2)]
    assert found[0].result()["series"] == found[1].result()["series"]
    assert len(answerers._idle) == 2


def test_a_question_ends_with_the_connection_of_whoever_asked(
    answerers: Answerers, incident: Attempt
) -> None:
    asked(answerers, incident, "count(up)")
    process = answerers._idle[0]._process
    ours, theirs = socket.socketpair()
    with ours, theirs, ThreadPoolExecutor(1) as pool:
        folder = room(incident).folder
        slow = pool.submit(answerers.ask_for, ours, "query", folder, query=LONG, **NOWHERE)
        _await_question(answerers)
        assert process.poll() is None
        stopped_at = time.monotonic()
        theirs.close()
        assert isinstance(slow.exception(), Left)
        assert time.monotonic() - stopped_at < 1
    assert process.poll() == -signal.SIGKILL
    assert asked(answerers, incident, "count(up)")["series"]


def test_our_own_fault_is_none_of_the_asker(answerers: Answerers, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="FileNotFoundError"):
        answerers.ask("catalogue", tmp_path)


def test_what_fills_the_memory_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def fill(*_: Any) -> bytes:
        raise MemoryError

    monkeypatch.setitem(answerer.QUESTIONS, "query", fill)
    kind, body = answerer.answered({"question": "query", "folder": str(tmp_path), "given": {}})
    assert kind == answerer.REFUSED
    assert "more memory" in json.loads(body)["detail"]


@pytest.mark.parametrize(
    ("code", "ended"),
    [
        ("answerer._allow(0)\nwhile True: pass", -signal.SIGXCPU),
        ("answerer.confine()\n__import__('tempfile').TemporaryFile(buffering=0).write(b'x')", 1),
        ("answerer.confine()\nb = bytearray(answerer.MOST_MEMORY)", 1),
        ("assert not any('django' in name for name in __import__('sys').modules)", 0),
    ],
)
@pytest.mark.by_day(every=4)
def test_the_process_keeps_within_its_bounds_and_knows_no_site(code: str, ended: int) -> None:
    path = f"{settings.ROOT}/platform:{settings.ROOT}"
    done = subprocess.run(
        [sys.executable, "-c", f"from assessments.troubleshooting import answerer\n{code}"],
        env={"PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == ended, done.stderr
