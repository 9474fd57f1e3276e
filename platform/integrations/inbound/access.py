"""How a tracking system's request comes in: its key, its JSON, and answers in the form that it reads."""

from __future__ import annotations

import base64
import binascii
import json
import time
from typing import Any

from django.http import HttpRequest, JsonResponse
from django.utils import timezone

from accounts.sign_in import address_of
from assessments.throttle import Buckets
from integrations.models import Connection, ConnectionKind
from integrations.tracking import connections

ASKED = Buckets(60, 5.0)
"""Requests of one connection at once, and then a second: a list of candidates that is moved together."""
GUESSED = Buckets(20, 0.2)
"""The same of wrong keys, for each place that they come from."""
MOST_BODY = 200_000
WRONG_KEY = "This key opens nothing: it was mistyped, or the connection was ended."
TOO_FAST = "Too many requests: wait a moment, then ask again."
UNREADABLE = "Send a JSON object."


class Refusal(Exception):
    """The request is answered with a status and one sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status

    def answer(self) -> JsonResponse:
        said = str(self)
        headers = {"WWW-Authenticate": 'Basic realm="Headnode"'} if self.status == 401 else {}
        if self.status == 429:
            headers["Retry-After"] = "5"
        return JsonResponse(
            {"message": said, "errors": [said]}, status=self.status, headers=headers
        )


def basic_key(request: HttpRequest) -> str:
    """The name of HTTP Basic authentication, which is the key; "" where there is none."""
    scheme, _, rest = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "basic":
        return ""
    try:
        return base64.b64decode(rest.strip(), validate=True).decode().partition(":")[0]
    except (binascii.Error, UnicodeDecodeError):
        return ""


def connection_of(request: HttpRequest, kind: ConnectionKind, key: str) -> Connection:
    """The connection of the key. Raises Refusal."""
    found = connections.find(kind, key, timezone.now()) if key else None
    asked = time.monotonic()
    if found is None:
        if not GUESSED.take(address_of(request), asked):
            raise Refusal(429, TOO_FAST)
        raise Refusal(401, WRONG_KEY)
    if not ASKED.take(str(found.pk), asked):
        raise Refusal(429, TOO_FAST)
    return found


def body_of(request: HttpRequest) -> dict[str, Any]:
    """The JSON object that was sent. Raises Refusal."""
    if len(request.body) > MOST_BODY:
        raise Refusal(413, "That is more than an order can be.")
    try:
        found = json.loads(request.body)
    except (ValueError, RecursionError):
        raise Refusal(400, UNREADABLE) from None
    if not isinstance(found, dict):
        raise Refusal(400, UNREADABLE)
    return found


def text_in(data: Any, name: str, *, most: int = 200, required: bool = True) -> str:
    """A piece of text of the object that was sent; numbers count as text. Raises Refusal."""
    value = data.get(name) if isinstance(data, dict) else None
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if value is None and not required:
        return ""
    if not isinstance(value, str) or "\x00" in value or len(value) > most:
        raise Refusal(422, f"{name} is missing or cannot be used.")
    if required and not value.strip():
        raise Refusal(422, f"{name} is empty.")
    return value.strip()


def web_address_in(data: Any, name: str, *, required: bool = False) -> str:
    """A web address of the object; "" where there is none. Raises Refusal."""
    value = text_in(data, name, most=500, required=required)
    if value and not value.startswith(("https://", "http://")):
        raise Refusal(422, f"{name} is no web address.")
    return value
