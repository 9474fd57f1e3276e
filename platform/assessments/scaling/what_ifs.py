"""What-ifs: the plan played against the published demand, a stated number of times in each round."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Any
from uuid import UUID

from django.http import Http404
from django.utils.translation import gettext
from rest_framework import status
from rest_framework.exceptions import APIException
from rest_framework.request import Request
from rest_framework.response import Response

from assessments import company
from assessments.api import CLOSED, Closed, SaveRequest
from assessments.candidate_data import run_row
from assessments.jobs import Result
from assessments.models import Attempt, Run
from assessments.scaling.access import PlanView, plan_of
from assessments.scaling.workplace import PLAN
from scenarios.company.profile.money import in_money
from scenarios.scaling.levels import LEVELS
from scenarios.scaling.measures import MEASURES

WORKLOAD = "median"
UNDER_WAY = "Your last what-if has not ended yet: wait for it or stop it, then ask again."


class UsedUp(APIException):
    status_code = status.HTTP_429_TOO_MANY_REQUESTS
    default_code = "what_ifs_used"


def allowed(attempt: Attempt) -> int:
    """What-ifs in each round of an attempt."""
    return LEVELS[attempt.level].what_ifs


def carried_out(attempt: Attempt) -> int:
    """What-ifs of the present round that were played; what failed on our side or was stopped is none."""
    return attempt.runs.filter(round=attempt.round, result=Result.DONE).count()


def used_up(attempt: Attempt) -> str:
    """The sentence for a candidate who has none left."""
    return gettext(
        "You have used the {count} what-ifs of this round. The checks go on, and the plan that you hand in is "
        "played in any case."
    ).format(count=allowed(attempt))


def told(attempt: Attempt, now: datetime) -> dict[str, Any]:
    """How many there are and are left, what is measured, and every what-if so far, the newest first."""
    rows = attempt.runs.select_related("draft", "attempt__pack_version")
    rows = rows.defer("report", "draft__body")
    money = company.of_attempt(attempt).currency
    left = max(0, allowed(attempt) - carried_out(attempt))
    return {
        "allowed": allowed(attempt),
        "left": left,
        "used_up": "" if left else used_up(attempt),
        "measures": [in_money(asdict(one), money) for one in MEASURES.values()],
        "runs": [_row(run, now) for run in rows],
    }


def _row(run: Run, now: datetime) -> dict[str, Any]:
    return run_row(run, now, with_report=False) | {
        "round": run.round,
        "counts": run.result == Result.DONE,
    }


def check_left(attempt: Attempt) -> None:
    if carried_out(attempt) >= allowed(attempt):
        raise UsedUp(used_up(attempt))


class WhatIfsView(PlanView):
    """GET: what there is. POST: save what the page holds, as a draft does, and play its plan."""

    def get(self, request: Request, pk: UUID) -> Response:
        return Response(told(self.attempt, self.now))

    def post(self, request: Request, pk: UUID) -> Response:
        fields = self.fields(request, SaveRequest)
        plan_of(fields["body"]["files"].get(PLAN, ""))
        saved = self.save(**fields, limited=False)
        if not saved.in_time:
            raise Closed(CLOSED)
        run = self.queue_run(saved, WORKLOAD, busy=UNDER_WAY, check=check_left)
        answer = {**_row(run, self.now), "saved": self.saved_answer(saved)}
        return Response(answer, status=status.HTTP_202_ACCEPTED)


class WhatIfView(PlanView):
    """One what-if with its figures and the plan that was played."""

    def get(self, request: Request, pk: UUID, run: UUID) -> Response:
        found = self.attempt.runs.select_related("draft").filter(pk=run).first()
        if found is None:
            raise Http404
        row = _row(found, self.now) | {"report": found.report}
        return Response(row | {"plan": found.draft.body["files"].get(PLAN, "")})
