"""How the person of an interview is called for a viewer: by name only where they may know it."""

from __future__ import annotations

from typing import Any

from django.db.models import Exists, OuterRef

from accounts.models import User
from reviews.models import Assignment, InterviewSession
from reviews.visibility import candidates_visible_to


def sessions_with_people(viewer: User) -> Any:
    """Sessions with who they are about; `scores_them` where the name has to stay hidden."""
    scores = Assignment.objects.filter(
        evaluator=viewer, attempt__invitation__candidate=OuterRef("candidate")
    )
    rows = InterviewSession.objects.annotate(scores_them=Exists(scores))
    return rows.select_related(
        "candidate", "opening", "interviewer", "question_set", "revision", "sitting__invitation"
    )


def shown_candidate(session: Any, viewer: User, named: set[int]) -> str:
    """The name for whoever may know it, and for the interviewer who meets but does not score."""
    meets = session.interviewer_id == viewer.pk and not session.scores_them
    candidate = session.candidate
    if meets or candidate.pk in named:
        return str(candidate.name)
    return f"Candidate {candidate.pseudonym}"


def named_candidates(viewer: User, sessions: list[Any]) -> set[int]:
    """Of these sessions' candidates, those whom the viewer may know by name."""
    people = {session.candidate_id for session in sessions}
    return set(candidates_visible_to(viewer).filter(pk__in=people).values_list("pk", flat=True))
