"""Evidence of a graded cost answer as staff read it, before and after their own scorecard.

Before, only what each row points at: how many cost rows, and what they cost. What it was taken to mean,
whether the claim holds and what was missed is what the measures count, and comes after.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from assessments.cost.workplace import OPPORTUNITIES
from assessments.escapes import writable
from assessments.models import Attempt, GradingRun
from graders.cost.answer import MOST_ROWS
from graders.cost.grading import KIND as GRADER
from graders.cost.matching import subject as subject_of
from reviews.evidence import corrections, cost_key, opportunity_text
from reviews.evidence.answer_text import visible
from reviews.evidence.corrections import Corrected
from reviews.evidence.kinds import KeptFile, StaffWithKey
from reviews.evidence.readings import Choices, Reader
from reviews.models import MatchCorrection
from scenarios.cost.catalogue import FINDINGS, levers, traps

Json = Mapping[str, Any]
STATES = {
    "found": ("found", "good"),
    "named": ("named, without a figure", "warn"),
    "missed": ("not in the table", "bad"),
}
NO_ROWS = "It points at no cost rows."
RESOURCES_SHOWN = 3


@dataclass(frozen=True)
class CostRow:
    """Cost rows of one service, account and meter, put together; USD of the twelve months."""

    service: str
    account: str
    meter: str
    rows: int
    first: str
    last: str
    usd: float
    resources: str


@dataclass(frozen=True)
class Finding:
    """What is wrong with some rows of the table, and the cost rows that show it."""

    key: str
    title: str
    text: str
    opportunities: list[str]
    rows: list[CostRow]
    where: list[str]


@dataclass(frozen=True)
class Pointed:
    """A row of the table with what it points at: all that is shown before the own scorecard is in."""

    id: str
    what: str
    says: str
    claimed: str


@dataclass(frozen=True)
class Opportunity:
    """A row of the table with what it was taken to mean. USD a year."""

    id: str
    what: str
    subject: str
    title: str
    why: str
    real: bool
    claimed: int | None
    claimed_of: str
    supported: list[int] | None
    how: str
    says: str
    rows: list[CostRow]
    shows: list[str]
    findings: list[str]
    priority: int | None
    tone: str
    verdict: str
    correction: MatchCorrection | None = None
    taken_back: list[MatchCorrection] = field(default_factory=list)


@dataclass(frozen=True)
class Lever:
    """A saving of this bill and what the table has of it. USD a year."""

    title: str
    category: str
    state: str
    tone: str
    opportunities: list[str]
    saving: int
    left: int
    how: str
    rows: list[CostRow]
    shows: list[str]


@dataclass(frozen=True)
class Shown:
    """Everything on the page for somebody whose own scorecard is in."""

    total: Json
    opportunities: list[Opportunity]
    findings: list[Finding]
    levers: list[Lever]
    challenges: list[Json]
    notes: list[str]
    held: Corrected

    @property
    def widest(self) -> int:
        """The larger of what is claimed and what can be saved: the full length of a bar."""
        return max([1, *(int(self.total.get(key, 0)) for key in ("claimed_usd", "achievable_usd"))])


def pointed(report: Json | None) -> list[Pointed]:
    """What may be read before the own scorecard is in: no subject, no range, no finding."""
    reading = GRADER.reading_in(report) or {"statements": []}
    return [
        Pointed(
            visible(str(row["id"])),
            visible(str(row["text"])),
            _points_at(row["selected_rows"], row["selected_cents"] / 100),
            _claim(row),
        )
        for row in reading["statements"]
    ]


def shown(run: GradingRun, held: Corrected) -> Shown:
    """The evidence with corrections in force, for somebody who may see the round's measures."""
    kinds: dict[str, list[Json]] = {}
    for row in corrections.rows_with(run.report or {}, held):
        kinds.setdefault(str(row.get("kind")), []).append(row)
    return Shown(
        total=next(iter(kinds.get("total", [])), {}),
        opportunities=[_opportunity(row, held) for row in kinds.get("opportunity", [])],
        findings=[_finding(row) for row in kinds.get("finding", [])],
        levers=[_lever(row) for row in kinds.get("lever", [])],
        challenges=[_challenge(row) for row in kinds.get("challenge", [])],
        notes=[visible(str(row["text"])) for row in kinds.get("note", [])],
        held=held,
    )


def suggestions(report: Json | None, held: Corrected) -> list[Json]:
    """What may be challenged, most to talk about first; [] where the report has none."""
    rows = corrections.rows_with(report or {}, held)
    return [row for row in rows if row.get("kind") == "challenge"]


def _points_at(count: int, usd: float) -> str:
    if not count:
        return NO_ROWS
    return f"It points at {count:,} cost row{'' if count == 1 else 's'} of {usd:,.0f} USD."


def _claim(row: Json) -> str:
    cents = row.get("claimed_cents")
    if cents is None:
        return "no figure"
    of = str(row.get("claimed_of") or "")
    base = "" if of in ("", "money") else f", reckoned from {of}"
    return f"{cents / 100:,.0f} USD a year{base}"


