"""Places for work that takes longer than a save may wait: few of each kind, and one for each asker.

All kinds together never hold so many threads of a web process that none is left for saves, states, Submit and
health, which take no place. Knows nothing of what is done in one.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from threading import BoundedSemaphore, Lock
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from rest_framework.exceptions import APIException

SPARED = 3
"""Threads of a web process that no expensive work ever holds."""
WAIT_S = 0.3
EACH = {
    "query": 2,
    "charts": 2,
    "logs": 1,
    "tables": 2,
    "sql": 2,
    "file": 1,
    "replay": 1,
}
"""Kind of work -> how many are done at once in one web process."""


class Busy(APIException):
    """There is no place now; one sentence for whoever asked. `wait`: seconds, told as Retry-After."""

    status_code = 429
    default_detail = (
        "Every place for questions like this one is taken: it is asked again in a moment."
    )
    default_code = "busy"
    wait = 1


class Asking(Busy):
    """The same asker's last one has not ended yet."""

    default_detail = "Your last question is still being worked on: the next one waits for it."
    default_code = "asking"


class Places:
    """The places of one process; safe to use from several threads. `most` counts those of all kinds."""

    def __init__(self, most: int, each: Mapping[str, int]) -> None:
        self._all = BoundedSemaphore(most)
        self._kinds = {kind: BoundedSemaphore(count) for kind, count in each.items()}
        self._askers: set[tuple[str, Hashable]] = set()
        self._lock = Lock()

    @property
    def held(self) -> int:
        """How many threads work, or wait for the blink of an eye that WAIT_S is."""
        with self._lock:
            return len(self._askers)

    @contextmanager
    def place(self, kind: str, asker: Hashable) -> Iterator[None]:
        """A place for as long as the work takes. Raises Busy or Asking, within WAIT_S."""
        with self._alone((kind, asker)), _one_of(self._all, 0), _one_of(self._kinds[kind], WAIT_S):
            yield

    @contextmanager
    def _alone(self, asker: tuple[str, Hashable]) -> Iterator[None]:
        with self._lock:
            if asker in self._askers:
                raise Asking
            self._askers.add(asker)
        try:
            yield
        finally:
            with self._lock:
                self._askers.discard(asker)


@contextmanager
def _one_of(places: BoundedSemaphore, wait_s: float) -> Iterator[None]:
    if not places.acquire(timeout=wait_s):
        raise Busy
    try:
        yield
    finally:
        places.release()


PLACES = Places(max(1, settings.WEB_THREADS - SPARED), EACH)


def in_place(kind: str) -> Callable[[Callable[..., HttpResponse]], Callable[..., HttpResponse]]:
    """A page whose work needs a place; where there is none, a page that asks again by itself.

    The asker is the member of staff who is signed in, or else the attempt that the address names.
    """

    def placed(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
        @wraps(view)
        def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            try:
                with PLACES.place(kind, request.user.pk or kwargs.get("pk")):
                    return view(request, *args, **kwargs)
            except Busy as busy:
                return waiting(request, busy)

        return answer

    return placed


def waiting(request: HttpRequest, busy: Busy) -> HttpResponse:
    """The page that says what is waited for, and comes back to the address it stands at."""
    answer = render(request, "assessments/waiting.html", {"sentence": busy.detail}, status=429)
    answer["Retry-After"], answer["Refresh"] = str(busy.wait), str(2 * busy.wait)
    answer["Cache-Control"] = "no-store"
    return answer
