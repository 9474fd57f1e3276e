"""What a candidate's browser is told. Nothing staff-only is read here, so nothing can leak from here."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Any

from django.db.models import F, Q, QuerySet
from django.utils.translation import gettext

from assessments.clock import EventKind, Phase
from assessments.gpu import cards
from assessments.kinds import workplace_of
from assessments.models import Announcement, Attempt, Draft, Run, TimeEvent

# As assessments.outages writes the reason of what it gives back.
AWAY = re.compile(
    r"The platform was (?P<slow>slow or )?not reachable for (?P<seconds>\d+) seconds\."
)
# The page knows fewer phases than the clock: what is overdue is handed in by the next contact.
SHOWN = {
    Phase.OVERDUE: "grace",
    Phase.REVISION_GRACE: "grace",
    Phase.REVISION_OVERDUE: "grace",
}
NOTICED = Q(kind__in=(EventKind.EXTENDED, EventKind.CREDITED, EventKind.REOPENED))
# Of a few seconds the clock itself is word enough: a bar over the page would cost more than they did.
PASSED_OVER = Q(kind=EventKind.CREDITED, after__lt=F("before") + timedelta(seconds=10))


def state(attempt: Attempt, now: datetime) -> dict[str, Any]:
    """Phase, time and newest draft, as the page's clock needs them."""
    phase = attempt.phase(now)
    notice = _of_this_round(attempt).filter(NOTICED).exclude(PASSED_OVER).order_by("-pk").first()
    return {
        "now": now.isoformat(),
        "phase": SHOWN.get(phase, phase.value),
        "round": attempt.round,
        "deadline_at": attempt.deadline_at.isoformat(),
        "remaining_s": max(0.0, (attempt.deadline_at - now).total_seconds()),
        "grace_s": attempt.rules.grace_time(attempt.round).total_seconds(),
        "head": attempt.head,
        "notice": _notice(notice) if notice else None,
        "told": Announcement.objects.newest_to(attempt),
    }


def _of_this_round(attempt: Attempt) -> QuerySet[TimeEvent]:
    """What happened to the clock since the present round began."""
    began = attempt.time_events.filter(kind=EventKind.REVISION_STARTED)
    since = began.values_list("pk", flat=True).last() if attempt.round == 2 else None
    return attempt.time_events.filter(pk__gt=since or 0)


def _notice(event: TimeEvent) -> dict[str, Any]:
    gained = event.after - event.before if event.after and event.before else timedelta(0)
    minutes, seconds = divmod(round(gained.total_seconds()), 60)
    parts = (f"{minutes} min" if minutes else "", f"{seconds} s" if seconds or not minutes else "")
    length = " ".join(filter(None, parts))
    more = gettext("You have {length} more time.").format(length=length)
    texts = {
        EventKind.EXTENDED: more,
        EventKind.CREDITED: f"{_why(event.reason)} {more}",
        EventKind.REOPENED: gettext("Your work is open again."),
    }
    return {"id": event.pk, "text": texts[EventKind(event.kind)], "at": event.at.isoformat()}


def _why(reason: str) -> str:
    """A credit's reason as the candidate reads it."""
    if found := AWAY.fullmatch(reason):
        away, slow = (
            gettext("The platform was not reachable for {seconds} seconds."),
            gettext("The platform was slow or not reachable for {seconds} seconds."),
        )
        return (slow if found["slow"] else away).format(seconds=found["seconds"])
    return gettext(reason) if reason else ""


def draft_row(draft: Draft) -> dict[str, Any]:
    return {
        "number": draft.number,
        "at": draft.received_at.isoformat(),
        "client": str(draft.client),
        "diverged": draft.diverged,
        "late": draft.late,
        "sha256": draft.sha256,
        "size": draft.size,
    }


def _said(words: str) -> str:
    return gettext(words) if words else ""


def run_row(run: Run, now: datetime, *, with_report: bool) -> dict[str, Any]:
    """One run; `state` is queued, running, done, stopped or infrastructure_error."""
    state = run.state(now)
    row: dict[str, Any] = {
        "id": str(run.pk),
        # A program that failed has run: its report says what happened.
        "state": "done" if state == "candidate_error" else state,
        "workload": run.workload,
        "draft": run.draft.number,
        "created_at": run.created_at.isoformat(),
        "finished_at": run.finished_at.isoformat() if run.finished_at else None,
        "detail": _said(workplace_of(run.attempt.exercise).run_words.get(state, run.detail)),
        "stopping": run.finished_at is None and run.stop_requested_at is not None,
    }
    if state == "queued":
        row["waiting_for"] = _said(cards.WAITING) if cards.waits(run, now) else ""
        row["position"] = 1 + Run.objects.unfinished().filter(created_at__lt=run.created_at).count()
    if with_report:
        row["report"] = run.report
    return row
