"""What the room begins with: the list of materials, and each of them as text."""

from __future__ import annotations

from uuid import UUID

import msgspec
from django.http import Http404, HttpResponse
from rest_framework.request import Request

from assessments.kinds import workplace_of
from assessments.materials import packed_files
from assessments.materials.result_cache import Kept
from assessments.workplace.access import RoomView, packed, takes_gzip, unpacked_there
from library.markdown import rendered

TYPES = {
    ".svg": "image/svg+xml",
    ".parquet": "application/vnd.apache.parquet",
}
TEXT, HTML = "text/plain; charset=utf-8", "text/html; charset=utf-8"
PROSE: Kept[bytes] = Kept(4_000_000, len)
"""A variant's documents as HTML: everybody who works on it reads the same, and each page begins with one."""


class ManifestView(RoomView):
    """Everything there is to look at, and when and where it was recorded."""

    def get(self, request: Request, pk: UUID) -> HttpResponse:
        workplace_of(self.attempt.exercise).opened(self.room.folder)
        body = msgspec.json.encode(self.room.manifest)
        return packed(request, body, "application/json")


class FileView(RoomView):
    """One file as it was collected; with `html`, prose as it is read."""

    def get(self, request: Request, pk: UUID, path: str) -> HttpResponse:
        found = self.room.path(path)
        if path.endswith(packed_files.NEVER_SENT):
            raise Http404
        if "html" in request.query_params and path.endswith(".md"):
            prose = PROSE.get(found, lambda: rendered(found.read_text(encoding="utf-8")).encode())
            return packed(request, prose, HTML)
        kind = TYPES.get(found.suffix, TEXT)
        if takes_gzip(request) and (there := packed_files.packed(self.room.folder, path)):
            return unpacked_there(there, kind)
        return packed(request, found.read_bytes(), kind)
