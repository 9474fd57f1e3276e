"""Candidates of a file or of pasted lines: read, shown with what is wrong in each row, added when confirmed."""

from __future__ import annotations

import uuid
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from accounts.confirmed import DoneBefore, counted_once, press_of
from accounts.models import User
from accounts.not_possible import NotPossible
from accounts.row_numbers import row_number
from accounts.staff_admin import allow
from hiring.bulk.people import KNOWN, NEW, WRONG, Row, add, check
from hiring.bulk.reading import (
    MOST_BYTES,
    MOST_ROWS,
    Record,
    Unreadable,
    as_text,
    carried,
    decoded,
    kept,
    read,
)
from hiring.models import Opening
from reviews.bulk import selection
from reviews.names_seen import note_names
from reviews.visibility import candidates_visible_to

FIXED_AT_ONCE = 50
"""Wrong rows that are shown with fields to correct them; more are corrected in the list itself."""
TAGS = {NEW: ("new", "good"), KNOWN: ("a candidate already", ""), WRONG: ("wrong", "bad")}


class ListForm(forms.Form):
    """A file, or lines that were pasted."""

    text = forms.CharField(
        label="Paste the list",
        required=False,
        strip=False,
        max_length=MOST_BYTES,
        widget=forms.Textarea(attrs={"rows": 12, "spellcheck": "false", "class": "mono"}),
        help_text="A line for each person: name and e-mail, and where you know them time zone and "
        "extra time, with commas, semicolons or tabs between. As copied from a table or a mail.",
    )
    file = forms.FileField(
        label="Or choose a CSV file",
        required=False,
        widget=forms.FileInput(attrs={"accept": ".csv,.tsv,.txt,text/csv"}),
        help_text=f"At most {MOST_ROWS:,} rows and 1 MB, in any usual encoding, headings in English "
        "or German or none.",
    )


@require_http_methods(["GET", "HEAD", "POST"])
def add_many(request: HttpRequest) -> HttpResponse:
    """?opening=: the candidates are to be invited to it afterwards."""
    by = allow(request, "hiring.add_candidate")
    opening = _opening(request)
    if request.method != "POST":
        return _ask(request, ListForm(), opening)
    try:
        if "rows" not in request.POST:
            return _first(request, by, opening)
        records = _corrected(request, carried(request.POST["rows"]))
    except Unreadable as error:
        form = ListForm(request.POST)
        form.full_clean()
        form.add_error(None, str(error))
        return _ask(request, form, opening, status=400)
    if "edit" in request.POST:
        return _ask(request, ListForm(initial={"text": as_text(records)}), opening)
    if "add" in request.POST:
        return _add(request, records, by, opening)
    return _preview(request, records, [], by, opening)


def _opening(request: HttpRequest) -> Opening | None:
    sent = request.GET.get("opening", "")
    if not sent:
        return None
    found: Opening = get_object_or_404(Opening, pk=row_number(sent), closed_at=None)
    return found


def _first(request: HttpRequest, by: User, opening: Opening | None) -> HttpResponse:
    """What was pasted or chosen, read for the first time; the file counts where there are both."""
    form = ListForm(request.POST, request.FILES)
    if not form.is_valid():
        return _ask(request, form, opening, status=400)
    file = form.cleaned_data["file"]
    text = _text_of(file) if file else form.cleaned_data["text"]
    found = read(text)
    return _preview(request, found.records, found.unused, by, opening)


def _text_of(file: UploadedFile) -> str:  # type: ignore[type-arg]
    if (file.size or 0) > MOST_BYTES:
        raise Unreadable("The file is larger than 1 MB: split it.")
    return decoded(file.read())


def _corrected(request: HttpRequest, records: list[Record]) -> list[Record]:
    """The rows with what was typed into the fields of wrong ones."""

    def cell(record: Record, name: str) -> str:
        typed = request.POST.get(f"row-{record.number}-{name}")
        return getattr(record, name) if typed is None else typed.strip()[:400]

    fields = Record._fields[1:]
    return [Record(row.number, *(cell(row, name) for name in fields)) for row in records]


def _ask(
    request: HttpRequest, form: ListForm, opening: Opening | None, status: int = 200
) -> HttpResponse:
    context = {
        **admin.site.each_context(request),
        "title": "Add candidates",
        "form": form,
        "opening": opening,
    }
    return render(request, "reviews/bulk/people.html", context, status=status)


def _preview(
    request: HttpRequest,
    records: list[Record],
    unused: list[str],
    by: User,
    opening: Opening | None,
    trouble: str = "",
) -> HttpResponse:
    rows = check(records, candidates_visible_to(by))
    known = {row.known.pk for row in rows if row.known}
    note_names(by, known, "add-candidates", now=timezone.now())
    wrong = [row for row in rows if row.kind == WRONG]
    context = {
        **admin.site.each_context(request),
        "title": "Add candidates",
        "opening": opening,
        "rows": [(row, *TAGS[row.kind]) for row in rows],
        "zoned": any(row.time_zone or row.record.time_zone for row in rows),
        "longer": any(row.factor > 1 or row.record.extra_time for row in rows),
        "counts": {kind: sum(row.kind == kind for row in rows) for kind in TAGS},
        "usable": len(rows) - len(wrong),
        "wrong": [_fields_of(row) for row in wrong[:FIXED_AT_ONCE]],
        "wrong_left": max(0, len(wrong) - FIXED_AT_ONCE),
        "kept": kept(records),
        "unused": unused,
        "press": uuid.uuid4(),
        "trouble": trouble,
    }
    status = 409 if trouble else 200
    return render(request, "reviews/bulk/people_preview.html", context, status=status)


def _fields_of(row: Row) -> dict[str, Any]:
    labels = ("Name", "E-mail", "Time zone", "Extra time")
    names = Record._fields[1:]
    number = row.record.number
    cells = [
        (label, f"row-{number}-{name}", getattr(row.record, name))
        for label, name in zip(labels, names, strict=True)
    ]
    return {"number": number, "problem": row.problem, "cells": cells}


def _add(
    request: HttpRequest, records: list[Record], by: User, opening: Opening | None
) -> HttpResponse:
    """Add the rows that can be used; on to their invitation where an opening was asked for."""
    now = timezone.now()
    try:
        with counted_once(press_of(request), now):
            added = add(records, candidates_visible_to(by), by=by, now=now)
    except DoneBefore as said:
        messages.info(request, str(said))
        return HttpResponseRedirect(reverse("admin:hiring_candidate_changelist"))
    except NotPossible as error:
        return _preview(request, records, [], by, opening, trouble=str(error))
    left = len(records) - len(added.candidates)
    known = len(added.candidates) - added.new
    told = [f"Added {added.new} candidate{'' if added.new == 1 else 's'}."]
    told += [f"{known} were there already."] if known else []
    told += [f"{left} wrong rows were left out."] if left else []
    messages.success(request, " ".join(told))
    if not request.user.has_perm("hiring.add_invitation"):
        return HttpResponseRedirect(reverse("admin:hiring_candidate_changelist"))
    mark = selection.keep(request, added.candidates)
    onward = f"&opening={opening.pk}" if opening else ""
    return HttpResponseRedirect(f"{reverse('admin:invite-many')}?list={mark}{onward}")
