"""Who may look at which materials: a candidate while they work, and nobody else by these addresses."""

from __future__ import annotations

import gzip
from collections.abc import Hashable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from rest_framework.exceptions import APIException
from rest_framework.request import Request

from assessments.api import AttemptView, Closed
from assessments.materials import rebuilding, variants
from assessments.materials.manifest import listed, manifest_of
from assessments.models import Attempt

OVER = "Your time for this exercise is over, so its materials are closed. Your answer is safe."
LEAST_PACKED = 1_000
"""Bytes: what is shorter goes in one packet as it is."""


class NotThere(APIException):
    status_code = 503
    default_detail = (
        "The materials could not be prepared. That is our fault, not yours; what you write is "
        "saved. Try again in a moment."
    )
    default_code = "materials"


class BeingPrepared(NotThere):
    default_detail = (
        "The materials are being prepared on this server. What you write is saved, and your clock "
        "gets the time back."
    )
    default_code = "being_prepared"
    wait = rebuilding.AGAIN_S
    """Seconds, which the answer says as Retry-After."""


@dataclass(frozen=True)
class Room:
    """An attempt's materials: the folder of its variant, and what the manifest says of it.

    `manifest` is safe to show to the candidate; it names no seed.
    """

    attempt: Attempt
    folder: Path
    manifest: dict[str, Any]

    def path(self, name: str) -> Path:
        """A file that the manifest lists; Http404 for anything else."""
        if name not in listed(self.folder):
            raise Http404
        return self.folder / name


def room(attempt: Attempt) -> Room:
    """The room of an attempt. Http404 where it has none, NotThere where its materials are not here yet."""
    if not attempt.exercise.has_room:
        raise Http404
    try:
        folder = rebuilding.folder(*rebuilding.of_attempt(attempt), waits=attempt.pk)
    except rebuilding.BeingBuilt as error:
        raise BeingPrepared from error
    except variants.NotBuilt as error:
        raise NotThere from error
    return Room(attempt, folder, manifest_of(folder))


def _working(attempt: Attempt, now: datetime) -> Attempt:
    if not attempt.phase(now).accepts:
        raise Closed(OVER)
    return attempt


class RoomView(AttemptView):
    """Finds the room of the attempt that the browser's link gives access to."""

    room: Room
    asker: Hashable
    """Who has one place at a time: the attempt, or whoever looks at it."""

    kind = ""
    """Only rooms of the kind of this name have what the view shows; "" is every room."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        self.admit(request, *args, **kwargs)
        if self.kind not in ("", self.attempt.exercise.traits.name):
            raise Http404
        self.room = room(self.attempt)

    def admit(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Set `attempt`, `asker` and `now` for whoever may look: here the candidate, while they work."""
        super().initial(request, *args, **kwargs)
        _working(self.attempt, self.now)
        self.asker = self.attempt.pk


def packed(request: HttpRequest | Request, body: bytes, content_type: str) -> HttpResponse:
    """An answer that the browser may keep, gzipped where it accepts that and it is worth it."""
    if len(body) >= LEAST_PACKED and takes_gzip(request):
        return unpacked_there(gzip.compress(body, 5, mtime=0), content_type)
    return kept_there(HttpResponse(body, content_type=content_type))


def takes_gzip(request: HttpRequest | Request) -> bool:
    return "gzip" in request.headers.get("Accept-Encoding", "")


def unpacked_there(gzipped: bytes, content_type: str) -> HttpResponse:
    """An answer that is packed already; the browser, which has said that it can, unpacks it."""
    response = kept_there(HttpResponse(gzipped, content_type=content_type))
    response["Content-Encoding"] = "gzip"
    return response


def kept_there(response: HttpResponse) -> HttpResponse:
    """The answer, which this person's browser alone may keep for an hour."""
    response["Vary"] = "Accept-Encoding, Cookie"
    response["Cache-Control"] = "private, max-age=3600"
    response["X-Content-Type-Options"] = "nosniff"
    return response
