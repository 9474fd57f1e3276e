"""How a candidate's cluster stands: nodes, queue and how it moved, as the cluster's own tools told its host."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import F
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from assessments.live_slurm import checks
from assessments.live_slurm.access import ClusterView
from assessments.models import Attempt, LiveCluster

MOST_LOOKS = 2_000


class Since(serializers.Serializer[Any]):
    """The newest look that the page has, in ms since 1970."""

    after = serializers.IntegerField(min_value=0, max_value=2**53, default=0)


def told(attempt: Attempt, after: int, now: datetime) -> dict[str, Any]:
    """Times in ms since 1970; a look is [at, running, waiting, GPUs in use, nodes that take jobs]."""
    cluster = LiveCluster.objects.filter(attempt=attempt).first()
    found: dict[str, Any] = {
        "now": _ms(now),
        "ready": cluster is not None,
        "checks": checks.told(attempt, now),
    }
    if cluster is None:
        return found | {"viewed": None, "began": None, "nodes": [], "jobs": [], "looks": []}
    return found | {
        "viewed": _ms(cluster.viewed_at) if cluster.viewed_at else None,
        "began": _ms(cluster.began_at),
        "nodes": cluster.view.get("nodes", []),
        "jobs": cluster.view.get("jobs", []),
        "looks": looks(cluster, after),
    }


def looks(cluster: LiveCluster, after: int = 0) -> list[list[int]]:
    """The history after an instant, the oldest first."""
    rows = cluster.looks.order_by("-at").values_list("at", "running", "waiting", "gpus", "up")
    found = [[_ms(at), *counts] for at, *counts in rows[:MOST_LOOKS]]
    return [row for row in reversed(found) if row[0] > after]


def _ms(at: datetime) -> int:
    return round(at.timestamp() * 1000)


class StandingView(ClusterView):
    def get(self, request: Request, pk: UUID) -> Response:
        since = Since(data=request.query_params)
        since.is_valid(raise_exception=True)
        return Response(told(self.attempt, since.validated_data["after"], self.now))


class ShellView(ClusterView):
    """A new shell in place of one that hangs; the cluster goes on."""

    def post(self, request: Request, pk: UUID) -> Response:
        LiveCluster.objects.filter(attempt=self.attempt).update(shells=F("shells") + 1)
        return Response({}, status=status.HTTP_202_ACCEPTED)
