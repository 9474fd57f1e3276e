"""Evaluates a query's tree over a column file, for all instants of a range at once."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import numpy as np
import promql_parser as ast

from scenarios.troubleshooting.columns import Columns, Real, Whole
from scenarios.troubleshooting.promql import binary, calls, functions, windows
from scenarios.troubleshooting.promql.aggregate import aggregate, count_values
from scenarios.troubleshooting.promql.blocks import Blocks
from scenarios.troubleshooting.promql.errors import NotHere, QueryError
from scenarios.troubleshooting.promql.reading import read
from scenarios.troubleshooting.promql.source import Source
from scenarios.troubleshooting.promql.vectors import Matrix, Scalar, Text, Value, Vector

MOST_INSTANTS = 11_000
MOST_CELLS = 6_000_000
MOST_WORK = 120_000_000
MOST_SECONDS = 5.0
"""Of processor time: a busy host makes no query shorter."""
DEFAULT_STEP_MS = 60_000


@dataclass
class Engine:
    """A column file that can be queried. Instants are ms since 1970, UTC."""

    columns: Columns
    blocks: Blocks = field(default_factory=Blocks)
    seconds: float = MOST_SECONDS

    def instant(self, text: str, at_ms: int) -> Scalar | Vector | Text | Matrix:
        """The answer at one instant; a range selector alone answers with its samples.

        Raises QueryError, whose message is one sentence for whoever asked.
        """
        run = self._run(np.array([at_ms], dtype=np.int64), at_ms)
        tree = read(text)
        bare = _bare(tree)
        if isinstance(bare, ast.MatrixSelector | ast.SubqueryExpr):
            return run.matrix(bare)
        found = run.value(bare)
        return found.filled() if isinstance(found, Vector) else found

    def over(
        self, text: str, from_ms: int, to_ms: int, step_ms: int
    ) -> tuple[Whole, Scalar | Vector]:
        """(instants, answer at each of them) from one instant to another, both included. Raises QueryError."""
        if step_ms < 1 or to_ms < from_ms:
            raise QueryError(
                "The end of the time has to come after its start, and the step above zero."
            )
        if (to_ms - from_ms) // step_ms >= MOST_INSTANTS:
            raise QueryError(f"That is more than {MOST_INSTANTS:,} instants: choose a longer step.")
        at = np.arange(from_ms, to_ms + 1, step_ms, dtype=np.int64)
        found = self._run(at, to_ms).value(read(text))
        if isinstance(found, Text):
            raise QueryError("A string has no course over time: ask for it at one instant.")
        return at, found.filled() if isinstance(found, Vector) else found

    def _run(self, at: Whole, to_ms: int) -> Run:
        until = time.thread_time() + self.seconds
        return Run(Source(self.columns, self.blocks), at, (int(at[0]), to_ms), [0], until)


@dataclass
class Run:
    """One evaluation: its instants, the start and end that `@` may name, and what it has cost so far."""

    source: Source
    at: Whole
    whole: tuple[int, int]
    work: list[int]
    until: float

    def spend(self, cells: int) -> None:
        """Count work. Raises QueryError beyond what one query may take."""
        self.work[0] += cells
        if self.work[0] > MOST_WORK or time.thread_time() > self.until:
            raise QueryError(
                "That takes too long: ask for fewer series, a shorter time or a longer step."
            )

    def value(self, node: ast.Expr) -> Value:
        """What an expression comes to. Range vectors are none of these: see `matrix`."""
        visit = _VISITS.get(type(node))
        if visit is None:
            if isinstance(node, ast.MatrixSelector | ast.SubqueryExpr):
                raise QueryError(
                    "A range like [5m] has no single value: put rate(…), avg_over_time(…) or another "
                    "function of ranges round it."
                )
            raise NotHere(type(node).__name__)
        found = visit(self, node)
        if isinstance(found, Vector):
            cells = found.values.size
            if cells > MOST_CELLS:
                raise QueryError(
                    f"That is {len(found.labels):,} series at {len(self.at):,} instants, more than can "
                    "be held: ask for fewer series, a shorter time or a longer step."
                )
            self.spend(cells)
        return found

    def vector(self, node: ast.Expr) -> Vector:
        """An expression that has to be an instant vector."""
        found = self.value(node)
        if not isinstance(found, Vector):
            raise QueryError("A number stands where series are needed: vector(…) makes one of it.")
        return found

    def number(self, node: ast.Expr) -> Real:
        """An expression that has to be a number: its value at each instant."""
        found = self.value(node)
        if not isinstance(found, Scalar):
            raise QueryError("Series stand where a number is needed: scalar(…) makes one of them.")
        return found.values

    def string(self, node: ast.Expr | None) -> str:
        """An expression that has to be a string."""
        found = None if node is None else self.value(node)
        if not isinstance(found, Text):
            raise QueryError("A string in quotes is needed here.")
        return found.value

    def stamps(self, node: ast.Expr) -> Vector:
        """When the samples were taken that a selector shows, else the instants; in seconds."""
        bare = _bare(node)
        if isinstance(bare, ast.VectorSelector):
            return self.source.stamps(bare, self._moved(bare.offset, bare.at))
        now = functions.seconds(self.at)
        return self.vector(node).changed(lambda values: np.broadcast_to(now, values.shape))

    def matrix(self, node: ast.Expr) -> Matrix:
        """A range selector or a subquery."""
        bare = _bare(node)
        if isinstance(bare, ast.MatrixSelector):
            selector = bare.vector_selector
            ends = self._moved(selector.offset, selector.at)
            return self.source.matrix(selector, ends, _ms(bare.range))
        if isinstance(bare, ast.SubqueryExpr):
            return self._subquery(bare)
        raise QueryError("A range like [5m] is needed here.")

    def _subquery(self, node: ast.SubqueryExpr) -> Matrix:
        ends = self._moved(node.offset, node.at)
        range_ms = _ms(node.range)
        step = _ms(node.step) or DEFAULT_STEP_MS
        first = -(-(int(ends.min()) - range_ms) // step) * step
        count = (int(ends.max()) - first) // step + 1
        if count > MOST_INSTANTS:
            raise QueryError(
                f"The subquery has more than {MOST_INSTANTS:,} instants: choose a longer step."
            )
        at = first + np.arange(max(count, 1), dtype=np.int64) * step
        inner = Run(self.source, at, self.whole, self.work, self.until).value(node.expr)
        if isinstance(inner, Scalar):
            inner = functions.vector_of(inner)
        if not isinstance(inner, Vector):
            raise QueryError("A subquery needs series or a number.")
        return windows.of_vector(inner, at, ends, range_ms)

    def _moved(self, offset: timedelta | None, fixed: ast.AtModifier | None) -> Whole:
        """The instants that a selector looks at, with its offset and `@`."""
        at = self.at
        if fixed is not None:
            kinds = ast.AtModifierType
            if fixed.type == kinds.At:
                if fixed.at is None:
                    raise QueryError("@ needs a time in seconds since 1970, start() or end().")
                moment = round(fixed.at.timestamp() * 1000)
            else:
                moment = self.whole[0] if fixed.type == kinds.Start else self.whole[1]
            at = np.full_like(self.at, moment)
        return at - _ms(offset)

    def selector(self, node: ast.VectorSelector) -> Vector:
        """An instant vector selector."""
        return self.source.instant(node, self._moved(node.offset, node.at))

    def unary(self, node: ast.UnaryExpr) -> Value:
        """A minus."""
        found = self.value(node.expr)
        if isinstance(found, Scalar):
            return Scalar(-found.values)
        if isinstance(found, Vector):
            return found.changed(np.negative)
        raise QueryError("A string has no sign.")

    def aggregation(self, node: ast.AggregateExpr) -> Vector:
        """sum by (…) (…) and the like."""
        op = str(node.op)
        if op == "count_values":
            label = functions.is_label(self.string(node.param))
            return count_values(label, self.vector(node.expr), node.modifier, self.spend)
        parameter = np.zeros(len(self.at))
        if node.param is not None:
            parameter = self.number(node.param)
        return aggregate(op, self.vector(node.expr), node.modifier, parameter)

    def binary(self, node: ast.BinaryExpr) -> Value:
        """An operator between two expressions."""
        left, right, op = self.value(node.lhs), self.value(node.rhs), str(node.op)
        match = binary.Match.of(node.modifier)
        if isinstance(left, Text) or isinstance(right, Text):
            raise QueryError("Operators stand between numbers and series, not strings.")
        if op not in binary.ARITHMETIC and op not in binary.COMPARISON and op not in binary.SETS:
            raise NotHere(f"The operator “{op}”")
        if isinstance(left, Scalar) and isinstance(right, Scalar):
            return binary.of_numbers(op, left, right)
        if isinstance(left, Vector) and isinstance(right, Vector):
            if op in binary.SETS:
                return binary.of_sets(op, left, right, match)
            return binary.of_vectors(op, left, right, match)
        if isinstance(left, Vector) and isinstance(right, Scalar):
            return binary.with_number(op, left, right, False, match.as_bool)
        if isinstance(left, Scalar) and isinstance(right, Vector):
            return binary.with_number(op, right, left, True, match.as_bool)
        raise NotHere(f"“{op}” between these")

    def call(self, node: ast.Call) -> Value:
        """A function."""
        return calls.call(self, node)


def _bare(node: ast.Expr) -> ast.Expr:
    while isinstance(node, ast.ParenExpr):
        node = node.expr
    return node


def _ms(length: timedelta | None) -> int:
    return round(length.total_seconds() * 1000) if length else 0


_VISITS: dict[type, Callable[[Run, Any], Value]] = {
    ast.VectorSelector: Run.selector,
    ast.ParenExpr: lambda run, node: run.value(node.expr),
    ast.NumberLiteral: lambda run, node: Scalar(np.full(len(run.at), float(node.val))),
    ast.StringLiteral: lambda run, node: Text(node.val),
    ast.UnaryExpr: Run.unary,
    ast.AggregateExpr: Run.aggregation,
    ast.BinaryExpr: Run.binary,
    ast.Call: Run.call,
}
