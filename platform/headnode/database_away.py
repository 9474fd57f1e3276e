"""What is said while the database cannot be reached: truly what is saved, and when to ask again."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext

RETRY_AFTER_S = 3
WITH_TEXT = ("/drafts", "/runs", "/submit")
NOT_SAVED = (
    "The site cannot reach its database, so this is not saved yet. Your text is kept in this browser and is "
    "sent again by itself: leave this page open."
)
NOT_SHOWN = (
    "The site cannot reach its database. What was shown as saved is safe; ask again in a moment."
)


def said(request: HttpRequest) -> HttpResponse:
    """503 in words: of what was sent nobody can say that it is saved, and everything before it is."""
    is_sent = request.method == "POST"
    if request.path.startswith("/api/"):
        is_text = is_sent and request.path.endswith(WITH_TEXT)
        answer = {"detail": gettext(NOT_SAVED if is_text else NOT_SHOWN), "code": "database_away"}
        response: HttpResponse = JsonResponse(answer, status=503)
    else:
        response = render(request, "503.html", {"is_sent": is_sent}, status=503)
    response["Retry-After"] = str(RETRY_AFTER_S)
    response["Cache-Control"] = "no-store"
    return response
