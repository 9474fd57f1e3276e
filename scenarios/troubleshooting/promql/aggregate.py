"""Aggregations: sum by (…) and its like, for all instants at once."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import numpy as np
from promql_parser import AggModifier, AggModifierType

from scenarios.troubleshooting.columns import Real
from scenarios.troubleshooting.promql.errors import NotHere
from scenarios.troubleshooting.promql.vectors import (
    Key,
    Label,
    Present,
    Vector,
    grouped,
    joined,
    key_of,
    somewhere,
)
from scenarios.troubleshooting.promql.windows import quantile

Fold = Callable[[Real, Present, Real], Real]  # (values, present, parameter) of one group


def _sum(values: Real, present: Present, _: Real) -> Real:
    return np.asarray(np.where(present, values, 0.0).sum(axis=0))


def _average(values: Real, present: Present, _: Real) -> Real:
    return np.asarray(_sum(values, present, _) / present.sum(axis=0))


def _variance(values: Real, present: Present, _: Real) -> Real:
    mean = _average(values, present, _)
    return _average((values - mean) ** 2, present, _)


def _extreme(ufunc: np.ufunc) -> Fold:
    def fold(values: Real, present: Present, _: Real) -> Real:
        found: Real = ufunc.reduce(np.where(present, values, np.nan), axis=0)
        return found

    return fold


def _quantile(values: Real, present: Present, share: Real) -> Real:
    count = present.sum(axis=0)
    filled = np.where(present, values, np.inf).T
    if (share == share[0]).all():
        return quantile(filled, count, float(share[0]))
    each = [quantile(filled[i : i + 1], count[i : i + 1], float(q))[0] for i, q in enumerate(share)]
    return np.array(each)


FOLDS: dict[str, Fold] = {
    "sum": _sum,
    "avg": _average,
    "min": _extreme(np.fmin),
    "max": _extreme(np.fmax),
    "count": lambda values, present, _: present.sum(axis=0).astype(float),
    "group": lambda values, present, _: np.ones(values.shape[1]),
    "stddev": lambda values, present, _: np.sqrt(_variance(values, present, _)),
    "stdvar": _variance,
    "quantile": _quantile,
}
PICKS = ("topk", "bottomk")


def key_by(modifier: AggModifier | None) -> Callable[[Label], Key]:
    """What groups the rows: the labels of `by`, or all but those of `without`; neither is one group."""
    if modifier is None:
        return lambda one: ()
    without = modifier.type == AggModifierType.Without
    names = tuple(modifier.labels)
    return lambda one: key_of(one, names, without)


def aggregate(op: str, vector: Vector, modifier: AggModifier | None, parameter: Real) -> Vector:
    """One aggregation; `parameter` has a value for each instant. Raises NotHere for one that is unknown."""
    groups = grouped(vector.labels, key_by(modifier))
    if op in PICKS:
        return _picked(vector, groups, parameter, largest=op == "topk")
    fold = FOLDS.get(op)
    if fold is None:
        raise NotHere(f"{op}()")
    rows = []
    with np.errstate(all="ignore"):
        for key, places in groups.items():
            values, present = vector.values[places], vector.present[places]
            some = somewhere(present)
            rows.append((dict(key), np.where(some, fold(values, present, parameter), 0.0), some))
    return Vector.of(rows, vector.values.shape[1])


def _picked(vector: Vector, groups: dict[Key, list[int]], parameter: Real, largest: bool) -> Vector:
    """The k largest or smallest of each group at each instant, with their own labels."""
    present = np.zeros_like(vector.present)
    for places in groups.values():
        values = vector.values[places] if largest else -vector.values[places]
        # NaN comes after every number; what is absent after that.
        rank = np.where(np.isnan(values), -np.inf, values)
        order = np.lexsort((-rank, ~vector.present[places]), axis=0)
        best = np.arange(len(places))[:, None] < np.maximum(parameter, 0)
        chosen = np.zeros_like(best)
        np.put_along_axis(chosen, order, best, axis=0)
        present[places] = chosen & vector.present[places]
    found = Vector(vector.labels, vector.values, present).filled()
    if vector.values.shape[1] == 1:
        worth = found.values[:, 0]
        found = found.keep(np.argsort(-worth if largest else worth, kind="stable"))
        found.sorted = True
    return found


def count_values(
    label: str, vector: Vector, modifier: AggModifier | None, spend: Callable[[int], None]
) -> Vector:
    """How many series of each group have each value, which the label then tells."""
    rows = []
    for key, places in grouped(vector.labels, key_by(modifier)).items():
        values, present = vector.values[places], vector.present[places]
        for value in np.unique(values[present]):
            spend(values.size)
            same = (np.isnan(values) if np.isnan(value) else values == value) & present
            rows.append(
                (
                    dict(key) | {label: written(value)},
                    same.sum(axis=0).astype(float),
                    somewhere(same),
                )
            )
    return joined(Vector.of(rows, vector.values.shape[1]))


def written(value: float) -> str:
    """A number as Prometheus writes it into a label: its fewest digits, without an exponent."""
    if not np.isfinite(value):
        return "NaN" if np.isnan(value) else "+Inf" if value > 0 else "-Inf"
    whole, _, rest = format(Decimal(repr(float(value))), "f").partition(".")
    return f"{whole}.{rest}" if rest.strip("0") else whole
