"""What is done to a whole opening: evaluators for all answers, extra time for everybody, a copy."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from decimal import Decimal
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin, messages
from django.core.validators import MaxValueValidator, MinValueValidator
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from accounts.audit import ADDITION, note_action
from accounts.confirmed import DoneBefore, ReasonForm, counted_once, press_of
from accounts.row_numbers import row_number
from accounts.staff_admin import allow
from hiring.bulk.copying import LONGEST_TITLE, copy_opening, title_of_copy, what_is_copied
from hiring.models import Opening, one_line
from hiring.oversight import openings_overseen_by
from reviews.bulk import selection
from reviews.bulk.assigning import Answer, Person, assign_all, evaluators, propose
from reviews.bulk.extra_time import give, plan
from reviews.messages.results import TELLS, to_tell
from reviews.names_seen import note_names
from reviews.visibility import shown_name

REFUSED_SHOWN = 8
MOST_EACH = 4


def _page(opening: Opening) -> str:
    return reverse("admin:hiring_opening_change", args=[opening.pk])


def _after(request: HttpRequest, opening: Opening, refused: Iterable[str]) -> HttpResponse:
    for sentence in list(refused)[:REFUSED_SHOWN]:
        messages.warning(request, sentence)
    return HttpResponseRedirect(_page(opening))


@require_http_methods(["GET", "HEAD", "POST"])
def assign(request: HttpRequest, pk: int) -> HttpResponse:
    """?people=, ?each=: propose who scores what; nothing is asked before the grid is sent."""
    by, now = allow(request, "reviews.add_assignment"), timezone.now()
    opening = get_object_or_404(openings_overseen_by(by), pk=pk)
    if request.method == "POST":
        ticked = [pair for sent in request.POST.getlist("ask") if (pair := _pair(sent))]
        if not ticked:
            messages.info(request, "Nobody was ticked, so nobody was asked.")
            return HttpResponseRedirect(request.get_full_path())
        asked = assign_all(opening, ticked, by=by, now=now)
        text = f"Asked for {asked.asked} scorecard{'' if asked.asked == 1 else 's'}."
        messages.success(request, f"{text} Whoever is asked is told by e-mail.")
        return _after(request, opening, asked.refused)
    everybody = evaluators(now)
    chosen = {number for key in request.GET.getlist("people") if (number := row_number(key))}
    each = _each(request.GET.get("each", ""), opening)
    context: dict[str, Any] = {
        **admin.site.each_context(request),
        "title": "Assign evaluators",
        "opening": opening,
        "everybody": everybody,
        "chosen": chosen,
        "each": each,
        "choices": range(1, MOST_EACH + 1),
        "me": by.pk,
    }
    if chosen:
        found = propose(opening, chosen, each, viewer=by, now=now)
        named = [row.attempt for row in found.answers if row.attempt.named]  # type: ignore[attr-defined]
        people = {row.invitation.candidate_id for row in named}
        note_names(by, people, "assign-many", now=now)
        context |= {
            "proposal": found,
            "grid": [_grid_row(answer, found.people) for answer in found.answers],
            "short": sum(answer.missing for answer in found.answers),
        }
    return render(request, "reviews/bulk/assign.html", context)


def _each(sent: str, opening: Opening) -> int:
    """How many for an answer; 0: by hand."""
    number = row_number(sent)
    return opening.evaluators_per_answer if number is None else min(number, MOST_EACH)


def _pair(sent: str) -> tuple[UUID, int] | None:
    attempt, _, person = sent.partition(":")
    number = row_number(person)
    try:
        return (UUID(attempt), number) if number else None
    except ValueError:
        return None


def _grid_row(answer: Answer, people: list[Person]) -> dict[str, Any]:
    fixed = ("scores it already", "is you")
    cells = []
    for person in people:
        why = answer.cannot.get(person.user.pk, "")
        cells.append(
            {
                "person": person.user,
                "value": f"{answer.attempt.pk}:{person.user.pk}",
                "ticked": person.user.pk in answer.proposed,
                "why": why,
                "fixed": why.startswith(fixed),
            }
        )
    return {
        "name": shown_name(answer.attempt),
        "attempt": answer.attempt,
        "has": answer.has,
        "cells": cells,
        "missing": answer.missing,
    }


class ExtraTimeForm(ReasonForm):
    """A factor, minutes, or both."""

    factor = forms.DecimalField(
        max_digits=3,
        decimal_places=2,
        required=False,
        label="Factor for everybody who is invited",
        validators=[MinValueValidator(Decimal("1.01")), MaxValueValidator(Decimal(4))],
        help_text="1.25 is a quarter more time for work, window and revision. Whoever has as much "
        "keeps what they have; what was begun keeps the factor that it began with.",
    )
    minutes = forms.IntegerField(
        min_value=1,
        max_value=600,
        required=False,
        label="Minutes for everybody who works now",
        help_text="Their pages show the new time within seconds.",
    )
    field_order = ["factor", "minutes", "reason"]

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        if not self.errors and not data.get("factor") and not data.get("minutes"):
            self.add_error("factor", "Give a factor, minutes, or both.")
        return data


@require_http_methods(["GET", "HEAD", "POST"])
def extra_time(request: HttpRequest, pk: int) -> HttpResponse:
    by, now = allow(request, "hiring.add_accommodation"), timezone.now()
    allow(request, "assessments.add_timeevent")
    opening = get_object_or_404(openings_overseen_by(by), pk=pk)
    form = ExtraTimeForm(request.POST if request.method == "POST" else None)
    lines, status, shown = [], 200, ""
    if request.method == "POST" and not form.is_valid():
        status = 400
    elif request.method == "POST":
        data = form.cleaned_data
        factor, minutes = data["factor"], data["minutes"]
        lines = plan(opening, factor, minutes, viewer=by, now=now)
        note_names(by, {row.candidate.pk for row in lines if row.candidate}, "bulk", now=now)
        shown = f"{factor} {minutes}"
        if request.POST.get("shown") == shown:
            try:
                with counted_once(press_of(request), now):
                    given, refused = give(lines, factor, minutes, data["reason"], by=by, now=now)
            except DoneBefore as said:
                messages.info(request, str(said))
                return HttpResponseRedirect(_page(opening))
            messages.success(request, f"Extra time for {given}. Reason: {data['reason']}")
            return _after(request, opening, refused)
    context = {
        **admin.site.each_context(request),
        "title": "Extra time for everybody",
        "opening": opening,
        "form": form,
        "lines": lines,
        "possible": sum(line.possible for line in lines),
        "shown": shown,
        "press": uuid.uuid4(),
    }
    return render(request, "reviews/bulk/extra_time.html", context, status=status)


@require_safe
def results(request: HttpRequest, pk: int) -> HttpResponse:
    """To the page that tells them all, with everybody of the opening who waits to be told."""
    by = allow(request, TELLS)
    opening = get_object_or_404(openings_overseen_by(by), pk=pk)
    waiting = to_tell(by, timezone.now()).filter(opening=opening)
    keys = list(waiting.values_list("pk", flat=True)[: selection.MOST])
    if not keys:
        messages.info(request, "Nobody of this opening waits to be told a result.")
        return HttpResponseRedirect(reverse("admin:board", args=[opening.pk]))
    mark = selection.keep(request, keys)
    return HttpResponseRedirect(f"{reverse('admin:bulk-tell')}?list={mark}")


class CopyForm(forms.Form):
    title = forms.CharField(
        max_length=LONGEST_TITLE, validators=[one_line], label="Title of the copy"
    )


@require_http_methods(["GET", "HEAD", "POST"])
def copy(request: HttpRequest, pk: int) -> HttpResponse:
    by, now = allow(request, "hiring.add_opening"), timezone.now()
    opening = get_object_or_404(Opening.objects.select_related("company", "hiring_manager"), pk=pk)
    sent = request.POST if request.method == "POST" else None
    form = CopyForm(sent, initial={"title": title_of_copy(opening)})
    if form.is_valid():
        try:
            with counted_once(press_of(request), now):
                made = copy_opening(opening, title=form.cleaned_data["title"], by=by, now=now)
        except DoneBefore as said:
            messages.info(request, str(said))
            return HttpResponseRedirect(reverse("admin:hiring_opening_changelist"))
        note_action(by, made, f"Copied from {opening}.", flag=ADDITION)
        messages.success(request, f"Copied from {opening}. Nobody is invited to it yet.")
        return HttpResponseRedirect(_page(made))
    context = {
        **admin.site.each_context(request),
        "title": "Copy the opening",
        "opening": opening,
        "form": form,
        "copied": what_is_copied(opening),
        "press": press_of(request) or uuid.uuid4(),
    }
    return render(request, "reviews/bulk/copy.html", context, status=400 if form.errors else 200)
