"""What happened, noticed from the rows that say so: nothing that happens has to know who wants to hear of it.

A look asks for facts of the last week that no event names yet. A worker that was away notices them when it
comes back; two that look at once notice each fact once, by the constraints of `Event`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, Model, OuterRef, QuerySet

from assessments.jobs import Result
from assessments.models import Attempt, GradingRun, Submission
from hiring.models import Invitation
from hiring.trials import real
from integrations.models import Delivery, Event, Webhook
from reviews.models import Decision, Evaluation

LOOKS_BACK = timedelta(days=7)
AT_ONCE = 500
ENDED = (Result.DONE, Result.CANDIDATE_ERROR)


class Kind(NamedTuple):
    """One type of event: in words, which rows say it, when it was, and the field of Event for such a row."""

    words: str
    rows: Callable[[], QuerySet[Any]]
    at: str
    field: str


def _invitations() -> QuerySet[Invitation]:
    return real(Invitation.objects.all())


def _attempts() -> QuerySet[Attempt]:
    return real(Attempt.objects.all()).select_related("invitation")


def _submissions() -> QuerySet[Submission]:
    return real(Submission.objects.all()).select_related("attempt__invitation")


def _gradings() -> QuerySet[GradingRun]:
    rows = GradingRun.objects.filter(result__in=ENDED).defer("report")
    rows = rows.filter(submission__attempt__invitation__opening__trial_by=None)
    return rows.select_related("submission__attempt__invitation")


def _scorecards() -> QuerySet[Evaluation]:
    rows = Evaluation.objects.submitted().defer("snapshot")
    rows = rows.filter(submission__attempt__invitation__opening__trial_by=None)
    return rows.select_related("submission__attempt__invitation")


def _decisions() -> QuerySet[Decision]:
    return Decision.objects.filter(opening__trial_by=None)


KINDS = {
    "invitation.created": Kind("Somebody was invited", _invitations, "created_at", "invitation"),
    "invitation.revoked": Kind(
        "An invitation was revoked", _invitations, "revoked_at", "invitation"
    ),
    "attempt.started": Kind("An exercise was begun", _attempts, "started_at", "attempt"),
    "submission.created": Kind(
        "An answer was handed in, or taken at the end of the time",
        _submissions,
        "submitted_at",
        "submission",
    ),
    "grading.finished": Kind("An answer was graded", _gradings, "finished_at", "grading"),
    "scorecard.submitted": Kind(
        "An evaluator's scorecard is in", _scorecards, "submitted_at", "scorecard"
    ),
    "decision.made": Kind("Somebody decided", _decisions, "decided_at", "decision"),
}


def notice(now: datetime) -> int:
    """Write down what happened since the oldest webhook was made, and queue it; how many events."""
    webhooks = list(Webhook.objects.filter(stopped_at=None).order_by("made_at"))
    if not webhooks:
        return 0
    since = max(webhooks[0].made_at, now - LOOKS_BACK)
    return sum(_notice(name, kind, webhooks, since, now) for name, kind in KINDS.items())


def _notice(name: str, kind: Kind, webhooks: list[Webhook], since: datetime, now: datetime) -> int:
    known = Event.objects.filter(kind=name, **{kind.field: OuterRef("pk")})
    facts = kind.rows().filter(~Exists(known), **{f"{kind.at}__gte": since})
    found = list(facts.order_by(kind.at)[:AT_ONCE])
    for fact in found:
        with transaction.atomic():
            at = getattr(fact, kind.at)
            event, made = Event.objects.get_or_create(
                kind=name,
                **{kind.field: fact},
                defaults={"at": at, "noticed_at": now, **_about(fact)},
            )
            if made:
                queue(event, [row for row in webhooks if row.made_at <= at], now)
    return len(found)


def _about(fact: Model) -> dict[str, Any]:
    """What else the event names, from the fact upwards."""
    found: dict[str, Any] = {}
    if isinstance(fact, GradingRun | Evaluation):
        found["submission"], fact = fact.submission, fact.submission
    if isinstance(fact, Submission):
        found["attempt"], fact = fact.attempt, fact.attempt
    if isinstance(fact, Attempt):
        found["invitation"], fact = fact.invitation, fact.invitation
    if isinstance(fact, Invitation | Decision):
        found |= {"opening_id": fact.opening_id, "candidate_id": fact.candidate_id}
    return found


def queue(event: Event, webhooks: Iterable[Webhook], now: datetime) -> None:
    """One delivery for each webhook that wants it."""
    Delivery.objects.bulk_create(
        Delivery(webhook=row, event=event, queued_at=now, due_at=now)
        for row in webhooks
        if row.wants(event.kind)
    )


NAMED = (
    "opening",
    "candidate",
    "invitation",
    "attempt",
    "submission",
    "grading",
    "scorecard",
    "decision",
)


def body_of(event: Event) -> bytes:
    """What a webhook is sent: type, time and keys. Who it is about and how it went is asked of the API."""
    keys = {f"{name}_id": getattr(event, f"{name}_id") for name in NAMED}
    data = {
        name: str(key) if isinstance(key, UUID) else key
        for name, key in keys.items()
        if key is not None
    }
    said = {"type": event.kind, "timestamp": event.at.isoformat(), "data": data}
    return json.dumps(said, separators=(",", ":")).encode()
