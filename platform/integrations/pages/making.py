"""Pages that make something with a secret: a form, then the secret this once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import uuid4

from django import forms
from django.contrib import admin, messages
from django.db.models import Model
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils import timezone

from accounts.audit import ADDITION, note_action
from accounts.confirmed import DoneBefore, Verb, counted_once, press_of
from accounts.models import User
from accounts.not_possible import NotPossible
from accounts.staff_admin import allow


@dataclass(frozen=True)
class Secret:
    """What was made, the sentence of the trail, and what is shown this once: (label, value, help) of each."""

    row: Model
    said: str
    title: str
    shown: list[tuple[str, str, str]]


Make = Callable[[dict[str, Any], User, datetime], Secret]


@dataclass(frozen=True)
class Maker:
    """A form's words; `make` raises NotPossible with one sentence."""

    verb: Verb
    make: Make
    crumb: str
    back: str


def made(request: HttpRequest, maker: Maker) -> HttpResponse:
    """Ask, make and show it this once; 400 or 409 with a sentence if not."""
    by = allow(request, maker.verb.permission)
    sent = request.method == "POST"
    form = maker.verb.form(request.POST if sent else None)
    status = 200
    if sent:
        answer = _carry_out(request, maker, form, by)
        if isinstance(answer, HttpResponse):
            return answer
        status = answer
    context = {
        **admin.site.each_context(request),
        "title": maker.verb.title,
        "verb": maker.verb,
        "row": maker.crumb,
        "form": form,
        "back": maker.back,
        "press": press_of(request) or uuid4(),
    }
    return render(request, "admin/confirm.html", context, status=status)


def _carry_out(
    request: HttpRequest, maker: Maker, form: forms.Form, by: User
) -> HttpResponse | int:
    if not form.is_valid():
        return 400
    now = timezone.now()
    try:
        with counted_once(press_of(request), now):
            secret = maker.make(form.cleaned_data, by, now)
    except DoneBefore as said:
        messages.info(request, str(said))
        return HttpResponseRedirect(maker.back)
    except NotPossible as error:
        form.add_error(None, str(error))
        return 409
    note_action(by, secret.row, secret.said, flag=ADDITION)
    return shown(request, secret, crumb=maker.crumb, back=maker.back)


def shown(request: HttpRequest, secret: Secret, *, crumb: str, back: str) -> HttpResponse:
    """The page with the secret on it; nothing keeps it."""
    context = {
        **admin.site.each_context(request),
        "title": secret.title,
        "shown": secret.shown,
        "crumb": crumb,
        "back": back,
    }
    response = render(request, "integrations/shown_once.html", context)
    response["Cache-Control"] = "no-store"
    return response


def not_made(row: Any, data: dict[str, Any], by: User, now: datetime) -> str:
    """`Verb.perform` of pages that make a row: the row is made by `Maker.make`."""
    raise NotImplementedError
