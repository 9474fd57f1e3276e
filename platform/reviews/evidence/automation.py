"""Machine evidence as staff read it: workloads, charts and measures of a grading, and what changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from assessments.models import Attempt, GradingRun
from reviews.evidence.answer_text import Line, numbered
from reviews.evidence.corrections import Corrected
from reviews.evidence.kinds import Staff

TONES = {"ok": "good", "sandbox_error": "bad"}
DAY_STATES = {
    "ok": "ran to the end",
    "incomplete": "left before the end",
    "candidate_error": "stopped with an error",
    "timeout": "ran out of time",
    "cpu_limit": "used too much processor time",
    "oom": "used too much memory",
    "output_limit": "wrote too much",
    "protocol_error": "broke the channel's rules",
    "crashed": "was killed",
    "cancelled": "was cancelled by us",
    "sandbox_error": "could not be run by us",
}


class Workload(NamedTuple):
    """One hidden day. `position` finds its charts; `has_chart` is False where nothing was drawn."""

    position: int
    name: str
    title: str
    status: str
    tone: str
    detail: str
    stderr: str
    has_chart: bool

    @property
    def rows(self) -> list[Line]:
        """What it wrote to its error output, row by row."""
        return numbered(self.stderr)


class Measure(NamedTuple):
    """One measure between its anchors. `percent` is the score, clipped to 0..100 for the bar.

    `override` is what a person set beside it (a MeasureOverride), where somebody did; `corrected` the
    measure with people's corrections of matches in force, where there are any; `alone` the score of an
    assistant alone, where it was measured.
    """

    key: str
    label: str
    unit: str
    value: Any
    naive: Any
    reference: Any
    score: float | None
    percent: int
    better: str
    explanation: str
    override: Any = None
    corrected: Measure | None = None
    alone: float | None = None


class Change(NamedTuple):
    """A measure or criterion in round 1 and round 2, and the difference where both exist."""

    label: str
    unit: str
    first: Any
    second: Any
    difference: float | None


def workloads(report: dict[str, Any] | None) -> list[Workload]:
    """The report's workloads without a single score: this may be read before rating."""
    items = (report or {}).get("evidence") or []
    return [
        Workload(
            position=position,
            name=str(item.get("name", f"workload {position + 1}")),
            title=str(item.get("title") or item.get("family") or ""),
            status=DAY_STATES.get(str(item.get("status")), str(item.get("status", ""))),
            tone=TONES.get(str(item.get("status")), "warn"),
            detail=str(item.get("detail", "")),
            stderr=str(item.get("stderr", "")),
            has_chart=bool((item.get("replay") or {}).get("t")),
        )
        for position, item in enumerate(items)
        if item.get("kind") == "workload"
    ]


def workload_scores(report: dict[str, Any] | None) -> list[float]:
    """The mean of the measures on each hidden workload, each measure clipped to 0..1."""
    found = []
    for item in (report or {}).get("evidence") or []:
        rows = item.get("measures") if item.get("kind") == "workload" else None
        scores = [row["score"] for row in rows or [] if row.get("score") is not None]
        if scores:
            found.append(sum(min(1.0, max(0.0, score)) for score in scores) / len(scores))
    return found


def timeline(report: dict[str, Any] | None, position: int) -> dict[str, Any] | None:
    """What is drawn of one workload: {"t": [s], "series": [...], "marks": [...], "gantt": {...}}."""
    items = (report or {}).get("evidence") or []
    if not 0 <= position < len(items):
        return None
    replay: dict[str, Any] | None = items[position].get("replay")
    return replay


def code(report: dict[str, Any] | None) -> dict[str, Any] | None:
    """Size, complexity and lints of the answer's code (`graders.quality`), if it was looked at."""
    return _first(report, "code")


def own_tests(report: dict[str, Any] | None) -> dict[str, Any] | None:
    """What the candidate's own tests said (`graders.own_tests`), if the answer was run."""
    return _first(report, "tests")


def _first(report: dict[str, Any] | None, kind: str) -> dict[str, Any] | None:
    items = (report or {}).get("evidence") or []
    return next((item for item in items if item.get("kind") == kind), None)


def measures(report: dict[str, Any] | None) -> list[Measure]:
    return [measure(row) for row in (report or {}).get("measures") or []]


def measure(row: Mapping[str, Any]) -> Measure:
    """A row of a report's measures."""
    return Measure(
        key=str(row["key"]),
        label=str(row.get("label") or row["key"]),
        unit=str(row.get("unit", "")),
        value=row.get("value"),
        naive=row.get("naive"),
        reference=row.get("reference"),
        score=row.get("score"),
        percent=round(100 * min(1.0, max(0.0, row.get("score") or 0.0))),
        better=str(row.get("better", "")),
        explanation=str(row.get("explanation", "")),
    )


DRAWN_ANEW = "The revision met hidden workloads of its own, of the same families."


def drawn_anew(first: dict[str, Any] | None, second: dict[str, Any] | None) -> str:
    """A sentence for beside both rounds' measures; empty where they are of the same workloads."""
    names = [{row.name for row in workloads(report)} for report in (first, second)]
    return DRAWN_ANEW if all(names) and names[0].isdisjoint(names[1]) else ""


def measure_changes(first: dict[str, Any] | None, second: dict[str, Any] | None) -> list[Change]:
    """Every measure's score in both rounds, in the order of the report that has more of them."""
    before = {row.key: row for row in measures(first)}
    after = {row.key: row for row in measures(second)}
    return [
        _change(
            row.label,
            "score",
            before[key].score if key in before else None,
            after[key].score if key in after else None,
        )
        for key, row in (before | after).items()
    ]


def criterion_changes(
    criteria: list[dict[str, Any]], first: dict[str, int | None], second: dict[str, int | None]
) -> list[Change]:
    """Every criterion's level in both rounds, as one evaluator gave them."""
    return [
        _change(item["title"], "level", first.get(item["key"]), second.get(item["key"]))
        for item in criteria
    ]


def _change(label: str, unit: str, first: Any, second: Any) -> Change:
    difference = None if first is None or second is None else round(second - first, 2)
    return Change(label, unit, first, second, difference)


class ProgramStaff(Staff):
    """Answers that are programs: what happened on each hidden workload, and what was said of the code."""

    evidence = "reviews/_program_evidence.html"
    hidden = "What happened on each hidden workload is shown."

    def round(
        self, attempt: Attempt, run: GradingRun | None, held: Corrected, *, sees: bool
    ) -> dict[str, Any]:
        """The hidden workloads, the code, the candidate's own tests; no score."""
        report = run.report if run else None
        return {
            "workloads": workloads(report),
            "code": code(report),
            "own_tests": own_tests(report),
        }


class AutomationStaff(ProgramStaff):
    """Answers to automation exercises: the revision is about one file or section."""

    needs_focus = True


KIND = AutomationStaff()
