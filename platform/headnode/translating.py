"""What candidates read, collected from templates, Python, scripts and messages for the files of translation.

`manage.py translations` brings locale/*/LC_MESSAGES up to date with it; a test holds that nothing is missing.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from django.template import Template
from django.template.base import FilterExpression, Node, NodeList, VariableNode
from django.template.engine import Engine
from django.templatetags.i18n import BlockTranslateNode, TranslateNode

from scenarios.kinds import KINDS

PLATFORM = Path(__file__).resolve().parents[1]
LOCALE = PLATFORM / "headnode/locale"
TEMPLATES = (
    "assessments/templates/**/*.html",
    "headnode/templates/[345]*.html",
    "headnode/templates/base.html",
    "headnode/templates/home.html",
    "headnode/templates/plain.html",
    "reviews/fairness/templates/reviews/about_you.html",
    "reviews/privacy/templates/reviews/your_data.html",
)
"""Where candidates' pages are."""
SCRIPTS = ("assessments/static/**/*.js", "headnode/static/headnode/*.js")
APART = tuple(
    sorted(
        [
            *(kind.name for kind in KINDS if kind.has_materials),
            "assistant",
            "practice",
            "terminal",
            "workplace",
        ]
    )
)
"""Folders of scripts whose words only those pages fetch that show them, each in a compiled file of its own."""
PYTHON = ("assessments", "headnode", "hiring", "reviews", "integrations")
SENTENCES = (
    "assessments/*.py",
    "assessments/a*/*.py",
    "assessments/[c-k]*/*.py",
    "assessments/[o-p]*/*.py",
    "assessments/s*/*.py",
    "assessments/t*/*.py",
    "assessments/w*/*.py",
    "headnode/database_away.py",
    "headnode/errors.py",
    "headnode/parsing.py",
    "hiring/keeping.py",
    "hiring/policies.py",
)
"""Modules whose every sentence may reach a candidate: as an answer's detail, or by the filter `translated`."""
SENTENCE = re.compile(r"[A-Z“][^<\\]*[a-z’”,] .*[.?!]", re.DOTALL)
NOT_SAID = {
    "ValueError",
    "TypeError",
    "RuntimeError",
    "warning",
    "error",
    "exception",
    "info",
    "NotBuilt",
    "compile",
}
"""What takes sentences that only logs and people at a console read."""
ONE = {"_", "gettext", "gettext_lazy", "gettext_noop", "translated"}
MANY = {"ngettext", "ngettext_lazy"}
IN_CONTEXT = {"pgettext", "pgettext_lazy"}
COUNTED = re.compile(r'(?<![\w.])counted\(\s*"([^"]+)",\s*"([^"]+)",')


class Text(NamedTuple):
    """One text as gettext knows it; where: the file that says it."""

    words: str
    where: str
    plural: str = ""
    context: str = ""


def files(patterns: tuple[str, ...]) -> list[Path]:
    found = {path for pattern in patterns for path in PLATFORM.glob(pattern)}
    return sorted(path for path in found if not {"tests", "vendor"} & set(path.parts))


def of_pages() -> list[Text]:
    """Everything of the domain django."""
    found = [text for path in files(TEMPLATES) for text in of_template(path)]
    for root in PYTHON:
        found += [text for path in files((f"{root}/**/*.py",)) for text in of_python(path)]
    for path in files(SENTENCES):
        found += of_sentences(path)
    return [*found, *of_messages(), *of_kinds(), *of_choices()]


def of_scripts() -> list[Text]:
    """Everything of the domain djangojs."""
    return [text for path in files(SCRIPTS) for text in of_script(path.read_text(), _name(path))]


def apart(places: Iterable[str]) -> set[str]:
    """The folders of APART that a text said in these files is compiled for; none: it is for every page."""
    found = {_folder(place) for place in places}
    return found if found <= set(APART) else set()


def _folder(place: str) -> str:
    """Below the app's own scripts; folders within it are part of it."""
    folders = place.split("/")[:-1]
    return folders[3] if len(folders) > 3 else folders[-1]


def _name(path: Path) -> str:
    return path.relative_to(PLATFORM).as_posix()


def of_template(path: Path) -> Iterator[Text]:
    where = _name(path)
    for node in _nodes(Template(path.read_text(), engine=Engine.get_default()).nodelist):
        if isinstance(node, BlockTranslateNode):
            words, _ = node.render_token_list(node.singular)
            plural = node.render_token_list(node.plural)[0] if node.plural else ""
            if node.trimmed:
                words, plural = (" ".join(text.split()) for text in (words, plural))
            yield Text(words, where, plural)
        elif isinstance(node, TranslateNode):
            context = node.message_context.var if node.message_context else ""
            if isinstance(literal := node.filter_expression.var, str):
                yield Text(literal, where, context=str(context))
            elif (literal := getattr(node.filter_expression.var, "literal", None)) is not None:
                yield Text(str(literal), where, context=str(context))
        elif isinstance(node, VariableNode):
            yield from (Text(words, where) for words in _marked(node.filter_expression))


