"""How far a candidate's variant is, in the words of the page before the start."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from statistics import median

from django.utils.translation import gettext, ngettext

from assessments.jobs import Result
from assessments.materials import rebuilding
from assessments.materials.variants import NotBuilt
from assessments.models.prepared import PreparedVariant
from assessments.prepared.drawing import has_failed

USUAL_S, LOOKED_AT = 6.0, 9
MOST_SHARE = 95


@dataclass(frozen=True)
class Progress:
    """`state` is ready, waiting, building or failed; `share` the part of the way, in percent."""

    state: str
    words: str = ""
    share: int = 0


READY = Progress("ready", "Your cluster is ready. Your clock starts when you press Start.", 100)
FAILED = Progress(
    "failed",
    "Your cluster could not be prepared. That is our fault, not yours: your clock has not started. "
    "Try again, and write to us if it happens again.",
)
PREPARING = "Your cluster is being prepared; your clock has not started."


def progress_of(row: PreparedVariant, now: datetime) -> Progress:
    """Where the row stands on this host; asks for what a worker has built on another one."""
    if not row.exercise.has_room:
        return READY
    if row.result == Result.DONE:
        return _here(row)
    if has_failed(row):
        return FAILED
    if row.state(now) == "running":
        return Progress("building", _building(), _share(row, now))
    return Progress("waiting", f"{gettext(PREPARING)} {_before(row, now)}")


def _building() -> str:
    return f"{gettext(PREPARING)} {gettext('It is being built now.')}"


def _here(row: PreparedVariant) -> Progress:
    try:
        rebuilding.folder(*row.of)
    except rebuilding.BeingBuilt:
        return Progress("building", _building())
    except NotBuilt:
        return FAILED
    return READY


def _before(row: PreparedVariant, now: datetime) -> str:
    """How many are built first."""
    in_turn = PreparedVariant.objects.in_turn(now)
    waiting = list(in_turn.values_list("pk", flat=True)[:100])
    first = waiting.index(row.pk) if row.pk in waiting else 0
    if first == 0:
        return gettext("It is next.")
    return ngettext("One other comes first.", "{count} others come first.", first).format(
        count=first
    )


def _share(row: PreparedVariant, now: datetime) -> int:
    """By how long the last of its kind took; never all of it."""
    alike = PreparedVariant.objects.filter(
        pack_version=row.pack_version_id, level=row.level, report__isnull=False
    )
    took = alike.order_by("-finished_at").values_list("report__seconds", flat=True)[:LOOKED_AT]
    usual = max(1.0, median(took)) if took else USUAL_S
    since = (now - row.claimed_at).total_seconds() if row.claimed_at else 0.0
    return min(MOST_SHARE, round(100 * since / usual))
