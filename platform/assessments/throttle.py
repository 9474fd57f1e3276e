"""How fast an attempt's materials may be asked: as a person reads them, and a page full of charts at once.

Refused before anything else looks at the request, so that a program which asks as fast as it can costs
others next to nothing. Counted by the attempt that the address names, which nobody else knows: a session's
cookie is another one each time its link is opened. Saves, states, runs and Submit are not concerned.
"""

from __future__ import annotations

import re
import time
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Any

from django.http import HttpRequest, JsonResponse
from django.utils.translation import gettext

from assessments.link import COOKIE

ROOM = re.compile(
    r"/api/attempts/(?P<attempt>[0-9a-f-]{36})/room/(?:(?P<charts>metrics/)|query|bill/(?:pivot|sql|values))"
)
"""What is worked out anew for each request; files, the terminal and a plan's checks are not."""
ASKED = (30, 1.0)
"""Questions that people ask by hand: requests at once, and then a second."""
CHARTS = (60, 10.0)
"""A dashboard of forty panels, and what is scrolled into sight."""
BRIEF_S, EACH_SECOND = 1.0, 2.0
"""A question that takes longer than BRIEF_S costs EACH_SECOND more for each second: whoever asks heavy ones
without a pause holds a place half of the time, so that two of them leave one of the two (`places.EACH`)."""
ATTEMPTS = 4096
"""How many are remembered in one web process; the one that was quiet longest is forgotten."""
SENTENCE = (
    "Your questions come faster than they can be answered: the next one is asked in a moment."
)


class Buckets:
    """What each attempt has left; fills up by `per_s` to `at_once`. Safe to use from several threads."""

    def __init__(self, at_once: int, per_s: float) -> None:
        self._at_once, self._per_s = at_once, per_s
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = Lock()

    def take(self, attempt: str, now: float) -> bool:
        """Whether the attempt may ask one thing more at `now`, in seconds."""
        with self._lock:
            left = self._filled(attempt, now)
            self._left.pop(attempt, None)
            self._left[attempt] = (left - 1 if left >= 1 else left, now)
            if len(self._left) > ATTEMPTS:
                self._left.popitem(last=False)
            return left >= 1

    def spend(self, attempt: str, took_s: float, now: float) -> None:
        """Charges for an answer that took long; the debt is never more than what may be asked at once."""
        extra = (took_s - BRIEF_S) * EACH_SECOND
        with self._lock:
            if extra > 0 and attempt in self._left:
                left = self._filled(attempt, now) - extra
                self._left[attempt] = (max(left, -self._at_once), now)

    def _filled(self, attempt: str, now: float) -> float:
        left, at = self._left.get(attempt, (float(self._at_once), now))
        return min(self._at_once, left + (now - at) * self._per_s)


asked, charts = Buckets(*ASKED), Buckets(*CHARTS)


def _bucket(found: re.Match[str]) -> Buckets:
    return charts if found["charts"] else asked


def middleware(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """Refuses what comes faster with 429 and when to ask again; the page does so by itself."""

    def answer(request: HttpRequest) -> Any:
        found = ROOM.match(request.path)
        if not found or COOKIE not in request.COOKIES:
            return get_response(request)
        attempt, bucket, began = found["attempt"], _bucket(found), time.monotonic()
        if not bucket.take(attempt, began):
            body = {"detail": gettext(SENTENCE), "code": "busy"}
            return JsonResponse(body, status=429, headers={"Retry-After": "1"})
        response = get_response(request)
        now = time.monotonic()
        bucket.spend(attempt, now - began, now)
        return response

    return answer
