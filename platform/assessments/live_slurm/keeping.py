"""The rows of a live cluster: stored as its course tells, read by pages and by the worker that grades."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import F

from assessments.ledger import credit, locked
from assessments.live_slurm.box import Ready, Stored
from assessments.models import Attempt, ClusterLook, KeptCluster, LiveCluster, TerminalSession
from assessments.terminal import endings
from graders.live_slurm.handed import Handed, begun_from, seen_from
from graders.live_slurm.living import View

MOST_KEPT = 3
"""Of each round: the newest, and those before it should that one turn out to be of no use."""
EVERY = timedelta(seconds=30)
"""A look is stored this often where nothing has changed."""
BY_ITSELF = timedelta(seconds=3)
"""What a cluster may take to be there; longer is time that we owe."""
WAITS_S, STEP_S = 120.0, 0.5
OURS = (endings.LOST, endings.TROUBLE, endings.LIMIT)
STARTED = "The cluster took long to start."
AWAY = "The machine behind the cluster had failed."


class NotKept(Exception):
    """The cluster is still being kept; one sentence."""


def newest(attempt: Attempt) -> KeptCluster | None:
    """As it was kept last, in whatever round."""
    return KeptCluster.objects.filter(cluster__attempt=attempt).order_by("-at", "-pk").first()


@transaction.atomic
def is_ready(session: TerminalSession, found: Ready, *, now: datetime) -> None:
    """The cluster is there for the first time or has come back; what that took too long is given back."""
    of = {"first": [asdict(one) for one in found.seen], "began_at": now, "ready_at": now}
    _, is_new = LiveCluster.objects.get_or_create(
        attempt_id=session.attempt_id, defaults={"begun": asdict(found.begun), **of}
    )
    if not is_new:
        of_it = LiveCluster.objects.filter(attempt_id=session.attempt_id)
        of_it.update(came_back=F("came_back") + 1, ready_at=now, wanted_at=None)
    _give_back(session, now)


def _give_back(session: TerminalSession, now: datetime) -> None:
    """The start, where it was slow, and before it what a failure of ours took until it was noticed."""
    with locked(session.attempt_id) as attempt:
        if attempt.round != session.round:
            return
        if now - session.asked_at > BY_ITSELF:
            credit(attempt, began=session.asked_at, ended=now, reason=STARTED, now=now)
        before = attempt.terminal_sessions.filter(asked_at__lt=session.asked_at)
        last = before.order_by("-asked_at").first()
        if last and last.ending in OURS and last.round == session.round and last.ended_at:
            began = last.seen_at or last.asked_at
            credit(attempt, began=began, ended=last.ended_at, reason=AWAY, now=now)


def viewed(cluster: LiveCluster, view: View, *, now: datetime) -> None:
    """Remember how it stands, and in the history where that is news."""
    counts = counted(view)
    last = cluster.looks.order_by("-at", "-pk").first()
    is_news = last is None or counts != {name: getattr(last, name) for name in counts}
    if is_news or last is None or now - last.at > EVERY:
        ClusterLook.objects.create(cluster=cluster, at=now, **counts)
    cluster.view, cluster.viewed_at = asdict(view), now
    cluster.save(update_fields=["view", "viewed_at"])


def counted(view: View) -> dict[str, int]:
    """What the chart shows of a view."""
    states = [job["state"] for job in view.jobs]
    return {
        "running": states.count("RUNNING"),
        "waiting": states.count("PENDING"),
        "gpus": sum(node.used for node in view.nodes),
        "up": sum(takes_jobs(node.state) for node in view.nodes),
    }


def takes_jobs(state: str) -> bool:
    """Whether a node in this state, as Slurm writes it, would begin a job; MIXED+DRAIN would not."""
    first, *marks = state.rstrip("*").split("+")
    return first in ("IDLE", "MIXED", "ALLOCATED") and not marks and not state.endswith("*")


@transaction.atomic
def stored(cluster: LiveCluster, round_: int, found: Stored, *, now: datetime) -> None:
    """Add a row, and let those go that are too many."""
    kept = found.kept
    KeptCluster.objects.create(
        cluster=cluster,
        round=round_,
        at=now,
        files=kept.files,
        seen=[asdict(one) for one in kept.seen],
        came_back=cluster.came_back,
        is_final=kept.final,
    )
    if found.wished or kept.final:
        LiveCluster.objects.filter(pk=cluster.pk).update(wanted_at=None)
    rows = cluster.kept.filter(round=round_, is_final=False).order_by("-at", "-pk")
    old = list(rows.values_list("pk", flat=True)[MOST_KEPT:])
    KeptCluster.objects.filter(pk__in=old).delete()


def want(attempt: Attempt, *, now: datetime) -> bool:
    """Ask the cluster's host to keep it at once; False where there is no cluster."""
    return bool(LiveCluster.objects.filter(attempt=attempt).update(wanted_at=now))


def handed(
    attempt: Attempt,
    round_: int | None = None,
    *,
    clock: Callable[[], datetime],
    sleep: Callable[[float], None] = time.sleep,
) -> Handed | None:
    """The cluster as it was kept last, for a grade or a check; None where nobody has started it.

    Waits while its host keeps it: with a round until the round's cluster is let go, without one until
    what was wanted is there. Raises NotKept where that takes too long.
    """
    waited = 0.0
    while _is_being_kept(attempt, round_, clock()):
        if waited >= WAITS_S:
            raise NotKept("The cluster's host has not kept it yet.")
        sleep(STEP_S)
        waited += STEP_S
    kept = _of_round(attempt, round_)
    cluster = LiveCluster.objects.filter(attempt=attempt).first()
    if kept is None or cluster is None:
        return None
    return Handed(
        begun_from(cluster.begun),
        kept.files,
        seen_from(kept.seen),
        kept.came_back,
        commands(attempt, until=kept.at),
        kept.at.timestamp(),
    )


def _is_being_kept(attempt: Attempt, round_: int | None, now: datetime) -> bool:
    live = [row for row in attempt.terminal_sessions.filter(state="live") if not row.is_silent(now)]
    if round_ is not None:
        return any(row.round == round_ for row in live)
    wanted = LiveCluster.objects.filter(attempt=attempt, wanted_at__isnull=False).exists()
    return bool(live) and wanted


def _of_round(attempt: Attempt, round_: int | None) -> KeptCluster | None:
    rows = KeptCluster.objects.filter(cluster__attempt=attempt)
    if round_ is not None:
        # A revision in which nobody touched the cluster is handed in as the first round left it.
        rows = rows.filter(round__lte=round_)
    return rows.order_by("-at", "-pk").first()


def commands(attempt: Attempt, until: datetime) -> list[tuple[float, str]]:
    """What was run in the shells, as they reported it: (seconds since 1970, line)."""
    found: list[tuple[float, str]] = []
    for session in attempt.terminal_sessions.order_by("asked_at"):
        rows: Any = session.commands.filter(at__lte=until).values_list("at", "line")
        found += [(at.timestamp(), line) for at, line in rows]
    return found
