"""The report's first page: who, what, ratings, strength, improvement, what changed, the decision; nothing else.

Whoever reads no more has read what matters, and who prints one page prints this. Long remarks are cut here at
a sentence or a word, and stand whole in the details.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from accounts.models import User
from hiring.models import Candidate, Opening
from library.packs import pack_of
from reviews.decisions.reports import Part, Report, Round
from reviews.evidence.automation import Change
from reviews.models import Decision, InterviewScore, InterviewSession

LONGEST = 420
"""Characters of a remark or of the reasons on the first page, where there is room for so much."""
ROOM, SHORTEST = 800, 90
"""Characters for one sort of remark over all exercises, and the least that one gets."""
NAMED_CHANGES = 3
FULL = 2
"""Exercises with a revision from which on the first page is a page, and details begin on the next."""


@dataclass
class Work:
    """One exercise on the first page. `unread`: scorecards that are in and that the reader may not read."""

    part: Part
    title: str
    unread: int
    strength: str
    improvement: str
    changed: str


@dataclass
class Front:
    """What the first page says. `differs`: why another reader may read other numbers; "" where nobody does."""

    works: list[Work]
    decision: Decision | None
    reasons: str
    differs: str
    unread_talks: int
    fills_a_page: bool


def front_of(viewer: User, report: Report) -> Front:
    """The first page of a report that was gathered for the viewer."""
    most = min(LONGEST, max(SHORTEST, ROOM // max(1, len(report.parts))))
    named = Counter(str(part.attempt.exercise) for part in report.parts)
    works = [_work(part, named, most) for part in report.parts]
    decision = report.decisions[0] if report.decisions else None
    unread = _unread_talks(report)
    return Front(
        works=works,
        decision=decision,
        reasons=shortened(decision.reasons, LONGEST if most > SHORTEST else most)
        if decision
        else "",
        differs=differs(works, unread, viewer),
        unread_talks=unread,
        fills_a_page=sum(bool(work.strength) for work in works) >= FULL,
    )


def _work(part: Part, named: Counter[str], most: int) -> Work:
    """`named`: how often each exercise's name comes; where several have one, the scenario tells them apart."""
    revision, name = part.revision, str(part.attempt.exercise)
    return Work(
        part=part,
        title=name if named[name] == 1 else pack_of(part.attempt.pack_version.name).title,
        unread=sum(row.hidden for row in part.rounds),
        strength=shortened(revision.strength, most) if revision else "",
        improvement=shortened(revision.improvement, most) if revision else "",
        changed=changed(part),
    )


def shortened(text: str, most: int) -> str:
    """The text, or its beginning up to the last sentence or else word that fits, and an ellipsis."""
    said = " ".join(text.split())
    if len(said) <= most:
        return said
    cut = said[:most]
    sentence = max(cut.rfind(mark) for mark in (". ", "! ", "? ", "。"))
    if sentence > most // 2:
        return f"{cut[: sentence + 1]} …"
    word = cut.rfind(" ")
    return f"{cut[: word if word > most // 2 else most]} …"


def changed(part: Part) -> str:
    """What the revision changed, as one sentence; "" where none was handed in or nothing of it is known."""
    if len(part.rounds) < len((1, 2)):
        return ""
    rows = [row for row in part.changes if row.difference]
    rows.sort(key=lambda row: -abs(row.difference or 0))
    said = [f"{row.label} {row.first:.1f} → {row.second:.1f}" for row in rows[:NAMED_CHANGES]]
    if len(rows) > NAMED_CHANGES:
        said.append(f"{len(rows) - NAMED_CHANGES} more")
    levels = f"Levels: {', '.join(said)}." if said else ""
    if not rows and part.changes:
        levels = "Every level stayed as it was."
    return " ".join(filter(None, (levels, _measures(part.measure_changes, part.rounds))))


def _measures(rows: Sequence[Change], rounds: Sequence[Round]) -> str:
    known = [row for row in rows if row.difference is not None]
    if not known:
        return ""
    up = sum(row.difference > 0 for row in known if row.difference)
    down = sum(row.difference < 0 for row in known if row.difference)
    if not up and not down:
        return "Every measure came out as before."
    parts = [f"{up} better" if up else "", f"{down} worse" if down else ""]
    before, after = (row.score for row in rounds[:2])
    mean = f"; their mean {before:.2f} → {after:.2f}" if None not in (before, after) else ""
    return f"Measures of the machine: {', '.join(filter(None, parts))} of {len(known)}{mean}."


def _unread_talks(report: Report) -> int:
    """Interviews and interview scores that are in and that the reader may not read."""
    talks = InterviewSession.objects.current().exclude(submitted_at=None)
    scores = InterviewScore.objects.current()
    there = sum(_count(rows, report.opening, report.candidate) for rows in (talks, scores))
    return there - len(report.talks) - len(report.scores)


def _count(rows: Any, opening: Opening, candidate: Candidate) -> int:
    return int(rows.filter(opening=opening, candidate=candidate).count())


def differs(works: Sequence[Work], talks: int, viewer: User) -> str:
    """Why somebody else may read other numbers for the same thing; "" where these are everybody's."""
    cards = sum(work.unread for work in works)
    if not viewer.has_perm("reviews.view_evaluation"):
        return (
            "Ratings of answers are not open to your role, so none is shown; who may read scorecards "
            "sees them and what follows from them."
        )
    parts = [
        f"{cards} scorecard{'s' if cards != 1 else ''}" if cards else "",
        f"{talks} interview score{'s' if talks != 1 else ''}" if talks else "",
    ]
    if said := " and ".join(filter(None, parts)):
        verb = "is" if cards + talks == 1 else "are"
        return (
            f"{said} that {verb} in {verb} not open to you: the ratings here are made without, and "
            "who may read all sees others."
        )
    return ""
