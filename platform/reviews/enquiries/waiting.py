"""Which questions of candidates a member of staff sees and may answer. Pseudonyms alone: whoever answers
may be asked to score.

A question about the work is for whoever may open the attempt. One about the feedback is for whoever
oversees the opening, and is answered by somebody else than the writer of the feedback.
"""

from __future__ import annotations

from typing import Any

from django.db.models import BooleanField, Exists, ExpressionWrapper, OuterRef, Q, QuerySet

from accounts.models import User
from assessments.models import Announcement, Enquiry
from reviews.models import Assignment, Feedback
from reviews.visibility import attempts_overseen_by, attempts_visible_to

WORK, FEEDBACK = Enquiry.About.WORK, Enquiry.About.FEEDBACK
ANSWER = "assessments.add_announcement"
WROTE_IT = (
    "You wrote or released this feedback, so somebody else answers the question about it: the candidate "
    "asked for a second pair of eyes."
)


def enquiries_visible_to(viewer: User) -> QuerySet[Any]:
    """With `answered`, and `scores_it` where the viewer is to score the attempt; oldest first."""
    work = Q(about=WORK, attempt__in=attempts_visible_to(viewer))
    feedback = Q(about=FEEDBACK, attempt__in=attempts_overseen_by(viewer))
    answers = Announcement.objects.filter(enquiry=OuterRef("pk"))
    mine = Assignment.objects.filter(attempt=OuterRef("attempt"), evaluator=viewer)
    rows = Enquiry.objects.filter(work | feedback).select_related(
        "attempt__exercise", "attempt__invitation__opening", "attempt__invitation__candidate"
    )
    return rows.annotate(answered=Exists(answers), scores_it=Exists(mine))


def waiting_for_answer(viewer: User) -> QuerySet[Any]:
    """Those without an answer that the viewer may give one to.

    With `may_tell_all`: whether the answer may go to everybody at the exercise.
    """
    own = Feedback.objects.filter(attempt=OuterRef("attempt"), author=viewer)
    rows = enquiries_visible_to(viewer).filter(answered=False)
    wrote_it = Exists(own) | Q(attempt__revision__opened_by=viewer)
    overseen = Exists(attempts_overseen_by(viewer).filter(pk=OuterRef("attempt")))
    to_all = ExpressionWrapper(Q(about=WORK) & overseen, BooleanField())
    found: QuerySet[Any] = rows.exclude(Q(about=FEEDBACK) & wrote_it).annotate(may_tell_all=to_all)
    return found


def wrote_what_is_asked_about(enquiry: Enquiry, person: User) -> bool:
    """Whether the question is about feedback that the person wrote or released."""
    if enquiry.about != FEEDBACK:
        return False
    revision = getattr(enquiry.attempt, "revision", None)
    released = revision is not None and revision.opened_by_id == person.pk
    return released or Feedback.objects.filter(attempt=enquiry.attempt_id, author=person).exists()


def oversees(viewer: User, enquiry: Enquiry) -> bool:
    """Whether what is answered may be told to everybody at the exercise."""
    return attempts_overseen_by(viewer).filter(pk=enquiry.attempt_id).exists()
