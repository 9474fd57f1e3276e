"""Evidence of a graded scaling plan as staff read it, before and after their own scorecard.

Before, only when each order arrives, which the candidate was told as well. How the plan fares in the
hidden years, what it claims too much and what it leaves is what the measures count, and comes after.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assessments.models import Attempt, GradingRun
from assessments.scaling.workplace import PLAN
from graders.scaling.findings import findings
from graders.scaling.grading import KIND as GRADER
from graders.scaling.grading import YEAR
from graders.scaling.measuring import measures
from reviews.evidence import corrections, scaling_key, scaling_text, scaling_years
from reviews.evidence.answer_text import visible
from reviews.evidence.corrections import Corrected
from reviews.evidence.kinds import KeptFile, StaffWithKey
from reviews.evidence.readings import Choices, Reader
from reviews.evidence.scaling_years import Year
from reviews.evidence.structured import number, said, short
from reviews.models import MatchCorrection

Json = Mapping[str, Any]
CLAIM_STATES = {
    "too_good": ("better than what was played", "warn"),
    "within": ("as played", "good"),
    "careful": ("worse than what was played", "info"),
}
BOTTLENECK_STATES = {"answered": ("answered", "good"), "left": ("left as it is", "bad")}


@dataclass(frozen=True)
class Finding:
    """What is wrong with some rows of the plan; `figures` are (name, value with its unit)."""

    id: str
    key: str
    title: str
    about: str
    text: str
    rows: list[str]
    month: str
    where: list[str]
    figures: list[tuple[str, str]]
    aside: bool
    correction: MatchCorrection | None


@dataclass(frozen=True)
class Claim:
    """A figure of the plan beside what was played in the hidden years."""

    title: str
    of: str
    claimed: str
    played: str
    state: str
    tone: str


@dataclass(frozen=True)
class Bottleneck:
    """Something that holds work up in this cluster, and what the plan does about it."""

    title: str
    state: str
    tone: str
    rows: str
    cures: str
    shows: list[str]
    figures: list[tuple[str, str]]


@dataclass(frozen=True)
class Hidden:
    """One hidden year: its number, and where it is opened month by month."""

    draw: int
    position: int


@dataclass(frozen=True)
class Compared:
    """A measure in each hidden year, its mean, and that of the two plans beside it."""

    label: str
    unit: str
    years: list[str]
    mean: str
    naive: str
    reference: str


@dataclass(frozen=True)
class Shown:
    """Everything on the page for somebody whose own scorecard is in."""

    total: Json
    compared: list[Compared]
    years: list[Hidden]
    findings: list[Finding]
    bottlenecks: list[Bottleneck]
    claims: list[Claim]
    orders: list[Json]
    checks: list[Json]
    notes: list[str]
    held: Corrected


def arrivals(report: Json | None) -> list[Json]:
    """What may be read before the own scorecard is in: each order and when it arrives."""
    reading = GRADER.reading_in(report) or {}
    return [_order(row, late=False) for row in reading.get("orders", [])]


def shown(run: GradingRun, held: Corrected) -> Shown:
    """The evidence with findings set aside where people did so, for who may see the round's measures."""
    kinds: dict[str, list[Json]] = {}
    for row in corrections.rows_with(run.report or {}, held):
        kinds.setdefault(str(row.get("kind")), []).append(row)
    return Shown(
        total=next(iter(kinds.get("total", [])), {}),
        compared=_compared(kinds.get(YEAR, [])),
        years=[
            Hidden(int(row.get("draw", at)), at) for at, row in enumerate(kinds.get(YEAR, []), 1)
        ],
        findings=[_finding(row, held) for row in kinds.get("finding", [])],
        bottlenecks=[_bottleneck(row) for row in kinds.get("bottleneck", [])],
        claims=[_claim(row) for row in kinds.get("claim", [])],
        orders=[_order(row, late=bool(row.get("late"))) for row in kinds.get("order", [])],
        checks=[_check(row) for row in kinds.get("check", [])],
        notes=[visible(str(row["text"])) for row in kinds.get("note", [])],
        held=held,
    )


@dataclass(frozen=True)
class Opened:
    """One hidden year of a grading; `compared` are (measure, unit, this plan, buying evenly, the reference)."""

    draw: int
    count: int
    compared: list[tuple[str, str, str, str, str]]
    year: Year


def opened(report: Json | None, position: int) -> Opened | None:
    """The hidden year at a position from 1; None where there is none."""
    rows = [row for row in (report or {}).get("evidence") or [] if row.get("kind") == YEAR]
    if not 1 <= position <= len(rows):
        return None
    row = rows[position - 1]
    plans = (row["measures"], row["naive"], row["reference"])
    compared = [
        (one.label, one.unit, *(_short(plan.get(key)) for plan in plans))
        for key, one in measures().items()
        if key in row["measures"]
    ]
    draw = int(row.get("draw", position))
    return Opened(draw, len(rows), compared, scaling_years.year(row))  # type: ignore[arg-type]


def what_if(report: Json | None) -> Opened | None:
    """A what-if that the candidate played, beside buying evenly; None where nothing was played."""
    timeline = (report or {}).get("timeline") or {}
    if not timeline.get("months"):
        return None
    naive = (timeline.get("naive") or {}).get("measures") or {}
    compared = [
        (one.label, one.unit, _short(timeline["measures"].get(key)), _short(naive.get(key)), "")
        for key, one in measures().items()
        if key in timeline["measures"]
    ]
    return Opened(0, 1, compared, scaling_years.year(timeline))


