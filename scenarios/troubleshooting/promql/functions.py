"""Functions of instant vectors and numbers."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable
from datetime import UTC, datetime

import numpy as np

from scenarios.troubleshooting.columns import Real, Whole
from scenarios.troubleshooting.promql.errors import QueryError
from scenarios.troubleshooting.promql.vectors import (
    NAME,
    Present,
    Scalar,
    Vector,
    joined,
    somewhere,
)

Change = Callable[[Real], Real]

PLAIN: dict[str, Change] = {
    "abs": np.abs,
    "ceil": np.ceil,
    "floor": np.floor,
    "exp": np.exp,
    "sqrt": np.sqrt,
    "ln": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "sgn": np.sign,
    "deg": np.degrees,
    "rad": np.radians,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
}


def rounded(vector: Vector, to: Real) -> Vector:
    """To the nearest multiple; halves go up."""
    inverse = 1 / to
    return vector.changed(lambda v: np.floor(v * inverse + 0.5) / inverse)


def clamped(vector: Vector, low: Real, high: Real) -> Vector:
    """Between two bounds; nothing where they are the wrong way round."""
    found = vector.changed(lambda v: np.maximum(low, np.minimum(high, v)))
    found.present = found.present & (low <= high)
    return found.filled()


def scalar_of(vector: Vector) -> Scalar:
    """The value of the only series at each instant, else NaN."""
    alone = vector.present.sum(axis=0) == 1
    return Scalar(np.where(alone, np.where(vector.present, vector.values, 0.0).sum(axis=0), np.nan))


def vector_of(number: Scalar) -> Vector:
    """A number as a series without labels."""
    return Vector([{}], number.values[None, :], np.ones((1, len(number.values)), dtype=bool))


def absent_of(vector: Vector, equal: dict[str, str]) -> Vector:
    """1 where nothing is present, with the labels that the selector names."""
    present: Present = ~somewhere(vector.present)
    rows = [(equal, np.ones(len(present)), present)] if present.any() else []
    return Vector.of(rows, len(present))


def ordered(vector: Vector, descending: bool) -> Vector:
    """By value at the only instant; over a range the order of an answer means nothing."""
    if vector.values.shape[1] != 1:
        return vector
    worth = -vector.values[:, 0] if descending else vector.values[:, 0]
    found = vector.keep(np.argsort(worth, kind="stable"))
    found.sorted = True
    return found


CALENDAR: dict[str, Callable[[datetime], int]] = {
    "minute": lambda t: t.minute,
    "hour": lambda t: t.hour,
    "day_of_week": lambda t: t.isoweekday() % 7,
    "day_of_month": lambda t: t.day,
    "day_of_year": lambda t: t.timetuple().tm_yday,
    "days_in_month": lambda t: monthrange(t.year, t.month)[1],
    "month": lambda t: t.month,
    "year": lambda t: t.year,
}


def of_calendar(name: str, seconds: Real) -> Real:
    """minute, hour and the like, in UTC as in Prometheus."""
    pick = CALENDAR[name]
    found = [pick(datetime.fromtimestamp(s, UTC)) for s in seconds.ravel()]
    return np.array(found, dtype=float).reshape(seconds.shape)


def label_replaced(
    vector: Vector, match: Callable[[str], str | None], source: str, target: str
) -> Vector:
    """Another value for a label, from what `match` makes of the source label; None leaves the row alone."""
    labels = []
    for one in vector.labels:
        value = match(one.get(source, ""))
        changed = dict(one)
        if value is not None:
            changed.pop(target, None)
            if value:
                changed[target] = value
        labels.append(changed)
    return joined(Vector(labels, vector.values, vector.present))


def label_joined(vector: Vector, target: str, between: str, sources: list[str]) -> Vector:
    """A label made of others."""
    labels = []
    for one in vector.labels:
        changed = {n: v for n, v in one.items() if n != target}
        value = between.join(one.get(name, "") for name in sources)
        labels.append(changed | ({target: value} if value else {}))
    return joined(Vector(labels, vector.values, vector.present))


def is_label(name: str) -> str:
    """The name, if a label may be called so."""
    if not (name.isascii() and name.replace(":", "a").isidentifier()) or name == NAME:
        raise QueryError(f"“{name}” is no name for a label.")
    return name


def seconds(at: Whole) -> Real:
    """Instants in seconds."""
    return np.asarray(at / 1000)
