"""Written answers: fields of an answer.json checked one by one, and the one way from them to a report."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Generic, TypeVar

from graders import VERSION
from graders.kinds import Asked, Grader
from graders.measures import Measured
from graders.report import GradeReport, Json, RunReport, Versions, unrun
from scenarios.company.profile.money import DOLLAR, in_currency, in_money
from scenarios.packs import Measure
from scenarios.simulator import VERSION as SIMULATOR

A = TypeVar("A")
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


class BadCorrection(ValueError):
    """A correction names a statement, subject or verdict that there is not; the message is one sentence."""


Corrections = Sequence[Mapping[str, str]]
"""Each {"statement": id, "subject": key, "verdict": one of the kind's}; the last one on both counts."""


def by_statement(
    corrections: Corrections,
    statements: Collection[str],
    subjects: Collection[str],
    verdicts: Collection[str],
    called: tuple[str, str],
) -> dict[str, dict[str, str]]:
    """Statement -> subject -> verdict, the last word on both. Raises BadCorrection.

    called: what the kind's people call a statement and a subject.
    """
    wanted: dict[str, dict[str, str]] = {}
    for one in corrections:
        if one["statement"] not in statements:
            raise BadCorrection(f"The answer has no {called[0]} {one['statement'][:80]!r}.")
        if one["subject"] not in subjects:
            raise BadCorrection(f"There is no {called[1]} {one['subject'][:80]!r}.")
        if one["verdict"] not in verdicts:
            raise BadCorrection(f"A verdict is one of {', '.join(verdicts)}.")
        wanted.setdefault(one["statement"], {})[one["subject"]] = one["verdict"]
    return wanted


@dataclass(frozen=True, slots=True)
class Told(Measured):
    """A measure that says in its own words what was counted."""

    told: str = ""

    def _explanation(self) -> str:
        return f"{self.told} {self.measure.meaning}"


@dataclass(frozen=True, slots=True)
class Assessed:
    """Measures in the table's order, and rows of evidence for people."""

    measures: list[Measured]
    evidence: list[Json]


@cache
def percentages(table: Path) -> Mapping[str, Measure]:
    """The measures in a kind's measures.toml by key: percentages, more is better."""
    rows = tomllib.loads(table.read_text(encoding="utf-8"))["measures"]
    return {
        row["key"]: Measure(row["key"], row["label"], "%", "higher", 100.0, row["meaning"])
        for row in rows
    }


@dataclass(frozen=True)
class WrittenGrader(Grader, Generic[A]):
    """The way of every written answer: it is parsed, read beside the truth, and the reading assessed.

    `parse` takes the text of `answer.json` and raises BadAnswer. `read` tells the reading and further
    rows of evidence. `assess` leaves the reading as it is and raises BadCorrection. `detail` says in one
    sentence what was measured. The reading is plain JSON and stays in the report's evidence, in the row of
    the kind `reading`: what people correct in it is assessed anew from it alone, at once, and nothing is
    drawn or played again; evidence of the kinds `kept` stays beside it. What stands under the keys `money`
    of a row are our own words, with amounts in the company's currency; the candidate's are left as they are.
    """

    reading: str
    parse: Callable[[str], A]
    read: Callable[[A, Asked], tuple[Json, list[Json]]]
    assess: Callable[[Json, Corrections], Assessed]
    detail: Callable[[A, Asked], str]
    kept: Collection[str] = ()
    money: Collection[str] = ()
    needs_sandbox = False

    def run_public(self, asked: Asked, workload: str) -> RunReport:
        """A sentence that says that there is nothing to run."""
        return unrun("There is nothing to run in this exercise.")

    def grade(self, asked: Asked) -> GradeReport:
        """Measures and evidence of `answer.json`; nothing of it is run.

        An answer that says nothing is measured, as nothing; one that cannot be read is a candidate_error.
        """
        try:
            answer = self.parse(asked.files.get(asked.pack.entry, ""))
        except BadAnswer as error:
            return _report(asked, "candidate_error", f"Not measured: {error}", Assessed([], []))
        reading, rows = self.read(answer, asked)
        if asked.profile.currency != DOLLAR:
            money = {"currency": asked.profile.currency, "per_usd": asked.profile.per_usd}
            reading = {**reading, **money}
        found = self._assessed(reading, ())
        found.evidence.extend([*rows, {"kind": self.reading, **reading}])
        return _report(asked, "done", self.detail(answer, asked), found)

    def reassess(self, kept: Mapping[str, Any], corrections: Corrections) -> Assessed:
        """Measures and evidence of a kept report (`GradeReport.to_dict`) with these corrections.

        Raises BadCorrection, and LookupError for a report without a reading.
        """
        row = self.reading_in(kept)
        if row is None:
            raise LookupError("The report holds no reading of the answer.")
        found = self._assessed({key: row[key] for key in row if key != "kind"}, corrections)
        rows = [one for one in kept["evidence"] if one["kind"] in self.kept]
        return Assessed(found.measures, [*found.evidence, *rows, row])

    def _assessed(self, reading: Json, corrections: Corrections) -> Assessed:
        found, currency = self.assess(reading, corrections), str(reading.get("currency", DOLLAR))
        if currency == DOLLAR:
            return found
        measures = [_measured_in(one, currency) for one in found.measures]
        rows = [
            {
                key: in_money(said, currency) if key in self.money else said
                for key, said in row.items()
            }
            for row in found.evidence
        ]
        return Assessed(measures, rows)

    def reading_in(self, kept: Mapping[str, Any] | None) -> Json | None:
        """The reading's row in a kept report. Staff only: it holds the truth as well."""
        rows = (kept or {}).get("evidence") or []
        return next((dict(row) for row in rows if row.get("kind") == self.reading), None)


def _measured_in(one: Measured, currency: str) -> Measured:
    """The measure with its own words in the company's currency."""
    unit, meaning = (
        in_currency(said, currency) for said in (one.measure.unit, one.measure.meaning)
    )
    found = replace(one, measure=replace(one.measure, unit=unit, meaning=meaning))
    return (
        replace(found, told=in_currency(found.told, currency)) if isinstance(found, Told) else found
    )


def _report(asked: Asked, status: str, detail: str, found: Assessed) -> GradeReport:
    """The report on an answer that nothing of was run: no SDK, no image, no backend."""
    pack = asked.pack
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
        level=asked.level,
        seed=asked.seed,
        status=status,
        detail=detail,
        versions=versions,
        measures=found.measures,
        evidence=found.evidence,
    )
