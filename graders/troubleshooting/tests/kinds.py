"""Answers as people might write them to a few variants, kept beside the tests, and what each comes to."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from graders.measures import total
from graders.troubleshooting.answer import parse
from graders.troubleshooting.assess import assess
from graders.troubleshooting.reading import read
from graders.troubleshooting.truth import Truth, truth_of
from graders.written import Assessed
from scenarios.company.profile import DEFAULT
from scenarios.troubleshooting.levels import LEVELS, QUIET

FOLDER = Path(__file__).parent / "answers"
_OWN = ("bar", "of", "swap", "add", "replace", "copy", "status", "hypotheses")


@dataclass(frozen=True, slots=True)
class Written:
    """One answer: `bar` is right, keeps (most of the right one), falls (to a third of it) or lower.

    `rows` is its whole file: an answer may be made of another one. `quiet`: it was written to a cluster on
    which nothing else goes on, unlike those that candidates have.
    """

    variant: str
    name: str
    bar: str
    rows: Mapping[str, Any] = field(repr=False)
    quiet: bool = True

    @property
    def answer(self) -> Mapping[str, Any]:
        """What a candidate would have sent. It may quote the materials, which are built for it."""
        return _answer(self.rows[self.name], self.rows, self.truth)

    @property
    def truth(self) -> Truth:
        level, _, seed = self.variant.split("_")[0].partition("-")
        return truth_of(DEFAULT, level, int(seed), (QUIET if self.quiet else LEVELS)[level])

    def assessed(self) -> Assessed:
        return assess(read(parse(json.dumps(self.answer)), self.truth))

    def score(self) -> float:
        return total(self.assessed().measures) or 0.0


@cache
def answers(folder: Path = FOLDER, quiet: bool = True) -> tuple[Written, ...]:
    """Every answer of every file; one says `of` which other it was made."""
    found: list[Written] = []
    for path in sorted(folder.glob("*.toml")):
        rows = tomllib.loads(path.read_text(encoding="utf-8"))
        found += [Written(path.stem, name, row["bar"], rows, quiet) for name, row in rows.items()]
    return tuple(found)


def _answer(row: Mapping[str, Any], rows: Mapping[str, Any], truth: Truth) -> dict[str, Any]:
    base = {**rows[row["of"]], **row} if "of" in row else row
    sections = {key: text for key, text in base.items() if key not in _OWN}
    if "copy" in row:
        sections["issues"] = "\n\n".join(truth.files[path].text for path in row["copy"])
    for key, text in row.get("replace", {}).items():
        sections[key] = text
    for key, text in row.get("add", {}).items():
        sections[key] = f"{sections.get(key, '')}\n\n{text}"
    board = [dict(card) for card in base.get("hypotheses", [])]
    for old, new in row.get("swap", ()):
        sections = {key: text.replace(old, new) for key, text in sections.items()}
        board = [
            {
                key: said.replace(old, new) if isinstance(said, str) else said
                for key, said in card.items()
            }
            for card in board
        ]
    if "status" in row:
        board = [{**card, "status": row["status"]} for card in board]
    order = ("first_look", "issues", "priorities", "immediate", "long_term", "business")
    return {
        "sections": {key: sections[key] for key in order if key in sections},
        "hypotheses": board,
    }


def table(folder: Path = FOLDER, quiet: bool = True) -> list[dict[str, Any]]:
    """Rows {variant, answer, bar, score, measures} in the order of the files."""
    return [
        {
            "variant": one.variant,
            "answer": one.name,
            "bar": one.bar,
            "score": one.score(),
            "measures": {m.measure.key: m.value for m in one.assessed().measures},
        }
        for one in answers(folder, quiet)
    ]
