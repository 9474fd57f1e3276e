"""What a candidate answered to questions about their own answer, beside what the machine reckons."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import NamedTuple

from accounts.models import User
from assessments.models import Attempt, OwnWorkRound
from assessments.own_work import rounds
from assessments.own_work.rounds import Judged, Stage
from graders.own_work import NEAR, OPEN, RIGHT, WRONG
from reviews.visibility import may_see_measures

TONES = {RIGHT: "good", NEAR: "info", WRONG: "warn", OPEN: ""}
VERDICTS = {RIGHT: "right", NEAR: "near", WRONG: "wrong", OPEN: "not answered"}
WORDS = {
    Stage.PREPARING: "The questions are being looked for.",
    Stage.NONE: "The program found nothing to ask about this answer that it does not say itself. That "
    "tells nothing about the candidate.",
    Stage.CLOSED: "The round belongs to the live interview: the candidate begins it while you have their page "
    "open.",
    Stage.READY: "The candidate has not begun the round yet.",
    Stage.MISSED: "The candidate did not begin the round in time. By itself that counts neither for nor "
    "against them: ask in conversation.",
    Stage.RUNNING: "The candidate is answering now.",
}


class Row(NamedTuple):
    """One question as staff read it."""

    asked: Judged
    word: str
    tone: str


class Asked(NamedTuple):
    """The round as far as the viewer may see it: `said` where there is nothing to show, else `rows`.

    `summary` counts what came of the questions, such as "2 right, 1 near, 1 wrong".
    """

    said: str
    rows: list[Row]
    summary: str
    hidden: bool = False


def asked_of(attempt: Attempt, viewer: User, now: datetime) -> Asked | None:
    """The questions and answers; None where the candidate is asked nothing.

    Like measures they stay hidden from whoever still owes a scorecard of the first answer.
    """
    row = rounds.round_of(attempt)
    if row is None:
        return None
    stage = rounds.stage_of(row, now)
    if stage != Stage.DONE:
        return Asked(WORDS[stage], [], "")
    return _answered(row, attempt, viewer)


def begun_of(attempt: Attempt, viewer: User) -> Asked | None:
    """As `asked_of`, for papers: what was answered in a round that was begun, None for any other."""
    row = rounds.round_of(attempt)
    return _answered(row, attempt, viewer) if row and row.started_at else None


def _answered(row: OwnWorkRound, attempt: Attempt, viewer: User) -> Asked:
    if not may_see_measures(viewer, attempt, 1):
        return Asked("", [], "", hidden=True)
    found = rounds.judged(row)
    counts = Counter(one.verdict for one in found)
    summary = ", ".join(f"{counts[key]} {VERDICTS[key]}" for key in VERDICTS if counts[key])
    rows = [Row(one, VERDICTS[one.verdict], TONES[one.verdict]) for one in found]
    return Asked("", rows, summary)