def _opportunity(row: Json, held: Corrected) -> Opportunity:
    mine = [one for (statement, _), one in held.newest.items() if statement == row["id"]]
    findings = list(dict.fromkeys(str(one) for one in row["findings"]))
    return Opportunity(
        id=visible(row["id"]),
        what=visible(row["what"]),
        subject=row["subject"],
        title=row["title"],
        why=visible(row["why"]),
        real=row["real"],
        claimed=row["claimed_usd"],
        claimed_of="" if row["claimed_of"] == "money" else visible(row["claimed_of"]),
        supported=row["supported_usd"],
        how=row["how"],
        says=_points_at(row["selected_rows"], row["selected_usd"]),
        rows=[_cost_row(one) for one in row["rows"]],
        shows=list(row["shows"]),
        findings=[FINDINGS.get(one, one) for one in findings],
        priority=row["priority"],
        **_verdict(row, findings),
        correction=next(
            (one for one in mine if one.verdict == MatchCorrection.Verdict.STATES), None
        ),
        taken_back=[one for one in mine if one.verdict == MatchCorrection.Verdict.NONE],
    )


def _verdict(row: Json, findings: list[str]) -> dict[str, str]:
    """In two or three words what became of it, and in which tone."""
    if findings:
        return {"verdict": "with a finding", "tone": "warn"}
    if row["real"]:
        return {"verdict": "supported by the data", "tone": "good"}
    if row["subject"]:
        return {"verdict": "does not pay here", "tone": "warn"}
    return {"verdict": "not known", "tone": "info"}


def _challenge(row: Json) -> Json:
    """With its row's name and words as they can be read."""
    return {**row} | {key: visible(str(row[key])) for key in ("opportunity", "what")}


def _finding(row: Json) -> Finding:
    return Finding(
        key=row["finding"],
        title=row["title"],
        text=visible(row["text"]),
        opportunities=[visible(one) for one in row["opportunities"]],
        rows=[_cost_row(one) for one in row["rows"]],
        where=list(row["where"]),
    )


def _lever(row: Json) -> Lever:
    state, tone = STATES.get(row["state"], (str(row["state"]), ""))
    return Lever(
        title=row["title"],
        category=row["category"],
        state=state,
        tone=tone,
        opportunities=[visible(one) for one in row["opportunities"]],
        saving=row["saving_usd"],
        left=row["left_when_all_else_is_done_usd"],
        how=row["how"],
        rows=[_cost_row(one) for one in row["rows"]],
        shows=list(row["shows"]),
    )


def _cost_row(row: Json) -> CostRow:
    names = [str(name) for name in row["resources"]][:RESOURCES_SHOWN]
    more = row["more_resources"] + max(0, len(row["resources"]) - RESOURCES_SHOWN)
    return CostRow(
        service=row["service"],
        account=row["account"],
        meter=row["meter"],
        rows=row["rows"],
        first=str(row["from"]),
        last=str(row["to"]),
        usd=row["usd"],
        resources=", ".join(names) + (f" and {more} more" if more else ""),
    )


class CostStaff(StaffWithKey, Reader):
    """Answers to cost exercises: a table of opportunities, row by row."""

    grader = GRADER
    verdicts = {"states": "means it", "none": "means something else"}
    said = {
        "states": "“{quote}” means: {name}.",
        "none": "“{quote}” does not mean: {name}.",
        "withdrawn": "“{quote}” and {name}: as the machine read it.",
    }
    nothing = "It fits none of the savings and none of the traps that it knows."
    evidence = "reviews/_cost_evidence.html"
    hidden = (
        "So is what each row was taken to mean and whether its saving holds: counting those is the "
        "measure. The key is open to you, and you see at which cost rows each row points."
    )
    key_page = "reviews/key_cost.html"
    file = KeptFile(
        OPPORTUNITIES,
        opportunity_text.TITLE,
        lambda text, ordinary_time: opportunity_text.readable(text),
        opportunity_text.tables,
    )
    act, runs = "", ("", "")
    can_challenge = True

    def round(
        self, attempt: Attempt, run: GradingRun | None, held: Corrected, *, sees: bool
    ) -> dict[str, Any]:
        """Where rows point, or all of it."""
        if run is None:
            return {"shown": None, "before": None}
        return {"shown": shown(run, held)} if sees else {"before": pointed(run.report)}

    def sheet(self, attempt: Attempt) -> cost_key.Sheet:
        """The bill's savings and traps."""
        return cost_key.sheet(attempt)

    def recommendations(self, text: str) -> dict[str, str]:
        """Of a table that is longer than one may be, the first rows."""
        rows = (opportunity_text.rows_of(writable(text)) or [])[:MOST_ROWS]
        ids = [opportunity_text.id_of(row, at) for at, row in enumerate(rows, start=1)]
        short = json.dumps({opportunity_text.KEY: rows})  # it is read anew for each of them
        return {given: visible(opportunity_text.place_of(short, given)) for given in ids}

    def suggestions(self, report: Json | None, held: Corrected) -> list[Json]:
        """At most five."""
        return suggestions(report, held)

    def knows(self, subject: str) -> bool:
        """Levers and traps."""
        return subject in levers() or subject in traps()

    def name(self, subject: str) -> str:
        return subject_of(subject).title

    def choices(self, reading: Json) -> Choices:
        figures = (reading.get("truth") or {}).get("levers") or {}
        real = [key for key in levers() if figures.get(key, {}).get("real")]
        rest = [key for key in levers() if key not in real]
        groups = [
            ("Savings of this bill", real),
            ("What only looks like a saving", list(traps())),
            ("Measures that do not pay in this bill", rest),
        ]
        return [(name, [(key, self.name(key)) for key in keys]) for name, keys in groups if keys]

    def place(self, row: Json) -> str:
        return f"row {row['id']} of the table"


KIND = CostStaff()
