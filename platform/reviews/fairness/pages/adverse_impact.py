"""The adverse-impact report, for administrators alone."""

from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.staff_admin import allow
from reviews.fairness import adverse_impact
from reviews.fairness.self_descriptions import questions


@never_cache
@require_safe
def report(request: HttpRequest) -> HttpResponse:
    allow(request, "reviews.view_selfdescription")
    context = {
        **admin.site.each_context(request),
        "title": "Adverse impact",
        "asks": bool(questions()),
        "scopes": adverse_impact.report(),
        "least": adverse_impact.LEAST,
        "alone": adverse_impact.ALONE,
    }
    return render(request, "reviews/adverse_impact.html", context)
