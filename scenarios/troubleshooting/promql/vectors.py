"""Values of a query: rows of labels over instants, with what is present apart from what is NaN."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenarios.troubleshooting.columns import Real, Whole
from scenarios.troubleshooting.promql.errors import QueryError

Present = NDArray[np.bool_]
Label = dict[str, str]
Key = tuple[tuple[str, str], ...]
NAME = "__name__"


@dataclass(frozen=True, slots=True)
class Scalar:
    """A number at each instant."""

    values: Real


@dataclass(frozen=True, slots=True)
class Text:
    """A string; only functions take one."""

    value: str


@dataclass(slots=True)
class Vector:
    """Series at instants: a row each. A value counts only where `present`; it may be NaN there."""

    labels: list[Label]
    values: Real
    present: Present
    sorted: bool = False

    @classmethod
    def of(cls, rows: Sequence[tuple[Label, Real, Present]], instants: int) -> Vector:
        """From rows; none of them make an empty vector over so many instants."""
        if not rows:
            return cls([], np.empty((0, instants)), np.zeros((0, instants), dtype=bool))
        values = np.array([row[1] for row in rows])
        return cls([row[0] for row in rows], values, np.array([row[2] for row in rows]))

    def keep(self, rows: Sequence[int] | NDArray[np.intp]) -> Vector:
        """Only these rows, in this order."""
        at = np.asarray(rows, dtype=np.intp)
        return Vector([self.labels[i] for i in at], self.values[at], self.present[at], self.sorted)

    def filled(self) -> Vector:
        """Without the rows that are nowhere present."""
        some = self.present.any(axis=1)
        return self if some.all() else self.keep(np.flatnonzero(some))

    def changed(self, change: Callable[[Real], Real]) -> Vector:
        """With other values and without the metric's name."""
        with np.errstate(all="ignore"):
            return unnamed(Vector(self.labels, change(self.values), self.present))


@dataclass(slots=True)
class Samples:
    """One series of a range vector: its samples (ms, value) without the gaps."""

    labels: Label
    times: Whole
    values: Real


@dataclass(slots=True)
class Matrix:
    """A range vector: all samples that any instant's window can reach, and where the windows end."""

    rows: list[Samples]
    ends: Whole
    range_ms: int


def key_of(labels: Label, names: Iterable[str] = (), without: bool = True) -> Key:
    """The labels that count: those named, or all but those named; never the metric's name."""
    chosen = set(names)
    if without:
        return tuple(sorted((n, v) for n, v in labels.items() if n not in chosen and n != NAME))
    return tuple(sorted((n, v) for n, v in labels.items() if n in chosen))


def unnamed(vector: Vector) -> Vector:
    """Without the metric's name; rows that are then the same series are joined."""
    labels = [{n: v for n, v in one.items() if n != NAME} for one in vector.labels]
    return joined(Vector(labels, vector.values, vector.present, vector.sorted))


SAME = "Two series of the answer would have the same labels at one instant; keep a label that tells them apart."


def joined(vector: Vector, why: str = SAME) -> Vector:
    """Rows of the same labels as one row. Raises QueryError with `why` where two are present at once."""
    groups = grouped(vector.labels, lambda one: tuple(sorted(one.items())))
    if len(groups) == len(vector.labels):
        return vector
    rows = []
    for places in groups.values():
        present = vector.present[places]
        if len(places) > 1 and (present.sum(axis=0) > 1).any():
            raise QueryError(why)
        rows.append((vector.labels[places[0]], together(vector, places), somewhere(present)))
    return Vector.of(rows, vector.values.shape[1])


def somewhere(present: Present) -> Present:
    """At which instants any of the rows is present."""
    return np.asarray(present.any(axis=0))


def together(vector: Vector, places: Sequence[int]) -> Real:
    """The one present value among some rows at each instant; 0 where there is none."""
    found: Real = np.zeros(vector.values.shape[1])
    for place in places:
        np.copyto(found, vector.values[place], where=vector.present[place])
    return found


def grouped(labels: Sequence[Label], key: Callable[[Label], Key]) -> dict[Key, list[int]]:
    """Places of the rows by what `key` says of their labels, in order of appearance."""
    found: dict[Key, list[int]] = {}
    for place, one in enumerate(labels):
        found.setdefault(key(one), []).append(place)
    return found


Value = Scalar | Vector | Text
"""What an expression comes to, but for a range of samples."""
