"""Connections to applicant-tracking systems: the list, one with its orders, making and ending one."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin
from django.core.paginator import Paginator
from django.db.models import Count, Max
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.confirmed import Question, Refused, Verb
from accounts.models import User
from accounts.staff_admin import allow
from hiring.models import Exercise, one_line
from hiring.trials import real
from integrations.models import Connection, ConnectionKind, Delivery
from integrations.pages.deliveries import row_of
from integrations.pages.making import Maker, Secret, ending, in_whose_name, making, number_of_days
from integrations.tracking import connections

CRUMB = "Tracking systems"
EACH_PAGE, NEWEST = 50, 20
FOR_WHOM = "Shown this once: only a hash of it is stored. Give it to whoever sets the system up."


class ConnectionForm(forms.Form):
    """Which system, in whose name, and the keys that it needs."""

    kind = forms.ChoiceField(label="System", choices=ConnectionKind.choices)
    label = forms.CharField(
        label="Name", max_length=80, validators=[one_line], help_text="As it stands in lists."
    )
    person = in_whose_name(
        "Candidates are invited by this person, and the system hears of results what this person "
        "may read: a recruiter's account invites, an administrator's also passes ratings on.",
    )
    window_days = number_of_days(
        "Window (days)",
        most=90,
        usual=7,
        help_text="How long an invitation can be started.",
    )
    base_url = forms.CharField(
        label="Where its interface is",
        max_length=300,
        required=False,
        widget=forms.TextInput(attrs={"inputmode": "url"}),
        help_text="Empty: the system's usual address. Another one for a region or a sandbox.",
    )
    outward_key = forms.CharField(
        label="Its API key",
        max_length=500,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
        help_text="Ashby and Lever: the key with which results are given back.",
    )
    signature_key = forms.CharField(
        label="Signature token",
        max_length=500,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
        help_text="Lever: of its webhook for candidate stage changes.",
    )
    stage = forms.CharField(
        label="Stage",
        max_length=100,
        required=False,
        help_text="Lever: the id of the stage that leads to an invitation.",
    )
    exercise = forms.ModelChoiceField(
        Exercise.objects.none(),
        required=False,
        empty_label="No exercise",
        help_text="Lever: what people of that stage are invited to.",
    )
    acts_as = forms.CharField(
        label="User",
        max_length=100,
        required=False,
        help_text="Lever: the id of the user in whose name notes are written; empty: the key's own.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        exercises = real(Exercise.objects.filter(opening__closed_at=None)).select_related("opening")
        field: Any = self.fields["exercise"]
        field.queryset = exercises.order_by("opening__title", "position", "pk")
        field.label_from_instance = lambda row: f"{row.opening}: {row}"


@never_cache
@require_safe
def all_connections(request: HttpRequest) -> HttpResponse:
    allow(request, "integrations.view_connection")
    rows = Connection.objects.select_related("person")
    rows = rows.annotate(ordered=Count("orders"), last=Max("orders__ordered_at"))
    context = {**admin.site.each_context(request), "title": CRUMB, "rows": rows}
    return render(request, "integrations/connections.html", context)


@never_cache
@require_safe
def connection(request: HttpRequest, pk: int) -> HttpResponse:
    """?p=: page of its orders, newest first."""
    allow(request, "integrations.view_connection")
    row = get_object_or_404(Connection.objects.select_related("person", "exercise"), pk=pk)
    now = timezone.now()
    orders = row.orders.select_related("invitation__candidate", "invitation__opening", "exercise")
    told = Delivery.objects.filter(order__connection=row)
    told = told.select_related("order__connection", "event", "webhook").prefetch_related("log")
    page = Paginator(orders, EACH_PAGE).get_page(request.GET.get("p"))
    context = {
        **admin.site.each_context(request),
        "title": str(row),
        "connection": row,
        "addresses": addresses(row.kind, "…"),
        "page": page,
        "rows": [row_of(one, now) for one in told[:NEWEST]],
        "arrivals": row.arrivals.filter(order=None)[:NEWEST],
    }
    return render(request, "integrations/connection.html", context)


def addresses(kind: str, key: str) -> list[tuple[str, str]]:
    """(what it is for, address) of everything that the system asks here."""
    names = {
        ConnectionKind.GREENHOUSE: ("list-tests", "send-test", "test-status", "response-error"),
        ConnectionKind.ASHBY: ("list", "start", "cancel"),
        ConnectionKind.LEVER: ("stage-change",),
    }[ConnectionKind(kind)]
    found = []
    for name in names:
        whole = f"tracking:{kind}-{name}"
        given = ["KEY"] if kind == ConnectionKind.LEVER else []
        path = reverse(whole, args=given).replace("KEY", key)
        found.append((name.replace("-", " ").capitalize(), settings.SITE_URL + path))
    return found


def _make(data: dict[str, Any], by: User, now: datetime) -> Secret:
    terms = connections.Terms(**data | {"kind": ConnectionKind(data["kind"])})
    row, key = connections.make(terms, by=by, now=now)
    said = f"Connected {row.get_kind_display()}, in the name of {row.person}."
    if row.kind == ConnectionKind.LEVER:
        shown = [("Address of the webhook", addresses(row.kind, key)[0][1], FOR_WHOM)]
    else:
        shown = [("API key", key, FOR_WHOM)]
        shown += [(name, url, "") for name, url in addresses(row.kind, key)]
    return Secret(row, said, f"{row} is connected", shown)


MAKE = Question(
    title="Connect a tracking system",
    explanation=(
        "The system lists the exercises of open openings, has people invited to them, and hears how far they "
        "are. What it hears of a result is what people rated; a measure is never passed on."
    ),
    button="Connect",
    permission="integrations.add_connection",
    form=ConnectionForm,
)
make = making(Maker(MAKE, _make, CRUMB, "admin:tracking"))


def _end(row: Connection, data: dict[str, Any], by: User, now: datetime) -> str:
    if not connections.end(row, now=now):
        raise Refused("This connection was ended before.")
    return f"Ended the connection. Reason: {data['reason']}"


END = Verb(
    title="End the connection",
    explanation=(
        "The system orders nothing any more and hears nothing. Invitations that it ordered stay as they are."
    ),
    button="End the connection",
    permission="integrations.change_connection",
    perform=_end,
    grave=True,
)
end = ending(Connection, END, back=lambda row: reverse("admin:tracking-connection", args=[row.pk]))
