"""What Ashby asks of an assessment partner: assessment.list, assessment.start, assessment.cancel."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, JsonResponse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from accounts.not_possible import NotPossible
from integrations.inbound.access import (
    Refusal,
    basic_key,
    body_of,
    connection_of,
    text_in,
    web_address_in,
)
from integrations.inbound.orders_of import order_of
from integrations.models import Connection, ConnectionKind, Order
from integrations.tracking import ashby, orders
from integrations.tracking.interface import Person


def _connection(request: HttpRequest) -> Connection:
    return connection_of(request, ConnectionKind.ASHBY, basic_key(request))


def _done(results: Any) -> JsonResponse:
    return JsonResponse({"success": True, "results": results})


def _standing(order: Order) -> JsonResponse:
    progress = orders.progress(order, timezone.now())
    return _done({"assessment_id": str(order.pk), "update_request": ashby.update(order, progress)})


@csrf_exempt
@require_POST
def list_assessments(request: HttpRequest) -> JsonResponse:
    try:
        rows = orders.tests(_connection(request))
    except Refusal as refusal:
        return refusal.answer()
    return _done(
        [
            {"assessment_type_id": row.id, "name": row.name, "description": row.description}
            for row in rows
        ]
    )


@csrf_exempt
@require_POST
def start(request: HttpRequest) -> JsonResponse:
    """Invite the candidate; 409 where they are at it already, 422 with words for whoever pressed in Ashby."""
    try:
        connection = _connection(request)
        data = body_of(request)
        exercise = orders.exercise_of(connection, text_in(data, "assessment_type_id"))
        who, about = data.get("candidate"), text_in(data.get("application"), "ashby_id")
        if connection.orders.filter(
            external_id=about, exercise=exercise, cancelled_at=None
        ).exists():
            raise Refusal(409, "The candidate was invited to this exercise already.")
        names = [text_in(who, name, required=False) for name in ("first_name", "last_name")]
        order = orders.place(
            connection,
            exercise,
            Person(" ".join(filter(None, names)), text_in(who, "email", most=254)),
            external_id=about,
            profile_url=web_address_in(who, "ashby_profile_url"),
            now=timezone.now(),
        )
    except Refusal as refusal:
        return refusal.answer()
    except NotPossible as error:
        return Refusal(422, str(error)).answer()
    return _standing(order)


@csrf_exempt
@require_POST
def cancel(request: HttpRequest) -> JsonResponse:
    """The link stops working; cancelled twice is cancelled once."""
    try:
        connection = _connection(request)
        order = order_of(connection, text_in(body_of(request), "assessment_id"))
    except Refusal as refusal:
        return refusal.answer()
    orders.cancel(order, now=timezone.now())
    order.refresh_from_db()
    return _standing(order)
