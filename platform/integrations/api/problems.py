"""How the API says that something went wrong: problem details of RFC 9457, with what to do in one sentence."""

from __future__ import annotations

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.http import JsonResponse
from rest_framework import status as statuses
from rest_framework.exceptions import APIException, ValidationError
from rest_framework.response import Response
from rest_framework.views import exception_handler

from accounts.confirmed import DoneBefore, Refused
from accounts.not_possible import NotPossible

MEDIA_TYPE = "application/problem+json"
TOO_LARGE = "That is larger than a request may be: send it in parts."
SENTENCES = {
    404: "There is nothing here that this token may see.",
    405: "This address does not take that method: the schema says which it takes.",
    415: "Send JSON, with Content-Type: application/json.",
}
PREFIX = "/api/v1/"


class Conflict(APIException):
    """What was asked cannot be done as things are now; the text says why."""

    status_code = statuses.HTTP_409_CONFLICT
    default_code = "conflict"


class Unprocessable(APIException):
    """The request is understood and contradicts itself or an earlier one."""

    status_code = statuses.HTTP_422_UNPROCESSABLE_ENTITY
    default_code = "unprocessable"


def body(status: int, detail: str, code: str, errors: list[dict[str, str]]) -> dict[str, Any]:
    """type, title, status, detail, code; errors where single fields are wrong."""
    said: dict[str, Any] = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "code": code,
    }
    return said | ({"errors": errors} if errors else {})


def handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's answer to an error, as a problem; None leaves it to the site's own handler."""
    if isinstance(error, NotPossible | Refused | DoneBefore):
        error = Conflict(str(error))
    if isinstance(error, RequestDataTooBig):
        said = body(413, TOO_LARGE, "too_large", [])
        return Response(said, status=413, content_type=MEDIA_TYPE)
    response = exception_handler(error, context)
    if response is None:
        return None
    errors = list(_fields(response.data)) if isinstance(error, ValidationError) else []
    code, detail = _said(error, response, errors)
    response.data = body(response.status_code, detail, code, errors)
    response.content_type = MEDIA_TYPE
    return response


def _said(error: Exception, response: Response, errors: list[dict[str, str]]) -> tuple[str, str]:
    status = response.status_code
    if errors:
        first = errors[0]
        detail = f"{first['field']}: {first['detail']}" if first["field"] else first["detail"]
        return "invalid", detail
    data = response.data if isinstance(response.data, dict) else {}
    code = getattr(data.get("detail"), "code", None) or HTTPStatus(status).name.lower()
    return str(code), SENTENCES.get(status) or str(data.get("detail", error))


def _fields(data: Any, name: str = "") -> Iterator[dict[str, str]]:
    """Every message with its field, "a.0.b" for what is nested."""
    if isinstance(data, dict):
        for key, value in data.items():
            own = "" if key in {"non_field_errors", "detail"} else str(key)
            yield from _fields(value, ".".join(filter(None, [name, own])))
    elif isinstance(data, list):
        for number, value in enumerate(data):
            nested = isinstance(value, dict)
            yield from _fields(value, f"{name}.{number}" if nested else name)
    else:
        yield {"field": name, "detail": str(data)}


def page(status: int, detail: str) -> JsonResponse:
    """For trouble outside a view: an address that there is not, a failure of ours."""
    code = HTTPStatus(status).name.lower()
    said = body(status, SENTENCES.get(status, detail), code, [])
    return JsonResponse(said, status=status, content_type=MEDIA_TYPE)
