"""Who of the staff may see what: every rule takes the viewer and narrows a query.

An interviewer sees assigned attempts only, a hiring manager also those of openings that name them.
Whoever scores an attempt sees no name, no clock, and neither machine measures nor other people's
ratings before their own are in.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet, Value

from accounts.models import User
from assessments.models import Attempt, GradingRun, Submission
from hiring.models import Candidate, Invitation, Opening
from hiring.oversight import openings_overseen_by, oversees, sees_every_opening
from hiring.trials import real
from reviews.models import Assignment, Decision, Evaluation, own_card_in


def attempts_visible_to(viewer: User) -> QuerySet[Attempt]:
    """The attempts a member of staff may open at all."""
    if not viewer.has_perm("assessments.view_attempt"):
        return Attempt.objects.none()
    if sees_every_opening(viewer):
        return real(Attempt.objects.all())
    mine = Assignment.objects.filter(evaluator=viewer).values("attempt")
    return real(Attempt.objects.all()).filter(
        Q(pk__in=mine) | Q(invitation__opening__in=openings_overseen_by(viewer))
    )


def attempts_overseen_by(viewer: User) -> QuerySet[Attempt]:
    """The attempts that are the viewer's to staff and to decide; not those they only score."""
    if not viewer.has_perm("assessments.view_attempt"):
        return Attempt.objects.none()
    return Attempt.objects.filter(invitation__opening__in=openings_overseen_by(viewer))


def may_act_on(viewer: User, attempt: Attempt, permission: str) -> bool:
    """Whether the viewer may decide, staff or grade again: their role, and their opening."""
    return viewer.has_perm(permission) and oversees(viewer, attempt.invitation.opening)


def with_viewer(attempts: QuerySet[Attempt], viewer: User) -> QuerySet[Attempt]:
    """Each attempt with `scores_it` (the viewer is to score it) and `named` (may see the name).

    Whoever scores learns the name when a decision ends the matter ("Hold" does not) and they owe no
    scores of what was handed in or is being worked on; one exercise that they still score hides it on
    the pages of all. Whoever may read no decision, as a guest, never learns it.
    """
    mine = Exists(Assignment.objects.filter(attempt=OuterRef("pk"), evaluator=viewer))
    attempts = attempts.annotate(scores_it=mine)
    if not viewer.has_perm("reviews.view_decision"):
        return attempts.annotate(named=Value(False))
    # from the candidate's own few attempts: by the viewer's assignments SQLite reads all of these for each row
    same = Attempt.objects.filter(mine, invitation__candidate=OuterRef("invitation__candidate"))
    named = ~Exists(same.filter(_is_blind(viewer)).order_by())
    if sees_every_opening(viewer):
        return attempts.annotate(named=named)
    overseen = Exists(openings_overseen_by(viewer).filter(pk=OuterRef("invitation__opening")))
    return attempts.annotate(named=(mine | overseen) & named)


def _scored_blind(viewer: User) -> QuerySet[Attempt]:
    """The attempts that the viewer scores and whose candidate they may not know by name yet."""
    return Attempt.objects.filter(_is_blind(viewer), assignments__evaluator=viewer).order_by()


def _is_blind(viewer: User) -> Q:
    """Of an attempt that the viewer scores: its candidate is not to be known to them by name yet."""
    decided = Decision.objects.filter(
        opening=OuterRef("invitation__opening"),
        candidate=OuterRef("invitation__candidate"),
        outcome__in=Decision.FINAL,
    )
    is_to_come = Q(awaiting_round__isnull=False)  # what is being worked on will be owed a scorecard
    return Q(~Exists(decided) | owed_by(viewer) | is_to_come)


def candidates_hidden_from(viewer: User) -> QuerySet[Any]:
    """Keys of the candidates whom the viewer scores and may not know by name yet, of all openings."""
    return _scored_blind(viewer).values_list("invitation__candidate", flat=True).distinct()


def owed_by(viewer: User) -> Exists:
    """Whether the outer attempt has an answer that counts without the viewer's scorecard."""
    owed = Submission.objects.filter(
        ~own_card_in(viewer, attempt="attempt", round="round"),
        attempt=OuterRef("pk"),
        superseded_at=None,
    )
    return Exists(owed)


def shown_name(attempt: Attempt) -> str:
    """The candidate as the viewer may know them; the attempt must come from `with_viewer`."""
    candidate = attempt.invitation.candidate
    return candidate.name if attempt.named else f"Candidate {candidate.pseudonym}"  # type: ignore[attr-defined]


