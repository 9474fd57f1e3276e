"""A module's source without what nobody outside asks for: how the kit leaves the judge's measures at home."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping

EMPTY = "{}"


def trimmed(source: str, wanted: Iterable[str], emptied: Iterable[str] = ()) -> str:
    """The source with the wanted top-level names, what these need, and nothing else.

    Names of `emptied` stay as names with nothing in them, for whoever imports them.
    """
    tree, lines = ast.parse(source), source.splitlines(keepends=True)
    none = set(emptied)
    needs = {name: _used(node) for node in tree.body for name in _names(node)}
    kept = set(none)
    todo = [name for name in wanted if name not in none]
    while todo:
        name = todo.pop()
        if name not in kept and name in needs:
            kept.add(name)
            todo += needs[name]
    return "".join(_parts(tree, lines, kept, none))


def _parts(tree: ast.Module, lines: list[str], kept: set[str], emptied: set[str]) -> Iterator[str]:
    """Each statement that stays, with the lines before it that belong to it."""
    done = 0
    for node in tree.body:
        first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))])
        before, own = lines[done : first - 1], lines[first - 1 : node.end_lineno]
        done = node.end_lineno or first
        names = set(_names(node))
        if isinstance(node, ast.Import | ast.ImportFrom) and not _is_future(node):
            yield from [*before, *_import(node, kept)]
        elif not names or _is_future(node):
            yield from [*before, *own]
        elif names & emptied:
            yield from [*before, *(f"{name} = {EMPTY}\n" for name in sorted(names & emptied))]
        elif names & kept:
            yield from [*before, *own]


def _import(node: ast.Import | ast.ImportFrom, kept: set[str]) -> Iterator[str]:
    rows = [one for one in node.names if _bound(one) in kept]
    if rows:
        words = ", ".join(f"{one.name} as {one.asname}" if one.asname else one.name for one in rows)
        head = f"from {node.module} " if isinstance(node, ast.ImportFrom) else ""
        yield f"{head}import {words}\n"


def _is_future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def _bound(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]


def _names(node: ast.stmt) -> list[str]:
    """The names that a top-level statement gives."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [] if _is_future(node) else [_bound(one) for one in node.names]
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Assign):
        return [
            one.id
            for target in node.targets
            for one in ast.walk(target)
            if isinstance(one, ast.Name)
        ]
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return [node.target.id]
    return []


def _used(node: ast.stmt) -> list[str]:
    return [one.id for one in ast.walk(node) if isinstance(one, ast.Name)]


def asked_for(sources: Mapping[str, str], module: str) -> set[str]:
    """What the other sources, by module, import from this one."""
    return {
        alias.name
        for name, source in sources.items()
        if name != module
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ImportFrom) and node.module == module
        for alias in node.names
    }
