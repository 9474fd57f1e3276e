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
from reviews.models import Evaluation, Feedback

HIDDEN = (
    "Somebody else has begun the feedback. "
    "It is open to you once your own scorecard of the first answer is in."
)


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
    """Keep the wording; it can change until it is released.

    Whoever began it stays its author. Who still owes scores of the first answer may write, but not
    over another person's words.
    """
    if focus not in dict(focus_choices(attempt)):
        raise NotPossible("The revision can be about a file or section of the answer only.")
    Attempt.objects.select_for_update().get(pk=attempt.pk)  # two may begin at the same moment
    feedback = Feedback.objects.filter(attempt=attempt).first()
    if feedback is None:
        feedback = Feedback(attempt=attempt, author=by)
    elif feedback.released_at:
        raise NotPossible("This feedback was released; the candidate has seen it.")
    elif not Feedback.objects.visible_to(by).filter(pk=feedback.pk).exists():
        raise NotPossible(HIDDEN)
    elif by != feedback.author:
        feedback.changed_by = by
    feedback.strength, feedback.improvement = strength.strip(), improvement.strip()
    feedback.focus, feedback.written_at = focus, now
    feedback.save()
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
    own = Evaluation.objects.current().of(attempt, 1).submitted().filter(evaluator=by)
    if attempt.assignments.filter(evaluator=by).exists() and not own.exists():
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
