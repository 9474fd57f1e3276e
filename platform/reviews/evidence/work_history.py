"""The course of an attempt, step by step: drafts, runs, commands and answers handed in, as they came."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any, NamedTuple

from assessments import answers
from assessments.answers import in_order
from assessments.assistant import asking
from assessments.models import AssistantTurn, Attempt, Draft, Run, Submission
from assessments.models.terminal import TerminalCommand
from reviews.evidence.answer_text import Pair, as_read, side_by_side, title_of, visible
from reviews.evidence.ordinary_minutes import EVEN, OrdinaryTime
from reviews.evidence.terminal_record import commands

SHOWN_ROWS = 2000
NO_CHANGE = ("command", "assistant")
"""Kinds of steps that leave the files as they are."""


@dataclass(frozen=True)
class Step:
    """One moment: what happened, and which row holds the files as they were then.

    kind: start, draft, run, command, assistant or handed-in. `row` is None for the start, for questions to the
    assistant and for commands: those between two other steps are one step, and the files are as before it.
    """

    number: int
    kind: str
    title: str
    round: int
    at: datetime
    draft: int | None = None
    row: Draft | Run | Submission | None = None
    note: str = ""
    commands: tuple[TerminalCommand, ...] = ()
    turn: AssistantTurn | None = None


class Change(NamedTuple):
    """One file or section against the step before; `left_out` counts rows that are not shown."""

    title: str
    pairs: list[Pair]
    added: int
    removed: int
    left_out: int


def steps(attempt: Attempt) -> list[Step]:
    """All steps from the start on, without any text: four queries however long the attempt."""
    known = ("number", "round", "received_at", "late", "diverged")
    drafts = Draft.objects.filter(attempt=attempt).only(*known)
    runs = Run.objects.filter(attempt=attempt).select_related("draft")
    runs = runs.defer("report", "draft__body")
    handed_in = Submission.objects.filter(attempt=attempt).defer("body")
    rows: list[tuple[datetime, int, dict[str, Any]]] = [
        (row.received_at, 0, _draft(row)) for row in drafts
    ]
    rows += [(row.created_at, 1, _run(row)) for row in runs]
    rows += [(row.submitted_at, 2, _submission(row)) for row in handed_in]
    rows += [(row.at, 0, _command(row)) for row in commands(attempt)]
    if asking.is_offered(attempt):
        rows += [(row.asked_at, 0, _asked(row)) for row in attempt.assistant_turns.all()]
    rows.sort(key=lambda row: (row[0], row[1], row[2].get("draft") or 0))
    first = Step(1, "start", "The exercise as it began", 1, attempt.started_at)
    joined = _joined(rows)
    return [first, *(Step(number, at=at, **facts) for number, (at, facts) in enumerate(joined, 2))]


def _joined(
    rows: list[tuple[datetime, int, dict[str, Any]]],
) -> Iterator[tuple[datetime, dict[str, Any]]]:
    """The rows, commands that follow each other in one round as one."""
    for (is_command, _), group in groupby(
        rows, lambda row: (row[2]["kind"] == "command", row[2]["round"])
    ):
        if not is_command:
            yield from ((at, facts) for at, _, facts in group)
            continue
        found = list(group)
        ran = tuple(command for _, _, facts in found for command in facts["commands"])
        title = f"{len(ran)} commands in the terminal" if len(ran) > 1 else found[0][2]["title"]
        yield found[0][0], found[0][2] | {"title": title, "commands": ran}


def _command(row: TerminalCommand) -> dict[str, Any]:
    first = visible(row.line.split("\n")[0])
    title = f"Command on {row.host}: {first[:80]}{'…' if len(first) > 80 else ''}"
    return {"kind": "command", "title": title, "round": row.session.round, "commands": (row,)}


def _asked(row: AssistantTurn) -> dict[str, Any]:
    first = visible(row.question.split("\n")[0])
    title = f"Asked the assistant: {first[:80]}{'…' if len(first) > 80 else ''}"
    return {"kind": "assistant", "title": title, "round": row.round, "turn": row}


def _draft(row: Draft) -> dict[str, Any]:
    note = ""
    if row.late:
        note = "Came after the time was over: kept, never graded."
    elif row.diverged:
        note = "Saved from a page that had not seen the newest draft: kept beside the main line."
    title = f"Draft {row.number}"
    return {
        "kind": "draft",
        "title": title,
        "round": row.round,
        "draft": row.number,
        "row": row,
        "note": note,
    }


def _run(row: Run) -> dict[str, Any]:
    title = f"Run of draft {row.draft.number} on {row.workload}"
    return {
        "kind": "run",
        "title": title,
        "round": row.round,
        "draft": row.draft.number,
        "row": row,
    }


def _submission(row: Submission) -> dict[str, Any]:
    note = "Replaced when the attempt was reopened." if row.superseded_at else ""
    how = {"candidate": "handed in", "promoted": "handed in when the time was over"}
    title = f"Round {row.round} {how.get(row.source, 'written down as spoken')}"
    return {"kind": "handed-in", "title": title, "round": row.round, "row": row, "note": note}


def body_at(attempt: Attempt, found: list[Step], number: int) -> dict[str, Any]:
    """The answer as it stood at a step, in one query at most."""
    before = (step.row for step in reversed(found[:number]) if step.kind not in NO_CHANGE)
    row = next(before, None)
    if row is None:
        return starting(attempt)
    if isinstance(row, Run):
        body: dict[str, Any] = Draft.objects.values_list("body", flat=True).get(pk=row.draft_id)
        return body
    body = type(row)._default_manager.values_list("body", flat=True).get(pk=row.pk)
    return body


def starting(attempt: Attempt) -> dict[str, Any]:
    """The template with empty sections, whatever round the attempt is in now."""
    return {"files": answers.template(attempt), "sections": {}}


def changes(
    before: dict[str, Any],
    after: dict[str, Any],
    titles: dict[str, str],
    ordinary_time: OrdinaryTime = EVEN,
) -> list[Change]:
    """Every file and section that differs from the step before."""
    found = []
    for kind in ("files", "sections"):
        for key in in_order({**before[kind], **after[kind]}, titles):
            old, new = (
                as_read(key, body[kind].get(key, ""), ordinary_time) for body in (before, after)
            )
            if old != new:
                found.append(_change(title_of(key, titles), old, new))
    return found


def _change(title: str, old: str, new: str) -> Change:
    rows = side_by_side(old, new)
    added = sum(1 for row in rows if row.kind in ("added", "changed"))
    removed = sum(1 for row in rows if row.kind in ("removed", "changed"))
    return Change(title, rows[:SHOWN_ROWS], added, removed, max(0, len(rows) - SHOWN_ROWS))
