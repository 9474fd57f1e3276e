"""Questions to a variant's data, each worked out by a process that can be ended without harm.

The processes are kept for the next question and prefer the variant that they had before. How many there are
follows from the places in which questions are asked.
"""

from __future__ import annotations

import json
import logging
import os
import select
import signal
import subprocess
import sys
import time
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from socket import socket
from threading import Lock
from typing import Any

from django.conf import settings
from rest_framework.exceptions import APIException

from assessments.places import Busy
from assessments.troubleshooting.answerer import DONE, FAILED, HEAD, LENGTH
from assessments.troubleshooting.metrics_answers import VARIANTS

logger = logging.getLogger(__name__)
WALL_S = 20
TOO_LONG = "That took longer than a question may and was stopped: ask for less at once."
TOO_MUCH = "That could not be worked out: ask for it in a simpler way."


class Refused(Exception):
    """The question has no answer: one sentence, and where in the question that is, if it is known."""

    def __init__(self, message: str, position: int | None = None) -> None:
        super().__init__(message)
        self.position = position


class TooSlow(APIException):
    """The host was too busy to work it out in time; says nothing of the question."""

    status_code = 429
    default_detail = (
        "The server is very busy and could not work that out in time: ask again in a minute."
    )
    default_code = "slow"


class Left(APIException):
    """Whoever asked has closed the connection, as a page does whose Stop is pressed."""

    status_code = 499
    default_detail = "Whoever asked this no longer waits for it."
    default_code = "left"


class _Ended(Exception):
    """The process is no more; its return code."""

    def __init__(self, code: int) -> None:
        self.code = code


class _Answerer:
    """One process and the folders whose columns it still holds, the last one asked about at the end."""

    def __init__(self) -> None:
        self.folders: deque[Path] = deque(maxlen=VARIANTS)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "assessments.troubleshooting.answerer"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            cwd=settings.ROOT,
            env={
                "PYTHONPATH": f"{settings.ROOT}/platform:{settings.ROOT}",
                "OPENBLAS_NUM_THREADS": "1",
            },
            start_new_session=True,  # Ctrl-C is for whoever waits for it, and that one ends it
        )

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    def ask(
        self, question: bytes, until: float, asker: socket | None = None
    ) -> tuple[bytes, bytes]:
        """(kind, body) of the answer. Raises _Ended, Left, or TooSlow at `until` (s, monotonic)."""
        stdin = self._process.stdin
        assert stdin is not None  # noqa: S101  (asked for above)
        try:
            stdin.write(LENGTH.pack(len(question)) + question)
        except BrokenPipeError:
            raise _Ended(self._process.wait()) from None
        kind, length = HEAD.unpack(self._read(HEAD.size, until, asker))
        return kind, self._read(length, until)

    def _read(self, size: int, until: float, asker: socket | None = None) -> bytes:
        assert self._process.stdout is not None  # noqa: S101
        pipe = self._process.stdout.fileno()
        poll = select.poll()
        poll.register(pipe, select.POLLIN)
        if asker is not None:
            poll.register(asker, select.POLLRDHUP)
        found = bytearray()
        while len(found) < size:
            heard = dict(poll.poll(max(0.0, until - time.monotonic()) * 1000))
            if not heard:
                raise TooSlow
            if pipe not in heard:
                raise Left
            part = os.read(pipe, size - len(found))
            if not part:
                raise _Ended(self._process.wait())
            found += part
        return bytes(found)

    def end(self) -> None:
        self._process.kill()
        with self._process:  # closes the pipes, and waits
            pass


@dataclass
class Answerers:
    """The processes of one web process; safe to use from several threads."""

    _idle: list[_Answerer] = field(default_factory=list)
    _lock: Lock = field(default_factory=Lock)

    def ask(self, question: str, folder: Path, **given: Any) -> bytes:
        """The answer in bytes. Raises Refused; TooSlow or Busy where the host could not work it out now."""
        return self.ask_for(None, question, folder, **given)

    def ask_for(self, asker: socket | None, question: str, folder: Path, **given: Any) -> bytes:
        """As ask, for somebody who waits on a connection: when they close it, the work ends with Left."""
        told = json.dumps({"question": question, "folder": str(folder), "given": given}).encode()
        try:
            kind, body = self._asked(told, folder, asker)
        except _Ended as ended:
            if ended.code == 0:  # it had been idle for long, and went as the question came
                raise Busy from None
            logger.warning("A question ended its process (%s): %.300s", ended.code, told.decode())
            if (
                ended.code == -signal.SIGKILL
            ):  # by the host, for want of memory: not the question's doing
                raise TooSlow from None
            raise Refused(TOO_LONG if ended.code == -signal.SIGXCPU else TOO_MUCH) from None
        if kind == DONE:
            return body
        if kind == FAILED:
            raise RuntimeError(body.decode())
        refused = json.loads(body)
        raise Refused(refused["detail"], refused["position"])

    def _asked(self, told: bytes, folder: Path, asker: socket | None) -> tuple[bytes, bytes]:
        answerer = self._taken(folder)
        try:
            answer = answerer.ask(told, time.monotonic() + WALL_S, asker)
        except BaseException:
            answerer.end()
            raise
        if folder in answerer.folders:
            answerer.folders.remove(folder)
        answerer.folders.append(folder)
        with self._lock:
            self._idle.append(answerer)
        return answer

    def _taken(self, folder: Path) -> _Answerer:
        """One that knows the folder, or else the one that has waited the shortest, or a new one."""
        with self._lock:
            gone = [one for one in self._idle if not one.is_running]
            self._idle = [one for one in self._idle if one not in gone]
            known = [one for one in self._idle if folder in one.folders] or self._idle[-1:]
            if known:
                self._idle.remove(known[0])
        for one in gone:
            one.end()
        return known[0] if known else _Answerer()


ANSWERERS = Answerers()
