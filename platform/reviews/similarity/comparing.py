"""Compare one answer with those before it, in a worker: by an index of fingerprints, then the few in detail."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, QuerySet
from django.utils import timezone

from assessments.execution import perform, worker_name
from assessments.jobs import Result
from assessments.models import Submission
from assessments.queue import publish
from graders.similarity import VERSION
from graders.similarity.answers import Given, Part, fingerprints
from graders.similarity.compare import Place, Shared, compare
from graders.similarity.tokens import CODE, PROSE
from graders.similarity.winnowing import GRAINS, runs
from hiring.trials import real
from reviews.models import Comparison, Fingerprint, Likeness
from reviews.similarity.texts import given_to, parts_of, starters_of

TASK = "reviews.tasks.compare_answer"
CLOSEST = 20
"""Other answers that are compared in detail: those with most fingerprints in common."""
DETAIL_S = 60.0
"""After so long no further answer is begun; the closest come first."""
COMMON, AMONG = 1 / 3, 12
"""A fingerprint in more than this share of at least so many answers is how the exercise is solved."""
REMINDED, CAUGHT_UP = 20, 200
BATCH = 2000


def comparable() -> QuerySet[Submission]:
    """Answers that count and that the candidate wrote; no trials of staff."""
    rows = real(Submission.objects.filter(superseded_at=None))
    return rows.exclude(source=Submission.Source.SPOKEN)


def request(submission: Submission, *, now: datetime) -> None:
    """Queue the comparison of an answer that was just handed in, in its transaction."""
    if not comparable().filter(pk=submission.pk).exists():
        return
    row, _ = Comparison.objects.get_or_create(
        submission=submission, version=VERSION, defaults={"created_at": now}
    )
    transaction.on_commit(lambda: publish(TASK, row.pk))


def catch_up(now: datetime) -> None:
    """Queue what no present version of the algorithm has compared, and tell the workers of what waits."""
    known = Comparison.objects.filter(submission=OuterRef("pk"), version=VERSION)
    new = comparable().filter(~Exists(known)).order_by("pk").values_list("pk", flat=True)
    Comparison.objects.bulk_create(
        [Comparison(submission_id=pk, version=VERSION, created_at=now) for pk in new[:CAUGHT_UP]],
        ignore_conflicts=True,
    )
    Comparison.objects.give_up(now)
    waiting = Comparison.objects.startable(now).filter(version=VERSION).order_by("pk")
    for pk in waiting.values_list("pk", flat=True)[:REMINDED]:
        publish(TASK, pk, expires=50)


def execute(pk: int | str) -> bool:
    """One comparison; False where somebody else has it or it has ended."""
    if not Comparison.objects.claim(pk, worker_name(), timezone.now()):
        return False
    row = Comparison.objects.select_related("submission").get(pk=pk)
    perform(row, lambda: carried_out(row), lambda _: Result.DONE)
    return True


def carried_out(row: Comparison) -> dict[str, Any]:
    """Fingerprints and findings of the row's answer, written at once; what was tried before is replaced."""
    began = time.monotonic()
    submission = _whole(row.submission_id)
    given = given_to(submission.attempt)
    parts = parts_of(submission, given)
    found = {_mixed(value, submission): value for value in fingerprints(parts)}
    others, common = _closest(row, submission, found)
    mine = _without(parts, common)
    near = [
        (pk, shared)
        for pk in others
        if time.monotonic() - began < DETAIL_S
        and (shared := compare(mine, _without(_other(pk, given), common))).is_found
    ]
    with transaction.atomic():
        row.fingerprints.all().delete()
        row.likenesses.all().delete()
        Fingerprint.objects.bulk_create(
            [Fingerprint(comparison=row, value=value) for value in sorted(found)], BATCH
        )
        Likeness.objects.bulk_create([_likeness(row, other, shared) for other, shared in near])
    return {"others": len(others), "seconds": round(time.monotonic() - began, 2)}


def _whole(pk: int) -> Submission:
    rows = Submission.objects.select_related(
        "attempt__exercise", "attempt__pack_version", "attempt__invitation__candidate"
    )
    return rows.get(pk=pk)


def _mixed(value: int, submission: Submission) -> int:
    """The number that is kept: of this exercise and this version of the algorithm alone."""
    salt = f"{submission.attempt.pack_version.name}\x1f{VERSION}".encode()
    mask = int.from_bytes(hashlib.blake2b(salt, digest_size=8).digest(), "big", signed=True)
    return value ^ mask


def _closest(
    row: Comparison, submission: Submission, found: dict[int, int]
) -> tuple[list[int], frozenset[int]]:
    """Other people's answers with most in common, and the runs that too many have for it to say anything."""
    person = submission.attempt.invitation.candidate_id
    theirs = Fingerprint.objects.filter(
        comparison__submission__superseded_at=None, comparison__version=VERSION
    ).exclude(comparison__submission__attempt__invitation__candidate=person)
    theirs = theirs.exclude(comparison=row)
    asked = theirs.filter(value__in=list(found))
    people = Count("comparison__submission__attempt__invitation__candidate", distinct=True)
    counted = asked.values_list("value", named=False).annotate(people=people)
    spread = {row[0]: row[-1] for row in counted}
    name = submission.attempt.pack_version.name
    answered = comparable().filter(attempt__pack_version__name=name)
    among = answered.aggregate(people=Count("attempt__invitation__candidate", distinct=True))
    most = max(AMONG, among["people"]) * COMMON
    common = {value for value, count in spread.items() if count > most}
    telling = list(set(spread) - common)
    near = theirs.filter(value__in=telling).values_list("comparison__submission", flat=True)
    near = near.alias(count=Count("pk")).order_by("-count", "comparison__submission")
    return list(near[:CLOSEST]), frozenset(found[value] for value in common)


def _without(parts: Iterable[Part], common: frozenset[int]) -> list[Part]:
    """The parts, where what very many have written counts as given."""
    kept = []
    for part in parts:
        own, length = list(part.own), GRAINS[part.kind].run
        for at, value in enumerate(runs(part.signs, length) if common else ()):
            if value in common:
                own[at : at + length] = [False] * length
        kept.append(replace(part, own=own))
    return kept


def _other(pk: int, given: Given) -> list[Part]:
    """Another answer, without what either of the two was given. Its variant is not built for this: what it
    quotes of its own materials has no fingerprint, and so brought nobody here."""
    other = _whole(pk)
    return parts_of(other, given | starters_of(other.attempt))


def _likeness(row: Comparison, other: int, shared: Shared) -> Likeness:
    def part(sizes: dict[str, int], kind: str) -> float:
        return shared.sizes[kind] / sizes[kind] if sizes[kind] else 0.0

    return Likeness(
        comparison=row,
        other_id=other,
        passages=[
            {"kind": one.kind, "size": one.size, "mine": _at(one.mine), "theirs": _at(one.theirs)}
            for one in shared.passages
        ],
        code_share=part(shared.of_mine, CODE),
        prose_share=part(shared.of_mine, PROSE),
        other_code_share=part(shared.of_theirs, CODE),
        other_prose_share=part(shared.of_theirs, PROSE),
        size=sum(shared.sizes.values()),
    )


def _at(place: Place) -> list[Any]:
    return [place.key, place.first, place.last]
