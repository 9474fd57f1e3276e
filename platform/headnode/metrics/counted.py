"""What processes count while they work: requests, autosaves, what the sandbox would not run."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from prometheus_client import Counter, Histogram

from assessments.happened import sandbox_refused

AUTOSAVE = "attempt-drafts"
SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
requests = Counter(
    "headnode_http_requests_total",
    "Requests that were answered, by page, method and class of status.",
    ["page", "method", "status"],
)
autosave_seconds = Histogram(
    "headnode_autosave_seconds",
    "Seconds from a save's arrival at the web process to its answer.",
    buckets=SECONDS,
)
autosave_refusals = Counter(
    "headnode_autosave_refusals_total",
    "Saves that were not kept as they came, by status: 409 is too late, 429 too many, 5xx our failure.",
    ["status"],
)
sandbox_refusals = Counter(
    "headnode_sandbox_refusals_total",
    "Times that the sandbox would run nothing, by the layer that was missing.",
    ["layer"],
)
OTHER_LAYER = "none: it could not start"


def middleware(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """Counts what is answered, and how long a save took."""

    def answer(request: HttpRequest) -> Any:
        began = time.monotonic()
        response = get_response(request)
        note(request, response, time.monotonic() - began)
        return response

    return answer


def note(request: HttpRequest, response: HttpResponse, seconds: float) -> None:
    """Count one answer. Pages are told apart by their names: addresses hold secrets, and are many."""
    found = request.resolver_match
    page = (found.view_name if found else "") or "none"
    method = request.method if request.method in {"GET", "HEAD", "POST"} else "other"
    requests.labels(page, method, f"{response.status_code // 100}xx").inc()
    if page == AUTOSAVE and request.method == "POST":
        autosave_seconds.observe(seconds)
        if response.status_code >= 400:
            autosave_refusals.labels(str(response.status_code)).inc()


def note_refusal(layer: str = "", **kwargs: Any) -> None:
    """Count that the sandbox refused to run anything."""
    sandbox_refusals.labels(layer or OTHER_LAYER).inc()


def listen() -> None:
    """Count the sandbox's refusals in this process from now on."""
    sandbox_refused.connect(note_refusal)
