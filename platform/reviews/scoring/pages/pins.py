"""The small address behind the pins: each is kept as it is typed; without script a form sends it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from accounts.models import User
from assessments.models import Attempt
from reviews.access import as_json, attempt_for, report_of, submission_of
from reviews.evidence import answer_text, automation, chart_places
from reviews.evidence.troubleshooting_key import line_url
from reviews.models import Pin
from reviews.not_possible import NotPossible
from reviews.scoring import pins
from reviews.scoring.pages.rating import is_text
from reviews.visibility import is_evaluator

HIGHEST_NUMBER = 2_000_000_000
Keys = Mapping[int, Sequence[str]]
"""Round -> the parts of its answer."""


class BadPin(ValueError):
    """What was sent is not a pin; the text is one sentence."""


@never_cache
@require_POST
@as_json
def save(request: HttpRequest, pk: UUID, round: int) -> HttpResponse:
    """{"id", "kind", "source", "part", "first", "last", "text"} -> {"id", "saved_at", "place", "quote"}.

    {"id", "withdrawn": true} takes a pin back. A form of the same names is answered by the page.
    """
    viewer, attempt = attempt_for(request, pk, "reviews.add_evaluation")
    if not is_evaluator(viewer, attempt):
        raise Http404
    is_form = request.content_type != "application/json"
    problem, status, pin = "", 400, None
    try:
        data = request.POST.dict() if is_form else _object(request.body)
        pin = _keep(data, attempt, round, viewer)
    except BadPin as error:
        problem = str(error)
    except NotPossible as error:
        problem, status = str(error), 409
    if is_form and problem:
        from reviews.scoring.pages.scoring import (
            with_pin,  # that page shows pins, and so imports this one
        )

        return with_pin(request, attempt, viewer, round, problem, status)
    if is_form:
        messages.success(request, "Kept.")
        return HttpResponseRedirect(reverse("admin:score", args=[attempt.pk, round]) + "#pins")
    if problem:
        return JsonResponse({"detail": problem}, status=status)
    told = {"id": str(pin.pk), "place": pin.place, "quote": pin.quote} if pin else {}
    return JsonResponse(told | {"saved_at": timezone.now().isoformat()})


def _keep(data: dict[str, Any], attempt: Attempt, round: int, viewer: User) -> Pin | None:
    now = timezone.now()
    key = _key(data.get("id"))
    if data.get("withdrawn") in (True, "yes"):
        pins.withdraw(key=key, author=viewer, now=now)
        return None
    spot, text = _spot(data), data.get("text", "")
    if isinstance(text, str):
        text = text.replace("\r\n", "\n")  # typed as one character, sent by forms as two
    if not isinstance(text, str) or len(text) > pins.LONGEST or not is_text(text):
        raise BadPin(f"A pin is text of at most {pins.LONGEST:,} characters.")
    return pins.keep(
        key=key,
        attempt=attempt,
        round=round,
        author=viewer,
        spot=spot,
        text=text,
        now=now,
    )


def _object(body: bytes) -> dict[str, Any]:
    try:
        data: Any = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise BadPin("That could not be read: send JSON.") from error
    if not isinstance(data, dict):
        raise BadPin("Send an object with id, kind, source, part, first, last and text.")
    return data


def _key(value: Any) -> UUID:
    try:
        return UUID(str(value))
    except ValueError as error:
        raise BadPin("A pin has a key of its own, a UUID that the page chooses.") from error


def _spot(data: dict[str, Any]) -> pins.Spot:
    """The place; a form names kind, source and part in one value, "kind|source|part"."""
    if "where" in data:
        named = [*str(data["where"]).split("|", 2), "", ""]
        data = {**data, **dict(zip(("kind", "source", "part"), named, strict=False))}
    names = [data.get(name, "") for name in ("kind", "source", "part")]
    if not all(isinstance(name, str) and len(name) <= 350 and is_text(name) for name in names):
        raise BadPin("kind, source and part are short texts.")
    first = _whole(data.get("first"))
    last = _whole(data.get("last") or first)
    return pins.Spot(names[0], names[1], names[2], first, last)


def _whole(value: Any) -> int:
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 11:
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= HIGHEST_NUMBER:
        raise BadPin("Say with whole numbers where the place begins and ends.")
    return value


def pins_context(attempt: Attempt, viewer: User, round: int | None = None) -> dict[str, Any]:
    """The pins that the viewer may see, as the page lists them and as its script places them.

    `round` is the one that the viewer may pin to on this page, if any.
    """
    shown = pins.shown(attempt, viewer)
    # Once for each round: reading a large answer takes longer than everything else on the page.
    rounds = {pin.submission.round for pin in shown if pin.source == pins.ANSWER}
    keys = {round: _keys(attempt, round) for round in rounds}
    rows = [_row(pin, attempt, viewer, keys) for pin in shown]
    return {
        "pins": rows,
        "pins_data": [{name: row[name] for name in FOR_SCRIPT} for row in rows],
        "may_pin": round is not None and is_evaluator(viewer, attempt),
        "longest_pin": pins.LONGEST,
    }


FOR_SCRIPT = (
    "id", "kind", "source", "part", "first", "last", "round", "text", "place", "author", "mine"
)  # fmt: skip


def _keys(attempt: Attempt, round: int) -> list[str]:
    """The keys of the parts of a round's answer, in the order in which the page shows them."""
    submission = submission_of(attempt, round)
    if submission is None:
        return []
    titles = answer_text.section_titles(attempt)
    return [part.key for part in answer_text.parts(submission.body, titles)]


