"""The occasions on which people are told something: read once from occasions.toml."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

TO_CANDIDATE, TO_STAFF = "candidate", "staff"


class Variable(NamedTuple):
    name: str
    meaning: str
    example: str


@dataclass(frozen=True)
class Occasion:
    """What is told, to whom, when, and in the words that are shipped."""

    key: str
    title: str
    to: str
    when: str
    subject: str
    text: str
    variables: tuple[Variable, ...]

    @property
    def names(self) -> set[str]:
        return {variable.name for variable in self.variables}

    def examples(self) -> dict[str, str]:
        """A value for each variable, for the preview."""
        return {variable.name: variable.example for variable in self.variables}


@cache
def occasions() -> dict[str, Occasion]:
    """All of them by key, in the order of the file."""
    told = tomllib.loads((Path(__file__).parent / "occasions.toml").read_text())
    found = {}
    for key, row in told["occasions"].items():
        names = [*told["kinds"][row["to"]], *row["variables"]]
        found[key] = Occasion(
            key=key,
            title=row["title"],
            to=row["to"],
            when=row["when"],
            subject=row["subject"],
            text=row["text"].strip("\n"),
            variables=tuple(Variable(name, *told["variables"][name]) for name in names),
        )
    return found
