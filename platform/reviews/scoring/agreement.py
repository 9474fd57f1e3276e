"""How far the evaluators of one answer are apart, and what follows from it: derived, never stored.

The average comes first. Where two scorecards are far apart somebody else is asked to score; only what
then still differs is discussed, and what was agreed is kept beside the scorecards, not in them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from enum import StrEnum
from statistics import fmean
from typing import Any, NamedTuple

from django.conf import settings
from django.db import transaction
from django.db.models import Prefetch

from accounts.models import User
from accounts.not_possible import NotPossible
from assessments.models import Attempt, Submission
from hiring.models import Opening
from library.models import HIGHEST, LOWEST
from reviews.models import DiscussionOutcome, Evaluation
from reviews.phases import Tag

SETTLING = 3  # so many scorecards are in before a difference is only discussed


class Rule(NamedTuple):
    """From which difference on two scorecards ask for another: on a criterion, and of the means."""

    levels: int
    means: float


class Gap(NamedTuple):
    """One criterion that the scorecards differ on by the rule; levels in the cards' order."""

    key: str
    title: str
    levels: list[int | None]
    agreed: DiscussionOutcome | None

    @property
    def mean(self) -> float:
        return fmean(level for level in self.levels if level is not None)


class Agreement(StrEnum):
    """What a difference between scorecards asks for."""

    TOO_FEW = "too few"  # fewer than two scorecards that the viewer may know of
    AGREED = "agreed"
    ASK = "ask"
    ASKED = "asked"
    DISCUSS = "discuss"
    SETTLED = "settled"


TAGS = {
    Agreement.ASK: Tag("Another evaluator needed", "warn"),
    Agreement.ASKED: Tag("Another evaluator asked", "info"),
    Agreement.DISCUSS: Tag("Differs: discuss", "warn"),
    Agreement.SETTLED: Tag("Differed, discussed", "good"),
}
URGENCY = [Agreement.ASK, Agreement.DISCUSS, Agreement.ASKED, Agreement.SETTLED]


def rule_of(opening: Opening) -> Rule:
    """The opening's own rule, or the organisation's where it states none."""
    levels, means = opening.levels_apart, opening.means_apart
    return Rule(
        settings.LEVELS_APART if levels is None else levels,
        settings.MEANS_APART if means is None else float(means),
    )


def levels_of(card: Evaluation) -> dict[str, int]:
    """{criterion key: level} of what is rated."""
    return {row.criterion_key: row.level for row in card.ratings.all() if row.level is not None}


def means_apart(cards: Iterable[Evaluation]) -> float:
    """How far the highest and the lowest mean level are apart; weights play no part."""
    means = [fmean(levels.values()) for card in cards if (levels := levels_of(card))]
    return max(means) - min(means) if len(means) > 1 else 0.0


def differing(cards: Iterable[Evaluation], rule: Rule) -> set[str]:
    """Keys of the criteria on which the cards differ by the rule."""
    given: dict[str, list[int]] = {}
    for card in cards:
        for key, level in levels_of(card).items():
            given.setdefault(key, []).append(level)
    return {key for key, levels in given.items() if max(levels) - min(levels) >= rule.levels}


def gaps(
    cards: Sequence[Evaluation], rule: Rule, outcomes: Iterable[DiscussionOutcome] = ()
) -> list[Gap]:
    """The criteria on which the cards differ by the rule, in the rubric's order."""
    known = [levels_of(card) for card in cards]
    agreed = {row.criterion_key: row for row in outcomes}  # the latest of each counts
    titles = {item["key"]: item["title"] for card in cards for item in card.criteria()}
    far = differing(cards, rule)
    return [
        Gap(key, title, [levels.get(key) for levels in known], agreed.get(key))
        for key, title in titles.items()
        if key in far
    ]


def to_discuss(
    cards: Sequence[Evaluation], rule: Rule, outcomes: Iterable[DiscussionOutcome] = ()
) -> list[Gap]:
    """The criteria to talk about; where only the means are apart, all that differ at all."""
    found = gaps(cards, rule, outcomes)
    if not found and means_apart(cards) >= rule.means:
        return gaps(cards, Rule(1, rule.means), outcomes)
    return found


