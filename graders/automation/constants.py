"""The numbers that a program sets itself, and the program with one of them changed."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

TWICE, HALF = 2.0, 0.5


@dataclass(frozen=True, slots=True)
class Constant:
    """A name that a file gives a number, and where the number stands: line from 1, columns in bytes from 0."""

    path: str
    name: str
    value: float
    line: int
    start: int
    end: int
    is_whole: bool

    def scaled(self, factor: float) -> str:
        """The number times the factor as Python writes it: a whole one stays whole and moves."""
        if not self.is_whole:
            return repr(self.value * factor)
        moved = round(self.value * factor)
        return str(moved if moved != self.value else int(self.value) + (1 if factor > 1 else -1))


def constants_of(files: Mapping[str, str]) -> list[Constant]:
    """Every name that is given a plain number other than 0 and 1, those in capitals first.

    A name that a file gives numbers more than once is left out: which of them is meant would be open.
    """
    found = [one for path, text in sorted(files.items()) for one in _in_file(path, text)]
    named: dict[tuple[str, str], list[Constant]] = {}
    for one in found:
        named.setdefault((one.path, one.name), []).append(one)
    single = [rows[0] for rows in named.values() if len(rows) == 1]
    return sorted(single, key=lambda one: (not one.name.isupper(), one.path, one.line))


def _in_file(path: str, text: str) -> Iterator[Constant]:
    if not path.endswith(".py") or "test" in path.lower():
        return
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        for name, value in _given(node):
            if one := _constant(path, name, value):
                yield one


def _given(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        if isinstance(target := node.targets[0], ast.Name):
            yield target.id, node.value
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        if isinstance(node.target, ast.Name):
            yield node.target.id, node.value
    elif isinstance(node, ast.arguments) and node.defaults:
        for argument, default in zip(node.args[-len(node.defaults) :], node.defaults, strict=True):
            yield argument.arg, default


def _constant(path: str, name: str, value: ast.expr) -> Constant | None:
    number = value.value if isinstance(value, ast.Constant) else None
    if isinstance(number, bool) or not isinstance(number, int | float) or number in (0, 1):
        return None
    if value.end_lineno != value.lineno or value.end_col_offset is None:
        return None
    return Constant(
        path,
        name,
        float(number),
        value.lineno,
        value.col_offset,
        value.end_col_offset,
        isinstance(number, int),
    )


def with_changed(files: Mapping[str, str], one: Constant, factor: float) -> dict[str, str]:
    """The program with the number times the factor, and nothing else changed."""
    lines = files[one.path].split("\n")
    row = lines[one.line - 1].encode()
    lines[one.line - 1] = (row[: one.start] + one.scaled(factor).encode() + row[one.end :]).decode()
    return {**files, one.path: "\n".join(lines)}
