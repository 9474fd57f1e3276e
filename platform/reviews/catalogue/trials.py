"""Take an exercise as staff: on the candidates' own pages, for nobody's application."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import uuid4

from django.db import transaction
from django.db.models import QuerySet

from accounts.models import User
from accounts.not_possible import NotPossible
from assessments.link import mark_opened
from assessments.models import Attempt, Submission
from assessments.prepared.drawing import prepare
from hiring.invitations import invite
from hiring.models import Candidate, Exercise, Invitation, Mode, Opening
from library.catalogue import Entry
from library.packs import pack_of

WINDOW = timedelta(days=7)
MOST_AT_ONCE = 5
TOO_MANY = (
    f"You have {MOST_AT_ONCE} trials that are not handed in: go on with one of them first, or let "
    "its week pass."
)


@transaction.atomic
def begin(entry: Entry, level: str, *, by: User, now: datetime) -> Invitation:
    """A new trial on a variant of its own; the clock starts on the candidate's page as ever."""
    if level not in entry.times:
        raise NotPossible("Choose one of the levels that the exercise has.")
    User.objects.select_for_update().get(pk=by.pk)
    if len([row for row in trials_of(by) if is_open(row, now)]) >= MOST_AT_ONCE:
        raise NotPossible(TOO_MANY)
    name = by.get_full_name() or by.username
    opening = Opening.objects.create(  # the candidate's page says: work sample for …
        title=f"a trial by {name}"[:150], level=level, created_at=now, trial_by=by
    )
    times = entry.times[level]
    exercise = Exercise.objects.create(
        opening=opening,
        pack_name=entry.name,
        kind=entry.pack.kind,
        level=level,
        mode=Mode.TAKE_HOME,
        limit_minutes=times.take_home,
        revision_minutes=times.revision,
        hidden_workloads=entry.hidden(level) or 5,
    )
    person = Candidate.objects.create(
        name=name[:150],
        email=f"{uuid4()}@trial.invalid",
        trial_by=by,
        created_at=now,
    )
    made, _ = invite(
        opening=opening,
        candidate=person,
        exercises=[exercise],
        opens_at=now,
        closes_at=now + WINDOW,
        by=by,
        now=now,
    )
    mark_opened(made, now=now)
    prepare(made, now=now)
    return made


def trials_of(person: User) -> QuerySet[Invitation]:
    """One's own, newest first; nobody sees anybody else's."""
    rows = Invitation.objects.filter(opening__trial_by=person)
    return rows.select_related("opening", "candidate").prefetch_related("attempts", "exercises")


def title_of(row: Invitation) -> str:
    """What is tried."""
    return pack_of(row.exercises.all()[0].pack_name).title


def is_open(row: Invitation, now: datetime) -> bool:
    """Whether it can be begun or gone on with."""
    attempt = attempt_of(row)
    if attempt is None:
        return row.state(now) == "open"
    return attempt.awaiting_round is not None


def attempt_of(row: Invitation) -> Attempt | None:
    found = list(row.attempts.all())
    return found[0] if found else None


def answer_of(row: Invitation) -> Submission | None:
    """What was handed in."""
    rows = Submission.objects.filter(attempt__invitation=row, superseded_at=None)
    return rows.select_related("attempt__pack_version", "attempt__exercise").first()


def in_words(row: Invitation, now: datetime) -> str:
    """Where the trial stands."""
    attempt = attempt_of(row)
    if attempt is None:
        return "not begun" if row.state(now) == "open" else "over"
    if attempt.awaiting_round is not None:
        return "being worked on"
    run = answer_of(row)
    grading = run.latest_grading() if run else None
    if grading is None:
        return "handed in"
    return {"done": "graded"}.get(grading.state(now), "handed in, being graded")
