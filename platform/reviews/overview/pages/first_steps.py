"""The first page of an empty site: five steps, each of which can be left and taken up again."""

from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from accounts.staff_admin import allow
from reviews.overview.first_steps import PERMISSION, rows_for


@require_safe
def show(request: HttpRequest) -> HttpResponse:
    person = allow(request, PERMISSION)
    rows = rows_for(person, timezone.now())
    context = {
        **admin.site.each_context(request),
        "title": "First steps",
        "rows": rows,
        "done": sum(row.step.done for row in rows),
    }
    return render(request, "reviews/first_steps.html", context)
