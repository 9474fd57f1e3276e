"""The log of messages: queued, sent, refused, to whom, and what the mail server said."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.paginator import Paginator
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from accounts.confirmed import ReasonForm, Refused, Verb, confirm
from accounts.models import User
from accounts.row_numbers import row_number
from accounts.staff_admin import allow, viewer
from hiring.message_rows import known_zone
from hiring.messages import outbox
from hiring.messages.delivery import is_configured
from hiring.models import MailPreference, Message
from reviews.messages.log_rows import row_of
from reviews.messages.visible import messages_visible_to
from reviews.visibility import candidates_visible_to

EACH_PAGE = 50
MINE_SHOWN = 25
FILTERS = {
    "": ("All", Q()),
    "waiting": ("Waiting", Q(sent_at=None, refused_at=None, handed_at=None, carried_by=None)),
    "uncertain": ("Uncertain", Q(handed_at__isnull=False, sent_at=None, refused_at=None)),
    "refused": ("Refused", Q(refused_at__isnull=False)),
    "sent": ("Sent", Q(sent_at__isnull=False)),
}


def _listed(rows: QuerySet[Message]) -> QuerySet[Message]:
    return rows.select_related("candidate", "recipient", "carried_by")


@require_safe
def log(request: HttpRequest) -> HttpResponse:
    """?candidate=: of one person alone. ?state=: of FILTERS."""
    by, now = allow(request, "hiring.view_message"), timezone.now()
    rows, candidate = messages_visible_to(by), None
    if wanted := request.GET.get("candidate", ""):
        people = candidates_visible_to(by)
        candidate = get_object_or_404(people, pk=row_number(wanted))
        rows = rows.filter(candidate=candidate)
    state = request.GET.get("state", "")
    rows = rows.filter(FILTERS.get(state, FILTERS[""])[1])
    page = Paginator(_listed(rows), EACH_PAGE).get_page(request.GET.get("p"))
    context = {
        **admin.site.each_context(request),
        "title": "Messages",
        "rows": [row_of(row, now) for row in page],
        "page": page,
        "candidate": candidate,
        "state": state,
        "filters": [(key, label) for key, (label, _) in FILTERS.items()],
        "mail_is_configured": is_configured(),
    }
    return render(request, "reviews/messages.html", context)


@require_safe
def message(request: HttpRequest, pk: int) -> HttpResponse:
    row, now = _row(request, pk, "hiring.view_message"), timezone.now()
    context = {
        **admin.site.each_context(request),
        "title": row.subject,
        "row": row_of(row, now),
        "may_send_again": request.user.has_perm("hiring.change_message")
        and row.state(now) in ("sent", "refused", "uncertain"),
    }
    return render(request, "reviews/message.html", context)


def _row(request: HttpRequest, pk: int, permission: str) -> Message:
    by = allow(request, permission)
    return get_object_or_404(_listed(messages_visible_to(by)), pk=pk)


def _again(row: Message, data: dict[str, Any], by: User, now: datetime) -> str:
    if row.state(now) not in ("sent", "refused", "uncertain"):
        raise Refused("This message is still on its way: wait for what becomes of it.")
    outbox.again(row, by=by, now=now)
    return f"Queued “{row.subject}” once more. Reason: {data['reason']}"


AGAIN = Verb(
    title="Send the message again",
    explanation=(
        "The same words go out once more, to the address that the person has now. Where it says "
        "“uncertain”, the first may have arrived as well."
    ),
    button="Send again",
    permission="hiring.change_message",
    perform=_again,
    form=ReasonForm,
)


def send_again(request: HttpRequest, pk: int) -> HttpResponse:
    row = _row(request, pk, AGAIN.permission)
    return confirm(request, row, AGAIN, back=reverse("admin:message", args=[row.pk]))


class PreferenceForm(forms.Form):
    digest = forms.BooleanField(
        required=False,
        label="One message a day",
        help_text="Everything of the day in one message at seven in the morning, instead of one by one.",
    )
    time_zone = forms.CharField(
        max_length=64,
        required=False,
        label="Your time zone",
        validators=[known_zone],
        help_text="For example Europe/Berlin. Empty: the organisation's.",
    )


@require_http_methods(["GET", "HEAD", "POST"])
def my_mail(request: HttpRequest) -> HttpResponse:
    """How one wants one's messages, and what came of them."""
    by, now = viewer(request), timezone.now()
    kept = MailPreference.objects.filter(user=by).first() or MailPreference(user=by)
    initial = {"digest": kept.digest, "time_zone": kept.time_zone}
    sent = request.POST if request.method == "POST" else None
    form = PreferenceForm(sent, initial=initial)
    status = 200
    if request.method == "POST":
        if form.is_valid():
            MailPreference.objects.update_or_create(user=by, defaults=form.cleaned_data)
            messages.success(request, "Kept.")
            return HttpResponseRedirect(request.path)
        status = 400
    own = _listed(Message.objects.filter(recipient=by))
    context = {
        **admin.site.each_context(request),
        "title": "Your mail",
        "form": form,
        "address": by.email,
        "rows": [row_of(row, now) for row in own[:MINE_SHOWN]],
        "mail_is_configured": is_configured(),
    }
    return render(request, "reviews/my_mail.html", context, status=status)
