"""A program that asks and never reads is stopped when as much waits for it as the limits say."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing

import pytest

from sandbox import Limits, channel
from sandbox.capture import Output
from sandbox.conversation import Conversation, Ended, Wiring
from sandbox.tests.episode import Steps

ANSWER = len(channel.answer(1, "x" * 100_000))
"""Bytes of one answer to `big`."""


@pytest.fixture
def exited() -> Iterator[int]:
    """A descriptor that says when a program has gone, of one that waits for us."""
    waiting = [sys.executable, "-c", "import sys; sys.stdin.read()"]
    with subprocess.Popen(waiting, stdin=subprocess.PIPE) as process:
        fd = os.pidfd_open(process.pid)
        yield fd
        os.close(fd)
        assert process.stdin
        process.stdin.close()


def asked(calls: int, exited: int, limits: Limits) -> tuple[Ended | None, int]:
    """The program asks so often in one breath, reads nothing and closes; (how it ended, answers given)."""
    ours, theirs = socket.socketpair()
    session = Steps()
    with closing(ours), closing(theirs):
        frames = (json.dumps({"id": n, "m": "big", "p": {}}).encode() for n in range(calls))
        theirs.sendall(b"".join(map(channel.frame, frames)))
        wiring = Wiring(
            channel=ours,
            streams=[],
            output=Output(limits.output_kb << 10),
            exited=exited,
            on_exit=lambda: None,
            cpu_s=lambda: 0.0,
        )
        conversation = Conversation(wiring, limits, session, cancelled=lambda: bool(session.seen))
        return conversation.serve(), len(session.seen)


@pytest.mark.parametrize("unread_kb", [300, 1000])
def test_answers_wait_up_to_the_bound(exited: int, unread_kb: int) -> None:
    limits = Limits(unread_kb=unread_kb)
    most = unread_kb * 1024 // ANSWER + 1
    ended, answered = asked(most, exited, limits)
    assert ended is not None
    assert (ended.status, answered) == (
        "cancelled",
        most,
    )  # all were answered, then the test ended it
    ended, answered = asked(most + 5, exited, limits)
    assert ended is not None
    assert (ended.status, answered) == ("protocol_error", most)
    assert f"of which {unread_kb} KiB wait" in ended.detail
