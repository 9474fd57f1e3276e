"""A report as somebody without an account reads it, by a link."""

from __future__ import annotations

import time

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from assessments.throttle import Buckets
from hiring.tokens import digest
from reviews.decisions import report_links
from reviews.decisions.pages.report import report_context
from reviews.decisions.reports import gather
from reviews.printed import answer

OPENED = Buckets(30, 0.5)
"""Requests at once for one link, and then a second: a reader, and a page that waits for its file."""
GUESSED = Buckets(20, 0.2)
"""The same of addresses that are no link, for each place that they come from."""


@require_safe
def shared(request: HttpRequest, token: str) -> HttpResponse:
    """The report or its file; one sentence where the link is over, was revoked or never was one."""
    response = _shared(request, token)
    response["X-Robots-Tag"] = "noindex, nofollow, noarchive"
    response["Referrer-Policy"] = "no-referrer"
    response["Cache-Control"] = "no-store"
    return response


def _shared(request: HttpRequest, token: str) -> HttpResponse:
    now, asked = timezone.now(), time.monotonic()
    if not OPENED.take(digest(token), asked):
        return _no(request, 429, "The link is opened too often just now: try again in a minute.")
    known = report_links.found(token, now)
    if known is None:
        if not GUESSED.take(request.META.get("REMOTE_ADDR", ""), asked):
            return _no(request, 429, "Too many tries: wait a minute, then open the link again.")
        return _no(
            request,
            404,
            "This link opens nothing: it has ended, was revoked, or was not copied as a whole. Ask whoever "
            "gave it to you for a new one.",
        )
    link, attempt = known
    found = gather(link.made_by, attempt)
    context = report_context(link.made_by, attempt, found)
    context |= {"base": "reviews/shared.html", "outside": True, "link": link}
    name = f"report {found.candidate.pseudonym} {found.opening}"
    response = answer(request, "reviews/report.html", context, name=name, about=found.candidate)
    if response.status_code == 200:  # not the page that waits for the file
        report_links.note_opening(link, as_file="pdf" in request.GET, now=now)
    return response


def _no(request: HttpRequest, status: int, sentence: str) -> HttpResponse:
    response = render(request, "reviews/no_report.html", {"sentence": sentence}, status=status)
    if status == 429:
        response["Retry-After"] = "60"
    return response
