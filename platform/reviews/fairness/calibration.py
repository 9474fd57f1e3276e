"""The verbs of calibration: begin an exemplar, rate it blind, submit it, see how far off one was."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from statistics import fmean

from django.db import transaction

from accounts.models import User
from accounts.not_possible import NotPossible
from assessments.models import Attempt
from hiring.models import Calibration
from library.exemplars import Exemplar
from library.kept_exemplars import digests_of, every_exemplar
from library.models import HIGHEST, LOWEST
from library.packs import latest_rubric, load_rubric, pack_of
from reviews.models import CalibrationCard


@dataclass(frozen=True, slots=True)
class Line:
    """One criterion of a submitted card: one's own level beside the agreed one, 1 to 5."""

    key: str
    title: str
    own: int
    own_text: str
    note: str
    agreed: int
    agreed_text: str
    reason: str

    @property
    def off(self) -> int:
        """Levels above (positive: kinder) or below the agreed one."""
        return self.own - self.agreed

    @property
    def size_off(self) -> int:
        return abs(self.off)


@dataclass(frozen=True, slots=True)
class Distance:
    """How far off somebody was over all criteria: shares 0 to 1, levels otherwise."""

    n: int
    exact: float
    adjacent: float
    mean_off: float
    mean_distance: float

    @property
    def size_off(self) -> float:
        return abs(self.mean_off)


def begin(
    pack_name: str, level: str, exemplar: Exemplar, *, evaluator: User, now: datetime
) -> CalibrationCard:
    """The evaluator's card of that exemplar, made on first use; once submitted it stays as it is."""
    rubric = latest_rubric(pack_name, level) or load_rubric(pack_of(pack_name), level, now=now)
    snapshot = rubric.snapshot()
    rated = [item for item in snapshot["criteria"] if item["key"] in exemplar.agreed]
    card, _ = CalibrationCard.objects.get_or_create(
        evaluator=evaluator,
        pack_name=pack_name,
        level=level,
        exemplar=exemplar.key,
        digest=exemplar.digest,
        defaults={"snapshot": snapshot | {"criteria": rated}, "begun_at": now},
    )
    return card


@transaction.atomic
def rate(card: CalibrationCard, ratings: dict[str, tuple[int | None, str]]) -> CalibrationCard:
    """Set levels and notes, {criterion key: (level or None, note)}, while the card is open."""
    held = CalibrationCard.objects.select_for_update().get(pk=card.pk)
    if held.submitted_at:
        raise NotPossible("You submitted this exemplar before, and know the agreed levels now.")
    known = {item["key"] for item in held.criteria()}
    for key, (level, note) in ratings.items():
        if key not in known:
            raise NotPossible("This rubric has no such criterion.")
        if level is not None and not LOWEST <= level <= HIGHEST:
            raise NotPossible(f"A level is a number from {LOWEST} to {HIGHEST}.")
        held.ratings[key] = {"level": level, "note": note}
    held.save(update_fields=["ratings"])
    return held


def missing(card: CalibrationCard) -> list[str]:
    """Titles of the criteria that have no level yet."""
    return [
        item["title"]
        for item in card.criteria()
        if not card.ratings.get(item["key"], {}).get("level")
    ]


@transaction.atomic
def submit(card: CalibrationCard, exemplar: Exemplar, *, now: datetime) -> CalibrationCard:
    """Freeze a complete card; from then on it holds the agreed levels and reasons."""
    held = CalibrationCard.objects.select_for_update().get(pk=card.pk)
    if held.submitted_at:
        return held
    if gaps := missing(held):
        raise NotPossible(f"Still without a level: {', '.join(gaps)}.")
    held.agreed = {
        key: {"level": item.level, "reason": item.reason} for key, item in exemplar.agreed.items()
    }
    held.submitted_at = now
    held.save(update_fields=["agreed", "submitted_at"])
    return held


def lines(card: CalibrationCard) -> list[Line]:
    """A submitted card criterion by criterion; nothing before it is in."""
    if not card.submitted_at:
        return []
    return [
        Line(
            key=item["key"],
            title=item["title"],
            own=own["level"],
            own_text=item["levels"][str(own["level"])],
            note=own["note"],
            agreed=agreed["level"],
            agreed_text=item["levels"][str(agreed["level"])],
            reason=agreed["reason"],
        )
        for item in card.criteria()
        for own, agreed in [(card.ratings[item["key"]], card.agreed[item["key"]])]
    ]


def distance(rows: Iterable[Line]) -> Distance | None:
    """How far off over all the lines; None where there are none."""
    off = [row.off for row in rows]
    if not off:
        return None
    return Distance(
        n=len(off),
        exact=fmean(each == 0 for each in off),
        adjacent=fmean(abs(each) <= 1 for each in off),
        mean_off=fmean(off),
        mean_distance=fmean(map(abs, off)),
    )


def still_to_score(user: User, pack_name: str, level: str) -> int:
    """How many of the exemplars, as they are now, somebody has not submitted."""
    return all_still_to_score(user, [(pack_name, level)])[pack_name, level]


def all_still_to_score(user: User, kinds: Iterable[tuple[str, str]]) -> dict[tuple[str, str], int]:
    """The same of many exercises, each as (pack, level), in one query."""
    cards = CalibrationCard.objects.filter(evaluator=user).exclude(submitted_at=None)
    done = set(cards.values_list("pack_name", "level", "digest"))
    return {
        (name, level): sum((name, level, digest) not in done for digest in digests)
        for (name, level), digests in digests_of(kinds).items()
    }


def is_asked(attempt: Attempt) -> bool:
    """Whether the opening wants evaluators calibrated and the exercise has exemplars for it."""
    wants = attempt.invitation.opening.calibration == Calibration.WARN
    return wants and bool(every_exemplar(attempt.pack_version.name, attempt.level))


def owed(viewer: User, attempt: Attempt) -> int:
    """How many exemplars the viewer should score before this attempt; 0 where nobody asks."""
    if not is_asked(attempt):
        return 0
    return still_to_score(viewer, attempt.pack_version.name, attempt.level)


def not_calibrated(attempt: Attempt) -> list[User]:
    """Who scores the attempt without having scored the exemplars, where the opening asks for it."""
    if not is_asked(attempt):
        return []
    wanted = {item.digest for item in every_exemplar(attempt.pack_version.name, attempt.level)}
    people = [row.evaluator for row in attempt.assignments.all()]
    cards = CalibrationCard.objects.filter(evaluator__in=people, digest__in=wanted)
    done: dict[int, set[str]] = {}
    for person, digest in cards.exclude(submitted_at=None).values_list("evaluator", "digest"):
        done.setdefault(person, set()).add(digest)
    return [person for person in people if done.get(person.pk, set()) != wanted]
