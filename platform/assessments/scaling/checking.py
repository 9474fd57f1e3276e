"""Live checks of the plan that is being written: budget, power, ports, racks, lead times."""

from __future__ import annotations

from collections import OrderedDict, deque
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from threading import Lock
from typing import Any
from uuid import UUID

from rest_framework.exceptions import APIException
from rest_framework.request import Request
from rest_framework.response import Response

from assessments.scaling.access import PlanView, plan_of, scene
from scenarios.scaling.checks import checks

MOST, PER = 120, timedelta(minutes=1)
"""A page asks after every pause in typing, two a second at most; more is a program."""
REMEMBERED = 500


class TooOften(APIException):
    status_code = 429
    default_detail = "The plan was checked very often: the next check follows in a moment."
    default_code = "too_many_checks"


@dataclass
class Pace:
    """How often each attempt has asked this process lately."""

    _asked: OrderedDict[UUID, deque[datetime]] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

    def admits(self, attempt: UUID, now: datetime) -> bool:
        """Whether one more is within MOST in PER; it is then counted."""
        with self._lock:
            times = self._asked.setdefault(attempt, deque())
            self._asked.move_to_end(attempt)
            while len(self._asked) > REMEMBERED:
                self._asked.popitem(last=False)
            while times and times[0] <= now - PER:
                times.popleft()
            if len(times) >= MOST:
                return False
            times.append(now)
            return True


PACE = Pace()


class ChecksView(PlanView):
    """POST {"plan": text of plan.json}: what holds in it and what does not. Stores nothing."""

    def post(self, request: Request, pk: UUID) -> Response:
        if not PACE.admits(self.attempt.pk, self.now):
            raise TooOften
        data: Any = request.data
        plan = plan_of(data.get("plan") if isinstance(data, dict) else None)
        return Response(checks(scene(self.attempt), plan).to_dict())
