"""The catalogue: every exercise with its picture, minutes and measures; one of them with brief and sample."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.safestring import mark_safe
from django.views.decorators.http import require_safe

from accounts.staff_admin import allow
from graders.assistant.lines import earlier_line, line_of
from library.catalogue import Entry, Sample, brief_of, entries, sample_of
from library.markdown import rendered
from library.models import Seniority
from reviews.catalogue import trials
from reviews.evidence.automation import measures
from scenarios.kinds import KINDS

PERMISSION = "library.view_packversion"


def entry_or_404(kind: str, name: str) -> Entry:
    """By the last part of the pack's name, below its kind or its folder, which may be called otherwise."""
    for found in entries():
        if found.slug == name and kind in (found.kind.key, found.name.partition("/")[0]):
            return found
    raise Http404


@require_safe
def listing(request: HttpRequest) -> HttpResponse:
    """In the order of the kinds, with the viewer's own trials below."""
    person, now = allow(request, PERMISSION), timezone.now()
    order = {kind.key: place for place, kind in enumerate(KINDS)}
    found = sorted(entries(), key=lambda one: order[one.kind.key])
    own = [
        (row, trials.title_of(row), trials.in_words(row, now)) for row in trials.trials_of(person)
    ]
    context = {"entries": found, "trials": own}
    return _page(request, "reviews/catalogue.html", "Exercises", **context)


@require_safe
def entry(request: HttpRequest, kind: str, name: str) -> HttpResponse:
    """One exercise at one level."""
    allow(request, PERMISSION)
    found = entry_or_404(kind, name)
    asked = request.GET.get("level", "")
    level = asked if asked in found.times else _usual_level(found)
    context = {
        "entry": found,
        "level": level,
        "levels": [(key, Seniority(key).label) for key in found.times],
        "times": found.times[level],
        "brief": mark_safe(rendered(brief_of(found, level))),  # noqa: S308 (sanitised by nh3)
        "documents": found.pack.titles(level),
        "sections": found.pack.sections(level),
        "criteria": [item for item in found.pack.rubric(level).criteria if item.round == 1],
        "measures": measures_of(found, level),
        "sample": shown(sample_of(found.name)),
        "alone": line_of(found.name, level),
        "alone_before": earlier_line(found.name, level),
    }
    return _page(request, "reviews/catalogue_entry.html", found.title, **context)


def _usual_level(entry: Entry) -> str:
    levels = list(entry.times)
    return Seniority.MID if Seniority.MID in levels else levels[0]


def measures_of(entry: Entry, level: str) -> list[tuple[str, str]]:
    """(what is measured, what it means): the pack's own, or those of the sample where its grader has them."""
    if own := entry.pack.measures(level):
        return [(one.label, one.meaning) for one in own]
    sample = sample_of(entry.name)
    return [(row["label"], row.get("meaning", "")) for row in sample.measures] if sample else []


def shown(sample: Sample | None) -> dict[str, Any] | None:
    """The sample as the page reads it: its measures with bars, its answer as texts."""
    if sample is None:
        return None
    return {
        "sample": sample,
        "level": Seniority(sample.level).label,
        "measures": measures({"measures": sample.measures}),
        "score": sample.score,
    }


def _page(request: HttpRequest, template: str, title: str, **context: Any) -> HttpResponse:
    return render(
        request, template, {**admin.site.each_context(request), "title": title, **context}
    )
