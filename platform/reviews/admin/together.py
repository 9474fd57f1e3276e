"""The buttons above a list's rows: what is ticked goes to the page that says what will happen to each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseRedirect
from django.urls import reverse

from reviews.bulk import selection

Button = Callable[[Any, HttpRequest, QuerySet[Any]], HttpResponseRedirect]


def together(page: str, label: str, permission: str) -> Button:
    """A button that leads to the page of that name; the list asks `has_<permission>_permission`."""

    @admin.action(description=label, permissions=[permission])
    def chosen(model_admin: Any, request: HttpRequest, rows: QuerySet[Any]) -> HttpResponseRedirect:
        keys = list(rows.values_list("pk", flat=True)[: selection.MOST + 1])
        if len(keys) > selection.MOST:
            messages.info(request, f"The first {selection.MOST:,} of them are taken.")
        return HttpResponseRedirect(
            f"{reverse(f'admin:{page}')}?list={selection.keep(request, keys)}"
        )

    chosen.__name__ = page.replace("-", "_")
    return chosen
