"""Who of the staff may see what: every rule takes the viewer and narrows a query.

An interviewer sees assigned attempts only. Whoever scores an attempt sees no name, no clock, and
neither machine measures nor other people's ratings before their own are in.
"""

from __future__ import annotations

from django.db.models import Exists, OuterRef, Q, QuerySet

from accounts.models import User
from assessments.models import Attempt, GradingRun
from hiring.models import Candidate, Opening
from reviews.models import Assignment, Decision, Evaluation


def sees_all_attempts(viewer: User) -> bool:
    """Administrators, recruiters and hiring managers; interviewers see what is assigned to them."""
    return viewer.has_perm("hiring.view_candidate")


def attempts_visible_to(viewer: User) -> QuerySet[Attempt]:
    """The attempts a member of staff may open at all."""
    if not viewer.has_perm("assessments.view_attempt"):
        return Attempt.objects.none()
    if sees_all_attempts(viewer):
        return Attempt.objects.all()
    return Attempt.objects.filter(assignments__evaluator=viewer)


def with_viewer(attempts: QuerySet[Attempt], viewer: User) -> QuerySet[Attempt]:
    """Each attempt with `scores_it` (the viewer is to score it) and `named` (may see the name)."""
    decided = Decision.objects.filter(
        opening=OuterRef("invitation__opening"), candidate=OuterRef("invitation__candidate")
    )
    mine = Exists(Assignment.objects.filter(attempt=OuterRef("pk"), evaluator=viewer))
    attempts = attempts.annotate(scores_it=mine)
    if sees_all_attempts(viewer):
        return attempts.annotate(named=~mine | Exists(decided))
    return attempts.annotate(named=Exists(decided))


def shown_name(attempt: Attempt) -> str:
    """The candidate as the viewer may know them; the attempt must come from `with_viewer`."""
    candidate = attempt.invitation.candidate
    return candidate.name if attempt.named else f"Candidate {candidate.pseudonym}"  # type: ignore[attr-defined]


def openings_visible_to(viewer: User) -> QuerySet[Opening]:
    """All openings, or for interviewers those they score somebody for."""
    if sees_all_attempts(viewer):
        return Opening.objects.all()
    mine = Assignment.objects.filter(evaluator=viewer, attempt__invitation__opening=OuterRef("pk"))
    return Opening.objects.filter(Exists(mine))


def candidates_visible_to(viewer: User) -> QuerySet[Candidate]:
    """Candidates by name: without those whom the viewer scores and nobody has decided about."""
    if not sees_all_attempts(viewer):
        return Candidate.objects.none()
    decided = Decision.objects.filter(
        opening=OuterRef("attempt__invitation__opening"),
        candidate=OuterRef("attempt__invitation__candidate"),
    )
    blind = Assignment.objects.filter(~Exists(decided), evaluator=viewer)
    return Candidate.objects.exclude(pk__in=blind.values("attempt__invitation__candidate"))


def may_see_measures(viewer: User, attempt: Attempt, round: int) -> bool:
    """Machine scores stay hidden from whoever still owes ratings of that round."""
    if not viewer.has_perm("assessments.view_gradingrun"):
        return False
    if not attempts_visible_to(viewer).filter(pk=attempt.pk).exists():
        return False
    if not is_evaluator(viewer, attempt):
        return True
    own = Evaluation.objects.filter(attempt=attempt, round=round, evaluator=viewer)
    return own.submitted().exists()


def grading_visible_to(viewer: User, run: GradingRun) -> bool:
    return may_see_measures(viewer, run.submission.attempt, run.submission.round)


def is_evaluator(viewer: User, attempt: Attempt) -> bool:
    return Assignment.objects.filter(attempt=attempt, evaluator=viewer).exists()


def may_see_identity(viewer: User, attempt: Attempt) -> bool:
    """Whoever scores knows the pseudonym only, until there is a decision."""
    row = with_viewer(Attempt.objects.filter(pk=attempt.pk), viewer).first()
    return bool(row and row.named)  # type: ignore[attr-defined]


def may_see_clock(viewer: User, attempt: Attempt) -> bool:
    """Times let extra time be inferred, so whoever scores an attempt never sees them."""
    return viewer.has_perm("assessments.view_timeevent") and not is_evaluator(viewer, attempt)


def may_be_asked_to_score() -> Q:
    """Staff who can be assigned: active people in a role that writes scorecards."""
    permission = Q(
        groups__permissions__codename="add_evaluation",
        groups__permissions__content_type__app_label="reviews",
    )
    return Q(is_active=True, is_staff=True) & permission
