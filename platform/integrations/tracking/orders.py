"""Orders of tracking systems: placed, cancelled, how far they are, and what their system is to be told."""

from __future__ import annotations

import math
from datetime import datetime, timedelta
from uuid import NAMESPACE_URL, uuid5

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef
from django.urls import reverse

from accounts.audit import note_action
from accounts.not_possible import NotPossible
from assessments.models import Attempt
from hiring import invitations
from hiring.bulk import people
from hiring.bulk.reading import Record
from hiring.messages.occasions import occasions
from hiring.messages.wording import words_for
from hiring.models import Exercise, Invitation
from integrations.models import Connection, Delivery, Order, Standing
from integrations.tracking.adapters import ADAPTERS
from integrations.tracking.interface import Person, Progress, Test
from reviews.bulk.inviting import Terms, invite_all, plan
from reviews.decisions.candidate_scores import exercise_marks
from reviews.models import Decision, Evaluation
from reviews.visibility import candidates_visible_to, may_read_decisions, openings_visible_to

LOOKED_AT = timedelta(days=180)
AT_ONCE = 500
MAY_NOT = (
    "The person whom this connection invites in the name of may not invite: choose another one."
)
NO_SUCH_TEST = "There is no such test, or its opening is closed: list the tests again."


def _exercises(connection: Connection) -> list[Exercise]:
    openings = openings_visible_to(connection.person).filter(closed_at=None)
    rows = Exercise.objects.filter(opening__in=openings).select_related("opening")
    return list(rows.order_by("opening__title", "position", "pk"))


def tests(connection: Connection) -> list[Test]:
    """Every exercise of the open openings that the connection's person sees."""
    return [
        Test(
            str(row.pk),
            f"{row.opening}: {row}",
            f"{row.limit_minutes} minutes, {row.get_mode_display()}",
        )
        for row in _exercises(connection)
    ]


def exercise_of(connection: Connection, test: str) -> Exercise:
    """The exercise of a test's id. Raises NotPossible."""
    found = next((row for row in _exercises(connection) if str(row.pk) == test), None)
    if found is None:
        raise NotPossible(NO_SUCH_TEST)
    return found


@transaction.atomic
def place(
    connection: Connection,
    exercise: Exercise,
    person: Person,
    *,
    external_id: str,
    now: datetime,
    profile_url: str = "",
    callback_url: str = "",
) -> Order:
    """Invite the person by mail and note the order; ordered twice it is the same one. Raises NotPossible."""
    by = connection.person
    same = connection.orders.filter(external_id=external_id, exercise=exercise, cancelled_at=None)
    if before := same.first():
        return before
    if not (by.has_perm("hiring.add_invitation") and by.has_perm("hiring.add_candidate")):
        raise NotPossible(MAY_NOT)
    invitation = _invited(connection, exercise, person, external_id, now)
    order = Order.objects.create(
        connection=connection,
        candidate=invitation.candidate,
        invitation=invitation,
        exercise=exercise,
        external_id=external_id,
        profile_url=profile_url,
        callback_url=callback_url,
        ordered_at=now,
    )
    note_action(by, invitation, f"Ordered by {connection.get_kind_display()}, {connection}.")
    return order


def _invited(
    connection: Connection, exercise: Exercise, person: Person, external_id: str, now: datetime
) -> Invitation:
    """By the functions of the staff's own pages, with their refusals."""
    by, opening = connection.person, exercise.opening
    visible = candidates_visible_to(by)
    records = [Record(1, person.name, person.email)]
    problem = people.check(records, visible)[0].problem
    if problem:
        raise NotPossible(problem)
    key = people.add(records, visible, by=by, now=now).candidates[0]
    terms = Terms(
        opening=opening,
        exercises=[exercise],
        opens_at=now,
        closes_at=now + timedelta(days=connection.window_days),
        words=words_for(occasions()["invitation"], opening),
    )
    lines = plan(candidates_visible_to(by).filter(pk=key), terms, now)
    if not lines[0].possible:
        raise NotPossible(f"The candidate {lines[0].said}.")
    count = Order.objects.filter(connection=connection, external_id=external_id).count()
    page = uuid5(NAMESPACE_URL, f"order {connection.pk} {external_id} {exercise.pk} {count}")
    invite_all(lines, terms, page=page, by=by, now=now)
    return Invitation.objects.select_related("candidate").get(pk=uuid5(page, str(key)))


