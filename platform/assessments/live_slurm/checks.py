"""Checks: how many of those who wait would begin, tried on a copy; one at a time, as often as wanted."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _
from rest_framework import status
from rest_framework.exceptions import APIException
from rest_framework.request import Request
from rest_framework.response import Response

from assessments.api import CLOSED, Closed, SaveRequest
from assessments.candidate_data import run_row
from assessments.live_slurm import keeping
from assessments.live_slurm.access import ClusterView
from assessments.live_slurm.workplace import CHECK
from assessments.models import Attempt

MOST_LISTED = 30


class NoCluster(APIException):
    status_code = status.HTTP_409_CONFLICT
    default_code = "no_cluster"


def told(attempt: Attempt, now: datetime) -> list[dict[str, Any]]:
    """The newest checks first, each with its one sentence; nothing that says which job or why."""
    rows = attempt.runs.select_related("draft", "attempt__exercise", "attempt__pack_version")
    rows = rows.filter(workload=CHECK).order_by("-created_at")[:MOST_LISTED]
    return [run_row(run, now, with_report=False) | {"round": run.round} for run in rows]


class ChecksView(ClusterView):
    """GET: the checks so far. POST: save what the page holds, keep the cluster, and try it."""

    def get(self, request: Request, pk: UUID) -> Response:
        return Response({"checks": told(self.attempt, self.now)})

    def post(self, request: Request, pk: UUID) -> Response:
        fields = self.fields(request, SaveRequest)
        saved = self.save(**fields, limited=False)
        if not saved.in_time:
            raise Closed(CLOSED)
        busy = _("Your last check has not ended yet: wait for it or stop it, then check again.")
        run = self.queue_run(saved, CHECK, busy=busy, check=self._wanted)
        answer = {
            **run_row(run, self.now, with_report=False),
            "saved": self.saved_answer(saved),
        }
        return Response(answer, status=status.HTTP_202_ACCEPTED)

    def _wanted(self, attempt: Attempt) -> None:
        if not keeping.want(attempt, now=self.now):
            raise NoCluster(_("Your cluster has not started yet: check once it is there."))
