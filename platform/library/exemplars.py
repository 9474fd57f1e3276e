"""Exemplar answers with agreed ratings, by which a new evaluator learns how the scale is meant.

They lie in `exemplars/KIND/NAME/LEVEL.toml` beside this module, or in the pack itself as
`LEVEL/exemplars.toml`, which comes first. docs/scenario-authors.md describes the file.
"""

from __future__ import annotations

import ast
import hashlib
import json
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from library.models import HIGHEST, LOWEST
from library.packs import pack_of
from scenarios.packs import Pack, PackNotFound, all_packs

FOLDER = Path(__file__).parent / "exemplars"


class ExemplarInvalid(ValueError):
    """The file is wrong; the message is one sentence that names the exemplar and what to do."""


@dataclass(frozen=True, slots=True)
class Agreed:
    """The level that experienced evaluators agreed on, and what in the answer shows it."""

    level: int
    reason: str


@dataclass(frozen=True)
class Exemplar:
    """One answer as a candidate could have handed it in. `digest` covers answer and ratings."""

    key: str
    title: str
    body: dict[str, dict[str, str]]
    agreed: dict[str, Agreed]
    digest: str


def _path(pack: Pack, level: str) -> Path | None:
    own = pack.folder / level / "exemplars.toml"
    for path in (own, FOLDER / pack.name / f"{level}.toml"):
        if path.is_file():
            return path
    return None


@cache
def exemplars_of(pack_name: str, level: str) -> tuple[Exemplar, ...]:
    """The exemplars of a pack's level, in the file's order; none where there is no such pack.

    Raises ExemplarInvalid. Read once per process.
    """
    try:
        pack = pack_of(pack_name)
    except PackNotFound:
        return ()
    path = _path(pack, level)
    if path is None or level not in pack.levels:
        return ()
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    found = tuple(_exemplar(pack, level, row) for row in data["exemplars"])
    if len({item.key for item in found}) < len(found):
        raise ExemplarInvalid(f"{path.name}: two exemplars have the same key.")
    return found


def all_exemplars() -> list[tuple[Pack, str, tuple[Exemplar, ...]]]:
    """(pack, level, its exemplars) of every level that has some."""
    return [
        (pack, level, found)
        for pack in all_packs()
        for level in pack.levels
        if (found := exemplars_of(pack.name, level))
    ]


def _exemplar(pack: Pack, level: str, row: dict[str, Any]) -> Exemplar:
    where = f"{pack.name}, {level}, exemplar {row.get('key')}"
    files = dict(row.get("files", {}))
    if "golden" in row:
        files[pack.entry] = without_docstring(pack.golden(level, row["golden"]))
    known = {item.key for item in pack.sections(level)}
    sections = {key: str(text).strip() + "\n" for key, text in row["sections"].items()}
    if unknown := sorted(set(sections) - known):
        raise ExemplarInvalid(f"{where}: the answer has no section {unknown[0]}.")
    agreed = {key: _agreed(where, key, item) for key, item in row["agreed"].items()}
    wanted = {item.key for item in pack.rubric(level).criteria if item.round == 1}
    if wanted != set(agreed):
        odd = sorted(wanted ^ set(agreed))
        raise ExemplarInvalid(f"{where}: rate every criterion of round 1 and no other: {odd[0]}.")
    body = {"files": files, "sections": sections}
    text = json.dumps([body, row["agreed"]], sort_keys=True)
    digest = hashlib.sha256(text.encode()).hexdigest()
    return Exemplar(str(row["key"]), str(row["title"]), body, agreed, digest)


def without_docstring(source: str) -> str:
    """A golden's first words say how good it is meant to be, which an evaluator must not read."""
    first = ast.parse(source).body[0]
    if not (isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)):
        return source
    lines = source.splitlines(keepends=True)
    return "".join(lines[first.end_lineno :]).lstrip("\n")


def _agreed(where: str, key: str, item: dict[str, Any]) -> Agreed:
    level, reason = item.get("level"), str(item.get("reason", "")).strip()
    if not isinstance(level, int) or not LOWEST <= level <= HIGHEST or not reason:
        raise ExemplarInvalid(
            f"{where}: {key} needs a level from {LOWEST} to {HIGHEST} and a reason."
        )
    return Agreed(level, reason)
