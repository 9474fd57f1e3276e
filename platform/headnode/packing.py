"""Pages go out packed; nothing else does, as what is large besides is packed already and says its length."""

from __future__ import annotations

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware


class PackedPages(GZipMiddleware):
    """Django's own packing, for HTML alone: a reader of a bundle counts its bytes by Content-Length."""

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        if not response.get("Content-Type", "").startswith("text/html"):
            return response
        return super().process_response(request, response)
