"""What graders of written answers share: fields of an answer.json checked one by one, and their reports."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from graders import VERSION
from graders.measures import Measured
from graders.report import EMPTY_TIMELINE, GradeReport, RunReport, Versions
from sandbox import Backend
from scenarios.company.profile import Profile
from scenarios.packs import Pack
from scenarios.simulator import VERSION as SIMULATOR

LONGEST_SECTION = 60_000
MOST = 1e15
"""Largest size of a number in an answer."""
MOST_PRIORITY = 1000


class BadAnswer(ValueError):
    """The answer cannot be read; the message is one sentence that names the place."""


def parts_of(text: str, rows: str) -> tuple[dict[str, Any], list[str]]:
    """The object in an answer.json with the keys `sections` and `rows`, and notes on keys that nobody knows.

    An empty text is an empty answer. Raises BadAnswer.
    """
    if not text.strip():
        return {}, []
    try:
        data = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        at = f" (line {error.lineno})" if isinstance(error, json.JSONDecodeError) else ""
        raise BadAnswer(f"answer.json is not JSON{at}.") from None
    if not isinstance(data, dict):
        raise BadAnswer(f"answer.json holds one object with the keys sections and {rows}.")
    return data, unknown(data, ("sections", rows), "the answer")


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")


def unknown(row: Mapping[str, Any], known: Sequence[str], where: str) -> list[str]:
    """A note on keys that nobody knows, or none."""
    extra = sorted(str(key)[:40] for key in row if key not in known)
    if not extra:
        return []
    return [f"In {where} the keys {', '.join(extra)} are not known and were not read."]


def sections_of(data: Any, known: Sequence[str], notes: list[str]) -> dict[str, str]:
    """Key of a section -> its text; a section that is not one of the exercise gets a note. Raises BadAnswer."""
    if not isinstance(data, dict):
        raise BadAnswer("sections is an object: key of the section to its text.")
    for key, text in data.items():
        if not isinstance(text, str):
            raise BadAnswer(f"sections.{key[:40]} is not text.")
        if len(text) > LONGEST_SECTION:
            raise BadAnswer(f"sections.{key[:40]} is longer than {LONGEST_SECTION} characters.")
        if key not in known:
            notes.append(
                f"The section {key[:40]!r} is not one of this exercise; it was read all the same."
            )
    return dict(data)


def text_of(value: Any, where: str, longest: int) -> str:
    """A text, "" for null. Raises BadAnswer."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise BadAnswer(f"{where} is not text.")
    if len(value) > longest:
        raise BadAnswer(f"{where} is longer than {longest} characters.")
    return value


def number_of(value: Any, where: str, least: float = -MOST, most: float = MOST) -> float | None:
    """A number within the bounds, or None for null. Raises BadAnswer."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not least <= value <= most:
        raise BadAnswer(f"{where} is a number{' from 0,' if least == 0 else ''} or null.")
    return float(value)


def priority_of(value: Any, where: str) -> int | None:
    """A whole number from 1, or None for null. Raises BadAnswer."""
    number = number_of(value, where)
    if number is not None and (number != int(number) or not 1 <= number <= MOST_PRIORITY):
        raise BadAnswer(f"{where} is a whole number from 1, or null.")
    return None if number is None else int(number)


def run_public(
    pack: str,
    level: str,
    seed: int,
    files: Mapping[str, str],
    backend: Backend,
    workload: str = "",
    profile: Profile | None = None,
    cancel: threading.Event | None = None,
) -> RunReport:
    """What a run comes to where there is nothing to run in an answer: a sentence that says so."""
    said = "There is nothing to run in this exercise."
    return RunReport(
        "candidate_error", said, "", "", False, 0.0, 0.0, 0, "none", [], [], EMPTY_TIMELINE
    )


def report(
    pack: Pack,
    level: str,
    seed: int,
    status: str,
    detail: str,
    measures: list[Measured] | None = None,
    evidence: list[dict[str, Any]] | None = None,
) -> GradeReport:
    """The report on an answer that nothing of was run: no SDK, no image, no backend."""
    versions = Versions(
        pack=f"{pack.version}+{pack.digest[:12]}",
        grader=VERSION,
        simulator=SIMULATOR,
        sdk="",
        image="",
        backend="",
    )
    return GradeReport(
        pack=pack.name,
        level=level,
        seed=seed,
        status=status,
        detail=detail,
        versions=versions,
        measures=measures or [],
        evidence=evidence or [],
    )


def reading_in(kept: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """The evidence row of that kind in a kept report (`GradeReport.to_dict`). Raises LookupError."""
    for row in kept["evidence"]:
        if row["kind"] == kind:
            return dict(row)
    raise LookupError("The report holds no reading of the answer.")
