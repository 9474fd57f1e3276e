"""What each test has the site ask of its database, and which tests ask all of it in the least time.

Nothing is learned where a second database is asked the same by two tests. The same is: by one function of the
site, one statement but for its values, with one outcome. Types, locks and aborted transactions hang on these.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pytest
from django.db import DEFAULT_DB_ALIAS, connections

PLATFORM = str(Path(__file__).resolve().parents[2])
REPEATED = re.compile(r"(%s|\(%s(?:, %s)*\))(?:, \1)+")
SAVEPOINT = re.compile(r'SAVEPOINT "?s\d+_x\d+"?')
START_S = 0.5
"""What making ready for a test takes, about, beside the test itself."""

Known = Mapping[str, tuple[float, frozenset[str]]]
"""Of each test its seconds, and marks of what it asks."""


@cache
def shape(statement: str) -> str:
    """A statement without what differs from call to call: how many values, names of savepoints."""
    return SAVEPOINT.sub("SAVEPOINT", REPEATED.sub(r"\1", statement))


def _place() -> str | None:
    """The nearest function of the site; None for what a test asks by itself."""
    frame: Any = sys._getframe(2)
    while frame is not None:
        code = frame.f_code
        # Who listens as well stands in between.
        if code.co_filename.startswith(PLATFORM) and code.co_filename != __file__:
            inside = code.co_filename.removeprefix(PLATFORM)
            return None if "/tests/" in inside else f"{inside}:{code.co_qualname}"
        frame = frame.f_back
    return None


@contextmanager
def listening(found: set[tuple[str, str, str]]) -> Iterator[None]:
    """Add (function, statement, name of the error or nothing) of all that this thread asks meanwhile."""

    def heard(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        place, outcome = _place(), ""
        try:
            return execute(sql, params, many, context)
        except Exception as error:
            outcome = type(error).__name__
            raise
        finally:
            if place is not None:
                found.add((place, shape(sql), outcome))

    # A browser's event loop gives the same thread another connection on the way.
    mine = connections[DEFAULT_DB_ALIAS]
    mine.execute_wrappers.append(heard)
    try:
        yield
    finally:
        mine.execute_wrappers.remove(heard)


class Recorder:
    """Keeps what each test that passes has asked, in a file of this process in `folder`."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / f"{os.getpid()}.jsonl"
        self.seconds: dict[str, float] = {}
        folder.mkdir(parents=True, exist_ok=True)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        found: set[tuple[str, str, str]] = set()
        with listening(found):
            done = yield
        if item.nodeid in self.seconds:
            asked = sorted(
                blake2b("\n".join(one).encode(), digest_size=8).hexdigest() for one in found
            )
            row = {"test": item.nodeid, "seconds": self.seconds[item.nodeid], "asked": asked}
            with self.path.open("a") as file:
                file.write(json.dumps(row) + "\n")
        return done

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, Any, Any]:
        began = time.monotonic()
        done = yield
        self.seconds[item.nodeid] = time.monotonic() - began
        return done


def known(folder: Path) -> Known:
    """What was kept there. Raises FileNotFoundError where nothing was."""
    paths = sorted(folder.glob("*.jsonl"))
    if not paths:
        raise FileNotFoundError(f"No test's statements are kept in {folder}.")
    rows = [json.loads(line) for path in paths for line in path.open()]
    return {row["test"]: (row["seconds"], frozenset(row["asked"])) for row in rows}


def enough(tests: Known) -> set[str]:
    """Some that together ask all that these ask: one after another, which adds most for its time."""
    chosen: set[str] = set()
    met: frozenset[str] = frozenset()
    left = dict(tests)
    while left:
        worth = {
            name: len(asked - met) / (START_S + seconds) for name, (seconds, asked) in left.items()
        }
        best = max(sorted(worth), key=worth.__getitem__)
        if not worth[best]:
            break
        chosen.add(best)
        met |= left[best][1]
        # What adds nothing now adds nothing later.
        left = {name: left[name] for name in left if worth[name] and name != best}
    return chosen
