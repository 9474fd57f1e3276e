"""What the machine read in the texts beside a cluster, as staff see and correct it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assessments.models import GradingRun
from graders.live_slurm.prose import catalogue
from graders.live_slurm.told import TEXTS
from reviews.evidence import corrections
from reviews.evidence.answer_text import visible
from reviews.evidence.corrections import Corrected
from reviews.evidence.readings import Choices, Reader
from reviews.evidence.troubleshooting import Match, Quote, Subject, quote

VERDICTS = {
    "states": "claims it",
    "dismisses": "puts it aside",
    "prevents": "says what would have prevented it",
    "mentions": "mentions it",
}
TONES = {
    "named": "good",
    "named, not where": "warn",
    "not mentioned": "bad",
    "put aside": "good",
    "taken for a cause": "bad",
    "does not hold": "warn",
}


class TextsReader(Reader):
    """Readings of the five texts; subjects are the faults of the catalogue and the oddities."""

    grader = TEXTS
    verdicts = {
        "states": "names it as a cause, or says what would have prevented it",
        "dismisses": "says that it is harmless",
        "none": "does not speak of it",
    }
    said = {
        "states": "“{quote}” speaks of {name} as a cause, or of what would have prevented it.",
        "dismisses": "“{quote}” says that {name} is harmless.",
        "none": "“{quote}” does not speak of {name}.",
        "withdrawn": "“{quote}” and {name}: as the machine read it.",
    }
    nothing = "It fits no fault and no oddity that it knows."

    def knows(self, subject: str) -> bool:
        return subject in catalogue()

    def name(self, subject: str) -> str:
        return catalogue()[subject].title

    def choices(self, reading: Mapping[str, Any]) -> Choices:
        own = {row["key"] for kind in ("faults", "oddities") for row in reading.get(kind, ())}
        groups = [
            ("Faults of this cluster", True, True),
            ("What only looks wrong on this cluster", True, False),
            ("Other faults", False, True),
            ("Other oddities", False, False),
        ]
        found = [
            (
                title,
                [
                    (key, one.title)
                    for key, one in catalogue().items()
                    if (key in own, one.is_fault) == (is_own, is_fault)
                ],
            )
            for title, is_own, is_fault in groups
        ]
        return [(title, rows) for title, rows in found if rows]

    def place(self, row: Mapping[str, Any]) -> str:
        return str(row["where"])


def picked_out(run: GradingRun) -> list[Quote]:
    """Before the own scorecard is in: sentences with words that it knows, and not what it took them for."""
    reading = TEXTS.reading_in(run.report) or {"statements": []}
    return [quote(row) for row in reading["statements"] if row["matches"]]


def read_texts(run: GradingRun, held: Corrected) -> dict[str, list[Subject]]:
    """Causes, oddities and claims that do not hold, with corrections in force; {} where nothing was read."""
    rows = corrections.rows_with(run.report or {}, held)
    kinds = {"cause": "causes", "oddity": "oddities", "claim": "claims"}
    found: dict[str, list[Subject]] = {name: [] for name in kinds.values()}
    for row in rows:
        if row.get("kind") in kinds:
            found[kinds[row["kind"]]].append(_subject(row, held))
    return found if TEXTS.reading_in(run.report) else {}


def unmatched(run: GradingRun) -> list[Quote]:
    """Sentences that say what was wrong and that it took for nothing."""
    reading = TEXTS.reading_in(run.report) or {"statements": []}
    return [
        quote(row)
        for row in reading["statements"]
        if row["section"] in ("issues", "prevention") and not row["matches"]
    ]


def _subject(row: Mapping[str, Any], held: Corrected) -> Subject:
    state = str(row["state"])
    return Subject(
        key=row["key"],
        title=row["title"],
        name=row["title"],
        state=state,
        tone=TONES.get(state, ""),
        matches=[_match(one, held) for one in row["statements"]],
        taken_back=[
            one
            for (_, subject), one in held.newest.items()
            if subject == row["key"] and one.verdict == "none"
        ],
    )


def _match(row: Mapping[str, Any], held: Corrected) -> Match:
    return Match(
        statement=row["statement"],
        subject=row["subject"],
        where=row["where"],
        text=visible(row["text"]),
        verdict=row["verdict"],
        says=VERDICTS.get(row["verdict"], str(row["verdict"])),
        why=visible(str(row["why"])),
        words=", ".join(row["words"]),
        places=", ".join(row["places"]),
        others="",
        correction=held.newest.get((row["statement"], row["subject"])),
    )