def agreement(
    cards: Sequence[Evaluation],
    rule: Rule,
    outcomes: Sequence[DiscussionOutcome],
    *,
    is_waiting: bool,
) -> Agreement:
    """What the scorecards of one round ask for. is_waiting: an assigned evaluator's is not in."""
    if len(cards) < 2:
        return Agreement.TOO_FEW
    by_criterion = differing(cards, rule)
    by_mean = means_apart(cards) >= rule.means
    if not by_criterion and not by_mean:
        return Agreement.AGREED
    discussed = {row.criterion_key for row in outcomes}
    is_open = bool(by_criterion - discussed) or (by_mean and not discussed)
    if not is_open:
        return Agreement.SETTLED
    if is_waiting:
        return Agreement.ASKED
    return Agreement.ASK if len(cards) < SETTLING else Agreement.DISCUSS


def with_known_cards(viewer: User) -> Prefetch[str, Any, Any]:
    """For a list of attempts: `judged`, the answers with the scorecards the viewer may know of."""
    cards = Evaluation.objects.known_to(viewer).current().submitted().defer("snapshot")
    answers = Submission.objects.filter(superseded_at=None).defer("body")
    answers = answers.prefetch_related(
        Prefetch("evaluations", cards.prefetch_related("ratings"), to_attr="known_cards"),
        "discussions",
    )
    return Prefetch("submissions", answers.order_by("round"), to_attr="judged")


def agreement_of_round(attempt: Attempt, submission: Submission) -> Agreement:
    """Of one answer; both come from `with_known_cards`."""
    cards: list[Evaluation] = submission.known_cards  # type: ignore[attr-defined]
    done = {card.evaluator_id for card in cards}
    waiting = any(row.evaluator_id not in done for row in attempt.assignments.all())
    outcomes = list(submission.discussions.all())
    return agreement(cards, rule_of(attempt.invitation.opening), outcomes, is_waiting=waiting)


def tag_of(attempt: Attempt) -> Tag | None:
    """The most urgent agreement of an attempt's rounds; it comes from `with_known_cards`."""
    found = {agreement_of_round(attempt, answer) for answer in attempt.judged}  # type: ignore[attr-defined]
    return next((TAGS[kind] for kind in URGENCY if kind in found), None)


def may_be_discussed(attempt: Attempt, submission: Submission, viewer: User) -> list[Evaluation]:
    """The cards to talk about; NotPossible while somebody on the panel still scores alone."""
    cards = (
        Evaluation.objects.visible_to(viewer).current().submitted().filter(submission=submission)
    )
    seen = list(cards.select_related("evaluator", "submission").prefetch_related("ratings"))
    panel = set(attempt.assignments.values_list("evaluator", flat=True))
    if panel - {card.evaluator_id for card in seen}:
        raise NotPossible(
            "Somebody who is assigned has not handed a scorecard in: what differs is discussed when "
            "all of them are in."
        )
    if len(seen) < 2:
        raise NotPossible("There are no two scorecards to compare yet.")
    return seen


@transaction.atomic
def record(
    submission: Submission,
    cards: Sequence[Evaluation],
    *,
    criterion: str,
    level: int,
    reason: str,
    by: User,
    now: datetime,
) -> DiscussionOutcome:
    """Append what was agreed on a criterion that differs; sending it twice keeps one row."""
    Submission.objects.select_for_update().get(pk=submission.pk)
    rule = rule_of(submission.attempt.invitation.opening)
    if criterion not in {gap.key for gap in to_discuss(cards, rule)}:
        raise NotPossible("The scorecards do not differ on this criterion: the average stands.")
    words = _level_texts(cards[0]).get(criterion)
    if words is None:
        raise NotPossible("This rubric has no such criterion.")
    if not LOWEST <= level <= HIGHEST:
        raise NotPossible(f"A level is a number from {LOWEST} to {HIGHEST}.")
    if not reason.strip():
        raise NotPossible("Write what in the answer settled it: the reason stays on record.")
    latest = submission.discussions.filter(criterion_key=criterion).last()
    if latest and (latest.level, latest.reason) == (level, reason.strip()):
        return latest
    return DiscussionOutcome.objects.create(
        submission=submission,
        criterion_key=criterion,
        level=level,
        level_text=words.get(str(level), ""),
        reason=reason.strip(),
        recorded_by=by,
        recorded_at=now,
    )


def _level_texts(card: Evaluation) -> dict[str, dict[str, str]]:
    return {item["key"]: item["levels"] for item in card.criteria()}