def _marked(expression: FilterExpression) -> Iterator[str]:
    """Filters' arguments that are written as _("…")."""
    for _filter, arguments in expression.filters:
        for is_variable, value in arguments:
            if is_variable and getattr(value, "translate", False):
                yield str(value.literal)
            elif not is_variable and value and f'_("{value}")' in expression.token:
                yield str(value)


def _nodes(nodes: NodeList) -> Iterator[Node]:
    yield from nodes.get_nodes_by_type(Node)


def of_python(path: Path) -> Iterator[Text]:
    where = _name(path)
    for call in ast.walk(ast.parse(path.read_text())):
        if not isinstance(call, ast.Call):
            continue
        name = getattr(call.func, "id", getattr(call.func, "attr", ""))
        literals = [one.value for one in call.args if isinstance(one, ast.Constant)]
        words = [one for one in literals if isinstance(one, str)]
        if name in ONE and words:
            yield Text(words[0], where)
        elif name in MANY and len(words) > 1:
            yield Text(words[0], where, words[1])
        elif name in IN_CONTEXT and len(words) > 1:
            yield Text(words[1], where, context=words[0])


def of_sentences(path: Path) -> Iterator[Text]:
    """Whole sentences written in a module: they are looked up where they are answered, not where they stand."""
    where, tree = _name(path), ast.parse(path.read_text())
    silent = {id(node) for call in ast.walk(tree) if _is_silent(call) for node in ast.walk(call)}
    for node in ast.walk(tree):
        text = node.value if isinstance(node, ast.Constant) else None
        if isinstance(text, str) and id(node) not in silent and SENTENCE.fullmatch(text):
            yield Text(text, where)
    module = where.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    for row in tree.body:
        if isinstance(row, ast.Assign) and any(isinstance(x, ast.JoinedStr) for x in ast.walk(row)):
            value = getattr(import_module(module), row.targets[0].id)  # type: ignore[attr-defined]
            for text in value.values() if isinstance(value, dict) else [value]:
                yield Text(str(text), where)


def _is_silent(node: ast.AST) -> bool:
    """Docstrings, what is logged or raised for programmers, parts of longer texts."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.Call):
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        return name in NOT_SAID
    return isinstance(node, ast.JoinedStr)


def of_script(source: str, where: str) -> Iterator[Text]:
    """t`…` with its values as {0}, {1}, and counted("…", "…", number)."""
    for found in re.finditer(r"(?<![\w$.`])t`", source):
        words = re.sub(r"\s*\n\s*", " ", _literal(source, found.end())[0])
        yield Text(words.replace("\0", "\n"), where)
    for found in COUNTED.finditer(source):
        yield Text(found[1], where, found[2])


def _literal(source: str, at: int) -> tuple[str, int]:
    """The text of a template literal that begins at `at`, and where it ends."""
    words, values = "", 0
    while source[at] != "`":
        if source[at] == "\\":
            words, at = words + {"n": "\0", "r": "\r"}.get(source[at + 1], source[at + 1]), at + 2
        elif source.startswith("${", at):
            words, values, at = f"{words}{{{values}}}", values + 1, _after_value(source, at + 2)
        else:
            words, at = words + source[at], at + 1
    return words, at + 1


def _after_value(source: str, at: int) -> int:
    """Behind the brace that ends a value."""
    depth = 1
    while depth:
        if source[at] == "`":
            at = _literal(source, at + 1)[1]
            continue
        if source[at] in "\"'":
            at = source.index(source[at], at + 1)
        depth += {"{": 1, "}": -1}.get(source[at], 0)
        at += 1
    return at


def value_at(source: str, at: int) -> str:
    """The value of a template literal that begins at `at`, without its braces."""
    return source[at : _after_value(source, at) - 1]


def of_messages() -> Iterator[Text]:
    """The shipped words of what candidates are told by mail."""
    where = "hiring/messages/occasions.toml"
    told = tomllib.loads((PLATFORM / where).read_text())["occasions"]
    for row in told.values():
        if row["to"] == "candidate":
            yield Text(row["subject"], where)
            yield Text(row["text"].strip("\n"), where)


def of_kinds() -> Iterator[Text]:
    """Names of exercises' kinds and levels."""
    from library.models import Seniority
    from scenarios.kinds import CHOICES

    yield from (Text(str(label), "scenarios/kinds.py") for _key, label in CHOICES)
    yield from (Text(str(label), "library/models.py") for label in Seniority.labels)


def of_choices() -> Iterator[Text]:
    """Labels of choices and of the shipped voluntary questions, which pages show through a filter."""
    from assessments.models import DataRequest, Impression
    from reviews.fairness.self_descriptions import questions

    for kind in (DataRequest.Wish, Impression.How):
        yield from (Text(str(label), "assessments/models/afterwards.py") for label in kind.labels)
    for question in questions():
        yield Text(question.text, "reviews/fairness/self_description.toml")
        for _key, label in question.choices:
            yield Text(label, "reviews/fairness/self_description.toml")
