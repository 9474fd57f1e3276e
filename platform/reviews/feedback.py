"""Write one strength and one improvement, release them, and so open the revision."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from accounts.models import User
from assessments import attempts
from assessments.models import Attempt, RevisionRound
from hiring.models import Mode
from library.packs import pack_of
from reviews.evaluations import NotPossible
from reviews.models import Feedback


def focus_choices(attempt: Attempt) -> list[tuple[str, str]]:
    """(value, label) of what a revision may be narrowed to: a file or a section; "" is everything."""
    first = attempt.submissions.filter(round=1, superseded_at=None).first()
    pack = pack_of(attempt.pack_version.name)
    fixed = pack.read_only(attempt.level)
    files = [path for path in (first.body["files"] if first else {}) if path not in fixed]
    sections = [(item.key, item.title) for item in pack.sections(attempt.level)]
    return [("", "The whole answer"), *((path, path) for path in files), *sections]


@transaction.atomic
def write(
    *, attempt: Attempt, strength: str, improvement: str, focus: str, by: User, now: datetime
) -> Feedback:
    """Keep the wording; it can change until it is released."""
    if focus not in dict(focus_choices(attempt)):
        raise NotPossible("The revision can be about a file or section of the answer only.")
    existing = Feedback.objects.select_for_update().filter(attempt=attempt).first()
    if existing and existing.released_at:
        raise NotPossible("This feedback was released; the candidate has seen it.")
    feedback, _ = Feedback.objects.update_or_create(
        attempt=attempt,
        defaults={
            "author": by,
            "strength": strength.strip(),
            "improvement": improvement.strip(),
            "focus": focus,
            "written_at": now,
        },
    )
    return feedback


@transaction.atomic
def release(feedback: Feedback, *, by: User, now: datetime) -> RevisionRound:
    """Show the feedback to the candidate and open the timed revision.

    With a take-home link the revision clock starts when the candidate presses Start; on site and
    live, where the interviewer sits with them, it starts at once.
    """
    if not feedback.strength or not feedback.improvement:
        raise NotPossible("Write one strength and one improvement before you release the feedback.")
    attempt = feedback.attempt
    own = attempt.evaluations.current().filter(evaluator=by, round=1)
    if attempt.assignments.filter(evaluator=by).exists() and not own.submitted().exists():
        raise NotPossible("Submit your own scores of the first answer before you give feedback.")
    changed = Feedback.objects.filter(pk=feedback.pk, released_at=None).update(released_at=now)
    if not changed:
        raise NotPossible("This feedback was released before.")
    try:
        return attempts.open_revision(
            attempt.pk,
            strength=feedback.strength,
            improvement=feedback.improvement,
            focus=feedback.focus,
            start_now=attempt.exercise.mode != Mode.TAKE_HOME,
            by=by,
            now=now,
        )
    except attempts.NotPossible as error:
        raise NotPossible(str(error)) from error
