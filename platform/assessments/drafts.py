"""Keep what the page sends: append-only, numbered, never overwritten by another page."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import Sum

from assessments import answers
from assessments.ledger import locked, persistent
from assessments.models import Attempt, Draft, body_digest
from assessments.submissions import settle

# Hours of typing without a network arrive at once and in order, and the newest words come last: the
# bounds stand far above that and only stop a program that floods.
MAX_DRAFTS, DRAFTS_PER = 6000, timedelta(minutes=1)
MAX_STORED = 2**30
MAX_LATE = 20


class TooMany(Exception):
    """More drafts than anybody types: the page has to wait and send again."""


class Reused(Exception):
    """The same page sent two different texts under one number."""


@dataclass(frozen=True)
class Saved:
    """How a save ended: the stored draft, whether it still counts, and what it collided with."""

    draft: Draft
    created: bool
    in_time: bool
    conflict: Draft | None


@dataclass(frozen=True)
class Incoming:
    """One save as the page sends it."""

    client: UUID
    seq: int
    base: int | None
    resolve: bool
    body: dict[str, Any]
    sha256: str


@persistent
def save_draft(
    attempt_id: UUID,
    *,
    client: UUID,
    seq: int,
    base: int | None,
    resolve: bool,
    body: dict[str, Any],
    now: datetime,
    limited: bool = True,
) -> Saved:
    """Keep a draft; one that comes too late is kept aside and does not count.

    Raises TooMany where a page floods with autosaves (`limited`; Run and Submit are never held
    back for that), Reused where its number was used for another text.
    """
    incoming = Incoming(client, seq, base, resolve, body, body_digest(body))
    if limited:  # before anybody else has to wait: the bounds need not be met to the draft
        _check_room(attempt_id, now)
    with locked(attempt_id) as attempt:
        return keep(attempt, incoming, now)


def keep(attempt: Attempt, incoming: Incoming, now: datetime) -> Saved:
    """As save_draft, for an attempt that is locked."""
    settle(attempt, now=now)
    in_time = attempt.phase(now).accepts
    drafts = attempt.drafts.defer("body")
    head = drafts.filter(number=attempt.head).first() if attempt.head else None
    if before := _sent_before(attempt, incoming):
        return Saved(before, False, True, head if before.diverged else None)
    if not in_time:
        return _keep_aside(attempt, incoming, now)
    if head and head.round == attempt.round and head.sha256 == incoming.sha256:
        return Saved(head, False, True, None)
    diverged = not incoming.resolve and _is_stale(attempt, incoming, head)
    draft = _store(attempt, incoming, now, diverged=diverged)
    if not diverged:
        attempt.head = draft.number
    attempt.save(update_fields=["last_draft", "head"])
    return Saved(draft, True, True, head if diverged else None)


def _sent_before(attempt: Attempt, incoming: Incoming) -> Draft | None:
    """The same save, whose acknowledgement was lost on its way."""
    rows = attempt.drafts.filter(client=incoming.client, seq=incoming.seq, late=False)
    before = rows.first()
    if before and before.sha256 != incoming.sha256:
        raise Reused
    return before


def _is_stale(attempt: Attempt, incoming: Incoming, head: Draft | None) -> bool:
    """The page had not seen the newest draft, or is still the page of an earlier round."""
    if head is None:
        return False
    of_earlier_round = attempt.drafts.filter(client=incoming.client, round__lt=attempt.round)
    if of_earlier_round.exists():
        return True
    behind = incoming.base is not None and incoming.base < head.number
    return behind and head.client != incoming.client


def _keep_aside(attempt: Attempt, incoming: Incoming, now: datetime) -> Saved:
    """Store late material once, and no more of it than anybody needs."""
    late = attempt.drafts.filter(late=True, round=attempt.round)
    known = late.filter(sha256=incoming.sha256).first()
    if known is None and late.count() >= MAX_LATE:
        known = late.order_by("number").last()
    if known:
        return Saved(known, False, False, None)
    draft = _store(attempt, incoming, now, late=True)
    attempt.save(update_fields=["last_draft"])
    return Saved(draft, True, False, None)


def _check_room(attempt_id: UUID, now: datetime) -> None:
    drafts = Draft.objects.filter(attempt=attempt_id)
    recent = drafts.filter(received_at__gt=now - DRAFTS_PER).count()
    stored = drafts.aggregate(total=Sum("size"))["total"] or 0
    if recent >= MAX_DRAFTS or stored >= MAX_STORED:
        raise TooMany


def _store(
    attempt: Attempt,
    incoming: Incoming,
    now: datetime,
    *,
    diverged: bool = False,
    late: bool = False,
) -> Draft:
    attempt.last_draft += 1
    return Draft.objects.create(
        attempt=attempt,
        round=attempt.round,
        number=attempt.last_draft,
        client=incoming.client,
        seq=incoming.seq,
        body=incoming.body,
        sha256=incoming.sha256,
        size=answers.size(incoming.body),
        received_at=now,
        diverged=diverged,
        late=late,
    )
