"""The page with the passages that an answer shares with others."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from reviews.access import attempt_for, page_context
from reviews.similarity import findings


@never_cache
@require_safe
def show(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Every finding that the viewer may read, both places side by side."""
    viewer, attempt = attempt_for(request, pk, "reviews.view_likeness")
    context = page_context(request, attempt, "Shared passages")
    context |= {"findings": findings.of(viewer, attempt), "later": findings.LATER}
    return render(request, "reviews/similarity.html", context)
