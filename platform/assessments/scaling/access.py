"""Who may have a plan checked and played: the candidate whose plan it is, while they work."""

from __future__ import annotations

from typing import Any

from django.http import Http404
from django.utils.translation import gettext
from rest_framework.exceptions import APIException
from rest_framework.request import Request

from assessments import company
from assessments.escapes import writable
from assessments.models import Attempt
from assessments.workplace.access import RoomView
from scenarios.scaling.draw import scene_of
from scenarios.scaling.plan import BadPlan, Plan
from scenarios.scaling.reading import parse
from scenarios.scaling.scene import Scene

LONGEST_PLAN = 200_000


class Unreadable(APIException):
    status_code = 400
    default_code = "plan"


class PlanView(RoomView):
    """Needs no materials on this host: the scene follows from the seed."""

    kind = "scaling"

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        self.admit(request, *args, **kwargs)
        exercise = self.attempt.exercise
        if not exercise.has_room or exercise.traits.name != self.kind:
            raise Http404


def scene(attempt: Attempt) -> Scene:
    """What the attempt's plan is for; kept by the model for the next who asks."""
    return scene_of(company.of_attempt(attempt), attempt.level, attempt.seed)


def plan_of(text: object) -> Plan:
    """The plan in the text of plan.json. Raises Unreadable with one sentence."""
    if not isinstance(text, str):
        raise Unreadable("Send the plan as text.")
    if len(text) > LONGEST_PLAN:
        raise Unreadable(
            gettext(
                "The plan is {length} characters long and may have {most}: shorten its notes."
            ).format(length=f"{len(text):,}", most=f"{LONGEST_PLAN:,}")
        )
    try:
        return parse(writable(text))
    except BadPlan as error:
        raise Unreadable(str(error)) from error
