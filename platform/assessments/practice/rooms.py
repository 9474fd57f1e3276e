"""Begin a try at a miniature, find it again, let it go.

A try is an attempt like any other, on an opening, an exercise and a candidate of its own that carry
`practice_of`: so no list has it, nobody is told of it, and it ends with the invitation's data at the latest.
Of one invitation there is one try at a time. All of a kind share one variant, so nothing is built twice.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import uuid4

from django.db import transaction

from accounts.hanging_rows import delete, hanging_on
from accounts.not_possible import NotPossible
from assessments.jobs import Job, Result
from assessments.materials import variants
from assessments.models import Attempt, PreparedVariant
from assessments.prepared.drawing import drawn
from hiring.invitations import invite
from hiring.models import Candidate, Exercise, Invitation, Opening
from library.packs import pack_of

LEVEL, SEED = "junior", 20_260_123
MINUTES, LASTS, KEPT = 15, timedelta(days=1), timedelta(hours=6)
NOT_NOW = "Practice is open until you have started your exercises."
STILL_RUNNING = "Your last practice is still running a program: try again in a moment."


def to_practise(invitation: Invitation) -> list[Exercise]:
    """The exercises not begun yet, one for each miniature."""
    begun = set(invitation.attempts.values_list("exercise", flat=True))
    found: dict[tuple[str, str], Exercise] = {}
    for exercise in invitation.exercises.all():
        if exercise.pk not in begun:
            found.setdefault((exercise.traits.practice, exercise.answer_form), exercise)
    return list(found.values())


def present(invitation: Invitation) -> Invitation | None:
    """The invitation to the newest try, which shares the rights of the one it is for."""
    rows = Invitation.objects.filter(opening__practice_of=invitation)
    rows = rows.select_related("opening__practice_of", "candidate").order_by("-created_at")
    return rows.first()


@transaction.atomic
def begin(invitation: Invitation, exercise: Exercise, *, now: datetime) -> Invitation:
    """A new try at the miniature of the exercise's kind; the one before is let go. Raises NotPossible."""
    Invitation.objects.select_for_update(of=("self",)).get(pk=invitation.pk)
    if invitation.state(now) not in ("open", "scheduled") or exercise not in to_practise(
        invitation
    ):
        raise NotPossible(NOT_NOW)
    for row in Opening.objects.filter(practice_of=invitation):
        if not let_go(row):
            raise NotPossible(STILL_RUNNING)
    Invitation.objects.filter(pk=invitation.pk, practised_at=None).update(practised_at=now)
    return _made(invitation, exercise, now)


def _made(invitation: Invitation, exercise: Exercise, now: datetime) -> Invitation:
    pack = pack_of(exercise.traits.practice)
    opening = Opening.objects.create(
        title="practice", level=LEVEL, created_at=now, practice_of=invitation,
        answer_languages=invitation.opening.answer_languages, language=invitation.opening.language,
    )  # fmt: skip
    miniature = Exercise.objects.create(
        opening=opening,
        pack_name=pack.name,
        kind=pack.kind,
        level=LEVEL,
        answer_form=exercise.answer_form,
        limit_minutes=MINUTES,
        revision_minutes=MINUTES,
    )
    nobody = Candidate.objects.create(
        name="Practice", email=f"{uuid4()}@practice.invalid", practice_of=invitation, created_at=now
    )
    made, _ = invite(
        opening=opening,
        candidate=nobody,
        exercises=[miniature],
        opens_at=now,
        closes_at=now + LASTS,
        by=invitation.created_by,
        now=now,
    )
    row = drawn(made, miniature, now=now, seed=SEED)
    if row.finished_at is None and variants.find(*row.of):
        done = {"finished_at": now, "result": Result.DONE, "report": {"seconds": 0.0}}
        PreparedVariant.objects.unfinished().filter(pk=row.pk).update(**done)
    return made


def let_go(opening: Opening) -> bool:
    """Delete a try with all that hangs on it; False while a worker has a program of it."""
    with transaction.atomic():
        rows = hanging_on(opening)
        for candidate in Candidate.objects.filter(invitations__opening=opening):
            for model, keys in hanging_on(candidate).items():
                rows[model] = rows.get(model, set()) | keys
        for model, keys in rows.items():
            if issubclass(model, Job):
                held = model._base_manager.filter(pk__in=keys, finished_at=None)
                if held.exclude(worker="").exists():
                    return False
        delete(rows)
        return True


def sweep(now: datetime) -> int:
    """Let every try go that was begun longer ago than it is kept; how many."""
    old = Opening.objects.filter(practice_of__isnull=False, created_at__lt=now - KEPT)
    return sum(let_go(row) for row in old)


def attempt_of(practice: Invitation) -> Attempt | None:
    """The try's attempt, None before its clock was started."""
    return practice.attempts.first()
