"""An opening's tables as files."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.text import slugify
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.audit import note_action
from accounts.models import User
from assessments.places import in_place
from hiring import seen_by
from hiring.models import Opening
from reviews.decisions import comparison, tables
from reviews.decisions.pages.comparison import opening_for

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


@never_cache
@require_safe
@in_place("file")
def as_csv(request: HttpRequest, pk: int) -> HttpResponse:
    """?table= summary, ratings (the default), measures or interviews."""
    viewer, opening = opening_for(request, pk)
    table = request.GET.get("table", "ratings")
    if table not in tables.TABLES:
        raise Http404
    text = tables.as_csv(viewer, opening, table)
    _note_seen(viewer, opening)
    note_action(viewer, opening, f"Took the table of {table} as CSV.")
    # the byte order mark tells spreadsheets that it is UTF-8
    return _file("\ufeff" + text, "text/csv; charset=utf-8", f"{table}.csv", opening)


@never_cache
@require_safe
@in_place("file")
def as_workbook(request: HttpRequest, pk: int) -> HttpResponse:
    """All tables as one Excel file."""
    viewer, opening = opening_for(request, pk)
    try:
        book = tables.as_workbook(viewer, opening)
    except tables.NoWorkbook as error:
        messages.warning(request, str(error))
        return HttpResponseRedirect(reverse("admin:comparison", args=[opening.pk]))
    _note_seen(viewer, opening)
    note_action(viewer, opening, "Took all tables as an Excel file.")
    return _file(book, XLSX, "tables.xlsx", opening)


def _note_seen(viewer: User, opening: Opening) -> None:
    people = [pk for pk, _ in comparison.people_of(viewer, opening)]
    seen_by.note_all(viewer, people, "tables", now=timezone.now())


def _file(body: str | bytes, kind: str, end: str, opening: Opening) -> HttpResponse:
    response = HttpResponse(body, content_type=kind)
    name = f"{slugify(opening.title) or 'opening'}-{end}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
