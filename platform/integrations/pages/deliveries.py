"""One delivery with every try of it, and delivering it again."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.confirmed import ReasonForm, Refused, Verb, confirm
from accounts.models import User
from accounts.not_possible import NotPossible
from accounts.staff_admin import allow
from integrations import deliveries
from integrations.models import Delivery, DeliveryTry
from integrations.webhooks.events import body_of
from reviews.phases import Tag

EACH_PAGE = 50
TAGS = {
    "delivered": Tag("Delivered", "good"),
    "given_up": Tag("Given up", "bad"),
    "sending": Tag("Being sent", "info"),
    "waiting": Tag("Waiting", "info"),
    "trying_again": Tag("Trying again", "warn"),
}


class Row(NamedTuple):
    """One line of a log."""

    delivery: Delivery
    tag: Tag
    last: DeliveryTry | None


def row_of(delivery: Delivery, now: datetime) -> Row:
    """The delivery's `log` is read whole, so that lists can prefetch it."""
    tries = list(delivery.log.all())
    return Row(delivery, TAGS[delivery.state(now)], tries[-1] if tries else None)


def _found(request: HttpRequest, pk: UUID, permission: str) -> Delivery:
    allow(request, permission)
    rows = Delivery.objects.select_related("webhook", "event", "order__connection", "replayed_by")
    found: Delivery = get_object_or_404(rows, pk=pk)
    return found


def home_of(row: Delivery) -> str:
    """The page of whoever is told."""
    if row.order:
        return reverse("admin:tracking-connection", args=[row.order.connection_id])
    return reverse("admin:webhook", args=[row.webhook_id])


@never_cache
@require_safe
def delivery(request: HttpRequest, pk: UUID) -> HttpResponse:
    row, now = _found(request, pk, "integrations.view_delivery"), timezone.now()
    state = row.state(now)
    context = {
        **admin.site.each_context(request),
        "title": row.what,
        "row": row_of(row, now),
        "home": home_of(row),
        "to": row.webhook or (row.order and row.order.connection),
        "tries": row.log.all(),
        "body": body_of(row.event).decode() if row.event else "",
        "may_send_again": request.user.has_perm(AGAIN.permission)
        and state in ("delivered", "given_up"),
    }
    return render(request, "integrations/delivery.html", context)


def _again(row: Delivery, data: dict[str, Any], by: User, now: datetime) -> str:
    try:
        deliveries.again(row, by=by, now=now)
    except NotPossible as error:
        raise Refused(str(error)) from error
    return f"Delivered again: {row.what}. Reason: {data['reason']}"


AGAIN = Verb(
    title="Deliver it again",
    explanation="The same thing is sent once more, with the same id, so that a receiver knows it again.",
    button="Deliver again",
    permission="integrations.add_delivery",
    perform=_again,
    form=ReasonForm,
)


@never_cache
def again(request: HttpRequest, pk: UUID) -> HttpResponse:
    row = _found(request, pk, AGAIN.permission)
    return confirm(request, row, AGAIN, back=home_of(row))
