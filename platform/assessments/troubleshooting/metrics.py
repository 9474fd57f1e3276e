"""The metrics of the room: catalogue, layout of the dashboards, lines, heat map, and the query box.

All of it is worked out in processes of their own; each asker has one place for charts and one for queries.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.urls import path
from rest_framework.exceptions import APIException
from rest_framework.request import Request
from rest_framework.response import Response

from assessments.materials.result_cache import Kept
from assessments.places import PLACES
from assessments.troubleshooting.answering import ANSWERERS, Refused
from assessments.workplace.access import RoomView, packed

BINARY, JSON = "application/octet-stream", "application/json"
KEEP_ANSWERS = 24_000_000
ENTRY = 500
"""Bytes that an answer takes beside its own."""
KEPT: Kept[bytes] = Kept(KEEP_ANSWERS, lambda answer: len(answer) + ENTRY)


class Unfit(APIException):
    status_code = 400
    default_code = "metrics"


class MetricsView(RoomView):
    """Answers a question to the metrics of the attempt's variant."""

    kind = "troubleshooting"

    def kept(self, request: Request, kind: str, question: str, **given: Any) -> HttpResponse:
        """An answer that is kept for the next who asks the same of the same variant."""
        asked = request.get_full_path().partition("/room/")[2]
        # An address may be far longer than its answer, and nothing counts what keys take.
        key = (self.room.folder, sha256(asked.encode()).digest())
        try:
            answer = KEPT.get(key, lambda: self._worked_out(question, **given))
        except Refused as error:
            raise Unfit(str(error)) from error
        return packed(request, answer, kind)

    def _worked_out(self, question: str, **given: Any) -> bytes:
        with PLACES.place("charts", self.asker):
            return ANSWERERS.ask(question, self.room.folder, **given)


def times(request: Request) -> dict[str, int | None]:
    """The stretch that is asked for (ms); None is where the recording begins or ends. Raises Unfit."""
    return {
        name: whole(request, name, 0) if name in request.query_params else None
        for name in ("from", "to")
    }


def whole(request: Request, name: str, default: int) -> int:
    """A whole number of the address. Raises Unfit."""
    text = request.query_params.get(name, str(default))
    if not text.isascii() or not text.removeprefix("-").isdigit() or len(text) > 15:
        raise Unfit(f"“{name}” has to be a whole number.")
    return int(text)


class CatalogueView(MetricsView):
    """Every metric with its labels."""

    def get(self, request: Request, pk: UUID) -> HttpResponse:
        return self.kept(request, JSON, "catalogue")


class PanelsView(MetricsView):
    """The layout of the dashboards."""

    def get(self, request: Request, pk: UUID) -> HttpResponse:
        return self.kept(request, JSON, "layout")


class SeriesView(MetricsView):
    """Panels of a row, drawn over a time."""

    def get(self, request: Request, pk: UUID) -> HttpResponse:
        query = request.query_params
        given = {
            "panels": query.getlist("panel"),
            "node": query.get("node", ""),
            "points": whole(request, "points", 400),
            "detail": query.get("detail", "auto"),
            "compare": "compare" in query,
        }
        return self.kept(request, BINARY, "series", **given, **times(request))


class HeatView(MetricsView):
    """The heat map of one metric."""

    def get(self, request: Request, pk: UUID) -> HttpResponse:
        query = request.query_params
        given = {
            "metric": query.get("metric", ""),
            "stat": query.get("stat", "avg"),
            "columns": whole(request, "columns", 400),
        }
        return self.kept(request, BINARY, "heat", **given, **times(request))


class QueryView(MetricsView):
    """One query in PromQL: over a range, or with `at` at one instant (ms).

    A range is answered in at most so many `points`, or with a value every `step` seconds.
    """

    def get(self, request: Request, pk: UUID) -> HttpResponse | Response:
        given = {
            "query": request.query_params.get("query", ""),
            "at": whole(request, "at", 0) if "at" in request.query_params else None,
            "points": whole(request, "points", 300),
            "step": whole(request, "step", 0),
        }
        given |= times(request)
        # Stop closes the connection. Charts go on to their end: the next one needs what is held for them.
        asker = request.META.get("gunicorn.socket")
        try:
            with PLACES.place("query", self.asker):
                found = ANSWERERS.ask_for(asker, "query", self.room.folder, **given)
        except Refused as error:
            detail = {"detail": str(error), "code": "query", "position": error.position}
            return Response(detail, status=400)
        return packed(request, found, JSON)


urlpatterns = [
    path("metrics/catalogue", CatalogueView.as_view(), name="room-metrics-catalogue"),
    path("metrics/panels", PanelsView.as_view(), name="room-metrics-panels"),
    path("metrics/series", SeriesView.as_view(), name="room-metrics-series"),
    path("metrics/heatmap", HeatView.as_view(), name="room-metrics-heatmap"),
    path("query", QueryView.as_view(), name="room-query"),
]
