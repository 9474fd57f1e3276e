"""The page between a list's button and what it does: every row with what will happen to it, then "Do it"."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib import admin, messages
from django.forms import Form
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from accounts.confirmed import DoneBefore, counted_once, press_of
from accounts.models import User
from accounts.staff_admin import allow
from reviews.bulk import selection
from reviews.bulk.acts import AT_ONCE, Act, Line, Outcome, carry_out, foretold
from reviews.names_seen import note_names

CHANGED = "You changed something since the page was shown: this is what will happen now."
FORGOTTEN = "Choose the rows first: tick them in the list, then press what should happen."
TOLD = 8
"""Refused rows that are named after it is done; the page before named them all."""


@dataclass(frozen=True)
class Asked:
    """One look at the page: the rows that it shows, and how many were chosen beside them."""

    request: HttpRequest
    act: Act
    rows: list[Any]
    later: int
    now: datetime
    back: str


def page_of(act: Act) -> Callable[[HttpRequest], HttpResponse]:
    """The view of one act; ?list= of `selection`."""

    @require_http_methods(["GET", "HEAD", "POST"])
    def page(request: HttpRequest) -> HttpResponse:
        by, now = allow(request, act.verb.permission), timezone.now()
        back = reverse(f"admin:{act.list_page}")
        keys = selection.kept(request, request.GET.get("list", ""))
        found = act.rows(by).filter(pk__in=keys)
        rows = list(found[:AT_ONCE]) if keys else []
        if not rows:
            messages.info(request, FORGOTTEN)
            return HttpResponseRedirect(back)
        back = act.back_to(rows) if act.back_to else back
        if "skip" in request.POST:
            return _onward(request, keys, rows, back)
        note_names(by, {pk for row in rows if (pk := act.names(row))}, "bulk", now=now)
        asked = Asked(request, act, rows, max(0, len(keys) - AT_ONCE), now, back)
        if request.method != "POST":
            return _show(asked, act.verb.form(initial=act.initial(rows)))
        form = act.verb.form(request.POST)
        if not form.is_valid():
            return _show(asked, form, status=400)
        if "do" not in request.POST:
            return _show(asked, form)
        if request.POST.get("shown") != _mark(form.cleaned_data):
            return _show(asked, form, notice=CHANGED, status=409)
        return _do(asked, form.cleaned_data, by, keys)

    return page


def _data_of(form: Form) -> dict[str, Any]:
    """What the form says, or what it shows at first."""
    if form.is_bound:
        return form.cleaned_data if form.is_valid() else {}
    return {name: form.get_initial_for_field(field, name) for name, field in form.fields.items()}


def _mark(data: dict[str, Any]) -> str:
    """Of what decides what happens; the reason does not."""
    said = "\n".join(f"{name}={value}" for name, value in sorted(data.items()) if name != "reason")
    return uuid.uuid5(uuid.NAMESPACE_OID, said).hex


def _show(asked: Asked, form: Form, *, notice: str = "", status: int = 200) -> HttpResponse:
    act, data = asked.act, _data_of(form)
    readable = not form.is_bound or form.is_valid() or set(form.errors) <= {"reason"}
    if readable and form.is_bound:
        data = form.cleaned_data
    lines = foretold(act, asked.rows, data, asked.now) if readable else []
    possible = sum(line.possible for line in lines)
    context = {
        **admin.site.each_context(asked.request),
        "title": act.verb.title,
        "act": act,
        "verb": act.verb,
        "form": form,
        "lines": lines,
        "possible": possible,
        "later": asked.later,
        "refused": len(lines) - possible,
        "shown": _mark(data),
        "press": uuid.uuid4(),
        "notice": notice,
        "back": asked.back,
    }
    return render(asked.request, "reviews/bulk/act.html", context, status=status)


def _do(asked: Asked, data: dict[str, Any], by: User, keys: list[str]) -> HttpResponse:
    request, act, now = asked.request, asked.act, asked.now
    ready = [line.row for line in foretold(act, asked.rows, data, now) if line.possible]
    try:
        with counted_once(press_of(request), now):
            outcome = carry_out(act, ready, data, by=by, now=now)
    except DoneBefore as said:
        messages.info(request, str(said))
        return HttpResponseRedirect(asked.back)
    _tell(request, act, outcome, mails=act.tells and data.get("tell", True))
    return _onward(request, keys, asked.rows, asked.back)


def _onward(request: HttpRequest, keys: list[str], rows: list[Any], back: str) -> HttpResponse:
    """To the rest of a long selection, else to the list."""
    shown = {str(row.pk) for row in rows}
    left = [key for key in keys if key not in shown]
    if len(keys) <= AT_ONCE or not left:
        return HttpResponseRedirect(back)
    messages.info(request, f"{len(left)} more were chosen: these are the next of them.")
    return HttpResponseRedirect(f"{request.path}?list={selection.keep(request, left)}")


def _tell(request: HttpRequest, act: Act, outcome: Outcome, *, mails: bool) -> None:
    if outcome.done:
        text = f"{act.verb.title}: done for {len(outcome.done)} {act.plural}."
        text += " “Messages” shows which of their mails went out." if mails else ""
        messages.success(request, text if len(outcome.done) > 1 else outcome.done[0].said)
    for line in _first(outcome.refused):
        messages.warning(request, f"{line.label}: {line.said}")
    if not outcome.done and not outcome.refused:
        messages.info(request, "Nothing was possible any more, so nothing was done.")


def _first(lines: list[Line]) -> list[Line]:
    return lines[:TOLD]
