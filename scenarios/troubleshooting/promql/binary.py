"""Operators between two sides: numbers, a vector and a number, two vectors matched by labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from promql_parser import BinModifier, LabelModifierType, VectorMatchCardinality

from scenarios.troubleshooting.columns import Real
from scenarios.troubleshooting.promql.errors import QueryError
from scenarios.troubleshooting.promql.vectors import (
    NAME,
    Key,
    Label,
    Present,
    Scalar,
    Vector,
    grouped,
    joined,
    key_of,
    somewhere,
    together,
    unnamed,
)

ARITHMETIC: dict[str, np.ufunc] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "%": np.fmod,
    "^": np.power,
    "atan2": np.arctan2,
}
COMPARISON: dict[str, np.ufunc] = {
    "==": np.equal,
    "!=": np.not_equal,
    ">": np.greater,
    "<": np.less,
    ">=": np.greater_equal,
    "<=": np.less_equal,
}
SETS = ("and", "or", "unless")
MANY = (
    "Several series on {side} match one on the other: name more labels in on(…), or let one side be many "
    "with group_left or group_right."
)
ALIKE = (
    "Two series match the same one: name labels in group_left or group_right that keep them apart."
)


@dataclass(frozen=True, slots=True)
class Match:
    """How two vectors are matched."""

    key: Callable[[Label], Key]
    on: bool
    labels: tuple[str, ...]
    many_left: bool
    many_right: bool
    taken: tuple[str, ...]
    as_bool: bool

    @classmethod
    def of(cls, modifier: BinModifier | None) -> Match:
        matching = modifier.matching if modifier else None
        on = matching is not None and matching.type == LabelModifierType.Include
        names = tuple(matching.labels) if matching else ()
        card = modifier.card if modifier else VectorMatchCardinality.OneToOne
        return cls(
            lambda one: key_of(one, names, without=not on),
            on,
            names,
            card == VectorMatchCardinality.ManyToOne,
            card == VectorMatchCardinality.OneToMany,
            tuple((modifier.group_labels if modifier else None) or ()),
            bool(modifier and modifier.return_bool),
        )


def of_numbers(op: str, left: Scalar, right: Scalar) -> Scalar:
    """Two numbers; a comparison is 0 or 1."""
    with np.errstate(all="ignore"):
        return Scalar(np.asarray(_ufunc(op)(left.values, right.values), dtype=float))


def with_number(op: str, vector: Vector, number: Scalar, swapped: bool, as_bool: bool) -> Vector:
    """A vector and a number; `swapped` where the number stands first. A comparison without bool filters."""
    with np.errstate(all="ignore"):
        sides = (number.values, vector.values) if swapped else (vector.values, number.values)
        found = _ufunc(op)(*sides)
    if op in ARITHMETIC or as_bool:
        return unnamed(Vector(vector.labels, np.asarray(found, dtype=float), vector.present))
    return Vector(vector.labels, vector.values, vector.present & found)


def _ufunc(op: str) -> np.ufunc:
    return ARITHMETIC.get(op) or COMPARISON[op]


def of_sets(op: str, left: Vector, right: Vector, match: Match) -> Vector:
    """and, or, unless."""
    instants = left.values.shape[1]
    theirs = {
        key: somewhere(right.present[p]) for key, p in grouped(right.labels, match.key).items()
    }
    ours = {key: somewhere(left.present[p]) for key, p in grouped(left.labels, match.key).items()}
    nowhere: Present = np.zeros(instants, dtype=bool)
    if op == "or":
        kept = [
            p & ~ours.get(match.key(one), nowhere)
            for one, p in zip(right.labels, right.present, strict=True)
        ]
        rows = [*_rows(left), *((o, v, k) for (o, v, _), k in zip(_rows(right), kept, strict=True))]
        return joined(Vector.of(rows, instants).filled())
    present = left.present.copy()
    for place, one in enumerate(left.labels):
        there = theirs.get(match.key(one), nowhere)
        present[place] &= there if op == "and" else ~there
    return Vector(left.labels, left.values, present).filled()


def _rows(vector: Vector) -> Iterator[tuple[Label, Real, Present]]:
    yield from zip(vector.labels, vector.values, vector.present, strict=True)


def of_vectors(op: str, left: Vector, right: Vector, match: Match) -> Vector:
    """Arithmetic and comparison of matched series."""
    flipped = match.many_right
    many, one = (right, left) if flipped else (left, right)
    instants = many.values.shape[1]
    both: Present = somewhere(left.present) & somewhere(right.present)
    singles = _singles(one, match, both, "the left" if flipped else "the right")
    is_single = not (match.many_left or match.many_right)
    if is_single:
        many = _merged(many, match, both)
    rows = []
    for labels, values, present in _rows(many):
        for other, theirs, there in singles.get(match.key(labels), ()):
            common = present & there
            if not common.any():
                continue
            sides = (theirs, values) if flipped else (values, theirs)
            shown, kept = _computed(op, sides, common, match.as_bool)
            keeps_name = op in COMPARISON and not match.as_bool
            rows.append((_labels(labels, other, match, is_single, keeps_name), shown, kept))
    return joined(Vector.of(rows, instants), ALIKE).filled()


def _computed(
    op: str, sides: tuple[Real, Real], present: Present, as_bool: bool
) -> tuple[Real, Present]:
    with np.errstate(all="ignore"):
        found = _ufunc(op)(*sides)
    if op in ARITHMETIC or as_bool:
        return np.where(present, np.asarray(found, dtype=float), 0.0), present
    return sides[0], present & found


def _labels(many: Label, one: Label, match: Match, is_single: bool, keeps_name: bool) -> Label:
    """Labels of a result: what was matched by for one to one, else those of the many."""
    found = {n: v for n, v in many.items() if n != NAME or keeps_name}
    if is_single:
        if match.on:
            return {n: v for n, v in found.items() if n in match.labels}
        return {n: v for n, v in found.items() if n not in match.labels}
    for name in match.taken:
        found.pop(name, None)
        if one.get(name):
            found[name] = one[name]
    return found


Row = tuple[Label, Real, Present]


def _singles(vector: Vector, match: Match, both: Present, side: str) -> dict[Key, list[Row]]:
    """Rows by what they match on; never two at one instant."""
    found: dict[Key, list[Row]] = {}
    for key, places in grouped(vector.labels, match.key).items():
        _alone(vector, places, both, side)
        found[key] = [(vector.labels[p], vector.values[p], vector.present[p]) for p in places]
        if not match.taken:  # which of them it is makes no difference to the labels
            present = somewhere(vector.present[places])
            found[key] = [(vector.labels[places[0]], together(vector, places), present)]
    return found


def _merged(vector: Vector, match: Match, both: Present) -> Vector:
    """The left side of one to one: series that match alike are one after the other in time."""
    rows: list[Row] = []
    names = sorted({one.get(NAME, "") for one in vector.labels})
    for name in names:
        part = vector.keep([i for i, one in enumerate(vector.labels) if one.get(NAME, "") == name])
        for places in grouped(part.labels, match.key).values():
            _alone(part, places, both, "the left")
            present = somewhere(part.present[places])
            rows.append((part.labels[places[0]], together(part, places), present))
    found = Vector.of(rows, vector.values.shape[1])
    if len(names) > 1:
        for places in grouped(found.labels, match.key).values():
            _alone(found, places, both, "the left")
    return found


def _alone(vector: Vector, places: list[int], both: Present, side: str) -> None:
    if len(places) > 1 and (vector.present[places][:, both].sum(axis=0) > 1).any():
        raise QueryError(MANY.format(side=side))
