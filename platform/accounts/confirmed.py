"""One page for every verb that needs a second look: it says what will happen, asks why, then does it.

Knows no model: each verb brings its form, its permission and the function that carries it out.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db import IntegrityError, transaction
from django.db.models import Model
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils import timezone

from accounts.audit import note_action
from accounts.models import ConfirmedPress, User
from accounts.prose import ProseField
from accounts.staff_admin import allow

PRESSES_KEPT = timedelta(days=7)
"""Longer than anybody leaves a question open and then answers it twice."""
SENT_TWICE = "That was done already: the same page was sent twice, and it counts once."


class Refused(Exception):
    """The verb cannot be carried out now; the text is one sentence that says what to do."""


class DoneBefore(Exception):
    """An earlier press of the same button did it; the text is one sentence that says so."""


class ReasonForm(forms.Form):
    """What most verbs ask for."""

    reason = ProseField(
        max_length=300,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Goes into the audit trail, with your name and the time.",
    )


class MinutesForm(ReasonForm):
    minutes = forms.IntegerField(
        min_value=1, max_value=600, widget=forms.NumberInput(attrs={"inputmode": "numeric"})
    )
    field_order = ["minutes", "reason"]


@dataclass(frozen=True, kw_only=True)
class Question:
    """A button of the staff's pages: its words, what is asked before it is done, who may press it."""

    title: str
    explanation: str
    button: str
    permission: str
    form: type[forms.Form] = ReasonForm
    grave: bool = False


Perform = Callable[[Any, dict[str, Any], User, datetime], str]


@dataclass(frozen=True, kw_only=True)
class Verb(Question):
    """A button, and what it does to a row.

    `perform(row, data, by, now)` answers with the sentence that goes into the audit trail and is
    shown to whoever pressed; it raises Refused where the verb is not possible now, and DoneBefore
    where there is nothing left to do.
    """

    perform: Perform


def confirm(
    request: HttpRequest,
    row: Model,
    verb: Verb,
    *,
    back: str,
    done: Callable[[], HttpResponse] | None = None,
    **form_args: Any,
) -> HttpResponse:
    """Show the question, or carry the verb out and go `back`; 400 or 409 with a sentence if not.

    done: makes the answer instead, where there is something to show that must not be stored.
    """
    by = allow(request, verb.permission)
    form = verb.form(request.POST if request.method == "POST" else None, **form_args)
    status = 200
    if request.method == "POST":
        answer = _carry_out(request, row, verb, form, by, back, done)
        if isinstance(answer, HttpResponse):
            return answer
        status = answer
    context = {
        **admin.site.each_context(request),
        "title": verb.title,
        "verb": verb,
        "row": row,
        "form": form,
        "back": back,
        "press": press_of(request) or uuid.uuid4(),
    }
    return render(request, "admin/confirm.html", context, status=status)


def press_of(request: HttpRequest) -> uuid.UUID | None:
    """What marks the page that was sent; None where it carries no mark, as a script's request."""
    try:
        return uuid.UUID(request.POST.get("press", ""))
    except ValueError:
        return None


def _carry_out(
    request: HttpRequest,
    row: Model,
    verb: Verb,
    form: forms.Form,
    by: User,
    back: str,
    done: Callable[[], HttpResponse] | None,
) -> HttpResponse | int:
    """Do it and leave the trail; the status where the question has to be shown again."""
    if not form.is_valid():
        return 400
    press, now = press_of(request), timezone.now()
    try:
        with counted_once(press, now):
            sentence = verb.perform(row, form.cleaned_data, by, now)
    except DoneBefore as said:
        messages.info(request, str(said))
        return HttpResponseRedirect(back)
    except Refused as error:
        form.add_error(None, str(error))
        return 409
    note_action(by, row, sentence)
    if done:
        return done()
    messages.success(request, sentence)
    return HttpResponseRedirect(back)


@contextmanager
def counted_once(key: uuid.UUID | None, now: datetime) -> Iterator[None]:
    """Raise DoneBefore where the same page was carried out before, or is at this moment.

    Not one transaction with what is done: that may send mail. What was refused may be tried again.
    """
    if key is None:
        yield
        return
    ConfirmedPress.objects.filter(at__lt=now - PRESSES_KEPT).delete()
    try:
        with transaction.atomic():
            press = ConfirmedPress.objects.create(key=key, at=now)
    except IntegrityError:
        raise DoneBefore(SENT_TWICE) from None
    try:
        yield
    except BaseException:
        press.delete()
        raise
