"""Where somebody stands at one exercise, and whose turn it is: derived from stored facts, in the same words
for staff and for the candidate.

Pure: knows no database. A reader who may not know a fact is given `Facts` without it, and the answer is the
state that remains: the candidate's is the one that window and clock alone tell of.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import NamedTuple

from django.utils.translation import gettext_noop

from assessments.clock import Clock, Phase
from hiring.models import GRACE
from hiring.time_allowed import stretch


class State(StrEnum):
    """The steps of the way, in their order; the last two are its other ends."""

    INVITED = "invited"
    OPENED = "opened"
    PRACTISED = "practised"
    WORKING = "working"
    HANDED_IN = "handed-in"
    GRADED = "graded"
    SCORED = "scored"
    DISPUTED = "disputed"
    FEEDBACK = "feedback"
    REVISING = "revising"
    DECIDED = "decided"
    MISSED = "missed"
    REVOKED = "revoked"


class Turn(StrEnum):
    """What has to happen next, named by who does it."""

    CANDIDATE = "candidate"
    EXTENDING = "extending"  # whoever invites: the window is over
    GRADING = "grading"  # the grading failed on our side: whoever may grade again
    ASSIGNING = "assigning"
    SCORING = "scoring"
    DISCUSSING = "discussing"
    FEEDING_BACK = "feeding-back"
    DECIDING = "deciding"
    TELLING = "telling"  # the candidate waits for the result
    NOBODY = "nobody"


class Dispute(StrEnum):
    """What a difference between scorecards asks for."""

    NONE = ""
    ANOTHER = "another"  # somebody else has to be asked
    ASKED = "asked"
    TALK = "talk"


class Standing(NamedTuple):
    """words: what everybody reads; detail: what stands beside them, or nothing; tone: of the tokens."""

    state: State
    words: str
    tone: str
    detail: str = ""


class Facts(NamedTuple):
    """What is stored about one exercise of one invitation, as far as the reader may know of it.

    window: as Invitation.state says it. phase: None before Start. graded: the newest grading of the newest
    answer, as Job.state says it, "" where there is none. cards of asked: scorecards of the newest answer.
    decision: the newest one's words, "" where there is none; ends: whether it ends the matter; untold: somebody
    is to tell the candidate of it.
    """

    window: str = "open"
    opened: bool = False
    practised: bool = False
    phase: Phase | None = None
    graded: str = ""
    cards: int = 0
    asked: int = 0
    dispute: Dispute = Dispute.NONE
    decision: str = ""
    ends: bool = False
    untold: bool = False

    @property
    def round(self) -> int:
        """The round of the newest answer."""
        return 2 if self.phase == Phase.REVISION_SUBMITTED else 1


WORDS = {
    State.INVITED: gettext_noop("Invited"),
    State.OPENED: gettext_noop("Opened"),
    State.PRACTISED: gettext_noop("Practised"),
    State.WORKING: gettext_noop("Working"),
    State.HANDED_IN: gettext_noop("Handed in"),
    State.GRADED: "Graded",
    State.SCORED: "Scored",
    State.DISPUTED: "Disputed",
    State.FEEDBACK: gettext_noop("Feedback given"),
    State.REVISING: gettext_noop("Revising"),
    State.DECIDED: "Decided",
    State.MISSED: gettext_noop("Not started in time"),
    State.REVOKED: "Revoked",
}
TONES = {
    State.OPENED: "info",
    State.PRACTISED: "info",
    State.WORKING: "info",
    State.HANDED_IN: "good",
    State.GRADED: "good",
    State.SCORED: "good",
    State.DISPUTED: "warn",
    State.FEEDBACK: "info",
    State.REVISING: "info",
    State.MISSED: "warn",
    State.REVOKED: "bad",
}
IN_REVISION = {
    State.HANDED_IN: gettext_noop("Revision handed in"),
    State.GRADED: "Revision graded",
    State.SCORED: "Revision scored",
    State.DISPUTED: "Revision disputed",
}
BEGUN = {
    Phase.RUNNING: State.WORKING,
    Phase.GRACE: State.WORKING,
    Phase.OVERDUE: State.WORKING,
    Phase.REVISION_OPEN: State.FEEDBACK,
    Phase.REVISING: State.REVISING,
    Phase.REVISION_GRACE: State.REVISING,
    Phase.REVISION_OVERDUE: State.REVISING,
}
GRADED = ("done", "candidate_error")
FAILED = "infrastructure_error"
STAFF_OWE = timedelta(days=3)
"""From then on what one of the staff owes is overdue, as the message that asks once more says."""


def phase_of(
    round: int,
    deadline_at: datetime,
    multiplier: Decimal | None,
    *,
    awaited: bool,
    revision_opened: bool,
    now: datetime,
) -> Phase:
    """The phase from what an attempt's row repeats of its events, for lists of thousands.

    awaited: the round's answer is not in; then multiplier is that round's factor of time.
    """
    clock = Clock(
        round,
        deadline_at=deadline_at,
        submitted=not awaited,
        opened=not awaited and round == 1 and revision_opened,
    )
    grace = stretch(GRACE, multiplier) if awaited and multiplier else GRACE
    return clock.phase(grace, now)


def state_of(facts: Facts) -> State:
    """The one rule."""
    if facts.decision:
        return State.DECIDED
    if facts.phase is None:
        return _before_start(facts)
    if facts.phase in BEGUN:
        return BEGUN[facts.phase]
    if facts.dispute:
        return State.DISPUTED
    if facts.cards:
        return State.SCORED
    return State.GRADED if facts.graded in GRADED else State.HANDED_IN


def _before_start(facts: Facts) -> State:
    if facts.window in ("revoked", "over"):
        return State.REVOKED if facts.window == "revoked" else State.MISSED
    if facts.practised:
        return State.PRACTISED
    return State.OPENED if facts.opened else State.INVITED


def standing_of(facts: Facts, left: str = "") -> Standing:
    """The state in words. left: what remains of a running clock, where the reader may see it."""
    state = state_of(facts)
    words = IN_REVISION.get(state, WORDS[state]) if facts.round == 2 else WORDS[state]
    tone, detail = TONES.get(state, ""), ""
    if state == State.SCORED:
        words = f"{words} {facts.cards} of {facts.asked}"
        tone = "good" if facts.cards >= facts.asked else "info"
    elif state == State.DISPUTED:
        detail = f"scored {facts.cards} of {facts.asked}"
    elif state in (State.WORKING, State.REVISING):
        over = facts.phase is not None and not facts.phase.is_working
        detail = "time is up" if over else f"{left} left" if left else ""
    elif state in (State.INVITED, State.OPENED) and facts.window == "scheduled":
        detail = gettext_noop("not open yet")
    elif state == State.DECIDED:
        detail = (
            f"{facts.decision.lower()}, not told yet" if facts.untold else facts.decision.lower()
        )
    if facts.graded == FAILED and facts.phase in (Phase.SUBMITTED, Phase.REVISION_SUBMITTED):
        detail, tone = "grading failed", "bad"
    return Standing(state, words, tone, detail)


def turn_of(facts: Facts) -> Turn:
    """What has to happen next."""
    state = state_of(facts)
    if state == State.DECIDED:
        if not facts.ends:
            return Turn.DECIDING
        return Turn.TELLING if facts.untold else Turn.NOBODY
    if state in (State.REVOKED, State.MISSED):
        return Turn.EXTENDING if state == State.MISSED else Turn.NOBODY
    if facts.phase not in (Phase.SUBMITTED, Phase.REVISION_SUBMITTED):
        return Turn.CANDIDATE
    if facts.graded == FAILED:
        return Turn.GRADING
    if facts.cards < facts.asked:
        return Turn.SCORING
    if facts.asked == 0 or facts.dispute == Dispute.ANOTHER:
        return Turn.ASSIGNING
    if facts.dispute:
        return Turn.DISCUSSING
    return Turn.FEEDING_BACK if facts.round == 1 else Turn.DECIDING
