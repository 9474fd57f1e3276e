"""What a candidate gets, as tools: the variant's files, runs, questions to its data, and an answer to write."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatch
from functools import cached_property
from pathlib import Path
from typing import Any

from graders.assistant.asking import WHEN, asked
from graders.kinds import run_public
from sandbox import Backend
from scenarios.company.profile import DEFAULT, Profile
from scenarios.cost.query import BadQuery, Tables
from scenarios.kinds import kind_of
from scenarios.packs import Pack
from scenarios.packs.variant import build
from scenarios.scaling.levels import LEVELS as PLANS
from scenarios.troubleshooting.console import Console
from scenarios.troubleshooting.levels import LEVELS
from scenarios.troubleshooting.truth import make_incident

Json = dict[str, Any]
MOST_TOLD = 20_000
"""Characters of one reply: a page shows no more at a time either."""
MOST_LINES = 400
MOST_FOUND = 80
HAND_IN = "hand_in"
_TEXT = {"type": "string"}
_NUMBER = {"type": "integer"}


class NoSuchTool(ValueError):
    """There is no such tool, or it was used wrongly; the message is one sentence."""


@dataclass
class Desk:
    """One variant in front of one candidate. `folder` is empty and is filled with the materials.

    `files` is the answer so far, path -> text; `written` its sections where they are not in the answer's file.
    """

    pack: Pack
    level: str
    seed: int
    folder: Path
    backend: Backend | None = None
    profile: Profile = DEFAULT
    written: dict[str, str] = field(default_factory=dict)
    handed_in: bool = False
    played: int = 0
    """What-ifs that were played; a candidate has so many and no more."""

    def __post_init__(self) -> None:
        build(self.pack, self.level, self.seed, self.folder, self.profile)
        template = self.pack.template(self.level)
        own = {self.pack.entry: template.get(self.pack.entry, "")}
        self.files: dict[str, str] = dict(template) if self.is_program else own

    @property
    def is_program(self) -> bool:
        """Whether the answer is a program, whose written sections stand beside it."""
        return kind_of(self.pack.kind).is_run

    @property
    def answer(self) -> dict[str, str]:
        """What is graded: the answer's files under the pack's read-only ones."""
        template = self.pack.template(self.level)
        return {**self.files, **{path: template[path] for path in self.pack.read_only(self.level)}}

    @cached_property
    def tools(self) -> Mapping[str, tuple[str, Mapping[str, Json], Callable[..., str]]]:
        """Name -> what it does, its parameters, itself."""
        found: dict[str, tuple[str, Mapping[str, Json], Callable[..., str]]] = {
            "list_files": ("The exercise's files, with their size in lines.", {}, self._list),
            "read_file": (
                f"A file from a line on, at most {MOST_LINES} lines.",
                {"path": _TEXT, "first_line": _NUMBER},
                self._read,
            ),
            "search": (
                "Lines that a regular expression finds in the files whose path fits a pattern such as logs/*.",
                {"expression": _TEXT, "files": _TEXT},
                self._search,
            ),
            "write_answer": (
                "Write a file of the answer anew.",
                {"path": _TEXT, "text": _TEXT},
                self._write,
            ),
            HAND_IN: ("Hand the answer in. Nothing can be changed afterwards.", {}, self._hand_in),
        }
        return found | self._of_kind()

    def _of_kind(self) -> dict[str, tuple[str, Mapping[str, Json], Callable[..., str]]]:
        """Runs and questions, as far as the exercise has them."""
        names = [name for name, _ in self.pack.public_workloads(self.level)]
        if self.is_program:
            run = f"Run the answer on a public workload: {', '.join(names)}."
            return {
                "run": (run, {"workload": _TEXT}, self._run),
                "write_section": (
                    "Write a section of the answer; sections.json has their keys.",
                    {"key": _TEXT, "text": _TEXT},
                    self._section,
                ),
            }
        if self._told == "bill":
            return {
                "sql": (
                    "One SELECT on the bill's tables, each named after its CSV.",
                    {"query": _TEXT},
                    self._sql,
                )
            }
        if self._told == "incident":
            told = f"Run a command on a host of the cluster: {', '.join(self._console.hosts[:60])}."
            query = f"Ask the metrics in PromQL, from start to end every step_s seconds. {WHEN}"
            times = {"query": _TEXT, "start": _TEXT, "end": _TEXT, "step_s": _NUMBER}
            return {
                "command": (told, {"host": _TEXT, "line": _TEXT}, self._command),
                "promql": (query, times, self._promql),
            }
        told = (
            f"Play the plan in the answer over the expected year, {self._what_ifs} times at most."
        )
        return {"what_if": (told, {}, self._what_if)}

    @property
    def _told(self) -> str:
        """What the manifest calls the facts of the variant, "" where nothing is generated."""
        return self.pack.generator.FACTS if self.pack.generator else ""

    def described(self) -> list[Json]:
        """The tools as chat endpoints want them."""
        return [
            {
                "type": "function",
                "function": {
                    "name": name,
                    "description": told,
                    "parameters": {
                        "type": "object",
                        "properties": dict(parameters),
                        "required": list(parameters),
                    },
                },
            }
            for name, (told, parameters, _) in self.tools.items()
        ]

    def use(self, name: str, given: Mapping[str, Any]) -> str:
        """What the tool replies. Raises NoSuchTool; whatever else was asked wrongly is a reply."""
        if name not in self.tools:
            raise NoSuchTool(f"There is no tool {name[:40]!r}; there is {', '.join(self.tools)}.")
        _, parameters, act = self.tools[name]
        if set(given) != set(parameters) and not (
            set(given) < set(parameters) and name == "read_file"
        ):
            raise NoSuchTool(f"{name} takes {', '.join(parameters) or 'nothing'}.")
        if self.handed_in:
            raise NoSuchTool("The answer was handed in.")
        return _cut(act(**{key: given[key] for key in given}))

    def _paths(self) -> list[str]:
        hidden = ("manifest.json", ".hncol")
        found = (
            path
            for path in sorted(self.folder.rglob("*"))
            if path.is_file() and not path.name.startswith(".")
        )
        names = [path.relative_to(self.folder).as_posix() for path in found]
        return [name for name in names if not name.endswith(hidden)]

    def _list(self) -> str:
        rows = [f"{path}  {self._text(path).count(chr(10)) + 1} lines" for path in self._paths()]
        return "\n".join([*rows, "", "The answer so far:", *self.files])

    def _text(self, path: str) -> str:
        if path in self.files:
            return self.files[path]
        if path not in self._paths():
            raise NoSuchTool(f"There is no file {path[:80]!r}.")
        return (self.folder / path).read_text(encoding="utf-8", errors="replace")

    def _read(self, path: str, first_line: int = 1) -> str:
        lines = self._text(str(path)).split("\n")
        first = max(1, int(first_line))
        return "\n".join(lines[first - 1 : first - 1 + MOST_LINES]) or "(nothing there)"

    def _search(self, expression: str, files: str) -> str:
        try:
            wanted = re.compile(str(expression))
        except re.error as error:
            return f"That is no regular expression: {error}."
        found = []
        for path in self._paths():
            if not fnmatch(path, str(files)):
                continue
            for number, line in enumerate(self._text(path).split("\n"), start=1):
                if wanted.search(line[:2_000]):
                    found.append(f"{path}:{number}: {line[:300]}")
                if len(found) >= MOST_FOUND:
                    return "\n".join([*found, "(more is left out)"])
        return "\n".join(found) or "Nothing was found."

    def _write(self, path: str, text: str) -> str:
        if not self.is_program and path != self.pack.entry:
            return f"The answer is one file, {self.pack.entry}."
        if path in self.pack.read_only(self.level):
            return f"{path} cannot be changed."
        self.files[str(path)] = str(text)
        return "Written."

    def _section(self, key: str, text: str) -> str:
        known = [section.key for section in self.pack.sections(self.level)]
        if key not in known:
            return f"Sections are {', '.join(known)}."
        self.written[str(key)] = str(text)
        return "Written."

    def _run(self, workload: str) -> str:
        try:
            report = run_public(
                self.pack.name,
                self.level,
                self.seed,
                self.answer,
                self.backend,
                str(workload),
                self.profile,
            ).to_dict()
        except ValueError as error:
            return str(error)
        rows = [
            f"{row['label']}: {row['value']} {row['unit']}. {row['explanation']}"
            for row in report["measures"]
        ]
        marks = [
            f"{mark['t']} s {mark['kind']}: {mark['text']}"
            for mark in report["timeline"]["marks"][:60]
        ]
        parts = [
            f"{report['status']}: {report['detail']}",
            *rows,
            "Printed:",
            report["stdout"][-4_000:],
        ]
        return "\n".join([*parts, report["stderr"][-4_000:], "Marks:", *marks])

    @property
    def _what_ifs(self) -> int:
        return PLANS[self.level].what_ifs

    def _what_if(self) -> str:
        if self.played >= self._what_ifs:
            return f"All {self._what_ifs} what-ifs are used."
        self.played += 1
        report = run_public(
            self.pack.name, self.level, self.seed, self.answer, None, "year", self.profile
        ).to_dict()
        year = report["timeline"]
        if not year.get("measures"):
            return str(report["detail"])
        told = {
            "measures": year["measures"],
            "naive": year["naive"]["measures"],
            "why": year["why"][:20],
        }
        checks = [f"{row['month']} {row['tone']}: {row['text']}" for row in year["checks"]["rows"]]
        return "\n".join([json.dumps(told, ensure_ascii=False), *checks])

    @cached_property
    def _tables(self) -> Tables:
        return Tables(self.folder)

    def _sql(self, query: str) -> str:
        try:
            found = self._tables.sql(str(query))
        except BadQuery as error:
            return str(error)
        rows = ["\t".join(map(str, row)) for row in found.rows]
        return "\n".join(["\t".join(found.columns), *rows])

    @cached_property
    def _console(self) -> Console:
        return Console(make_incident(self.profile, LEVELS[self.level], self.seed))

    def _command(self, host: str, line: str) -> str:
        try:
            words = shlex.split(str(line))
        except ValueError as error:
            return f"bash: {error}"
        reply = self._console.run(str(host), words)
        return f"{reply.stdout}{reply.stderr}" or "(no output)"

    def _promql(self, query: str, start: str, end: str, step_s: int) -> str:
        return asked(self.folder, str(query), str(start), str(end), step_s)

    def _hand_in(self) -> str:
        self.handed_in = True
        return "Handed in."


def _cut(text: str) -> str:
    return (
        text
        if len(text) <= MOST_TOLD
        else f"{text[:MOST_TOLD]}\n(cut after {MOST_TOLD:,} characters)"
    )
