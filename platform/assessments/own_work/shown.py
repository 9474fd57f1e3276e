"""What the candidate's pages show of the questions about their own answer: nothing that tells what is right."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext_noop

from assessments import answers
from assessments.models import Attempt, OwnWorkRound, Submission
from assessments.own_work import rounds
from assessments.own_work.rounds import Stage
from hiring.time_allowed import in_words
from library.packs import pack_of

LONGEST_SHOWN = 60_000
WORDS = {
    Stage.PREPARING: gettext_noop("Being prepared"),
    Stage.NONE: "",
    Stage.CLOSED: gettext_noop("In the interview"),
    Stage.READY: gettext_noop("Ready"),
    Stage.MISSED: "",
    Stage.RUNNING: gettext_noop("Running"),
    Stage.DONE: gettext_noop("Received"),
}
"""The round in a word; none where there is nothing to do and never will be."""


def offer(attempt: Attempt, now: datetime) -> dict[str, Any] | None:
    """What the receipt says of the round; None where there is none."""
    row = rounds.round_of(attempt)
    if row is None:
        return None
    stage = rounds.stage_of(row, now)
    return {
        "stage": str(stage),
        "word": WORDS[stage],
        "is_waiting": stage in (Stage.PREPARING, Stage.READY, Stage.RUNNING),
        "is_over": stage in (Stage.NONE, Stage.MISSED),
        "is_live": row.is_live,
        "time": in_words(rounds.time_for(row)),
        "until": rounds.begins_until(row) if row.finished_at and not row.is_live else None,
        "url": reverse("own-work", args=[attempt.pk]),
        "state_url": reverse("own-work-state", args=[attempt.pk]),
    }


def state(row: OwnWorkRound, now: datetime) -> dict[str, Any]:
    """Where the round stands, and what is left of its time in s while it runs."""
    stage = rounds.stage_of(row, now)
    left = (rounds.ends_at(row) - now).total_seconds() if stage == Stage.RUNNING else None
    return {"stage": str(stage), "left_s": left}


def page(attempt: Attempt, row: OwnWorkRound, now: datetime) -> dict[str, Any]:
    """Everything that the page of the round shows; questions only once its clock runs."""
    told = state(row, now)
    context: dict[str, Any] = {
        "opening": attempt.invitation.opening,
        "exercise": {"title": pack_of(attempt.pack_version.name).title},
        "attempt": attempt,
        "round": row,
        "time": in_words(rounds.time_for(row)),
        "until": rounds.begins_until(row) if row.finished_at and not row.is_live else None,
        "count": len(rounds.questions_in(row)),
        "longest_why": rounds.LONGEST_WHY,
        "longest_given": rounds.LONGEST_GIVEN,
        **told,
    }
    if told["stage"] in (Stage.RUNNING, Stage.DONE):
        given = rounds.answers_in(row)
        context["questions"] = [
            question.asked() | {"number": number, **_entry(given, number)}
            for number, question in enumerate(rounds.questions_in(row), start=1)
        ]
    if told["stage"] == Stage.RUNNING:
        context["answer"] = own_answer(row.submission)
    return context


def _entry(given: rounds.Entries, number: int) -> dict[str, str]:
    entry = given.get(str(number), {})
    return {"given": entry.get("given", ""), "why": entry.get("why", "")}


def own_answer(submission: Submission) -> list[dict[str, str]]:
    """The answer as it was handed in, to look at beside the questions: title and text of each part."""
    attempt = submission.attempt
    pack = pack_of(attempt.pack_version.name)
    titles = {section.key: section.title for section in pack.sections(attempt.level)}
    files = answers.in_order(submission.body["files"], answers.template(attempt))
    found = [{"title": path, "text": _readable(text)} for path, text in files.items()]
    sections = answers.in_order(submission.body["sections"], titles)
    found += [{"title": titles.get(key, key), "text": text} for key, text in sections.items()]
    return [part for part in found if part["text"].strip()]


def _readable(text: str) -> str:
    """A file that a room keeps as JSON, a line for each of its entries; any other as it is."""
    if not text.lstrip().startswith(("{", "[")):
        return text[:LONGEST_SHOWN]
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return text[:LONGEST_SHOWN]
    return "\n".join(_lines(data, 0))[:LONGEST_SHOWN]


def _lines(data: Any, depth: int) -> list[str]:
    """What is in it, one value a line; what was left empty is left out."""
    pad = "  " * depth
    if isinstance(data, dict):
        found = []
        for key, value in data.items():
            if value in ("", None, [], {}):
                continue
            if isinstance(value, dict | list):
                found += [f"{pad}{key}:", *_lines(value, depth + 1)]
            else:
                found.append(f"{pad}{key}: {value}")
        return found
    if isinstance(data, list):
        rows = []
        for value in data:
            inside = _lines(value, depth + 1)
            rows += [f"{pad}- {inside[0].strip()}", *inside[1:]] if inside else []
        return rows
    return [f"{pad}{data}"]
