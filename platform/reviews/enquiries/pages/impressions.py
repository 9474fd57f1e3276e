"""How an opening's exercises were for those who did them: counts, and words without whose they are."""

from __future__ import annotations

from collections import Counter

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from accounts.staff_admin import allow
from assessments.models import Impression
from hiring.oversight import openings_overseen_by

FEWEST = 3
"""Of so few it would be told who said what."""


@require_safe
def impressions(request: HttpRequest, pk: int) -> HttpResponse:
    """By exercise; nothing of fewer than FEWEST. The order of the words tells nothing either."""
    viewer = allow(request, "assessments.view_impression")
    opening = get_object_or_404(openings_overseen_by(viewer), pk=pk)
    found = []
    for exercise in opening.exercises.all():
        rows = list(Impression.objects.filter(attempt__exercise=exercise))
        counted, enough = Counter(row.how for row in rows), len(rows) >= FEWEST
        found.append(
            {
                "exercise": exercise,
                "number": len(rows),
                "counts": [(name, counted[how]) for how, name in Impression.How.choices]
                if enough
                else [],
                "texts": sorted(row.text for row in rows if row.text) if enough else [],
            }
        )
    context = {
        **admin.site.each_context(request),
        "title": f"How it was: {opening}",
        "opening": opening,
        "found": found,
        "fewest": FEWEST,
    }
    return render(request, "reviews/impressions.html", context)
