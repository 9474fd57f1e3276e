"""From a query's text to its tree, and from the parser's complaint to a place in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

import promql_parser
from promql_parser import Expr, Matcher, MatchOp, VectorSelector

from scenarios.troubleshooting.promql.errors import QueryError

MOST_CHARACTERS = 2_000
MOST_DEPTH = 40
MOST_HEIGHT = 200
"""Levels of a query's tree. A sum has one for each of its terms, without a bracket."""
_TOKEN = re.compile(
    r"""\s+|\#[^\n]*|"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|`[^`]*`?|[A-Za-z_:][\w:.]*"""
    r"""|\d[\w.]*|\.\d\w*|[=!<>]=|[=!]~|.""",
    re.S,
)
_CLOSERS = {"(": ")", "[": "]", "{": "}"}
_FILLERS = ("", "x", "1", "5m", '"x"', '="x"', 'x="x"', "(x)", "(x[5m])", "(1,x)", "(x)(x)")
_TAILS = ("", "(x)", " x")


def read(text: str) -> Expr:
    """The tree of a query. Raises QueryError with the place of what cannot be read."""
    if not text.strip():
        raise QueryError("Write a query first: a metric's name is enough.")
    if len(text) > MOST_CHARACTERS:
        raise QueryError(f"A query has at most {MOST_CHARACTERS:,} characters.")
    tokens = list(_tokens(text))
    _check_depth(tokens)
    try:
        tree: Expr = promql_parser.parse(_renamed(text, tokens))
    except ValueError as error:
        raise _explained(text, tokens, str(error)) from None
    _check_height(tree)
    return tree


def _renamed(text: str, tokens: list[tuple[int, str]]) -> str:
    """The text with the later name of what Prometheus 2 calls holt_winters: the grammar knows no other."""
    for at, word in reversed(tokens):
        if word == "holt_winters":
            text = f"{text[:at]}double_exponential_smoothing{text[at + len(word) :]}"
    return text


def _tokens(text: str) -> Iterator[tuple[int, str]]:
    for found in _TOKEN.finditer(text):
        if not found[0].isspace() and found[0][0] != "#":
            yield found.start(), found[0]


def _check_depth(tokens: list[tuple[int, str]]) -> None:
    depth = signs = 0
    for at, token in tokens:
        depth += (token in _CLOSERS) - (token in _CLOSERS.values())
        signs = signs + 1 if token in {"-", "+"} else 0
        if depth > MOST_DEPTH or signs > MOST_DEPTH:
            raise QueryError(f"Brackets and signs stand at most {MOST_DEPTH} deep.", at)


_BELOW = ("lhs", "rhs", "expr", "param", "args", "vector_selector")


def _check_height(tree: Expr) -> None:
    level = [tree]
    for _ in range(MOST_HEIGHT):
        below = [getattr(node, name, None) for node in level for name in _BELOW]
        level = [
            one for part in below for one in (part if isinstance(part, list) else [part]) if one
        ]
        if not level:
            return
    raise QueryError(f"A query joins at most {MOST_HEIGHT} parts: ask for it in several queries.")


def _explained(text: str, tokens: list[tuple[int, str]], complaint: str) -> QueryError:
    """The complaint in a sentence, with the place where the text stops being the start of any query."""
    named = re.search(r"function (?:with name )?'(\w+)'|regex for (.+)", complaint)
    if named:
        part = named[1] or named[2]
        place = next((at for at, token in tokens if part in token), None)
    elif complaint.startswith(("expected type", "binary expression")):
        place = None
    else:
        place = _first_bad(text, tokens)
    if complaint == "invalid promql query":
        end = place is None or place >= len(text.rstrip())
        token = next((token for at, token in tokens if at == place), "")
        said = "The query ends too early" if end else f"“{token}” cannot stand here"
    else:
        said = complaint[:1].upper() + complaint[1:]
    return QueryError(f"{said.rstrip('.')}.", place)


def _first_bad(text: str, tokens: list[tuple[int, str]]) -> int | None:
    """The first token with which the text can no longer go on to be a query."""
    for at, token in tokens:
        if not _goes_on(text[: at + len(token)]):
            return at
    return len(text.rstrip())


def _goes_on(start: str) -> bool:
    open_: list[str] = []
    for _, token in _tokens(start):
        if token in _CLOSERS:
            open_.append(_CLOSERS[token])
        elif open_ and token == open_[-1]:
            open_.pop()
    closing = "".join(reversed(open_))
    tries = product(("", " "), _FILLERS, _TAILS)
    return any(_reads(start + gap + filler + closing + tail) for gap, filler, tail in tries)


def _reads(text: str) -> bool:
    """Whether it has the form of a query, whatever it means."""
    try:
        promql_parser.parse(text)
    except ValueError as error:
        return str(error) != "invalid promql query" and "unexpected" not in str(error)
    return True


@dataclass
class Selected:
    """A selector of a query, as a chart's pin names it: metric and the labels that have to be equal."""

    metric: str
    labels: dict[str, str] = field(default_factory=dict)


def selected(tree: Expr) -> list[Selected]:
    """Every selector of a query, in order."""
    found: list[Selected] = []

    def visit(node: Expr) -> bool:
        if isinstance(node, VectorSelector):
            found.append(Selected(name_of(node), equal_labels(node)))
        return True

    promql_parser.walk(tree, visit)
    return found


def name_of(selector: VectorSelector) -> str:
    """The metric that a selector names, or what it says instead."""
    return selector.name or str(selector)


def equal_labels(selector: VectorSelector) -> dict[str, str]:
    """The labels that a selector gives one value."""
    matchers: list[Matcher] = selector.matchers.matchers
    return {
        one.name: one.value
        for one in matchers
        if one.op == MatchOp.Equal and one.name != "__name__"
    }
