"""Questions in SQL: each in a confined process of its own, as the text is the candidate's."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Hashable
from pathlib import Path
from typing import Any

from django.conf import settings

from assessments.places import PLACES
from scenarios.cost.query import LONGEST_SQL, MOST_SECONDS, TOO_LONG, BadQuery

LONGEST_S = 2 * MOST_SECONDS + 4
"""Of the whole process: the query counts processor time; a busy host takes twice that, and has to start it."""


def answer(file: Path, text: str, asker: Hashable) -> dict[str, Any]:
    """{"columns", "rows", "cut", "seconds"} of one SELECT.

    Raises BadQuery with one sentence, or places.Busy where there is no place for it.
    """
    if len(text) > LONGEST_SQL:
        raise BadQuery(f"A query has at most {LONGEST_SQL:,} characters.")
    with PLACES.place("sql", asker):
        told = _asked(file, text)
    if "error" in told:
        raise BadQuery(str(told["error"]))
    return told


def _asked(file: Path, text: str) -> dict[str, Any]:
    """What the process says. It inherits no environment: there is nothing in it to find."""
    command = [sys.executable, "-E", "-s", "-S", "-m", "scenarios.cost.ask", str(file)]
    try:
        done = subprocess.run(  # noqa: S603  (our own command line; the query goes by standard input)
            command,
            input=json.dumps({"sql": text}).encode(),
            cwd=settings.ROOT,
            env={},
            capture_output=True,
            timeout=LONGEST_S,
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
