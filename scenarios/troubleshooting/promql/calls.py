"""Calls of functions: which there are, and how their arguments reach them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Protocol

import numpy as np
import promql_parser as ast

from scenarios.troubleshooting.columns import Real, Whole
from scenarios.troubleshooting.promql import functions, windows
from scenarios.troubleshooting.promql.errors import NotHere, QueryError
from scenarios.troubleshooting.promql.histograms import histogram_quantile
from scenarios.troubleshooting.promql.reading import equal_labels
from scenarios.troubleshooting.promql.regex import Pattern
from scenarios.troubleshooting.promql.vectors import Matrix, Scalar, Value, Vector, joined

Args = list[ast.Expr]
MOST_PARAMETERS = 200
NATIVE = tuple(
    f"histogram_{what}" for what in ("avg", "count", "fraction", "stddev", "stdvar", "sum")
)


class Run(Protocol):
    """The evaluation that a call is part of: its instants, its arguments' values, and what it may cost."""

    at: Whole

    def value(self, node: ast.Expr) -> Value: ...

    def vector(self, node: ast.Expr) -> Vector: ...

    def number(self, node: ast.Expr) -> Real: ...

    def matrix(self, node: ast.Expr) -> Matrix: ...

    def string(self, node: ast.Expr) -> str: ...

    def stamps(self, node: ast.Expr) -> Vector: ...

    def spend(self, cells: int) -> None: ...


def call(run: Run, node: ast.Call) -> Value:
    """The answer of one call. Raises NotHere for a function that is not evaluated here."""
    name, args = node.func.name, list(node.args)
    if name in windows.FUNCTIONS and name not in _CALLS:
        return _over(run, name, args)
    if name in functions.PLAIN:
        return run.vector(args[0]).changed(functions.PLAIN[name])
    if name in functions.CALENDAR:
        at = run.vector(args[0]) if args else functions.vector_of(_time(run, args))
        return at.changed(lambda seconds: functions.of_calendar(name, seconds))
    known = _CALLS.get(name)
    if known is None:
        raise NotHere(f"{name}()")
    return known(run, args)


def known() -> list[str]:
    """Names of all functions."""
    own = [name for name in _CALLS if name != "double_exponential_smoothing"]
    return sorted([*windows.FUNCTIONS, *functions.PLAIN, *functions.CALENDAR, *own])


def _over(run: Run, name: str, args: Args) -> Vector:
    numbers = np.zeros(1)
    if name == "quantile_over_time":
        numbers, args = run.number(args[0]), args[1:]
    elif name == "predict_linear":
        numbers = run.number(args[1])
    matrix = run.matrix(args[0])
    parts = np.unique(numbers)
    if len(parts) == 1:
        return windows.over(name, matrix, float(parts[0]), run.spend)
    if len(parts) > MOST_PARAMETERS:
        raise QueryError(
            f"The number given to {name} changes more than {MOST_PARAMETERS} times: ask for a shorter time."
        )
    # A number that differs from instant to instant: each of its values counts at its own.
    found = [
        (windows.over(name, matrix, float(part), run.spend), numbers == part) for part in parts
    ]
    rows = [
        (labels, values, present & at)
        for vector, at in found
        for labels, values, present in zip(
            vector.labels, vector.values, vector.present, strict=True
        )
    ]
    return joined(Vector.of(rows, len(run.at)))


def _smoothed(run: Run, args: Args) -> Vector:
    factors = []
    for node, what in zip(args[1:], ("smoothing", "trend"), strict=True):
        factor = float(run.number(node)[0])
        if not 0 < factor < 1:
            raise QueryError(f"The {what} factor has to lie between 0 and 1.")
        factors.append(factor)
    work = windows.smoothed(*factors)
    return windows.over("holt_winters", run.matrix(args[0]), 0.0, run.spend, work)


def _of_native(run: Run, args: Args) -> Vector:
    """Functions of native histograms: no series here is one, and Prometheus leaves out every other."""
    return Vector.of([], len(run.vector(args[-1]).values.T))


def _time(run: Run, _: Args) -> Scalar:
    return Scalar(functions.seconds(run.at))


def _round(run: Run, args: Args) -> Vector:
    to = run.number(args[1]) if len(args) > 1 else np.ones(len(run.at))
    return functions.rounded(run.vector(args[0]), to)


def _clamp(run: Run, args: Args) -> Vector:
    return functions.clamped(run.vector(args[0]), run.number(args[1]), run.number(args[2]))


def _clamp_low(run: Run, args: Args) -> Vector:
    low = run.number(args[1])
    return run.vector(args[0]).changed(lambda values: np.maximum(low, values))


def _clamp_high(run: Run, args: Args) -> Vector:
    high = run.number(args[1])
    return run.vector(args[0]).changed(lambda values: np.minimum(high, values))


def _absent(run: Run, args: Args) -> Vector:
    inner = args[0]
    equal = equal_labels(inner) if isinstance(inner, ast.VectorSelector) else {}
    return functions.absent_of(run.vector(inner), equal)


def _absent_over(run: Run, args: Args) -> Vector:
    inner = args[0]
    equal = equal_labels(inner.vector_selector) if isinstance(inner, ast.MatrixSelector) else {}
    found = windows.over("present_over_time", run.matrix(inner), 0.0, run.spend)
    return functions.absent_of(found, equal)


def _replace(run: Run, args: Args) -> Vector:
    vector = run.vector(args[0])
    target, replacement, source, text = (run.string(one) for one in args[1:])
    functions.is_label(target)
    pattern = Pattern(text)

    def match(value: str) -> str | None:
        groups = pattern.groups(value)
        if groups is None:
            return None
        return re.sub(
            r"\$(\$|\d+|\{\d+\})", lambda found: _group(found[1].strip("{}"), groups), replacement
        )

    return functions.label_replaced(vector, match, source, target)


def _group(number: str, groups: list[str]) -> str:
    if number == "$":
        return "$"
    return groups[int(number)] if int(number) < len(groups) else ""


def _join(run: Run, args: Args) -> Vector:
    vector = run.vector(args[0])
    target, between, *sources = (run.string(one) for one in args[1:])
    return functions.label_joined(vector, functions.is_label(target), between, sources)


_CALLS: dict[str, Callable[[Run, Args], Value]] = {
    "absent": _absent,
    "absent_over_time": _absent_over,
    "clamp": _clamp,
    **dict.fromkeys(NATIVE, _of_native),
    "histogram_quantile": lambda run, args: histogram_quantile(
        run.number(args[0]), run.vector(args[1])
    ),
    "double_exponential_smoothing": _smoothed,
    "timestamp": lambda run, args: run.stamps(args[0]),
    "clamp_max": _clamp_high,
    "clamp_min": _clamp_low,
    "label_join": _join,
    "label_replace": _replace,
    "pi": lambda run, _: Scalar(np.full(len(run.at), np.pi)),
    "round": _round,
    "scalar": lambda run, args: functions.scalar_of(run.vector(args[0])),
    "sort": lambda run, args: functions.ordered(run.vector(args[0]), False),
    "sort_desc": lambda run, args: functions.ordered(run.vector(args[0]), True),
    "time": _time,
    "vector": lambda run, args: functions.vector_of(Scalar(run.number(args[0]))),
}
