"""What the lines of a log are about: request, attempt, run and job, for as long as they are worked on.

Read by whoever writes logs; lies lowest of all parts, so that each of them can say what it works on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from contextvars import ContextVar

_marks: ContextVar[dict[str, str] | None] = ContextVar("log_marks", default=None)

around: list[Callable[[dict[str, str]], AbstractContextManager[None]]] = []
"""What wants to know of work as it begins and ends: each is entered with the ids that are new."""


def marks() -> dict[str, str]:
    """{name: id} of what this thread works on now."""
    return _marks.get() or {}


@contextmanager
def marked(**ids: object) -> Iterator[None]:
    """Lines written inside name these as well; empty ids are left out."""
    said = {name: str(value) for name, value in ids.items() if value not in (None, "")}
    before = _marks.set(marks() | said)
    try:
        with ExitStack() as opened:
            for enter in around:
                opened.enter_context(enter(said))
            yield
    finally:
        _marks.reset(before)
