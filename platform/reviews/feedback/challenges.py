"""Which recommendation of a cost answer the feedback praises and which it challenges (requirement E13)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from accounts.models import User
from assessments.models import Attempt, GradingRun, RevisionRound, Submission
from library.packs import pack_of
from reviews.evidence import corrections
from reviews.evidence.answer_text import section_titles, title_of, visible
from reviews.evidence.kinds import staff_of
from reviews.visibility import may_see_measures

PREFIX = "row-"
FOCUS = "The challenged recommendation: its row in the table, and the written sections"
HIDDEN = (
    "Which recommendations are worth challenging is suggested here once your own scorecard of the "
    "first answer is in; every row can be chosen before as well."
)


@dataclass(frozen=True)
class Suggestion:
    """A row that the grader holds worth challenging; `value` names it in the form."""

    value: str
    rank: int
    place: str
    what: str
    title: str
    reasons: list[str]
    question: str

    def fact(self, of: int) -> dict[str, Any]:
        """What is kept of it with the feedback."""
        return {
            "rank": self.rank,
            "of": of,
            "title": self.title,
            "reasons": self.reasons,
            "question": self.question,
        }


def table_of(attempt: Attempt) -> str:
    """The file of the answer that is a table of recommendations; "" where there is none."""
    staff = staff_of(attempt.exercise)
    return staff.file.path if staff.can_challenge and staff.file else ""


def rows_for(attempt: Attempt) -> dict[str, str]:
    """Form value -> what the candidate reads, "Recommendation 3 (…)", in the table's order."""
    first, table = _first(attempt), table_of(attempt)
    if first is None or not table:
        return {}
    found = staff_of(attempt.exercise).recommendations(first.body["files"].get(table, ""))
    return {f"{PREFIX}{given}": place for given, place in found.items()}


def suggestions(attempt: Attempt, viewer: User) -> list[Suggestion]:
    """At most five, the one with most to talk about first; [] while measures are hidden from the viewer."""
    if not table_of(attempt) or not may_see_measures(viewer, attempt, 1):
        return []
    run = _graded(attempt)
    if run is None:
        return []
    known = rows_for(attempt)
    found = staff_of(attempt.exercise).suggestions(run.report, corrections.of(run))
    return [
        Suggestion(
            value=f"{PREFIX}{row['opportunity']}",
            rank=int(row["rank"]),
            place=known[f"{PREFIX}{row['opportunity']}"],
            what=visible(str(row["what"])),
            title=str(row["title"]),
            reasons=[str(one) for one in row["reasons"]],
            question=str(row["question"]),
        )
        for row in found
        if f"{PREFIX}{row['opportunity']}" in known
    ]


def also_open(attempt: Attempt, focus: str) -> list[str]:
    """What may be revised beside the table: a challenged recommendation is argued in prose as well."""
    if not focus or focus != table_of(attempt):
        return []
    return [item.key for item in pack_of(attempt.pack_version.name).sections(attempt.level)]


def about(revision: RevisionRound) -> str:
    """What a revision is about, in words: a part of the answer, or a recommendation of its table."""
    if not revision.focus:
        return "the whole answer"
    attempt = revision.attempt
    if revision.subject and revision.focus == table_of(attempt):
        place = rows_for(attempt).get(f"{PREFIX}{revision.subject}", f"row {revision.subject}")
        return f"{place}: its row in the table, and the written sections"
    return title_of(revision.focus, section_titles(attempt))


def about_of(attempt: Attempt) -> str:
    """What the revision is about, in words; "" where there is none."""
    revision = getattr(attempt, "revision", None)
    return about(revision) if revision else ""


def _first(attempt: Attempt) -> Submission | None:
    return attempt.submissions.filter(round=1, superseded_at=None).first()


def _graded(attempt: Attempt) -> GradingRun | None:
    rows = GradingRun.objects.filter(
        submission__attempt=attempt,
        submission__round=1,
        submission__superseded_at=None,
        finished_at__isnull=False,
        report__isnull=False,
    )
    return rows.order_by("-pk").first()
