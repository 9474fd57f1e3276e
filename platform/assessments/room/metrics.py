"""The metrics of the room: catalogue, layout of the dashboards, lines, heat map, and the query box."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from threading import Lock
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.urls import path
from rest_framework.exceptions import APIException
from rest_framework.request import Request
from rest_framework.response import Response

from assessments.room import metrics_answers as answers
from assessments.room import metrics_query as queries
from assessments.room.access import RoomView, packed
from assessments.room.kept import Kept

BINARY, JSON = "application/octet-stream", "application/json"
WAIT_S = 20
KEEP_ANSWERS = 24_000_000
ENTRY = 500
"""Bytes that an answer takes beside its own."""
KEPT: Kept[bytes] = Kept(KEEP_ANSWERS, lambda answer: len(answer) + ENTRY)
_one_query = Lock()


class Unfit(APIException):
    status_code = 400
    default_code = "metrics"


class Busy(APIException):
    status_code = 429
    default_detail = "Other queries are being worked on: ask again in a moment."
    default_code = "busy"


class MetricsView(RoomView):
    """Finds the board of the attempt's variant."""

    workplace = "incident"
    board: answers.Board

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        self.board = answers.board_of(self.room.folder, self.room.manifest)

    def kept(self, request: Request, kind: str, make: Callable[[], bytes]) -> HttpResponse:
        """An answer that is kept for the next who asks the same of the same variant."""
        asked = request.get_full_path().partition("/room/")[2]
        # An address may be far longer than its answer, and nothing counts what keys take.
        key = (self.room.folder, sha256(asked.encode()).digest())
        try:
            return packed(request, KEPT.get(key, make), kind)
        except answers.Bad as error:
            raise Unfit(str(error)) from error

    def times(self, request: Request) -> tuple[int, int]:
        first, last = self.board.window
        wanted = whole(request, "from", first), whole(request, "to", last)
        try:
            return answers.clipped(self.board, *wanted)
        except answers.Bad as error:
            raise Unfit(str(error)) from error


def whole(request: Request, name: str, default: int) -> int:
    """A whole number of the address. Raises Unfit."""
    text = request.query_params.get(name, str(default))
    if not text.isascii() or not text.removeprefix("-").isdigit() or len(text) > 15:
        raise Unfit(f"“{name}” has to be a whole number.")
    return int(text)


class CatalogueView(MetricsView):
    """Every metric with its labels."""

    def get(self, request: Request, pk: UUID) -> HttpResponse:
        return self.kept(request, JSON, lambda: answers.catalogue(self.board))


class PanelsView(MetricsView):
    """The layout of the dashboards."""

    def get(self, request: Request, pk: UUID) -> HttpResponse:
        return self.kept(request, JSON, lambda: answers.layout(self.board))


class SeriesView(MetricsView):
    """Panels of a row, drawn over a time."""

    def get(self, request: Request, pk: UUID) -> HttpResponse:
        query = request.query_params
        asked = answers.Asked(
            query.get("node", ""),
            self.times(request),
            whole(request, "points", 400),
            query.get("detail", "auto"),
            "compare" in query,
        )
        keys = query.getlist("panel")
        return self.kept(request, BINARY, lambda: answers.charts(self.board, keys, asked))


class HeatView(MetricsView):
    """The heat map of one metric."""

    def get(self, request: Request, pk: UUID) -> HttpResponse:
        asked = request.query_params
        times, columns = self.times(request), whole(request, "columns", 400)
        metric, stat = asked.get("metric", ""), asked.get("stat", "avg")
        return self.kept(
            request, BINARY, lambda: answers.heat(self.board, metric, times, columns, stat)
        )


class QueryView(MetricsView):
    """One query in PromQL: over a range, or with `at` at one instant (ms)."""

    def get(self, request: Request, pk: UUID) -> HttpResponse | Response:
        text = request.query_params.get("query", "")
        at = whole(request, "at", 0) if "at" in request.query_params else None
        times, points = self.times(request), whole(request, "points", 300)
        if not _one_query.acquire(timeout=WAIT_S):
            raise Busy
        try:
            if at is None:
                found = queries.over(self.board, text, times, points)
            else:
                found = queries.instant(self.board, text, at)
        except queries.QueryError as error:
            detail = {"detail": error.message, "code": "query", "position": error.position}
            return Response(detail, status=400)
        finally:
            _one_query.release()
        return packed(request, found, JSON)


urlpatterns = [
    path("metrics/catalogue", CatalogueView.as_view(), name="room-metrics-catalogue"),
    path("metrics/panels", PanelsView.as_view(), name="room-metrics-panels"),
    path("metrics/series", SeriesView.as_view(), name="room-metrics-series"),
    path("metrics/heatmap", HeatView.as_view(), name="room-metrics-heatmap"),
    path("query", QueryView.as_view(), name="room-query"),
]
