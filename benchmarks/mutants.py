"""Small faults that a program can put into a module, drawn by seed: where each stands, what it says instead."""

from __future__ import annotations

import ast
import copy
import hashlib
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from itertools import pairwise
from pathlib import Path

PARTS = ("platform/assessments", "platform/reviews", "graders", "sandbox")
LEFT_OUT = (
    *("*/tests/*", "*/migrations/*", "*/conftest.py", "*/apps.py", "*/urls.py", "*/admin/*"),
    *("*/management/*", "*__main__.py", "graders/sdk/*", "graders/local/*", "*/roots/*"),
)
"""What holds no rule: addresses, command lines, tables of fields; and what runs on a candidate's machine."""

OFTEN = 4
"""How many times as often a line is drawn where points, time or fences are reckoned."""
WEIGHTY = (
    *("graders/measures.py", "graders/report.py", "graders/quality.py", "graders/playing.py"),
    *("graders/written.py", "graders/own_tests.py", "graders/answers.py", "graders/session.py"),
    *("graders/*/assess.py", "graders/*/scoring.py", "graders/*/tally.py", "graders/*/matching.py"),
    *("graders/*/scope.py", "graders/*/measuring.py", "graders/*/grading.py"),
    *("graders/scaling/*.py", "graders/gpu/*.py"),
    *("platform/reviews/scoring/*.py", "platform/reviews/decisions/candidate_scores.py"),
    *("platform/reviews/fairness/*.py", "platform/reviews/interviews/interview_scores.py"),
    *("platform/reviews/visibility.py", "platform/reviews/access.py", "platform/reviews/phases.py"),
    *("platform/reviews/privacy/*.py", "platform/reviews/feedback/*.py"),
    *("platform/assessments/*.py", "platform/assessments/ahead/*.py"),
    *("platform/assessments/materials/*.py", "platform/assessments/prepared/*.py"),
    *("sandbox/*.py", "sandbox/gpu/leases.py", "sandbox/gpu/lending.py", "sandbox/gpu/places.py"),
)

FLIPS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE,
    ast.LtE: ast.Gt,
    ast.Gt: ast.LtE,
    ast.GtE: ast.Lt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
BOUNDS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
}
SIGNS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
}
SPEAKS = ("log.", "logger.", "logging.", "print(", "warnings.")
PLAIN = ast.Name | ast.Attribute | ast.Call | ast.Subscript
Node = ast.expr | ast.stmt
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Mutant:
    """One fault: the text from `start` to `end` (bytes of the file) reads `after` instead.

    `function` is the dotted name of where it stands, empty at the top of the module.
    """

    path: str
    function: str
    line: int
    kind: str
    before: str
    after: str
    start: int
    end: int
    nth: int = 0

    @property
    def id(self) -> str:
        """The same for the same change of the same function, wherever in its file that stands."""
        said = (self.path, self.function, self.kind, self.before, self.after, str(self.nth))
        return hashlib.sha256("\0".join(said).encode()).hexdigest()[:10]

    def applied(self, source: bytes) -> bytes:
        """The file with the fault."""
        return source[: self.start] + self.after.encode() + source[self.end :]


def mutants_of(root: Path, path: str) -> list[Mutant]:
    """Every fault that can be put into the module at `path` below `root`, in the order of its lines."""
    source = (root / path).read_bytes()
    starts = [0]
    for row in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(row))
    found: list[Mutant] = []
    met: Counter[tuple[str, ...]] = Counter()
    for function, kind, node, other in _walk(ast.parse(source), "", in_class=False):
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or 1) - 1] + (node.end_col_offset or 0)
        before, after = source[start:end].decode(), ast.unparse(other)
        if isinstance(node, ast.expr):
            after = f"({after})"
        key = (function, kind, before, after)
        one = Mutant(path, function, node.lineno, kind, before, after, start, end, met[key])
        met[key] += 1
        found.append(one)
    return sorted(found, key=lambda one: (one.start, one.end, one.kind, one.after))


def draw(root: Path, seed: int, count: int, without: Sequence[str] = ()) -> list[Mutant]:
    """So many faults by chance, each kind as likely as the next, at most one of a line.

    `without` are beginnings of paths in which none is drawn.
    """
    pool: dict[str, list[Mutant]] = {}
    for path in modules(root, without):
        for one in mutants_of(root, path):
            pool.setdefault(one.kind, []).append(one)
    weights = {kind: [OFTEN if weighty(one.path) else 1 for one in pool[kind]] for kind in pool}
    source = random.Random(seed)  # noqa: S311 - a draw that can be repeated
    chosen: dict[tuple[str, int], Mutant] = {}
    while len(chosen) < count:
        kind = source.choice(sorted(pool))
        (one,) = source.choices(pool[kind], weights[kind])
        chosen.setdefault((one.path, one.line), one)
    return list(chosen.values())


def modules(root: Path, without: Sequence[str] = ()) -> list[str]:
    """Paths of the modules in which faults are drawn."""
    found = [path.relative_to(root) for part in PARTS for path in (root / part).rglob("*.py")]
    return sorted(
        f"{path}"
        for path in found
        if not any(fnmatch(f"{path}", left) for left in LEFT_OUT)
        and not f"{path}".startswith(tuple(without))
    )


