"""The judge's end of a terminal's channel: bytes both ways, bounded; knows no database and no sandbox."""

from __future__ import annotations

import base64
import contextlib
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from assessments.terminal.cluster import Cluster, Reply
from sandbox import CallRefused

RATE, BURST = 256 << 10, 512 << 10
"""Bytes a second that a shell may print in the long run, and at once; the terminal holds it to that."""
OVERDRAWN = 2 << 20
MOST_PRINTED = 64 << 20
PART = 96 << 10
MOST_COMMANDS = 4000
MOST_PATHS = 64
LONGEST_LINE = 2000
MOST_HALVES = 32
"""Answers of which the rest has not been asked for; a program that leaves more loses the oldest."""
HIGHEST_CODE = 999
"""What the shell of a hostile program may claim and the column holds; true ones end at 255."""
SHELL, CLUSTER = "shell", "cluster"
NOT_KNOWN = "This terminal knows no such request."


@dataclass(frozen=True)
class Ran:
    """A command: as the shell reported it, or as the cluster answered it, which nothing can suppress."""

    source: str
    host: str
    line: str
    code: int
    ms: int
    at: float


class Flow:
    """A bucket of bytes that fills at RATE: says how long to wait, and when nobody waited."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._left, self._at = clock, float(BURST), clock()
        self.total = 0

    def take(self, size: int) -> float:
        """Seconds to wait before more is sent. Raises OverflowError where the bounds are broken."""
        now = self._clock()
        self._left = min(BURST, self._left + (now - self._at) * RATE) - size
        self._at = now
        self.total += size
        if self._left < -OVERDRAWN or self.total > MOST_PRINTED:
            raise OverflowError
        return max(0.0, -self._left / RATE)


class Traffic:
    """Answers a shell's questions and speaks to it. A sandbox.Session that is Speaking.

    The sandbox's thread calls `call` and `spoken`, the host's thread the rest.
    """

    complete = True

    def __init__(self, cluster: Callable[[], Cluster], news: threading.Event) -> None:
        self.wake = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self.stop = threading.Event()
        self.flooded = self.has_left = False
        self._cluster, self._news = cluster, news
        self._lock = threading.Lock()
        self._unsaid: list[object] = []
        self._printed = bytearray()
        self._ran: list[Ran] = []
        self._flow, self._count = Flow(), 0
        self._parts: dict[int, Parts] = {}

    def close(self) -> None:
        with self._lock:
            wake, self.wake = self.wake, -1
        if wake >= 0:
            os.close(wake)

    # Towards the shell

    def type(self, data: bytes) -> None:
        for at in range(0, len(data), PART):
            self._say({"input": base64.b64encode(data[at : at + PART]).decode()})

    def resize(self, columns: int, rows: int) -> None:
        self._say({"size": [columns, rows]})

    def _say(self, what: object) -> None:
        with self._lock:
            self._unsaid.append(what)
            if self.wake >= 0:
                os.eventfd_write(self.wake, 1)

    def spoken(self) -> list[object]:
        with self._lock:
            said, self._unsaid = self._unsaid, []
            with contextlib.suppress(BlockingIOError):
                os.eventfd_read(self.wake)
        return said

    # From the shell

    def printed(self) -> bytes:
        """Take what the shell has printed since the last time."""
        with self._lock:
            data, self._printed = bytes(self._printed), bytearray()
        return data

    def put_back(self, data: bytes) -> None:
        """What could not be kept now and has to be taken again."""
        with self._lock:
            self._printed = bytearray(data) + self._printed

    def ran(self) -> list[Ran]:
        """Take the commands since the last time."""
        with self._lock:
            found, self._ran = self._ran, []
        return found

    def put_back_ran(self, found: list[Ran]) -> None:
        with self._lock:
            self._ran = found + self._ran

    def call(self, method: str, params: dict[str, object]) -> object:
        answers = {
            "output": self._output,
            "report": self._report,
            "command": self._command,
            "more": self._more,
            "host": self._host,
            "files": self._files,
            "ended": self._ended,
        }
        if method not in answers:
            raise CallRefused("unknown", NOT_KNOWN)
        return answers[method](params)

    def _output(self, params: dict[str, object]) -> object:
        try:
            data = base64.b64decode(_text(params, "data", 100_000), validate=True)
        except ValueError:
            raise CallRefused("odd", NOT_KNOWN) from None
        try:
            wait_s = self._flow.take(len(data))
        except OverflowError:
            self.flooded = True
            self.stop.set()
            wait_s = 60.0
        with self._lock:
            self._printed += data
        self._news.set()
        return {"wait_s": round(wait_s, 3)}

    def _report(self, params: dict[str, object]) -> object:
        line, host = _text(params, "line", 10_000), _text(params, "host", 200)
        code, ms = _number(params, "code"), _number(params, "ms")
        self._record(SHELL, host, line, min(code, HIGHEST_CODE), ms)
        return {}

    def _command(self, params: dict[str, object]) -> object:
        host, stdin = _text(params, "host", 200), _text(params, "stdin", 100_000)
        argv = params.get("argv")
        if not isinstance(argv, list) or not argv or not all(type(one) is str for one in argv):
            raise CallRefused("odd", NOT_KNOWN)
        if self._count >= MOST_COMMANDS:
            raise CallRefused(
                "many", f"{argv[0]}: this terminal has run {MOST_COMMANDS} commands; restart it."
            )
        began = time.monotonic()
        reply = self._cluster().run(host, argv, stdin)
        took = round((time.monotonic() - began) * 1000)
        self._record(CLUSTER, host, " ".join(argv), reply.code, took)
        return self._begin(Parts(reply.code, reply.stdout.encode(), reply.stderr.encode()))

    def _host(self, params: dict[str, object]) -> object:
        cluster, host = self._cluster(), _text(params, "host", 200)
        found = cluster.resolve(host)
        if isinstance(found, Reply):
            raise CallRefused("unreachable", found.stderr.rstrip("\n"))
        return {"name": found, "commands": cluster.commands(found)}

    def _files(self, params: dict[str, object]) -> object:
        wanted = params.get("paths")
        if not isinstance(wanted, list) or len(wanted) > MOST_PATHS:
            raise CallRefused("odd", NOT_KNOWN)
        paths = [one for one in wanted if type(one) is str and one.startswith("/")]
        files = self._cluster().files(_text(params, "host", 200), paths)
        pieces = [
            (path, text.encode()[at : at + PART], at > 0)
            for path, text in sorted(files.items())
            for at in range(0, max(1, len(text.encode())), PART)
        ]
        return self._begin(Pieces(pieces))

    def _begin(self, parts: Parts) -> object:
        number = max(self._parts, default=0) + 1
        while len(self._parts) >= MOST_HALVES:
            del self._parts[min(self._parts)]
        self._parts[number] = parts
        return self._next(number)

    def _more(self, params: dict[str, object]) -> object:
        number = _number(params, "number")
        if number not in self._parts:
            raise CallRefused("unknown", NOT_KNOWN)
        return self._next(number)

    def _next(self, number: int) -> object:
        answer, ended = self._parts[number].next()
        if ended:
            del self._parts[number]
        return {**answer, "more": 0 if ended else number}

    def _ended(self, params: dict[str, object]) -> object:
        self.has_left = True
        return {}

    def _record(self, source: str, host: str, line: str, code: int, ms: int) -> None:
        host, line = host.replace("\0", ""), line.replace("\0", "")  # which a database refuses
        with self._lock:
            if self._count < MOST_COMMANDS:
                self._count += 1
                self._ran.append(
                    Ran(source, host[:100], line[:LONGEST_LINE], code, ms, time.time())
                )
        self._news.set()


class Parts:
    """A command's answer, handed out a part at a time."""

    def __init__(self, code: int, out: bytes, err: bytes) -> None:
        self._code, self._out, self._err = code, out, err

    def next(self) -> tuple[dict[str, Any], bool]:
        out, self._out = self._out[:PART], self._out[PART:]
        err, self._err = self._err[:PART], self._err[PART:]
        answer = {"out": _base64(out), "err": _base64(err), "code": self._code}
        return answer, not (self._out or self._err)


class Pieces(Parts):
    """Files, each in pieces: {path: bytes} and whether they belong behind what was sent of it before."""

    def __init__(self, pieces: list[tuple[str, bytes, bool]]) -> None:
        self._pieces = pieces

    def next(self) -> tuple[dict[str, Any], bool]:
        if not self._pieces:
            return {"files": {}}, True
        path, data, goes_on = self._pieces.pop(0)
        chosen, size = {path: _base64(data)}, len(data)
        while self._pieces and not self._pieces[0][2] and not goes_on and size < PART:
            if len(self._pieces) > 1 and self._pieces[1][2]:
                break
            path, data, _ = self._pieces.pop(0)
            chosen[path] = _base64(data)
            size += len(data)
        return {"files": chosen, "goes_on": goes_on}, not self._pieces


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _text(params: dict[str, object], name: str, longest: int) -> str:
    value = params.get(name)
    if type(value) is not str or len(value) > longest:
        raise CallRefused("odd", NOT_KNOWN)
    return value


def _number(params: dict[str, object], name: str) -> int:
    value = params.get(name)
    if type(value) is not int or not 0 <= value < 2**31:
        raise CallRefused("odd", NOT_KNOWN)
    return value
