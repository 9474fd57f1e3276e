"""Render the Helm chart without Helm: the part of its templates' language that the chart uses, and no more.

What this does not know raises, so that the chart cannot come to use it unseen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml

TAG = re.compile(r"\{\{(-)?\s*(.*?)\s*(-)?\}\}", re.DOTALL)
WORD = re.compile(r'"[^"]*"|\(|\)|\||:=|,|[^\s()|,]+')
Scope = dict[str, Any]


class Unknown(Exception):
    """The chart uses something that this does not render."""


class Node(NamedTuple):
    """Text, or an action with what stands in it."""

    kind: str
    words: str
    inside: list[Any]
    otherwise: list[Any]


def parse(text: str) -> list[Node]:
    """The tree of a template."""
    tokens = _tokens(text)
    nodes, end = _block(tokens)
    if end:
        raise Unknown(f"{end} without a beginning")
    return nodes


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    at, strip = 0, False
    for tag in TAG.finditer(text):
        before = text[at : tag.start()]
        before = before.lstrip() if strip else before
        yield "text", before.rstrip() if tag[1] else before
        yield "tag", tag[2]
        at, strip = tag.end(), bool(tag[3])
    yield "text", text[at:].lstrip() if strip else text[at:]


def _block(tokens: Iterator[tuple[str, str]]) -> tuple[list[Node], str]:
    nodes: list[Node] = []
    for kind, words in tokens:
        verb, _, rest = words.partition(" ")
        if kind == "text":
            nodes.append(Node("text", words, [], []))
        elif verb in {"if", "with", "range", "define"}:
            inside, end = _block(tokens)
            otherwise: list[Node] = []
            if end == "else":
                otherwise, end = _block(tokens)
            if end != "end":
                raise Unknown(f"{{{{ {words} }}}} has no end")
            nodes.append(Node(verb, rest, inside, otherwise))
        elif verb in {"end", "else"}:
            return nodes, verb
        elif not words.startswith("/*"):
            nodes.append(Node("print", words, [], []))
    return nodes, ""


class Chart:
    """A chart's folder with values over its own."""

    def __init__(self, folder: Path, values: dict[str, Any] | None = None) -> None:
        about = yaml.safe_load((folder / "Chart.yaml").read_text())
        own = yaml.safe_load((folder / "values.yaml").read_text())
        self._defined: dict[str, list[Node]] = {}
        self._folder = folder
        self._scope: Scope = {
            "Values": merged(values or {}, own),
            "Chart": {key[0].upper() + key[1:]: value for key, value in about.items()},
            "Release": {"Name": "hn", "Namespace": "hiring", "Service": "Helm"},
        }

    def objects(self) -> list[dict[str, Any]]:
        """Everything that would be made, as Kubernetes is told it."""
        found, texts = [], []
        for path in sorted((self._folder / "templates").iterdir()):
            nodes = parse(path.read_text())
            self._defined |= {
                node.words.strip('"'): node.inside for node in nodes if node.kind == "define"
            }
            texts.append([node for node in nodes if node.kind != "define"])
        for nodes in texts:
            written = self._write(nodes, self._scope, {})
            found += [one for one in yaml.safe_load_all(written) if one]
        return found

    def _write(self, nodes: list[Node], dot: Any, names: Scope) -> str:
        return "".join(self._one(node, dot, names) for node in nodes)

    def _one(self, node: Node, dot: Any, names: Scope) -> str:
        if node.kind == "text":
            return node.words
        if node.kind == "print":
            value = self._value(node.words, dot, names)
            return (
                {True: "true", False: "false"}.get(value, str(value))
                if isinstance(value, bool)
                else str(value)
            )
        if node.kind == "range":
            left, _, right = node.words.partition(":=")
            key, value = (name.strip() for name in left.split(","))
            items = sorted(self._value(right, dot, names).items())
            return "".join(
                self._write(node.inside, dot, names | {key: k, value: v}) for k, v in items
            )
        value = self._value(node.words, dot, names)
        if not value:
            return self._write(node.otherwise, dot, names)
        return self._write(node.inside, value if node.kind == "with" else dot, names)

    def _value(self, words: str, dot: Any, names: Scope) -> Any:
        return self._pipeline(WORD.findall(words), dot, names)

    def _pipeline(self, words: list[str], dot: Any, names: Scope) -> Any:
        parts, depth, value = [[]], 0, None  # type: ignore[var-annotated]
        for word in words:
            depth += (word == "(") - (word == ")")
            if word == "|" and depth == 0:
                parts.append([])
            else:
                parts[-1].append(word)
        for number, part in enumerate(parts):
            arguments = self._arguments(part, dot, names)
            value = self._call(arguments + ([value] if number else []), dot)
        return value

    def _arguments(self, words: list[str], dot: Any, names: Scope) -> list[Any]:
        found, at = [], 0
        while at < len(words):
            if words[at] == "(":
                depth, end = 1, at
                while depth:
                    end += 1
                    depth += (words[end] == "(") - (words[end] == ")")
                found.append(self._pipeline(words[at + 1 : end], dot, names))
                at = end + 1
                continue
            found.append(self._atom(words[at], dot, names, first=at == 0))
            at += 1
        return found

    def _atom(self, word: str, dot: Any, names: Scope, *, first: bool) -> Any:
        if word.startswith('"'):
            return word[1:-1]
        if word.isdigit():
            return int(word)
        if word in names:
            return names[word]
        if word.startswith("."):
            value = dot
            for name in filter(None, word.split(".")):
                value = value[name]
            return value
        if first and hasattr(self, f"do_{word}"):
            return getattr(self, f"do_{word}")
        raise Unknown(word)

    def _call(self, arguments: list[Any], dot: Any) -> Any:
        first, *rest = arguments
        return first(*rest) if callable(first) else first

    def do_include(self, name: str, dot: Any) -> str:
        return self._write(self._defined[name], dot, {}).strip("\n")

    def do_nindent(self, width: int, text: str) -> str:
        return "".join(f"\n{' ' * width}{line}" if line else "\n" for line in text.splitlines())

    def do_toYaml(self, value: Any) -> str:
        return str(yaml.safe_dump(value, default_flow_style=False)).rstrip("\n")

    def do_quote(self, value: Any) -> str:
        return '"' + str(value).replace("\\", "\\\\").replace('"', '\\"') + '"'

    def do_default(self, other: Any, value: Any) -> Any:
        return value or other

    def do_dict(self, *pairs: Any) -> dict[str, Any]:
        return dict(zip(pairs[::2], pairs[1::2], strict=True))

    def do_merge(self, first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
        return merged(first, second)


def merged(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    """Both, where they differ the first."""
    both = dict(second)
    for key, value in first.items():
        inner = isinstance(value, dict) and isinstance(both.get(key), dict)
        both[key] = merged(value, both[key]) if inner else value
    return both
