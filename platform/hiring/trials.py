"""Staff's own trials and candidates' practice, and the one rule that keeps both out of every list and figure.

A trial is an opening that nobody hires for, with the member of staff as its only candidate: both carry
`trial_by`. Practice is the same with `practice_of`. All that hangs on them is found through these. Whoever
lists or counts asks `real`.
"""

from __future__ import annotations

from typing import TypeVar

from django.db.models import Model, QuerySet

from hiring.models import Candidate, Invitation, Opening

Row = TypeVar("Row", bound=Model)
PATHS = {
    "hiring.opening": "",
    "hiring.candidate": "",
    "hiring.exercise": "opening__",
    "hiring.invitation": "opening__",
    "assessments.attempt": "invitation__opening__",
    "assessments.submission": "attempt__invitation__opening__",
}
"""Where a model's rows say whose trial or practice they belong to."""


def real(rows: QuerySet[Row]) -> QuerySet[Row]:
    """The rows without trials and practice. Raises KeyError for a model that says nothing of them."""
    path = PATHS[rows.model._meta.label_lower]
    return rows.filter(**{f"{path}trial_by": None, f"{path}practice_of": None})


def is_trial(of: Opening | Candidate | Invitation) -> bool:
    """Whether it belongs to a trial or to practice: nobody is assessed by it."""
    owner = of.opening if isinstance(of, Invitation) else of
    return owner.trial_by_id is not None or owner.practice_of_id is not None


def practice_of(invitation: Invitation) -> Invitation | None:
    """The invitation whose practice room this one belongs to; None where it is none."""
    return invitation.opening.practice_of