@transaction.atomic
def cancel(order: Order, *, now: datetime) -> bool:
    """The other system takes it back: the link stops working; False where it had been taken back."""
    if not Order.objects.filter(pk=order.pk, cancelled_at=None).update(cancelled_at=now):
        return False
    order.cancelled_at = now
    by, why = order.connection.person, f"Cancelled in {order.connection.get_kind_display()}."
    if invitations.revoke(order.invitation, by=by, reason=why, now=now):
        note_action(by, order.invitation, f"Revoked. Reason: {why}")
    return True


def progress(order: Order, now: datetime) -> Progress:
    """How far it is, as the connection's person may know it."""
    attempt = (
        Attempt.objects.filter(invitation=order.invitation_id, exercise=order.exercise_id)
        .select_related("invitation__opening", "invitation__candidate", "exercise")
        .first()
    )
    standing, at = _standing(order, attempt, now)
    if standing != Standing.COMPLETE or attempt is None:
        return Progress(standing, at, _page(order, attempt))
    link = attempt.invitation
    whose = (link.candidate_id, attempt.exercise_id)
    viewer = order.connection.person
    marks = exercise_marks(
        viewer, link.opening, candidates=[link.candidate_id], exercise=attempt.exercise_id
    ).get(whose, [])
    rating = round(sum(marks) / len(marks), 2) if marks else None
    decision = _decision(attempt) if may_read_decisions(viewer, attempt) else None
    outcome = decision.get_outcome_display() if decision else ""
    return Progress(standing, at, _page(order, attempt), rating, len(marks), outcome)


def _page(order: Order, attempt: Attempt | None) -> str:
    if attempt:
        return settings.SITE_URL + reverse("admin:attempt", args=[attempt.pk])
    return settings.SITE_URL + reverse("admin:hiring_invitation_change", args=[order.invitation_id])


def _decision(attempt: Attempt) -> Decision | None:
    link = attempt.invitation
    rows = Decision.objects.filter(opening=link.opening_id, candidate=link.candidate_id)
    return rows.order_by("-decided_at").first()


def _standing(order: Order, attempt: Attempt | None, now: datetime) -> tuple[Standing, datetime]:
    link = order.invitation
    if order.cancelled_at or (link.revoked_at and attempt is None):
        return Standing.CANCELLED, order.cancelled_at or link.revoked_at or now
    if attempt is None:
        if link.state(now) == "over":
            return Standing.MISSED, link.window_closes_at()
        return Standing.INVITED, order.ordered_at
    answers = list(attempt.submissions.filter(superseded_at=None).order_by("round"))
    if not answers:
        return Standing.STARTED, attempt.started_at
    newest = answers[-1]
    asked = set(attempt.assignments.values_list("evaluator", flat=True))
    cards = Evaluation.objects.current().submitted().filter(submission=newest)
    done = dict(cards.values_list("evaluator", "submitted_at"))
    decision = _decision(attempt)
    if decision and decision.outcome in Decision.FINAL:
        return Standing.COMPLETE, decision.decided_at
    if asked and asked <= set(done) and attempt.awaiting_round is None:
        return Standing.COMPLETE, max(at for at in done.values() if at)
    return Standing.HANDED_IN, newest.submitted_at


def tell_all(now: datetime) -> int:
    """Queue what systems are to be told of their orders; how many.

    Where more are open than can be looked at in one go, each minute has its part of them in turn.
    """
    waits = Delivery.objects.open().filter(order=OuterRef("pk"))
    rows = Order.objects.filter(
        ~Exists(waits), connection__ended_at=None, ordered_at__gt=now - LOOKED_AT, cancelled_at=None
    ).exclude(told__in=(Standing.COMPLETE, Standing.CANCELLED))
    parts = max(1, math.ceil(rows.count() / AT_ONCE))
    begin = AT_ONCE * (int(now.timestamp() // 60) % parts)
    found = rows.select_related("connection__person", "invitation__candidate")
    found = found.order_by("ordered_at", "pk")[begin : begin + AT_ONCE]
    return sum(_tell(order, now) for order in found)


def _tell(order: Order, now: datetime) -> bool:
    standing = progress(order, now).standing
    if standing == order.told:
        return False
    if standing not in ADAPTERS[order.connection.kind].tells:
        Order.objects.filter(pk=order.pk).update(told=standing)
        return False
    given_up = order.deliveries.filter(standing=standing, given_up_at__isnull=False).exists()
    if given_up:
        return False
    Delivery.objects.create(order=order, standing=standing, queued_at=now, due_at=now)
    return True
