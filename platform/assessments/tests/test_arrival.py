"""A request counts from when it reached this machine, in full, not from when somebody took it up."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from django.test import RequestFactory

from assessments.arrival import LONGEST, arrived_at

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    """A browser's end of a connection, and the server's, which is taken up late."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        browser = socket.create_connection(server.getsockname())
        browser.sendall(b"the first half, ")
        time.sleep(0.5)
        taken, _ = server.accept()
        yield browser, taken
        browser.close()
        taken.close()


def waited(connection: socket.socket | None, now: datetime = NOW) -> timedelta:
    request = RequestFactory().post("/", {})
    request.META["gunicorn.socket"] = connection
    return now - arrived_at(request, now)


def test_wait_before_anybody_took_the_connection_counts(
    ends: tuple[socket.socket, socket.socket],
) -> None:
    _, taken = ends
    assert timedelta(seconds=0.4) < waited(taken) < timedelta(seconds=5)


def test_request_has_arrived_with_its_last_byte(
    ends: tuple[socket.socket, socket.socket],
) -> None:
    """Nobody gains time by sending the head early and the text late."""
    browser, taken = ends
    browser.sendall(b"and the second")
    assert waited(taken) < timedelta(seconds=0.4)


def test_server_that_cannot_say_is_believed_nothing() -> None:
    assert waited(None) == timedelta(0)
    left, right = socket.socketpair()
    with left, right:
        assert waited(left) == timedelta(0)
    assert waited(left) == timedelta(0)  # closed


def test_no_wait_is_longer_than_a_browser_waits(
    ends: tuple[socket.socket, socket.socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assessments.arrival.LONGEST", timedelta(milliseconds=100))
    assert waited(ends[1]) == timedelta(milliseconds=100)
    assert timedelta(minutes=2) == LONGEST
