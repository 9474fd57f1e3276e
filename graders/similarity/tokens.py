"""Texts as symbols: code without names, literals, comments and layout; prose without case and figures."""

from __future__ import annotations

import ast
import builtins
import keyword
import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import graders.sdk

CODE, PROSE = "code", "prose"
NAME, TEXT, NUMBER, FIGURE = "n", "s", "0", "#"
_SUFFIXES = {".py", ".sh", ".bash", ".yaml", ".yml", ".toml", ".lua"}
_SDK = Path(graders.sdk.__path__[0]) / "headnode_sdk"
_LEXEME = re.compile(
    r"""
    (?P<comment>\#[^\n]*)
  | (?P<text>\b[rbuftRBUFT]{0,2}(?:\"\"\"(?:\\.|[^\\])*?(?:\"\"\"|\Z)|'''(?:\\.|[^\\])*?(?:'''|\Z)
      |\"(?:\\.|[^\\\"\n])*(?:\"|$)|'(?:\\.|[^\\'\n])*(?:'|$)))
  | (?P<number>\b\d[\w.]*)
  | (?P<name>[^\W\d]\w*)
  | (?P<mark>->|:=|\*\*=?|//=?|<<=?|>>=?|[-+*/%&|^@<>=!]=|[^\s\w])
  | (?P<end>\n)
    """,
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|\w+")
_ROWS = (2, 4, 6, 8)
_OF_TABLES = frozenset({TEXT, NUMBER, ",", ":", "(", ")", "[", "]", "-", "None", "True", "False"})
_OPEN, _CLOSE = frozenset("([{"), frozenset(")]}")


class Symbol(NamedTuple):
    """What is compared, and the line (from 1) on which it stands."""

    sign: str
    line: int


def kind_of(path: str) -> str:
    """How a file or a section is compared: as code by its name's end, else as prose."""
    return CODE if Path(path).suffix.lower() in _SUFFIXES else PROSE


def symbols_of(text: str, kind: str, first_line: int = 1) -> list[Symbol]:
    """The text's symbols in order; `first_line` is the number of its first line."""
    return list(_code(text, first_line) if kind == CODE else _prose(text, first_line))


def _prose(text: str, line: int) -> Iterator[Symbol]:
    """Words in lower case, one sign for whatever holds a figure; marks and layout are left out."""
    for row in text.split("\n"):
        before = ""
        for found in _WORD.finditer(unicodedata.normalize("NFKC", row).casefold()):
            sign = found[0] if not any(map(str.isdigit, found[0])) else FIGURE
            if not sign == before == FIGURE:
                yield Symbol(sign, line)
            before = sign
        line += 1


def _code(text: str, line: int) -> Iterator[Symbol]:
    """Names that the author chose are all alike, as are texts and numbers; what nobody can rename stays.

    Comments, documentation, layout and a comma before a closing bracket are left out. Never fails: what is
    no program is read as far as it goes.
    """
    held: list[Symbol] = []
    depth, fresh = 0, True
    for found in _LEXEME.finditer(text):
        kind, said = str(found.lastgroup), found[0]
        if kind == "text" and fresh and not depth and _ends_line(text, found.end()):
            kind = "comment"
        depth = max(0, depth + (said in _OPEN) - (said in _CLOSE)) if kind == "mark" else depth
        if kind not in ("comment", "end"):
            _append(held, Symbol(_sign(kind, said, held), line))
            fresh = False
        fresh = fresh or kind == "end"
        line += said.count("\n")
    yield from held


def _ends_line(text: str, at: int) -> bool:
    end = text.find("\n", at)
    return not text[at : end if end >= 0 else len(text)].strip()


def _append(held: list[Symbol], one: Symbol) -> None:
    if one.sign in _CLOSE and held and held[-1].sign == ",":
        held.pop()
    if one.sign == TEXT and held and held[-1].sign == TEXT:
        return  # two texts side by side are one
    held.append(one)
    if one.sign == ",":
        _fold(held)


def _fold(held: list[Symbol]) -> None:
    """Of a table of literals the first row: how long it is says nothing of who wrote it."""
    for length in _ROWS:
        last, before = held[-length:], held[-2 * length : -length]
        same = [one.sign for one in last] == [one.sign for one in before]
        if same and all(one.sign in _OF_TABLES for one in last):
            del held[-length:]
            return


def _sign(kind: str, said: str, before: Sequence[Symbol]) -> str:
    if kind == "text":
        return TEXT
    if kind == "number":
        return NUMBER
    if kind != "name" or keyword.iskeyword(said):
        return said
    if before and before[-1].sign == ".":
        own = len(before) > 1 and before[-2].sign == "self"
        return said if not own and said in _of_the_sdk() else NAME
    return said if said == "self" or said in _GIVEN or said in _sdk_types() else NAME


_GIVEN = frozenset(dir(builtins))


@cache
def _of_the_sdk() -> frozenset[str]:
    """Methods and fields of the library that answers are written against."""
    found: set[str] = set()
    for tree in _sources():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                found.add(node.name)
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                found.add(node.target.id)
    return frozenset(name for name in found if not name.startswith("_"))


@cache
def _sdk_types() -> frozenset[str]:
    names = {
        node.name for tree in _sources() for node in tree.body if isinstance(node, ast.ClassDef)
    }
    return frozenset({"headnode_sdk", *names})


@cache
def _sources() -> tuple[ast.Module, ...]:
    paths = sorted(_SDK.rglob("*.py"))
    return tuple(ast.parse(path.read_bytes()) for path in paths if "tests" not in path.parts)
