"""What Greenhouse asks of an assessment partner: list_tests, send_test, test_status, response_error."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from django.http import HttpRequest, JsonResponse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_POST

from accounts.not_possible import NotPossible
from accounts.prose import is_text
from integrations.inbound.access import (
    Refusal,
    basic_key,
    body_of,
    connection_of,
    text_in,
    web_address_in,
)
from integrations.inbound.orders_of import order_of
from integrations.models import Connection, ConnectionKind
from integrations.tracking import greenhouse, orders
from integrations.tracking.connections import note_trouble
from integrations.tracking.interface import Person

NOT_THEIRS = "url is not at the host of this connection: an administrator can enter another host."


def _connection(request: HttpRequest) -> Connection:
    return connection_of(request, ConnectionKind.GREENHOUSE, basic_key(request))


@require_GET
def list_tests(request: HttpRequest) -> JsonResponse:
    try:
        rows = orders.tests(_connection(request))
    except Refusal as refusal:
        return refusal.answer()
    listed = [{"partner_test_id": row.id, "partner_test_name": row.name} for row in rows]
    return JsonResponse(listed, safe=False)


@csrf_exempt
@require_POST
def send_test(request: HttpRequest) -> JsonResponse:
    """Invite the candidate; the same order sent again is the same test."""
    try:
        connection = _connection(request)
        data = body_of(request)
        person = _person(data.get("candidate"))
        callback = web_address_in(data, "url", required=False) or web_address_in(
            data.get("candidate"), "url", required=True
        )
        if not greenhouse.is_theirs(callback, connection):
            raise Refusal(422, NOT_THEIRS)
        exercise = orders.exercise_of(connection, text_in(data, "partner_test_id"))
        order = orders.place(
            connection,
            exercise,
            person,
            external_id=urlsplit(callback).path.rstrip("/").rpartition("/")[2][:200],
            profile_url=web_address_in(data.get("candidate"), "greenhouse_profile_url"),
            callback_url=callback,
            now=timezone.now(),
        )
    except Refusal as refusal:
        return refusal.answer()
    except NotPossible as error:
        return Refusal(422, str(error)).answer()
    return JsonResponse({"partner_interview_id": str(order.pk)})


def _person(data: Any) -> Person:
    names = [text_in(data, name, required=False) for name in ("first_name", "last_name")]
    return Person(" ".join(filter(None, names)), text_in(data, "email", most=254))


@require_GET
def test_status(request: HttpRequest) -> JsonResponse:
    try:
        connection = _connection(request)
        order = order_of(connection, request.GET.get("partner_interview_id", ""))
    except Refusal as refusal:
        return refusal.answer()
    return JsonResponse(greenhouse.status(orders.progress(order, timezone.now())))


@csrf_exempt
@require_POST
def response_error(request: HttpRequest) -> JsonResponse:
    """Keep what Greenhouse could not read of ours where an administrator sees it."""
    try:
        connection = _connection(request)
        said = greenhouse.trouble(body_of(request))
    except Refusal as refusal:
        return refusal.answer()
    if is_text(said):
        note_trouble(connection, said, now=timezone.now())
    return JsonResponse({"status": 200})
