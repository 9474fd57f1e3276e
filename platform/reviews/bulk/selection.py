"""Rows that somebody chose in a list, kept in their session until the page that asks about them is answered."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from typing import Any

from django.http import HttpRequest

MOST = 1000
KEPT = 8
"""Selections of one session; the oldest goes first."""
KEY = "selections"


def keep(request: HttpRequest, keys: Iterable[Any]) -> str:
    """The mark by which the next page finds the rows; no more than MOST of them."""
    mark = secrets.token_urlsafe(8)
    kept = dict(list(request.session.get(KEY, {}).items())[-(KEPT - 1) :])
    kept[mark] = [str(key) for key in keys][:MOST]
    request.session[KEY] = kept
    return mark


def kept(request: HttpRequest, mark: str) -> list[str]:
    """The keys of the rows; none where the session does not know the mark any more."""
    found: list[str] = request.session.get(KEY, {}).get(mark, [])
    return found
