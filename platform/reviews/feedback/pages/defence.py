"""The page of explain and defend: what was asked, what was answered, how well; or why it was left out."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from accounts.audit import ADDITION, note_action
from accounts.models import User
from accounts.not_possible import NotPossible
from assessments.models import Attempt
from library.models import Question
from reviews.access import attempt_for, page_context
from reviews.answers import submission_of
from reviews.evidence import own_work
from reviews.feedback import defence as steps
from reviews.feedback.defence import LEVELS, LONGEST, Put
from reviews.feedback.proposals import Proposal, proposals
from reviews.models import Defence

OWN_ROWS = 3
LONGEST_REASON = 300


@require_http_methods(["GET", "HEAD", "POST"])
def defence(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Records that may be seen, and the form; a POST records the talk or why there was none."""
    viewer, attempt = attempt_for(request, pk, "reviews.view_defence")
    mine = Defence.objects.current().filter(attempt=attempt, by=viewer).first()
    bank = _bank(attempt, mine)
    owes = steps.owes_first_card(viewer, attempt)
    about = [] if owes else proposals(attempt, viewer)
    problem, status = "", 200
    if request.method == "POST":
        viewer, attempt = attempt_for(request, pk, "reviews.add_defence")
        try:
            row = _record(request.POST, attempt, viewer, bank, about)
        except NotPossible as error:
            problem, status = str(error), 409
        else:
            said = "Recorded explain and defend." if row.level else "Left out explain and defend."
            note_action(viewer, attempt, said, flag=ADDITION)
            messages.success(request, "Recorded. It stays with the attempt as it is.")
            return HttpResponseRedirect(request.path)
    rows = Defence.objects.visible_to(viewer).filter(attempt=attempt).select_related("by")
    correcting = mine is not None and (request.method == "POST" or "correct" in request.GET)
    context = page_context(request, attempt, "Explain and defend")
    context |= {
        "records": list(rows.prefetch_related("questions__question", "corrections")),
        "mine": mine,
        "shows_form": mine is None or correcting,
        "bank": [_asked(item, request.POST, mine if correcting else None) for item in bank],
        "about": [_about(one, request.POST, mine if correcting else None) for one in about],
        "own": _own(request.POST, mine if correcting else None, about),
        "filled": _filled(request.POST, mine if correcting else None),
        "levels": list(LEVELS.items()),
        "longest": LONGEST,
        "problem": problem,
        "handed_in": submission_of(attempt, 1) is not None,
        "owes": steps.OWES_CARD if owes else "",
        "own_work": own_work.asked_of(attempt, viewer, timezone.now()),
        "kept": f"defence-{attempt.pk}-{mine.pk if mine else 0}",
    }
    return render(request, "reviews/defence.html", context, status=status)


def _text(data: Any, name: str, longest: int = LONGEST) -> str:
    text: str = data.get(name, "")
    return text.replace("\r\n", "\n").replace("\x00", "")[:longest]


def _bank(attempt: Attempt, mine: Defence | None) -> list[Question]:
    """The linked questions, and before them what the viewer's record holds of others."""
    linked = list(steps.linked_questions(attempt))
    put = mine.questions.select_related("question") if mine else ()
    held = [row.question for row in put if row.question and row.question not in linked]
    return held + linked


def _record(
    data: Any, attempt: Attempt, viewer: User, bank: list[Question], about: list[Proposal]
) -> Defence:
    now, reason = timezone.now(), _text(data, "reason", LONGEST_REASON)
    if "skip" in data:
        because = _text(data, "because", LONGEST_REASON)
        return steps.skip(attempt=attempt, by=viewer, because=because, reason=reason, now=now)
    put = [
        Put(item.text, _text(data, f"note-{item.pk}"), item)
        for item in bank
        if data.get(f"put-{item.pk}") or _text(data, f"note-{item.pk}").strip()
    ]
    put += [
        Put(one.text, _text(data, f"about-note-{one.key}"))
        for one in about
        if data.get(f"about-{one.key}") or _text(data, f"about-note-{one.key}").strip()
    ]
    put += [
        Put(_text(data, f"own-{n}"), _text(data, f"own-note-{n}")) for n in range(1, OWN_ROWS + 1)
    ]
    level = data.get("level", "")
    return steps.hold(
        attempt=attempt,
        by=viewer,
        questions=put,
        notes=_text(data, "notes"),
        level=int(level) if level in {str(value) for value in LEVELS} else None,
        reason=reason,
        now=now,
    )


def _asked(item: Question, data: Any, before: Defence | None) -> dict[str, Any]:
    """A bank question as the form shows it: as sent, else as recorded before."""
    held = {row.question_id: row for row in before.questions.all()} if before else {}
    row = held.get(item.pk)
    note = _text(data, f"note-{item.pk}") if data else row.note if row else ""
    put = bool(data.get(f"put-{item.pk}")) if data else row is not None
    return {"question": item, "note": note, "put": put}


def _about(one: Proposal, data: Any, before: Defence | None) -> dict[str, Any]:
    """A proposed question as the form shows it: as sent, else as recorded before."""
    held = before.questions.filter(question=None, text=one.text).first() if before else None
    note = _text(data, f"about-note-{one.key}") if data else held.note if held else ""
    put = bool(data.get(f"about-{one.key}")) if data else held is not None
    return {"proposal": one, "note": note, "put": put}


def _own(data: Any, before: Defence | None, about: list[Proposal]) -> list[dict[str, Any]]:
    proposed = {one.text for one in about}
    rows_before = before.questions.all() if before else ()
    held = [row for row in rows_before if row.question_id is None and row.text not in proposed]
    rows = []
    for n in range(1, OWN_ROWS + 1):
        row = held[n - 1] if len(held) >= n else None
        text = _text(data, f"own-{n}") if data else row.text if row else ""
        note = _text(data, f"own-note-{n}") if data else row.note if row else ""
        rows.append({"number": n, "text": text, "note": note})
    return rows


def _filled(data: Any, before: Defence | None) -> dict[str, Any]:
    if data:
        names = ("notes", "because", "reason", "level")
        return {name: _text(data, name) for name in names}
    if before is None:
        return {}
    level = str(before.level or "")
    return {"notes": before.notes, "because": before.skipped_because, "level": level}
