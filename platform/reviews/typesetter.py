"""The process that sets pages as PDF files: started when the first is asked for, kept for the next ones."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from django.conf import settings

from reviews.pdf_process import DONE, HEAD, LENGTH, MISSING

MODULE = "reviews.pdf_process"
INHERITED = ("PATH", "HOME", "LANG", "LD_LIBRARY_PATH", "XDG_CACHE_HOME")
"""Where Pango's libraries are found, and where it keeps its list of fonts."""


class Missing(Exception):
    """WeasyPrint or a library that it needs is not there."""


class Failed(Exception):
    """No file was made of this page; what is known of why."""


class _Ended(Exception):
    """The process is no more; its return code."""

    def __init__(self, code: int) -> None:
        self.code = code


class _Setter:
    """One process that has been told what all its pages share."""

    def __init__(self, shared: Mapping[str, Any]) -> None:
        env = {name: os.environ[name] for name in INHERITED if name in os.environ}
        env["PYTHONPATH"] = f"{settings.ROOT}/platform:{settings.ROOT}"
        self.owner = os.getpid()
        self._process = subprocess.Popen(  # noqa: S603  (a module of our own)
            [sys.executable, "-m", MODULE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            env=env,
            start_new_session=True,  # Ctrl-C is for whoever waits for it, and that one ends it
        )
        try:
            self._tell(shared)
        except _Ended:
            self.end()
            raise

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_ours(self) -> bool:
        """Whether it runs, and was started by this process and not by the one that this was forked from."""
        return self.owner == os.getpid() and self._process.poll() is None

    def set_page(self, html: str, base: str, until: float) -> tuple[bytes, bytes]:
        """(kind, body) of the answer. Raises _Ended, or TimeoutError at `until` (s, monotonic)."""
        self._tell({"html": html, "base": base})
        kind, length = HEAD.unpack(self._read(HEAD.size, until))
        return kind, self._read(length, until)

    def _tell(self, what: Mapping[str, Any]) -> None:
        said = json.dumps(what).encode()
        stdin = self._process.stdin
        assert stdin is not None  # noqa: S101  (asked for above)
        left = memoryview(LENGTH.pack(len(said)) + said)
        try:
            while left:
                left = left[stdin.write(left) :]
        except BrokenPipeError:
            raise _Ended(self._process.wait()) from None

    def _read(self, size: int, until: float) -> bytes:
        assert self._process.stdout is not None  # noqa: S101
        pipe = self._process.stdout.fileno()
        poll = select.poll()
        poll.register(pipe, select.POLLIN)
        found = bytearray()
        while len(found) < size:
            if not poll.poll(max(0.0, until - time.monotonic()) * 1000):
                raise TimeoutError
            part = os.read(pipe, size - len(found))
            if not part:
                raise _Ended(self._process.wait())
            found += part
        return bytes(found)

    def end(self) -> None:
        """With the page that it sets, and its pipes."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        with self._process:
            pass


@dataclass
class Typesetter:
    """The process of this one; safe to use from several threads, which wait for each other."""

    _setter: _Setter | None = None
    _lock: Lock = field(default_factory=Lock)

    def page(self, html: str, base: str, *, shared: Mapping[str, Any], wall_s: float) -> bytes:
        """The page as a file. shared: what `pdf_process.ready` takes. Raises Missing or Failed."""
        until = time.monotonic() + wall_s
        with self._lock:
            try:
                kind, body = self._asked(html, base, shared, until)
            except (_Ended, TimeoutError) as error:
                self._drop()
                code = error.code if isinstance(error, _Ended) else None
                if code == MISSING:
                    raise Missing from None
                raise Failed("too slow" if code is None else f"it ended with {code}") from None
        if kind != DONE:
            raise Failed(body[-500:].decode(errors="replace"))
        return body

    def _asked(
        self, html: str, base: str, shared: Mapping[str, Any], until: float
    ) -> tuple[bytes, bytes]:
        """By the process that is there, or a new one, also where the old one went as it was asked."""
        if self._setter and self._setter.is_ours:
            try:
                return self._setter.set_page(html, base, until)
            except _Ended:
                self._drop()
        self._setter = _Setter(shared)
        return self._setter.set_page(html, base, until)

    @property
    def pid(self) -> int | None:
        """Of the process that is kept."""
        return self._setter.pid if self._setter else None

    def end(self) -> None:
        """End the process that is kept; the next page starts another."""
        with self._lock:
            self._drop()

    def _drop(self) -> None:
        if self._setter and self._setter.owner == os.getpid():
            self._setter.end()
        self._setter = None


TYPESETTER = Typesetter()
