"""From what was measured of a cluster and read in the texts beside it to all measures; decides nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from graders.kinds import Asked
from graders.live_slurm.prose import (
    MENTIONS,
    PREVENTION,
    PREVENTS,
    Json,
    catalogue,
    parse,
    read,
)
from graders.measures import Measured
from graders.troubleshooting.stance import DISMISSES, STATES
from graders.written import Assessed, Corrections, Told, WrittenGrader, by_statement
from scenarios.live_slurm.scene import draw
from scenarios.packs import Measure

NONE = "none"
VERDICTS = (STATES, DISMISSES, NONE)
"""What people say of a statement; to state a cause among what prevents is to prevent it."""
CAUSES, PREVENTED = "causes", "prevention"
STATE = ("start", "stay", "unharmed", "works")
"""Measures of the cluster; those of the texts are the other two."""
UNPLACED = 0.5
"""What a cause is worth that is named without a place."""
FREE = 1
"""So many claims that do not hold cost nothing: everybody is taken in once."""


def with_texts(
    sections: Mapping[str, str], asked: Asked, state: Sequence[Measured]
) -> tuple[list[Measured], list[Json]]:
    """All measures and the evidence of the texts, with the reading by which people correct them."""
    reading = read(sections, draw(asked.level, asked.seed))
    reading["state"] = [
        {"measure": asdict(one.measure), "value": one.value, "told": _told(one)} for one in state
    ]
    reading["measures"] = [
        asdict(one) for one in asked.pack.measures(asked.level) if one.key not in STATE
    ]
    found = assess(reading)
    return list(found.measures), [*found.evidence, {"kind": KIND_OF_ROW, **reading}]


def _told(one: Measured) -> str:
    return one.told if isinstance(one, Told) else ""


def assess(reading: Json, corrections: Corrections = ()) -> Assessed:
    """Measures and evidence of a reading, which is left as it is. Raises BadCorrection."""
    corrected = _corrected(reading, corrections)
    causes, prevented = _causes(corrected), _prevented(corrected)
    values = {CAUSES: causes, PREVENTED: prevented}
    found = [
        Told(Measure(**row["measure"]), row["value"], 0.0, 100.0, row["told"])
        for row in reading["state"]
    ]
    found += [
        Told(Measure(**row), 100.0 * values[row["key"]][0], 0.0, 100.0, values[row["key"]][1])
        for row in reading["measures"]
    ]
    return Assessed(list(found), _rows(corrected))


def _corrected(reading: Json, corrections: Corrections) -> Json:
    """The reading with what interviewers say that statements mean; the last word on both counts."""
    known = {row["id"] for row in reading["statements"]}
    wanted = by_statement(
        corrections, known, catalogue(), VERDICTS, ("statement", "fault or oddity")
    )
    rows = []
    for row in reading["statements"]:
        mine = wanted.get(row["id"], {})
        kept = [match for match in row["matches"] if match["subject"] not in mine]
        said = [
            _by_hand(
                key, PREVENTS if (row["section"], verdict) == (PREVENTION, STATES) else verdict
            )
            for key, verdict in mine.items()
            if verdict != NONE
        ]
        rows.append({**row, "matches": [*kept, *said]})
    return {**reading, "statements": rows}


def _by_hand(key: str, verdict: str) -> Json:
    return {
        "subject": key,
        "title": catalogue()[key].title,
        "verdict": verdict,
        "why": "an interviewer's word",
        "words": [],
        "places": ["an interviewer's word"],
    }


def _said(reading: Json, key: str, verdict: str) -> list[tuple[Json, Json]]:
    """(statement, match) for each statement that says so of the subject."""
    return [
        (row, match)
        for row in reading["statements"]
        for match in row["matches"]
        if match["subject"] == key and match["verdict"] == verdict
    ]


def _worth(reading: Json, key: str) -> float:
    said = _said(reading, key, STATES)
    if not said:
        return 0.0
    return 1.0 if any(match["places"] for _, match in said) else UNPLACED


def _causes(reading: Json) -> tuple[float, str]:
    """Causes that are named with their place, less for claims that do not hold."""
    faults = [row["key"] for row in reading["faults"]]
    worth = sum(_worth(reading, key) for key in faults)
    astray = _astray(reading)
    share = worth / (len(faults) + max(0, len(astray) - FREE))
    named = sum(_worth(reading, key) > 0 for key in faults)
    said = f"{named} of {len(faults)} causes are named"
    more = f", beside {len(astray)} claims that do not hold" if astray else ""
    return share, f"{said}{more}."


def _astray(reading: Json) -> list[str]:
    """Oddities that are taken for causes, and faults that this cluster does not have.

    A statement that also speaks of a fault which it does have, or stands beside one that does, claims that.
    """
    faults = {row["key"] for row in reading["faults"]}
    right = {
        (row["section"], row["block"])
        for row in reading["statements"]
        if faults & {match["subject"] for match in row["matches"]}
    }
    return list(
        dict.fromkeys(
            match["subject"]
            for row in reading["statements"]
            if (row["section"], row["block"]) not in right
            for match in row["matches"]
            if match["verdict"] == STATES and match["places"] + match["words"]
        )
    )


def _prevented(reading: Json) -> tuple[float, str]:
    """Causes that are named for which the text says what would have prevented or shown them."""
    faults = [row["key"] for row in reading["faults"]]
    good = [key for key in faults if _worth(reading, key) and _said(reading, key, PREVENTS)]
    said = f"For {len(good)} of {len(faults)} causes it is said what would have prevented them."
    return len(good) / len(faults), said


def _rows(reading: Json) -> list[Json]:
    """A row for each fault and oddity of the cluster, and one for what does not hold."""
    rows: list[Json] = []
    for one in reading["faults"]:
        worth = _worth(reading, one["key"])
        state = "named" if worth == 1.0 else "named, not where" if worth else "not mentioned"
        rows.append(_row(reading, "cause", one, state, (STATES, DISMISSES, PREVENTS, MENTIONS)))
    for one in reading["oddities"]:
        aside, taken = (bool(_said(reading, one["key"], v)) for v in (DISMISSES, STATES))
        state = "taken for a cause" if taken else "put aside" if aside else "not mentioned"
        rows.append(_row(reading, "oddity", one, state, (STATES, DISMISSES)))
    own = {row["key"] for row in (*reading["faults"], *reading["oddities"])}
    for key in _astray(reading):
        if key not in own:
            one = {"key": key, "title": catalogue()[key].title}
            rows.append(_row(reading, "claim", one, "does not hold", (STATES,)))
    return rows


def _row(reading: Json, kind: str, one: Json, state: str, verdicts: Sequence[str]) -> Json:
    said: list[Any] = [
        {
            "statement": row["id"],
            "where": row["where"],
            "text": row["text"],
            **match,
        }
        for verdict in verdicts
        for row, match in _said(reading, one["key"], verdict)
    ]
    return {"kind": kind, **one, "state": state, "statements": said[:40]}


KIND_OF_ROW = "texts"
TEXTS: WrittenGrader[dict[str, str]] = WrittenGrader(
    reading=KIND_OF_ROW,
    parse=parse,
    read=lambda sections, asked: (read(sections, draw(asked.level, asked.seed)), []),
    assess=assess,
    detail=lambda sections, asked: "",
    kept=("fault", "commands", "settings", "jobs", "battery", "waits", "effects", "events"),
)
"""By which a kept report is assessed anew: the cluster's own measures are in the reading."""
