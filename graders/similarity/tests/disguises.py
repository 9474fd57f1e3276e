"""What somebody does to a program that they have copied: other names, another order, other comments."""

from __future__ import annotations

import ast
import builtins
import io
import random
import tokenize
from collections.abc import Sequence
from itertools import pairwise

GIVEN = {*dir(builtins), "self", "cls", "headnode_sdk"}


def own_names(source: str) -> set[str]:
    """Names that the author chose: variables, arguments, functions, classes."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
    return {name for name in found - GIVEN if not name.startswith("__")}


def renamed(source: str, stem: str = "zz") -> str:
    """Every name of the author's own replaced, fields of `self` too; other literals."""
    names = {name: f"{stem}{at}" for at, name in enumerate(sorted(own_names(source)))}
    tokens, before = [], ["", ""]
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        text = token.string
        ours = before[1] != "." or before[0] == "self"
        if token.type == tokenize.NAME and ours:
            text = names.get(text, text)
        elif token.type == tokenize.NUMBER:
            text = f"{stem and 9}{text}" if text.isdigit() else text
        before = [before[1], token.string]
        tokens.append((token.type, text))
    return tokenize.untokenize(tokens)


def blocks(source: str) -> list[str]:
    """The program cut before each function and class at its top."""
    lines = source.splitlines(keepends=True)
    tops = [
        node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef | ast.ClassDef)
    ]
    cuts = [0, *(node.lineno - 1 - len(node.decorator_list) for node in tops), len(lines)]
    return ["".join(lines[a:b]) for a, b in pairwise(cuts)]


def methods_reordered(source: str, seed: int) -> str:
    """The functions of every class, and those at the top, in another order."""
    tree, order = ast.parse(source), random.Random(seed)
    classes = [one for one in ast.walk(tree) if isinstance(one, ast.ClassDef)]
    nodes: list[ast.Module | ast.ClassDef] = [tree, *classes]
    for node in nodes:
        places = [at for at, one in enumerate(node.body) if isinstance(one, ast.FunctionDef)]
        moved = [node.body[at] for at in places]
        order.shuffle(moved)
        for at, one in zip(places, moved, strict=True):
            node.body[at] = one
    return ast.unparse(tree)


def commented(source: str, remarks: Sequence[str]) -> str:
    """A remark of one's own after each line where one may stand, blank lines between them."""
    inside: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.start[0] != token.end[0]:
            inside.update(range(token.start[0], token.end[0] + 1))
    found = []
    for number, line in enumerate(source.split("\n"), 1):
        found.append(line)
        if remarks and number not in inside and not line.rstrip().endswith("\\"):
            found[-1] += f"  # {remarks[number % len(remarks)]}"
    return "\n".join(found)


def first_half(source: str) -> str:
    """The first half of its lines."""
    lines = source.split("\n")
    return "\n".join(lines[: len(lines) // 2])
