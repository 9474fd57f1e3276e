"""Pages that make something with a secret: a form, then the secret this once; what they ask alike."""

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
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache

from accounts.audit import ADDITION, note_action
from accounts.confirmed import DoneBefore, Question, Verb, confirm, counted_once, press_of
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
Page = Callable[..., HttpResponse]


def in_whose_name(help_text: str) -> forms.ModelChoiceField[User]:
    """Somebody of the staff who can sign in."""
    people = User.objects.filter(is_active=True, is_staff=True).order_by("username")
    return forms.ModelChoiceField(
        people, label="In whose name", empty_label="Choose…", help_text=help_text
    )


def number_of_days(label: str, *, most: int, usual: int, help_text: str) -> forms.IntegerField:
    """At least one."""
    numeric = forms.NumberInput(attrs={"inputmode": "numeric"})
    return forms.IntegerField(
        label=label,
        min_value=1,
        max_value=most,
        initial=usual,
        help_text=help_text,
        widget=numeric,
    )


@dataclass(frozen=True)
class Maker:
    """A form's words; `make` raises NotPossible with one sentence; `back` names the page of all of them."""

    question: Question
    make: Make
    crumb: str
    back: str


def making(maker: Maker) -> Page:
    """The page that asks, makes and shows it this once; 400 or 409 with a sentence if not."""

    @never_cache
    def page(request: HttpRequest) -> HttpResponse:
        return _made(request, maker)

    return page


def ending(model: type[Model], verb: Verb, *, back: Callable[[Any], str]) -> Page:
    """The page that ends a row for good; `back(row)`: the address to go to afterwards."""

    @never_cache
    def page(request: HttpRequest, pk: int) -> HttpResponse:
        allow(request, verb.permission)
        row = get_object_or_404(model, pk=pk)
        return confirm(request, row, verb, back=back(row))

    return page


def _made(request: HttpRequest, maker: Maker) -> HttpResponse:
    by = allow(request, maker.question.permission)
    sent = request.method == "POST"
    form = maker.question.form(request.POST if sent else None)
    status = 200
    if sent:
        answer = _carry_out(request, maker, form, by)
        if isinstance(answer, HttpResponse):
            return answer
        status = answer
    context = {
        **admin.site.each_context(request),
        "title": maker.question.title,
        "verb": maker.question,
        "row": maker.crumb,
        "form": form,
        "back": reverse(maker.back),
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
        return HttpResponseRedirect(reverse(maker.back))
    except NotPossible as error:
        form.add_error(None, str(error))
        return 409
    note_action(by, secret.row, secret.said, flag=ADDITION)
    return shown(request, secret, crumb=maker.crumb, back=reverse(maker.back))


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
