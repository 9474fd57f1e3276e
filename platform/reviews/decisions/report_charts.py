"""The report's charts: ratings with everybody's marks, measures between their anchors, what changed."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Any

from hiring.models import Exercise
from reviews.evidence.automation import Change, Measure
from reviews.evidence.lanes_svg import ANCHORS, Lane, Mark, drawn
from reviews.evidence.replay_svg import figure
from reviews.models import Evaluation


def ratings(exercise: Exercise, cards: Sequence[Evaluation], letters: dict[int, str]) -> str:
    """Each criterion with every evaluator's level: the first answer's, then the revision's own."""
    titles: dict[tuple[int, str], str] = {}
    marks: dict[tuple[int, str], list[Mark]] = {}
    for card in cards:
        levels = {row.criterion_key: row.level for row in card.ratings.all()}
        for item in card.criteria():
            level = levels.get(item["key"])
            if item["round"] != card.round or level is None:
                continue
            key = (item["round"], item["key"])
            titles.setdefault(key, item["title"])
            marks.setdefault(key, []).append(Mark(level, letters.get(card.evaluator_id, "?")))
    lanes = []
    for key in sorted(titles, key=lambda one: one[0]):
        given = sorted(marks[key], key=lambda mark: mark.letter)
        middle = fmean(mark.value for mark in given)
        more = [Mark(middle)] if len(given) > 1 else []
        lanes.append(Lane(titles[key], [*more, *given], f"mean {middle:.1f}, n = {len(given)}"))
    return drawn(f"{exercise}: ratings of each evaluator", lanes) if lanes else ""


def measures(
    exercise: Exercise, rounds: Sequence[tuple[int, Sequence[Measure], dict[str, Any] | None]]
) -> str:
    """Each measure between naive and reference; the bar spans the hidden workloads."""
    known = [row for row in rounds if row[1]]
    if not known:
        return ""
    first = {one.key: one.score for one in known[0][1]} if len(known) == 2 else {}
    _, newest, report = known[-1]
    lanes = []
    for one in newest:
        marks = []
        before = first.get(one.key)
        if before is not None:
            marks.append(Mark(before, filled=False))
        if one.score is not None:
            marks.append(Mark(one.score))
        note = f"{figure(one.value)} {one.unit}".strip() if one.value is not None else "–"
        lanes.append(Lane(one.label, marks, note, between=by_workload(report, one.key)))
    return drawn(f"{exercise}: measures between naive and reference", lanes, ANCHORS)


def by_workload(report: dict[str, Any] | None, key: str) -> tuple[float, float] | None:
    """The lowest and highest score of a measure over the hidden workloads; None below two."""
    scores = [
        float(row["score"])
        for item in (report or {}).get("evidence") or []
        if item.get("kind") == "workload"
        for row in item.get("measures") or []
        if row.get("key") == key and row.get("score") is not None
    ]
    return (min(scores), max(scores)) if len(scores) > 1 else None


def changes(exercise: Exercise, rows: Sequence[Change]) -> str:
    """Each criterion's mean level before and after the feedback."""
    lanes = [
        Lane(
            row.label,
            [Mark(row.first, filled=False), Mark(row.second)],
            f"{row.difference:+.1f}".replace("-", "\u2212") if row.difference else "as before",
            arrow=(row.first, row.second) if row.difference else None,
        )
        for row in rows
    ]
    return drawn(f"{exercise}: levels before and after the feedback", lanes) if lanes else ""


def embedded(svg: str, key: str) -> str:
    """A picture that stands alone, to stand beside others on one page: its ids made its own."""
    for name in ("t", "d"):
        svg = svg.replace(f'id="{name}"', f'id="{key}-{name}"', 1)
    return svg.replace('aria-labelledby="t d"', f'aria-labelledby="{key}-t {key}-d"', 1)
