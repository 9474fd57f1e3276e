"""Say where two reports of the same grading differ, beyond what a clock may make of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any


def compare(stored: Any, fresh: Any) -> list[str]:
    """Where two reports differ, as "path: stored -> fresh"; empty where they are the same.

    A report whose evidence has a row of the kind "clock" names the figures that were read off a
    clock. Those are compared within the bounds it states, everything else exactly.
    """
    clock = _clock(stored)
    if clock is None or _clock(fresh) is None:
        return list(_differences(stored, fresh, "report"))
    keys = frozenset(clock["keys"])
    exact = _differences(_without(stored, keys), _without(fresh, keys), "report")
    return [*exact, *_measures(stored["measures"], fresh["measures"], clock)]


def _clock(report: Any) -> Mapping[str, Any] | None:
    rows = report.get("evidence") if isinstance(report, dict) else None
    return next((row for row in rows or () if row.get("kind") == "clock"), None)


def _without(value: Any, keys: frozenset[str]) -> Any:
    if isinstance(value, dict):
        return {key: _without(part, keys) for key, part in value.items() if key not in keys}
    if isinstance(value, list):
        return [_without(part, keys) for part in value]
    return value


def _measures(
    stored: Sequence[Mapping[str, Any]],
    fresh: Sequence[Mapping[str, Any]],
    clock: Mapping[str, Any],
) -> Iterator[str]:
    """Speed-ups over the naive anchor and scores, within the stated bounds."""
    for left, right in zip(stored, fresh, strict=False):
        path = f"report.measures.{left['key']}"
        gains = [_gain(left), _gain(right)]
        if abs(gains[0] - gains[1]) > clock["speed_up"] * max(map(abs, gains)):
            yield f"{path}: {gains[0]:.3g} times the naive anchor -> {gains[1]:.3g} times"
        scores = [_clipped(left["score"]), _clipped(right["score"])]
        if abs(scores[0] - scores[1]) > clock["scores"]:
            yield f"{path}.score: {left['score']!r} -> {right['score']!r}"


def _gain(measure: Mapping[str, Any]) -> float:
    """How many times the naive anchor's value: on another machine both change alike."""
    return float(measure["value"] / measure["naive"]) if measure["naive"] else 0.0


def _clipped(score: float) -> float:
    return min(1.0, max(0.0, score))


def _differences(stored: Any, fresh: Any, path: str) -> Iterator[str]:
    if isinstance(stored, dict) and isinstance(fresh, dict):
        for key in sorted(set(stored) | set(fresh)):
            yield from _differences(stored.get(key), fresh.get(key), f"{path}.{key}")
    elif isinstance(stored, list) and isinstance(fresh, list) and len(stored) == len(fresh):
        for number, (left, right) in enumerate(zip(stored, fresh, strict=True)):
            yield from _differences(left, right, f"{path}[{number}]")
    elif stored != fresh:
        yield f"{path}: {stored!r} -> {fresh!r}"
