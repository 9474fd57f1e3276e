"""How trouble is said: one sentence, as a page or as JSON, never a traceback."""

from __future__ import annotations

import logging
import sys
from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext
from rest_framework.exceptions import ErrorDetail
from rest_framework.response import Response
from rest_framework.views import exception_handler

from headnode.database_away import said
from headnode.parsing import UNREADABLE
from integrations.api import problems

logger = logging.getLogger(__name__)
SENTENCES = {
    "authentication_failed": "Open your link again: this page no longer knows who you are.",
    "not_authenticated": "Open your link again: this page no longer knows who you are.",
    "not_found": "There is nothing here.",
    "parse_error": UNREADABLE,
}


TOO_LARGE = "That is larger than an answer may be: shorten it."


def api_exception(error: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's answer to an error, brought into the one form {"detail", "code"}."""
    if isinstance(error, RequestDataTooBig):
        return Response({"detail": gettext(TOO_LARGE), "code": "too_large"}, status=413)
    response = exception_handler(error, context)
    if response is None:
        return None
    detail = _first(response.data)
    code = str(getattr(detail, "code", "invalid"))
    response.data = {"detail": gettext(str(SENTENCES.get(code, detail))), "code": code}
    return response


def _first(data: Any, name: str = "") -> ErrorDetail | str:
    """The first message in DRF's nested errors, with the name of its field."""
    if isinstance(data, dict):
        key, value = next(iter(data.items()), ("", "That could not be used."))
        return _first(value, "" if key in {"detail", "non_field_errors"} else str(key))
    if isinstance(data, list):
        return _first(data[0] if data else "That could not be used.", name)
    if name and name != "body":
        return ErrorDetail(f"{name}: {data}", code=getattr(data, "code", "invalid"))
    return data if isinstance(data, ErrorDetail) else str(data)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    return render(request, "403_csrf.html", status=403)


def _trouble(request: HttpRequest, status: int, sentence: str) -> HttpResponse:
    if request.path.startswith(("/scim/", problems.PREFIX)):
        return problems.page(status, sentence)
    if request.path.startswith("/api/"):
        return JsonResponse({"detail": gettext(sentence), "code": str(status)}, status=status)
    return render(request, f"{status}.html", status=status)


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _trouble(request, 400, "That request could not be read.")


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _trouble(request, 403, "You may not see this.")


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _trouble(request, 404, "There is nothing here.")


def failed(request: HttpRequest) -> HttpResponse:
    if isinstance(sys.exc_info()[1], (OperationalError, InterfaceError)):
        return said(request)
    return _trouble(request, 500, "Something failed on our side. Your saved work is safe.")
