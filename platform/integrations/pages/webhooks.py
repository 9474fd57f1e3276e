"""Webhooks: the list, one with its log, and making, changing, signing anew and stopping one."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django import forms
from django.contrib import admin
from django.core.paginator import Paginator
from django.db.models import Count, Max, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.confirmed import Question, Refused, Verb, confirm
from accounts.models import User
from accounts.not_possible import NotPossible
from accounts.staff_admin import allow
from hiring.models import one_line
from integrations.models import Webhook
from integrations.pages.deliveries import EACH_PAGE, row_of
from integrations.pages.making import Maker, Secret, making, shown
from integrations.webhooks import endpoints
from integrations.webhooks.events import KINDS

CRUMB = "Webhooks"
HOW_TO_CHECK = (
    "Shown this once: the receiver checks with it that a message is ours, by the Standard Webhooks "
    "specification."
)


class WebhookForm(forms.Form):
    url = forms.CharField(
        label="Address",
        max_length=500,
        widget=forms.TextInput(attrs={"inputmode": "url"}),
        help_text="Begins with https:// and is at a public address.",
    )
    description = forms.CharField(
        label="What it is", max_length=150, required=False, validators=[one_line]
    )
    events = forms.MultipleChoiceField(
        choices=[(name, f"{kind.words} ({name})") for name, kind in KINDS.items()],
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text="None chosen: it is told of all.",
    )


@never_cache
@require_safe
def all_webhooks(request: HttpRequest) -> HttpResponse:
    allow(request, "integrations.view_webhook")
    waiting = Q(deliveries__delivered_at=None, deliveries__given_up_at=None)
    rows = Webhook.objects.annotate(
        last=Max("deliveries__delivered_at"),
        waiting=Count("deliveries", filter=waiting & Q(deliveries__isnull=False)),
        lost=Count("deliveries", filter=Q(deliveries__given_up_at__isnull=False)),
    )
    context = {**admin.site.each_context(request), "title": CRUMB, "rows": rows}
    return render(request, "integrations/webhooks.html", context)


@never_cache
@require_safe
def webhook(request: HttpRequest, pk: int) -> HttpResponse:
    """?p=: page of its log, newest first."""
    allow(request, "integrations.view_webhook")
    row, now = get_object_or_404(Webhook, pk=pk), timezone.now()
    log = row.deliveries.select_related("event", "order__connection").prefetch_related("log")
    page = Paginator(log, EACH_PAGE).get_page(request.GET.get("p"))
    context = {
        **admin.site.each_context(request),
        "title": str(row),
        "webhook": row,
        "events": [KINDS[name].words for name in row.events if name in KINDS],
        "rows": [row_of(one, now) for one in page],
        "page": page,
    }
    return render(request, "integrations/webhook.html", context)


def _make(data: dict[str, Any], by: User, now: datetime) -> Secret:
    row, secret = endpoints.make(**data, by=by, now=now)
    title = "The webhook’s secret"
    return Secret(row, "Made a webhook.", title, [("Secret", secret, HOW_TO_CHECK)])


MAKE = Question(
    title="Add a webhook",
    explanation=(
        "What happens is sent to the address as signed JSON that names keys and nobody; the receiver asks the "
        "API for more. What is not taken is tried again for three days."
    ),
    button="Add the webhook",
    permission="integrations.add_webhook",
    form=WebhookForm,
)
make = making(Maker(MAKE, _make, CRUMB, "admin:webhooks"))


def _change(row: Webhook, data: dict[str, Any], by: User, now: datetime) -> str:
    try:
        endpoints.change(row, **data)
    except NotPossible as error:
        raise Refused(str(error)) from error
    return "Changed the webhook."


CHANGE = Verb(
    title="Change the webhook",
    explanation="What waits for it goes to the new address. The secret stays.",
    button="Save",
    permission="integrations.change_webhook",
    perform=_change,
    form=WebhookForm,
)


def _row(request: HttpRequest, pk: int, question: Question) -> Webhook:
    allow(request, question.permission)
    found: Webhook = get_object_or_404(Webhook, pk=pk, stopped_at=None)
    return found


def _page(row: Webhook) -> str:
    return reverse("admin:webhook", args=[row.pk])


@never_cache
def change(request: HttpRequest, pk: int) -> HttpResponse:
    row = _row(request, pk, CHANGE)
    first = {"url": row.url, "description": row.description, "events": row.events}
    more: dict[str, Any] = {} if request.method == "POST" else {"initial": first}
    return confirm(request, row, CHANGE, back=_page(row), **more)


@never_cache
def renew_secret(request: HttpRequest, pk: int) -> HttpResponse:
    row = _row(request, pk, RENEW)
    made_now: list[str] = []

    def perform(row: Webhook, data: dict[str, Any], by: User, now: datetime) -> str:
        made_now.append(endpoints.renew_secret(row))
        return f"Made a new secret for the webhook. Reason: {data['reason']}"

    def done() -> HttpResponse:
        secret = Secret(
            row, "", "The webhook’s new secret", [("Secret", made_now[0], HOW_TO_CHECK)]
        )
        return shown(request, secret, crumb=str(row), back=_page(row))

    verb = Verb(**vars(RENEW), perform=perform)
    return confirm(request, row, verb, back=_page(row), done=done)


RENEW = Question(
    title="Make a new secret",
    explanation="Messages are signed with the new one from now on: enter it at the receiver at once.",
    button="Make a new secret",
    permission="integrations.change_webhook",
)


def _stop(row: Webhook, data: dict[str, Any], by: User, now: datetime) -> str:
    if not endpoints.stop(row, reason=data["reason"], now=now):
        raise Refused("This webhook was stopped before.")
    return f"Stopped the webhook. Reason: {data['reason']}"


STOP = Verb(
    title="Stop the webhook",
    explanation="Nothing more is sent to it, and what waits is given up. The log stays.",
    button="Stop the webhook",
    permission="integrations.change_webhook",
    perform=_stop,
    grave=True,
)


@never_cache
def stop(request: HttpRequest, pk: int) -> HttpResponse:
    row = _row(request, pk, STOP)
    return confirm(request, row, STOP, back=_page(row))
