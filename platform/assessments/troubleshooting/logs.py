"""The lines of all logs, for the page that searches them: one bundle, fetched once."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpResponse
from rest_framework.request import Request

from assessments.places import PLACES
from assessments.troubleshooting.answering import ANSWERERS
from assessments.troubleshooting.log_bundle import bundle_of
from assessments.workplace.access import RoomView


class LogsView(RoomView):
    """The bundle as it lies on the disk; the page unpacks it itself and so can show how far it is."""

    kind = "troubleshooting"

    def get(self, request: Request, pk: UUID) -> HttpResponse:
        data = bundle_of(self.room.folder, self._packed).read_bytes()
        response = HttpResponse(data, content_type="application/gzip")
        response["Vary"] = "Cookie"
        response["Cache-Control"] = "private, max-age=3600"
        response["X-Content-Type-Options"] = "nosniff"
        return response

    def _packed(self) -> bytes:
        with PLACES.place("logs", self.asker):
            return ANSWERERS.ask("logs", self.room.folder)
