"""What the database says of the site's work at this moment, as figures for Prometheus.

Nothing is counted twice: rows are facts, and each figure is read from them when somebody asks. Trials of the
staff are no candidates.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, F, Min, QuerySet, Sum
from prometheus_client.core import GaugeMetricFamily, Metric

from assessments.clock import EventKind
from assessments.gpu.cards import DEFAULT_QUEUE, GPU_QUEUE, is_served, of_queue
from assessments.jobs import Job
from assessments.models import (
    Attempt,
    GradingRun,
    PreparedVariant,
    Presence,
    Pulse,
    Run,
    Submission,
    TerminalSession,
    TimeEvent,
)
from assessments.presences import own_version, present
from assessments.pulses import SCHEDULE, TERMINAL, WORKER
from hiring.models import Message
from hiring.trials import real

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
SWEPT_WITHIN = timedelta(minutes=1)
"""After the longest grace: the sweep comes every ten seconds, and waits while the site was slow."""
NEEDED = (WORKER, SCHEDULE)
"""Without a pulse of these nobody could ring: there would be no figure that grows."""
KINDS: tuple[tuple[str, type[Job], str], ...] = (
    ("run", Run, "attempt__pack_version"),
    ("grading", GradingRun, "submission__attempt__pack_version"),
    ("variant", PreparedVariant, ""),
)
"""(name, rows, the way from a row to the version of its pack, where GPUs matter)."""


def figures(now: datetime) -> Iterator[Metric]:
    """Every figure that rows tell. Raises what the database raises."""
    yield gauge(
        "headnode_build_info", "The version that answers.", {(own_version(),): 1.0}, "version"
    )
    yield from waiting(now)
    yield from gradings(now)
    yield from candidates(now)
    yield from terminals(now)
    yield from mail(now)
    yield from credits(now)
    yield from parts(now)


def gauge(name: str, about: str, values: dict[tuple[str, ...], float], *labels: str) -> Metric:
    """A family with one sample for each row of `values`: {labels' values: value}."""
    family = GaugeMetricFamily(name, about, labels=labels)
    for of, value in values.items():
        family.add_metric(of, value)
    return family


def waiting(now: datetime) -> Iterator[Metric]:
    """Rows that no worker has taken up: how many, and for how long the first of them has waited."""
    counts: dict[tuple[str, ...], float] = {}
    oldest: dict[tuple[str, ...], float] = {}
    for kind, model, version in KINDS:
        for queue, rows in _by_queue(kind, model, version, now):
            found = rows.aggregate(count=Count("pk"), first=Min("created_at"))
            counts[kind, queue] = found["count"]
            oldest[kind, queue] = (now - (found["first"] or now)).total_seconds()
    labels = ("kind", "queue")
    yield gauge("headnode_waiting", "Rows that wait for a worker.", counts, *labels)
    yield gauge(
        "headnode_waiting_oldest_seconds",
        "Seconds that the first of them has waited.",
        oldest,
        *labels,
    )


def _by_queue(
    kind: str, model: type[Job], version: str, now: datetime
) -> Iterator[tuple[str, QuerySet[Any]]]:
    """Without a worker that has a card all of them wait in the one queue."""
    if kind == "variant":
        yield DEFAULT_QUEUE, PreparedVariant.objects.in_turn(now)
        return
    rows = model.objects.waiting(now)
    yield DEFAULT_QUEUE, of_queue(rows, DEFAULT_QUEUE, version)
    yield GPU_QUEUE, of_queue(rows, GPU_QUEUE, version) if is_served(now) else rows.none()


def gradings(now: datetime) -> Iterator[Metric]:
    """What the last hour's gradings came to."""
    ended = GradingRun.objects.filter(finished_at__gt=now - HOUR)
    counts = dict(ended.order_by().values_list("result").annotate(Count("pk")))
    values: dict[tuple[str, ...], float] = {
        (result,): counts.get(result, 0)
        for result in ("done", "candidate_error", "infrastructure_error")
    }
    about = "Gradings that ended within the last hour, by result."
    yield gauge("headnode_gradings_last_hour", about, values, "result")


def candidates(now: datetime) -> Iterator[Metric]:
    """Who is at work, and whose end the sweep has not seen or saw late."""
    attempts = real(Attempt.objects.all())
    working = attempts.running(now).count()  # type: ignore[attr-defined]
    yield gauge("headnode_candidates_working", "Attempts whose clock runs.", {(): working})
    late = [
        now - end
        for attempt in Attempt.objects.past_deadline(now).select_related("exercise")
        if (end := _due(attempt)) < now
    ]
    seconds = max((one.total_seconds() for one in late), default=0.0)
    yield gauge("headnode_deadlines_overdue", "Attempts that should be closed.", {(): len(late)})
    about = "Seconds that the first of them has been due for."
    yield gauge("headnode_deadlines_overdue_oldest_seconds", about, {(): seconds})
    promoted = Submission.objects.filter(
        source=Submission.Source.PROMOTED, submitted_at__gt=now - DAY
    ).select_related("attempt__exercise")
    swept = sum(one.submitted_at > _due(one.attempt, one.round) for one in promoted)
    about = "Answers of the last day that the sweep handed in more than a minute late."
    yield gauge("headnode_deadlines_swept_late_last_day", about, {(): swept})


def _due(attempt: Attempt, round: int | None = None) -> datetime:
    """When the sweep should have come at the latest.

    Of a round that is over the deadline is known only until the next begins; its answers count as in time.
    """
    if round is not None and round != attempt.round:
        return datetime.max.replace(tzinfo=attempt.deadline_at.tzinfo)
    return attempt.deadline_at + attempt.rules.grace_time(attempt.round) + SWEPT_WITHIN


def terminals(now: datetime) -> Iterator[Metric]:
    """Candidates' shells: running, waiting for a place, and how many places there are."""
    state = TerminalSession.State
    counts = dict(
        TerminalSession.objects.exclude(state=state.ENDED)
        .order_by()
        .values_list("state")
        .annotate(Count("pk"))
    )
    values: dict[tuple[str, ...], float] = {
        (one.value,): counts.get(one.value, 0) for one in (state.WAITING, state.LIVE)
    }
    yield gauge("headnode_terminals", "Terminals that are not over.", values, "state")
    places = present(now).filter(component=TERMINAL).aggregate(Sum("places"))["places__sum"]
    yield gauge("headnode_terminal_places", "Terminals that can run at once.", {(): places or 0})


def mail(now: datetime) -> Iterator[Metric]:
    """The outbox: what waits, and what went wrong within a day."""
    due = Message.objects.waiting().filter(due_at__lte=now)
    found = due.aggregate(count=Count("pk"), first=Min("queued_at"))
    yield gauge("headnode_mail_waiting", "Messages that wait to be sent.", {(): found["count"]})
    seconds = (now - (found["first"] or now)).total_seconds()
    about = "Seconds that the first of them has waited."
    yield gauge("headnode_mail_waiting_oldest_seconds", about, {(): seconds})
    refused = Message.objects.filter(refused_at__gt=now - DAY).count()
    handed = Message.objects.filter(sent_at=None, refused_at=None, handed_at__gt=now - DAY)
    uncertain = handed.filter(lease_until__lte=now).count()
    values: dict[tuple[str, ...], float] = {("refused",): refused, ("uncertain",): uncertain}
    about = "Messages of the last day that did not, or may not, have arrived."
    yield gauge("headnode_mail_failures_last_day", about, values, "how")


def credits(now: datetime) -> Iterator[Metric]:
    """Time that was given back because of the platform, within the last hour."""
    rows = TimeEvent.objects.filter(kind=EventKind.CREDITED, at__gt=now - HOUR)
    given = list(rows.values_list("before", "after"))
    yield gauge("headnode_credits_last_hour", "Credits of the last hour.", {(): len(given)})
    seconds = sum((after - before).total_seconds() for before, after in given if before and after)
    about = "Seconds given back to candidates within the last hour."
    yield gauge("headnode_credited_seconds_last_hour", about, {(): seconds})


def parts(now: datetime) -> Iterator[Metric]:
    """How long ago each part said that it is alive, on how many hosts, and how far their clocks are off."""
    ages: dict[tuple[str, ...], float] = {(component,): math.inf for component in NEEDED}
    ages |= {(pulse.component,): (now - pulse.at).total_seconds() for pulse in Pulse.objects.all()}
    about = (
        "Seconds since the last pulse; of a part that a site needs and that never had one, +Inf."
    )
    yield gauge("headnode_pulse_age_seconds", about, ages, "component")
    here = present(now)
    hosts = here.order_by().values_list("component").annotate(Count("pk"))
    counts: dict[tuple[str, ...], float] = {(component,): count for component, count in hosts}
    yield gauge("headnode_hosts", "Hosts on which the part runs.", counts, "component")
    ahead: dict[tuple[str, ...], float] = {
        (row.host,): row.ahead_ms / 1000 for row in _latest_of_each_host(here)
    }
    about = "Seconds that a host's clock is before the database's."
    yield gauge("headnode_clock_ahead_seconds", about, ahead, "host")


def _latest_of_each_host(rows: QuerySet[Presence]) -> list[Presence]:
    return list({row.host: row for row in rows.order_by(F("at").asc())}.values())