def _row(pin: Pin, attempt: Attempt, viewer: User, keys: Keys) -> dict[str, Any]:
    return {
        "id": str(pin.pk),
        "kind": pin.kind,
        "source": pin.source,
        "part": pin.part,
        "first": pin.first,
        "last": pin.last,
        "round": pin.submission.round,
        "text": pin.text,
        "place": pin.place,
        "quote": pin.quote,
        "author": str(pin.author),
        "mine": pin.author_id == viewer.pk,
        "wordings": len(pin.wordings.all()),
        "href": _href(pin, attempt, keys),
    }


def _href(pin: Pin, attempt: Attempt, keys: Keys) -> str:
    """Where the place is on the page; runs have a page of their own."""
    if pin.source.startswith("run-"):
        return reverse("admin:run", args=[attempt.pk, pin.source.removeprefix("run-")])
    if pin.source == pins.MATERIAL:
        room = reverse("admin:attempt-room", args=[attempt.pk])
        if pin.kind == Pin.Kind.TIME:
            return chart_places.link(room, pin.part, pin.first, pin.last)
        return line_url(room, pin.part, pin.first)
    if pin.source != pins.ANSWER:
        return f"#w-{pin.source}"
    mine = keys[pin.submission.round]
    at = mine.index(pin.part) + 1 if pin.part in mine else 0
    return f"#r{pin.submission.round}-{at}-{pin.first}"


def places(attempt: Attempt, round: int) -> list[tuple[str, str]]:
    """(value, label) of what can be pinned to by the form that needs no script."""
    submission = submission_of(attempt, round)
    if submission is None:
        return []
    titles = answer_text.section_titles(attempt)
    found = [
        (f"line|answer|{part.key}", f"{part.title}, {len(part.lines)} lines")
        for part in answer_text.parts(submission.body, titles)
        if part.lines
    ]
    run = next((row for row in submission.grading_runs.all() if row.report), None)
    for row in automation.workloads(report_of(submission)) if run else []:
        source = f"graded-{run.pk}-{row.position}" if run else ""
        if row.has_chart:
            found.append((f"time|{source}|", f"{row.title or row.name}, seconds of the replay"))
        if row.stderr:
            found.append((f"row|{source}|stderr", f"{row.title or row.name}, rows of its errors"))
    return found