def weighty(path: str) -> bool:
    """Whether points, time or fences are reckoned there."""
    return any(fnmatch(path, pattern) for pattern in WEIGHTY)


def _walk(node: ast.AST, inside: str, *, in_class: bool) -> Iterator[tuple[str, str, Node, Node]]:
    """(function, kind, node, what stands there instead) below a node that is code."""
    for child in _code_below(node, in_class=in_class):
        if isinstance(child, Function | ast.ClassDef):
            name = f"{inside}.{child.name}".lstrip(".")
            yield from _walk(child, name, in_class=isinstance(child, ast.ClassDef))
            continue
        if isinstance(child, Node):
            function = "" if in_class else inside
            yield from ((function, kind, child, other) for kind, other in _others(child, node))
        if not isinstance(child, ast.JoinedStr):  # its parts have no place of their own
            yield from _walk(child, inside, in_class=False)


def _code_below(node: ast.AST, *, in_class: bool) -> Iterator[ast.AST]:
    """Children without annotations, decorators, docstrings, fields of models and what is said to a log."""
    hidden: set[int] = set()
    for name in ("annotation", "returns", "decorator_list", "bases"):
        value = getattr(node, name, None)
        hidden |= {id(one) for one in (value if isinstance(value, list) else [value])}
    for child in ast.iter_child_nodes(node):
        text = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
        fields = in_class and not isinstance(child, Function | ast.ClassDef)
        types = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)
        speaks = isinstance(child, ast.Expr) and ast.unparse(child).startswith(SPEAKS)
        if not (id(child) in hidden or text or fields or types or speaks):
            yield child


def _others(node: Node, parent: ast.AST) -> Iterator[tuple[str, Node]]:
    """What could stand in the place of a node, with the kind of the fault."""
    if node is getattr(parent, "test", None) and isinstance(node, PLAIN):
        yield "negation", ast.UnaryOp(ast.Not(), node)
    if isinstance(node, ast.stmt):
        yield from _other_statements(node, parent)
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        for kind, table in (("comparison", FLIPS), ("boundary", BOUNDS)):
            if other := table.get(type(node.ops[0])):
                yield kind, _with(node, ops=[other()])
    elif isinstance(node, ast.BoolOp):
        yield "and/or", _with(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        yield ("negation" if isinstance(node.op, ast.Not) else "sign"), node.operand
    elif isinstance(node, ast.BinOp) and not _is_text(node.left) and not _is_text(node.right):
        if sign := SIGNS.get(type(node.op)):
            yield "sign", _with(node, op=sign())
    elif isinstance(node, ast.Constant) and not isinstance(
        parent, ast.Subscript | ast.FormattedValue
    ):
        yield from _other_numbers(node)
    elif isinstance(node, ast.Call):
        yield from _other_calls(node)
    elif isinstance(node, ast.IfExp):
        yield "negation", _with(node, body=node.orelse, orelse=node.body)


def _other_statements(node: ast.stmt, parent: ast.AST) -> Iterator[tuple[str, Node]]:
    if isinstance(node, ast.Return) and node.value is not None:
        value = node.value
        if isinstance(value, ast.Constant) and isinstance(value.value, bool):
            yield "return", ast.Return(ast.Constant(not value.value))
        elif not (isinstance(value, ast.Constant) and value.value is None):
            yield "return", ast.Return(ast.Constant(None))
    call = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    kept = isinstance(node, ast.Assign) and isinstance(
        node.targets[0], ast.Attribute | ast.Subscript
    )
    jump = isinstance(node, ast.Raise | ast.Continue | ast.Break)
    if (call or kept or jump or isinstance(node, ast.AugAssign)) and not isinstance(
        parent, ast.Module
    ):
        yield "deleted", ast.Pass()


def _other_numbers(node: ast.Constant) -> Iterator[tuple[str, Node]]:
    value = node.value
    if isinstance(value, bool):
        yield "constant", ast.Constant(not value)
    elif isinstance(value, int):
        yield from (("constant", ast.Constant(one)) for one in (value + 1, value - 1) if one >= 0)
    elif isinstance(value, float):
        yield "constant", ast.Constant(value * 2 if value else 1.0)


def _other_calls(node: ast.Call) -> Iterator[tuple[str, Node]]:
    plain = [one for one in node.args if not isinstance(one, ast.Starred)]
    ends = isinstance(node.func, ast.Name) and {"min": "max", "max": "min"}.get(node.func.id)
    if ends:
        yield "min/max", _with(node, func=ast.Name(ends))
    elif len(plain) == len(node.args):
        for at, (one, other) in enumerate(pairwise(node.args)):
            if ast.dump(one) != ast.dump(other):
                args = [*node.args[:at], other, one, *node.args[at + 2 :]]
                yield "arguments", _with(node, args=args)


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def _with(node: ast.expr, **changes: object) -> ast.expr:
    """A copy of the node with other fields."""
    found = copy.copy(node)
    for name, value in changes.items():
        setattr(found, name, value)
    return found
