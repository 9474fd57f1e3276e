"""Rows of evidence for interviewers: causes and herrings, claims that do not hold, pins, order of work."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from graders.troubleshooting.catalogue import subjects
from graders.troubleshooting.scoring import (
    Said,
    closeness,
    evidence_for,
    helped,
    hours_said,
    minute_of,
)

Json = dict[str, Any]
_MOST_UNMATCHED = 60


def cause_row(cause: Json, said: Said | None, state: str, reading: Json) -> Json:
    """One cause: what became of it, by which statements, and everything that was given for it."""
    key = cause["key"]
    given = hours_said(said, reading)
    return {
        "kind": "cause",
        "key": key,
        "name": subjects()[key].name,
        "title": cause["title"],
        "state": state,
        "statements": _statements(said),
        "hours": {
            "true": cause["hours"],
            "alone": cause["alone"],
            "last": cause["last"],
            "said": given,
            "near": [round(closeness(hours, cause), 3) for hours in given],
        },
        "actions": helped(key, said, reading),
        "pins": evidence_for(key, said, reading),
        "minute": minute_of(said, reading),
    }


def herring_row(herring: Json, said: Said | None, state: str) -> Json:
    """One herring: ignored, put aside or swallowed, and by which statements."""
    return {
        "kind": "herring",
        "key": herring["key"],
        "name": subjects()[herring["key"]].name,
        "title": herring["title"],
        "why": herring["why"],
        "state": state,
        "statements": _statements(said),
    }


def _statements(said: Said | None) -> list[Json]:
    if said is None:
        return []
    rows = [*said.states, *said.dismisses, *said.mentions]
    return [_match(row, match) for row, match in rows]


def _match(row: Json, match: Json) -> Json:
    """Which statement, which words, which place: enough to see the match and to correct it."""
    return {
        "statement": row["id"],
        "where": row["where"],
        "text": row["text"],
        "place": row.get("place", ""),
        "subject": match["subject"],
        "verdict": match["verdict"],
        "why": match["why"],
        "words": match["words"],
        "places": [*match["places"], *match["beside"]],
        "wrong_places": match["wrong"],
        "elsewhere": match.get("elsewhere", []),
        "guess": bool(match.get("guess")),
        "sure": match.get("sure", 1.0),
        "corrected": bool(match.get("corrected")),
    }


def reading_row(reading: Json, unmeasured: Sequence[str]) -> Json:
    """How much of the answer was read, what each sentence was taken for, and what was not measured."""
    known = reading.get("read", {})
    return {
        "kind": "how_read",
        "sentences": known.get("sentences", len(reading["statements"])),
        "unread": known.get("unread", 0),
        "copied": known.get("copied", 0),
        "languages": known.get("languages", []),
        "not_measured": list(unmeasured),
        "rows": [
            {
                "statement": row["id"],
                "where": row["where"],
                "text": row["text"],
                "taken": row.get("taken", ""),
                "sure": max((m.get("sure", 1.0) for m in row["matches"]), default=None),
                "subjects": [m["name"] for m in row["matches"]],
            }
            for row in reading["statements"]
        ],
    }


def claim_rows(claimed: Sequence[str], said: Mapping[str, Said], reading: Json) -> list[Json]:
    """Claims that do not hold: causes that this variant does not have, and herrings taken for causes."""
    true = {row["key"] for row in reading["truth"]["causes"]}
    harmless = {row["key"] for row in reading["truth"]["herrings"]}
    return [
        {
            "kind": "claim",
            "key": key,
            "name": subjects()[key].name,
            "finding": "A herring of this variant." if key in harmless else "Not in this variant.",
            "statements": _statements(said[key]),
        }
        for key in claimed
        if key not in true
    ]


def other_rows(said: Mapping[str, Said], reading: Json) -> list[Json]:
    """Pins that do not show what they are given for, statements that fit nothing, order of work, notes."""
    rows = [*_pins(said, reading), *_unmatched(reading), _investigation(reading)]
    rows += [{"kind": "note", "text": text} for text in reading["notes"]]
    return rows


def _pins(said: Mapping[str, Said], reading: Json) -> Iterator[Json]:
    for one in reading["hypotheses"]:
        about = [key for key, what in said.items() if one["id"] in what.hypotheses]
        for number, pin in enumerate(one["pins"], start=1):
            if not about or any(key in (*pin["shows"], *pin["about"]) for key in about):
                continue
            shown = ", ".join(subjects()[key].name for key in pin["shows"])
            yield {
                "kind": "pin",
                "statement": f"h:{one['id']}",
                "claim": one["claim"],
                "number": number,
                "says": pin["says"],
                "path": pin["path"],
                "line": pin["line"],
                "finding": f"It shows something else: {shown}." if shown else pin["finding"],
            }


def _unmatched(reading: Json) -> list[Json]:
    """Claims that fit no cause and no herring: an interviewer may say what they mean."""
    active = {one["id"] for one in reading["hypotheses"] if one["status"] != "refuted"}
    rows = [
        {"kind": "unmatched", "statement": row["id"], "where": row["where"], "text": row["text"]}
        for row in reading["statements"]
        if not row["matches"]
        and (row["hypothesis"] in active or row["section"] == "issues")
        and len(row["text"].split()) >= 4
    ]
    return rows[:_MOST_UNMATCHED]


def _investigation(reading: Json) -> Json:
    """In which order hypotheses were opened and decided, as far as the page filled it in."""
    subject = {
        row["hypothesis"]: [match["subject"] for match in row["matches"]]
        for row in reading["statements"]
        if row["hypothesis"]
    }
    known = [one for one in reading["hypotheses"] if one["opened_min"] is not None]
    order = [
        {
            "minute": one["opened_min"],
            "decided": one["decided_min"],
            "statement": f"h:{one['id']}",
            "claim": one["claim"],
            "status": one["status"],
            "subjects": subject.get(one["id"], []),
        }
        for one in sorted(known, key=lambda one: float(one["opened_min"]))
    ]
    return {"kind": "investigation", "order": order}
