"""What a grader kept of how it read a written answer, by kind: assessing it anew, naming its subjects."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from graders.cost import assess as bill_assess
from graders.cost import grading as bill
from graders.cost.matching import subject as bill_subject
from graders.measures import Measured
from graders.scaling import assess as plan_assess
from graders.scaling import grading as plan
from graders.scaling.found import findings as plan_findings
from graders.troubleshooting import assess as incident_assess
from graders.troubleshooting import grading as incident
from graders.troubleshooting.catalogue import CAUSE
from graders.troubleshooting.catalogue import subjects as incident_subjects
from scenarios.cost.catalogue import levers, traps

Report = Mapping[str, Any]
Corrections = Sequence[Mapping[str, str]]
Choices = list[tuple[str, list[tuple[str, str]]]]
BAD_CORRECTIONS = (
    bill_assess.BadCorrection,
    incident_assess.BadCorrection,
    plan_assess.BadCorrection,
)


class Assessed(Protocol):
    """What a grader makes of a reading."""

    @property
    def measures(self) -> list[Measured]:
        """In the table's order."""
        ...

    @property
    def evidence(self) -> list[dict[str, Any]]:
        """Rows for people."""
        ...


@dataclass(frozen=True)
class Reader:
    """How readings of one kind are dealt with.

    `verdicts` are what a person can say of a statement and a subject, in words; `said` the sentences
    that confirm it, with {quote} and {name}; `choices` the subjects in groups, those of the variant first.
    """

    kind: str
    reassess: Callable[[Report, Corrections], Assessed]
    name: Callable[[str], str]
    verdicts: Mapping[str, str]
    said: Mapping[str, str]
    choices: Callable[[Report], Choices]
    place: Callable[[Report], str]
    nothing: str
    statements: Callable[[Report], list[dict[str, Any]]] = lambda reading: list(
        reading["statements"]
    )


def _incident_name(key: str) -> str:
    return incident_subjects()[key].name


def _incident_choices(reading: Report) -> Choices:
    truth = reading.get("truth") or {"causes": [], "herrings": []}
    own = {row["key"] for kind in ("causes", "herrings") for row in truth[kind]}
    rows = list(incident_subjects().values())
    groups = [
        ("Causes of this variant", [one for one in rows if one.key in own and one.kind == CAUSE]),
        (
            "Red herrings of this variant",
            [one for one in rows if one.key in own and one.kind != CAUSE],
        ),
        ("Other causes", [one for one in rows if one.key not in own and one.kind == CAUSE]),
        ("Other red herrings", [one for one in rows if one.key not in own and one.kind != CAUSE]),
    ]
    return [(name, [(one.key, one.name) for one in found]) for name, found in groups if found]


def _bill_choices(reading: Report) -> Choices:
    figures = (reading.get("truth") or {}).get("levers") or {}
    real = [key for key in levers() if figures.get(key, {}).get("real")]
    rest = [key for key in levers() if key not in real]
    groups = [
        ("Savings of this bill", real),
        ("What only looks like a saving", list(traps())),
        ("Measures that do not pay in this bill", rest),
    ]
    return [
        (name, [(key, bill_subject(key).title) for key in keys]) for name, keys in groups if keys
    ]


def _plan_choices(reading: Report) -> Choices:
    kinds = list(dict.fromkeys(row["finding"] for row in reading["findings"]))
    return [("Findings", [(key, plan_findings()[key]["title"]) for key in kinds])]


INCIDENT = Reader(
    kind=incident.READING,
    reassess=incident.reassess,
    name=_incident_name,
    verdicts={
        "states": "names it as a cause",
        "dismisses": "says that it is harmless",
        "none": "does not speak of it",
    },
    said={
        "states": "“{quote}” names {name} as a cause.",
        "dismisses": "“{quote}” says that {name} is harmless.",
        "none": "“{quote}” does not speak of {name}.",
        "withdrawn": "“{quote}” and {name}: as the machine read it.",
    },
    choices=_incident_choices,
    place=lambda row: str(row["where"]),
    nothing="It fits no cause and no red herring that it knows.",
)
BILL = Reader(
    kind=bill.READING,
    reassess=bill.reassess,
    name=lambda key: bill_subject(key).title,
    verdicts={"states": "means it", "none": "means something else"},
    said={
        "states": "“{quote}” means: {name}.",
        "none": "“{quote}” does not mean: {name}.",
        "withdrawn": "“{quote}” and {name}: as the machine read it.",
    },
    choices=_bill_choices,
    place=lambda row: f"row {row['id']} of the table",
    nothing="It fits none of the savings and none of the traps that it knows.",
)
PLAN = Reader(
    kind=plan.READING,
    reassess=plan.reassess,
    name=lambda key: plan_findings()[key]["title"],
    verdicts={"states": "holds", "none": "does not hold"},
    said={
        "states": "“{name}” holds: {quote}",
        "none": "“{name}” is set aside: {quote}",
        "withdrawn": "“{name}” holds again, as the machine found it.",
    },
    choices=_plan_choices,
    place=lambda row: "finding",
    nothing="",
    statements=lambda reading: [{**row, "matches": []} for row in reading["findings"]],
)
READERS = (INCIDENT, BILL, PLAN)


def reader_of(report: Report | None) -> Reader | None:
    """The reader of a kept report; None where it holds no reading that people can correct."""
    kinds = {row.get("kind") for row in (report or {}).get("evidence") or []}
    return next((one for one in READERS if one.kind in kinds), None)


def verdict_in_words(subject: str, verdict: str) -> str:
    """What a correction holds, for a log; "as the machine read it" where it was taken back."""
    known = INCIDENT
    if subject in levers() or subject in traps():
        known = BILL
    elif subject in plan_findings():
        known = PLAN
    return known.verdicts.get(verdict, "as the machine read it")


def statements_of(report: Report | None) -> list[dict[str, Any]]:
    """What people can correct, each with at least `id`, `text` and `matches`."""
    reader, reading = reader_of(report), reading_of(report)
    return reader.statements(reading) if reader and reading else []


def reading_of(report: Report | None) -> dict[str, Any] | None:
    """What the grader read in the answer; it holds the truth as well, so it is never shown as it is."""
    reader = reader_of(report)
    rows = (report or {}).get("evidence") or []
    return next((row for row in rows if reader and row.get("kind") == reader.kind), None)