def _short(value: Any) -> str:
    return "–" if value is None else short(float(value))


def _order(row: Json, *, late: bool) -> Json:
    return {
        "id": visible(str(row["id"])),
        "what": visible(f"{number(row['count'])} × {row['item']}"),
        "site": visible(str(row["site"])),
        "month": row["month"],
        "arrives": row["arrives"] or "after the year",
        "late": late,
    }


def _compared(years: list[Json]) -> list[Compared]:
    """One row for each measure that every year has."""
    found = []
    for key, one in measures().items():
        values = [row["measures"].get(key) for row in years]
        if not values or None in values:
            continue
        low, best = ([row[name].get(key) for row in years] for name in ("naive", "reference"))
        found.append(
            Compared(
                label=one.label,
                unit=one.unit,
                years=[short(value) for value in values],
                mean=_mean(values),
                naive=_mean(low),
                reference=_mean(best),
            )
        )
    return found


def _mean(values: list[Any]) -> str:
    known = [float(value) for value in values if value is not None]
    return short(sum(known) / len(known)) if known else "–"


def _figures(rows: Any) -> list[tuple[str, str]]:
    """[[name, value, unit]] as (name, "12.5 h")."""
    return [(str(name), f"{short(float(value))} {unit}".strip()) for name, value, unit in rows]


def _finding(row: Json, held: Corrected) -> Finding:
    return Finding(
        id=visible(row["id"]),
        key=row["finding"],
        title=row["title"],
        about=row["about"],
        text=visible(row["text"]),
        rows=[visible(_named(one)) for one in row["rows"]],
        month=row["month"],
        where=list(row["where"]),
        figures=_figures(row["figures"]),
        aside=bool(row["aside"]),
        correction=held.newest.get((row["id"], row["finding"])),
    )


def _named(row: Json) -> str:
    """A row of the plan by its id and what it says."""
    return f"{row['id']}: {row['text']}" if row["text"] else str(row["id"])


def _check(row: Json) -> Json:
    """Its text names places and items as the plan wrote them."""
    return {**row} | {key: visible(str(row.get(key) or "")) for key in ("text", "month", "subject")}


def _claim(row: Json) -> Claim:
    state, tone = CLAIM_STATES.get(row["state"], (str(row["state"]).replace("_", " "), ""))
    low, high, unit = short(row["low"]), short(row["high"]), row["unit"]
    return Claim(
        title=row["title"],
        of="stated figure" if row["part"] == "claims" else _money_row(row),
        claimed=f"{short(row['claimed'])} {unit}".strip(),
        played=f"{low} to {high} {unit}".strip() if low != high else f"{low} {unit}".strip(),
        state=state,
        tone=tone,
    )


def _money_row(row: Json) -> str:
    return f"money table, row {visible(said(row['id']))}"


def _bottleneck(row: Json) -> Bottleneck:
    state, tone = BOTTLENECK_STATES.get(row["state"], (str(row["state"]), ""))
    return Bottleneck(
        title=row["title"],
        state=state,
        tone=tone,
        rows=visible(", ".join(row["rows"])),
        cures=", or ".join(row["cured_by"]),
        shows=list(row["shows"]),
        figures=_figures(row["figures"]),
    )


class ScalingStaff(StaffWithKey, Reader):
    """Answers to scaling exercises: a plan, and how it fared in the years it was played through."""

    grader = GRADER
    verdicts = {"states": "holds", "none": "does not hold"}
    said = {
        "states": "“{name}” holds: {quote}",
        "none": "“{name}” is set aside: {quote}",
        "withdrawn": "“{name}” holds again, as the machine found it.",
    }
    evidence = "reviews/_scaling_evidence.html"
    hidden = (
        "So is how the plan fares in the months it was played through: that is the measure. The key is "
        "open to you."
    )
    key_page = "reviews/key_scaling.html"
    file = KeptFile(
        PLAN,
        scaling_text.TITLE,
        lambda text, ordinary_time: scaling_text.readable(text),
        scaling_text.tables,
    )
    act, runs, prints = "what-if", ("What-ifs", "The candidate played no what-if."), False

    def round(
        self, attempt: Attempt, run: GradingRun | None, held: Corrected, *, sees: bool
    ) -> dict[str, Any]:
        """When orders arrive, which the candidate was told as well, or all of it."""
        if run is None:
            return {"shown": None, "before": None}
        return {"shown": shown(run, held) if sees else None, "before": arrivals(run.report)}

    def sheet(self, attempt: Attempt) -> scaling_key.Sheet:
        """What holds work up, and the reference plan."""
        return scaling_key.sheet(attempt)

    def run(self, report: Json) -> dict[str, Any]:
        """The year of a what-if."""
        return {"what_if": what_if(report)}

    def knows(self, subject: str) -> bool:
        return subject in findings()

    def name(self, subject: str) -> str:
        return str(findings()[subject]["title"])

    def choices(self, reading: Json) -> Choices:
        kinds = list(dict.fromkeys(row["finding"] for row in reading["findings"]))
        return [("Findings", [(key, self.name(key)) for key in kinds])]

    def place(self, row: Json) -> str:
        return "finding"

    def statements(self, reading: Json) -> list[dict[str, Any]]:
        return [{**row, "matches": []} for row in reading["findings"]]


KIND = ScalingStaff()