def openings_visible_to(viewer: User) -> QuerySet[Opening]:
    """All openings, or those that name the viewer or that they score somebody for."""
    if sees_every_opening(viewer):
        return real(Opening.objects.all())
    mine = Assignment.objects.filter(evaluator=viewer, attempt__invitation__opening=OuterRef("pk"))
    return real(Opening.objects.all()).filter(Exists(mine) | Q(pk__in=openings_overseen_by(viewer)))


def candidates_visible_to(viewer: User) -> QuerySet[Candidate]:
    """Candidates by name: without those whom the viewer scores and may not know yet."""
    if not viewer.has_perm("hiring.view_candidate"):
        return Candidate.objects.none()
    blind = _scored_blind(viewer).values("invitation__candidate")
    rows = real(Candidate.objects.all()).exclude(pk__in=blind)
    if sees_every_opening(viewer):
        return rows
    invited = Invitation.objects.filter(opening__in=openings_overseen_by(viewer))
    return rows.filter(pk__in=invited.order_by().values("candidate"))


def invitations_visible_to(viewer: User) -> QuerySet[Invitation]:
    """Invitations carry the candidate's name, so they follow the same rule."""
    if not viewer.has_perm("hiring.view_invitation"):
        return Invitation.objects.none()
    return Invitation.objects.filter(
        candidate__in=candidates_visible_to(viewer), opening__in=openings_overseen_by(viewer)
    )


def may_see_measures(viewer: User, attempt: Attempt, round: int) -> bool:
    """Machine scores stay hidden from whoever still owes ratings of that round."""
    if not viewer.has_perm("assessments.view_gradingrun"):
        return False
    if not attempts_visible_to(viewer).filter(pk=attempt.pk).exists():
        return False
    return not is_evaluator(viewer, attempt) or has_card_in(viewer, attempt, round)


def gradings_visible_to(viewer: User) -> QuerySet[GradingRun]:
    """The gradings whose measures the viewer may see, by the rule of `may_see_measures`."""
    if not viewer.has_perm("assessments.view_gradingrun"):
        return GradingRun.objects.none()
    scores_it = Exists(
        Assignment.objects.filter(attempt=OuterRef("submission__attempt"), evaluator=viewer)
    )
    own = own_card_in(viewer, attempt="submission__attempt", round="submission__round")
    rows = GradingRun.objects.filter(submission__attempt__in=attempts_visible_to(viewer))
    return rows.filter(~scores_it | own)


def may_see_feedback(viewer: User, attempt: Attempt) -> bool:
    """What was released about the first answer would colour a scorecard that is not in yet."""
    if not viewer.has_perm("reviews.view_feedback"):
        return False
    return not is_evaluator(viewer, attempt) or has_card_in(viewer, attempt, 1)


def may_read_decisions(viewer: User, attempt: Attempt) -> bool:
    """Earlier decisions would colour a scorecard that is not in yet, of any exercise of the person."""
    if not viewer.has_perm("reviews.view_decision"):
        return False
    link = attempt.invitation
    scored = Attempt.objects.filter(
        assignments__evaluator=viewer,
        invitation__opening=link.opening_id,
        invitation__candidate=link.candidate_id,
    )
    handed_in = Submission.objects.filter(attempt=OuterRef("pk"), superseded_at=None)
    return not scored.filter(owed_by(viewer) | ~Exists(handed_in)).exists()


def decisions_hidden_from(viewer: User) -> QuerySet[Any]:
    """(opening, candidate) of the decisions that `may_read_decisions` keeps from somebody who scores."""
    handed_in = Submission.objects.filter(attempt=OuterRef("pk"), superseded_at=None)
    scored = Attempt.objects.filter(assignments__evaluator=viewer).order_by()
    owing = scored.filter(owed_by(viewer) | ~Exists(handed_in))
    return owing.values_list("invitation__opening", "invitation__candidate").distinct()


def has_card_in(viewer: User, attempt: Attempt, round: int) -> bool:
    """Whether the viewer's scorecard of that round's present answer is in."""
    cards = Evaluation.objects.of(attempt, round).submitted()
    return cards.filter(evaluator=viewer, submission__superseded_at=None).exists()


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


def may_be_asked_to_score(now: datetime) -> Q:
    """Staff who can be assigned: people with access in a role that writes scorecards."""
    permission = Q(
        groups__permissions__codename="add_evaluation",
        groups__permissions__content_type__app_label="reviews",
    )
    access = Q(access_ends_at=None) | Q(access_ends_at__gt=now)
    return Q(is_active=True, is_staff=True) & access & permission
