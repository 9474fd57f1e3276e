"""Answers as they are compared and shown, and what everybody who did the exercise was given."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import graders.sdk
from assessments import company, spoken
from assessments.kinds import workplace_of
from assessments.materials import variants
from assessments.models import Attempt, Submission
from graders.similarity.answers import Given, Part, json_texts, part_of
from graders.similarity.tokens import PROSE, kind_of
from library.packs import pack_of
from reviews.evidence.answer_text import as_read

FIGURES = {".hncol", ".om", ".parquet", ".prom", ".svg"}
"""Ends of names of files that nobody quotes words from."""
LONGEST = 1_000_000
"""Characters of a file of materials that are read; a table of a year goes on as it begins."""
SHOWN_LINES = 400


def parts_of(submission: Submission, given: Given) -> list[Part]:
    """The answer's files and sections, without read-only starter files and an interviewer's notes."""
    attempt, body = submission.attempt, submission.body
    fixed = pack_of(attempt.pack_version.name).read_only(attempt.level)
    found = [
        _file(path, text, given)
        for path, text in sorted(body["files"].items())
        if path not in fixed
    ]
    for key, text in sorted(body["sections"].items()):
        if key != spoken.NOTES:
            found.append(part_of(key, PROSE, [(text, 1)], given))
    return found


def _file(path: str, text: str, given: Given) -> Part:
    """A program or a text as it is; of a table each written field by itself, where staff read it."""
    fields = json_texts(text) if path.endswith(".json") else None
    if fields is None:
        return part_of(path, kind_of(path), [(text, 1)], given)
    shown = as_read(path, text).split("\n")
    return part_of(path, PROSE, [(one, _line_of(one, shown)) for one in fields], given)


def _line_of(field: str, shown: list[str]) -> int:
    """The line on which staff read the beginning of a field; 1 where it is not shown as it is."""
    start = field.strip().split("\n")[0]
    return next((at for at, line in enumerate(shown, 1) if start and start in line), 1)


def lines(submission: Submission, place: tuple[str, int, int]) -> list[tuple[int, str]]:
    """(number, text) of the lines of a place in the answer, as staff read them."""
    key, first, last = place
    body: dict[str, Any] = submission.body
    file = body["files"].get(key)
    text = body["sections"].get(key, "") if file is None else as_read(key, file)
    rows = text.split("\n")[first - 1 : min(last, first - 1 + SHOWN_LINES)]
    return list(enumerate(rows, first))


def given_to(attempt: Attempt) -> Given:
    """Starter files, sections' questions, documents, logs and tables of the variant, and the library."""
    pack, level = pack_of(attempt.pack_version.name), attempt.level
    known = starters_of(attempt) | _library()
    if pack.generator:
        arguments = (pack.name, level, attempt.seed, attempt.pack_version.digest, attempt.company)
        return known | _materials(variants.folder_of(*arguments))
    profile = company.of_attempt(attempt)
    return known | Given.of(
        (one.path, one.text) for one in pack.documents(level, profile, attempt.seed)
    )


def starters_of(attempt: Attempt) -> Given:
    """The files that the answer began with and the questions above its sections."""
    sections = pack_of(attempt.pack_version.name).sections(attempt.level)
    own = [*workplace_of(attempt.exercise).template(attempt).items()]
    return Given.of([*own, *((f"{one.key}.md", f"{one.title}\n{one.prompt}") for one in sections)])


@lru_cache(maxsize=4)
def _materials(folder: Path) -> Given:
    return Given.of(_texts_in(folder))


def _texts_in(folder: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix not in FIGURES:
            with path.open(encoding="utf-8", errors="replace") as file:
                yield path.name, file.read(LONGEST)


@lru_cache(maxsize=1)
def _library() -> Given:
    """The SDK's source and pages, which programs quote and imitate."""
    folder = Path(graders.sdk.__path__[0])
    paths = [*folder.rglob("*.py"), *folder.glob("*.md")]
    return Given.of((path.name, path.read_text(encoding="utf-8")) for path in sorted(paths))
