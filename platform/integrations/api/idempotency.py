"""A request that changes something and is sent twice under one Idempotency-Key counts once.

The key's row is written in the transaction of the change: both are there or neither. What came of it is
kept as the keys of rows, and answered anew from them. Refused requests leave no trace and may be sent again
as they are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db import transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from integrations.api.problems import Conflict, Unprocessable
from integrations.models import ApiToken, KeyedRequest

HEADER = "Idempotency-Key"
REPLAYED = "Idempotent-Replayed"
KEPT = timedelta(days=1)
KEY = re.compile(r"[\x21-\x7e]{1,100}")
UNUSABLE = "Write up to 100 visible ASCII characters, for example a UUID."
OTHER_BODY = "This key was used for another request: take a new key for each thing that is asked."
AT_WORK = "The first request under this key has not ended: ask again in a moment."


class Made(NamedTuple):
    """What came of a request: its status, and the keys of the rows that the answer shows."""

    status: int
    keys: dict[str, Any]


def once(
    request: Request, perform: Callable[[], Made], answer: Callable[[Made], Response]
) -> Response:
    """Carry it out under the request's key, or answer as the first time; without a key carry it out."""
    key = request.headers.get(HEADER)
    token = request.auth
    if key is None or not isinstance(token, ApiToken):
        with transaction.atomic():
            made = perform()
        return answer(made)
    if not KEY.fullmatch(key):
        raise ValidationError({HEADER: [UNUSABLE]})
    with transaction.atomic():
        made, before = _under(key, token, request, perform)
    response = answer(made)
    if before:
        response[REPLAYED] = "true"
    return response


def _under(
    key: str, token: ApiToken, request: Request, perform: Callable[[], Made]
) -> tuple[Made, bool]:
    mark = fingerprint(request)
    row, new = KeyedRequest.objects.get_or_create(
        token=token, key=key, defaults={"fingerprint": mark, "at": timezone.now()}
    )
    if not new:
        if row.fingerprint != mark:
            raise Unprocessable(OTHER_BODY, code="key_reused")
        if not row.status:
            raise Conflict(AT_WORK)
        return Made(row.status, row.made), True
    made = perform()
    row.status, row.made = made.status, made.keys
    row.save(update_fields=["status", "made"])
    return made, False


def fingerprint(request: Request) -> str:
    """A keyed hash of method, address and body: it tells two requests apart, and nobody what they held."""
    said = json.dumps([request.method, request.path, request.data], sort_keys=True, default=str)
    return salted_hmac("integrations.idempotency", said, algorithm="sha256").hexdigest()


def forget_old(now: datetime) -> int:
    """Keys count for a day; how many went."""
    return KeyedRequest.objects.filter(at__lt=now - KEPT).delete()[0]
