"""Questions in SQL: each in a confined process of its own, few at a time."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

from django.conf import settings

from scenarios.bill.query import LONGEST_SQL, MOST_SECONDS, TOO_LONG, BadQuery

AT_ONCE = 2
WAIT_S = 15
OTHERS = "Other queries are being worked on: ask again in a moment."
OWN = "Your last query is still being worked on: it ends within some seconds."
_places = threading.BoundedSemaphore(AT_ONCE)
_asking: set[UUID] = set()
_own = threading.Lock()


class Busy(Exception):
    """A query of the same attempt, or others', are being worked on; one sentence."""


def answer(file: Path, text: str, who: UUID) -> dict[str, Any]:
    """{"columns", "rows", "cut", "seconds"} of one SELECT.

    `who` asks has one question at a time, so that nobody can take the places of everybody. Raises
    BadQuery with one sentence, or Busy.
    """
    if len(text) > LONGEST_SQL:
        raise BadQuery(f"A query has at most {LONGEST_SQL:,} characters.")
    with _place(who):
        told = _asked(file, text)
    if "error" in told:
        raise BadQuery(str(told["error"]))
    return told


@contextmanager
def _place(who: UUID) -> Iterator[None]:
    with _own:
        if who in _asking:
            raise Busy(OWN)
        _asking.add(who)
    try:
        if not _places.acquire(timeout=WAIT_S):
            raise Busy(OTHERS)
        try:
            yield
        finally:
            _places.release()
    finally:
        with _own:
            _asking.discard(who)


def _asked(file: Path, text: str) -> dict[str, Any]:
    """What the process says. It inherits no environment: there is nothing in it to find."""
    command = [sys.executable, "-E", "-s", "-S", "-m", "scenarios.bill.ask", str(file)]
    try:
        done = subprocess.run(  # noqa: S603  (our own command line; the query goes by standard input)
            command,
            input=json.dumps({"sql": text}).encode(),
            cwd=settings.ROOT,
            env={},
            capture_output=True,
            timeout=2 * MOST_SECONDS + 4,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise BadQuery(TOO_LONG) from None
    if done.returncode < 0:
        raise BadQuery(TOO_LONG)
    if done.returncode:
        raise BadQuery("The query needs more memory than there is for one.")
    # What JSON has no number for is text from here on: a page could read nothing of the answer else.
    found: dict[str, Any] = json.loads(done.stdout, parse_constant=str)
    return found
