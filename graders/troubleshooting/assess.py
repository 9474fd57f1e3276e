"""From a reading, and what interviewers corrected in it, to measures and evidence. Decides nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graders.troubleshooting.catalogue import CAUSE, subjects
from graders.troubleshooting.evidence import cause_row, claim_rows, herring_row, other_rows
from graders.troubleshooting.scoring import (
    NONE,
    VERDICTS,
    Said,
    evidence_for,
    gather,
    helped,
    nearness,
    order_of,
    priorities,
    state_of_cause,
    state_of_herring,
)
from graders.written import Assessed, BadCorrection, Corrections, Told, percentages

Json = dict[str, Any]
_TABLE = Path(__file__).with_name("measures.toml")
_ALLOWED = 2
"""So many times as many claims as there are causes are taken as they are; of more, the part."""


@dataclass(frozen=True, slots=True)
class Tally:
    """The causes and herrings of one answer put together. Worths carry the part for too many claims."""

    reading: Json
    said: Mapping[str, Said]
    states: Mapping[str, str]
    worth: Mapping[str, float]
    claimed: Sequence[str]
    aside: Sequence[str]
    herring_worth: Mapping[str, float]

    @property
    def causes(self) -> list[Json]:
        rows: list[Json] = self.reading["truth"]["causes"]
        return rows

    @property
    def herrings(self) -> list[Json]:
        rows: list[Json] = self.reading["truth"]["herrings"]
        return rows


def assess(reading: Json, corrections: Corrections = ()) -> Assessed:
    """Measures and evidence of a reading. Pure: the reading is left as it is. Raises BadCorrection."""
    corrected = _corrected(reading, corrections)
    tally = _tally(corrected)
    found = [_found(tally), _hold(tally), _hours(tally), _herrings(tally), _order(tally)]
    found += [_actions(tally), _evidence(tally)]
    rows: list[Json] = [
        cause_row(key, tally.said.get(key["key"]), tally.states[key["key"]], corrected)
        for key in tally.causes
    ]
    rows += [
        herring_row(row, tally.said.get(row["key"]), tally.states[row["key"]])
        for row in tally.herrings
    ]
    rows += claim_rows(tally.claimed, tally.said, corrected)
    rows += other_rows(tally.said, corrected)
    return Assessed(list(found), rows)


def _corrected(reading: Json, corrections: Corrections) -> Json:
    """The reading with the verdicts of interviewers in it, each marked as corrected."""
    wanted = {(one["statement"], one["subject"]): one["verdict"] for one in corrections}
    known = {row["id"] for row in reading["statements"]}
    for (statement, subject), verdict in wanted.items():
        if statement not in known:
            raise BadCorrection(f"The answer has no statement {statement[:80]!r}.")
        if subject not in subjects():
            raise BadCorrection(f"There is no cause or herring {subject[:80]!r}.")
        if verdict not in VERDICTS:
            raise BadCorrection(f"A verdict is one of {', '.join(VERDICTS)}.")
    rows = []
    for row in reading["statements"]:
        mine = {subject: v for (statement, subject), v in wanted.items() if statement == row["id"]}
        kept = [match for match in row["matches"] if match["subject"] not in mine]
        old = {match["subject"]: match for match in row["matches"]}
        made = [_verdict_of(old.get(s), s, v) for s, v in mine.items() if v != NONE]
        rows.append({**row, "matches": [*kept, *made]})
    return {**reading, "statements": rows}


def _verdict_of(old: Json | None, subject: str, verdict: str) -> Json:
    empty: Json = {
        "subject": subject,
        "name": subjects()[subject].name,
        "words": [],
        "places": [],
        "beside": [],
        "wrong": [],
        "reasons": ["an interviewer's word"],
        "hours": [],
    }
    why = "corrected by an interviewer"
    return {**(old or empty), "verdict": verdict, "why": why, "corrected": True}


def _tally(reading: Json) -> Tally:
    said = gather(reading)
    causes = [row["key"] for row in reading["truth"]["causes"]]
    herrings = [row["key"] for row in reading["truth"]["herrings"]]
    known = {*causes, *herrings}
    claimed = [
        key
        for key, subject in subjects().items()
        if key in said and said[key].states and (subject.kind == CAUSE or key in known)
    ]
    aside = [
        key
        for key, subject in subjects().items()
        if subject.kind != CAUSE and key in said and said[key].dismisses and not said[key].states
    ]
    found = {key: state_of_cause(key, said.get(key), reading) for key in causes}
    harmless = {key: state_of_herring(said.get(key), reading) for key in herrings}
    part = min(1.0, _ALLOWED * len(causes) / max(1, len(claimed)))
    less = min(1.0, _ALLOWED * len(herrings) / max(1, len(aside)))
    return Tally(
        reading=reading,
        said=said,
        states={key: one[0] for key, one in (found | harmless).items()},
        worth={key: worth * part for key, (_, worth) in found.items()},
        claimed=claimed,
        aside=aside,
        herring_worth={k: w * less if w > 0 else w for k, (_, w) in harmless.items()},
    )


def _told(key: str, value: float, told: str) -> Told:
    # 0.0 is added because a sum of nothing can come out as minus zero
    return Told(percentages(_TABLE)[key], round(100 * value, 2) + 0.0, 0.0, 100.0, told)


def _found(tally: Tally) -> Told:
    states = [tally.states[row["key"]] for row in tally.causes]
    part = _ALLOWED * len(states) / max(1, len(tally.claimed))
    counts = f"{states.count('found')} of {len(states)} causes found with their place,"
    counts += f" {states.count('named')} named without."
    much = (
        f" {len(tally.claimed)} causes are claimed, so that each counts {part:.0%}."
        if part < 1
        else ""
    )
    return _told("causes_found", sum(tally.worth.values()) / len(states), counts + much)


def _hold(tally: Tally) -> Told:
    true = [key for key in tally.claimed if key in tally.worth]
    value = len(true) / len(tally.claimed) if tally.claimed else 0.0
    return _told(
        "claims_hold",
        value,
        f"{len(true)} of {len(tally.claimed)} claimed causes are of this variant.",
    )


def _hours(tally: Tally) -> Told:
    gap = sum(row["hours"] for row in tally.causes)
    explained = sum(
        row["hours"]
        * tally.worth[row["key"]]
        * nearness(tally.said.get(row["key"]), row, tally.reading)
        for row in tally.causes
    )
    return _told(
        "hours_explained", explained / gap, f"{explained:.1f} of {gap:.1f} lost hours explained."
    )


def _herrings(tally: Tally) -> Told:
    states = [tally.states[row["key"]] for row in tally.herrings]
    value = sum(tally.herring_worth.values()) / max(1, len(states))
    aside = sum(state.startswith("dismissed") for state in states)
    told = f"{aside} of {len(states)} put aside, {states.count('swallowed')} claimed as a cause."
    return _told("herrings", value, told)


def _order(tally: Tally) -> Told:
    worth = {key: worth for key, worth in tally.worth.items() if worth > 0}
    hours = {row["key"]: row["hours"] for row in tally.causes}
    places = priorities(tally.said, list(worth), tally.reading)
    value, right, wrong, pairs = order_of(places, worth, hours)
    return _told("order", value, f"{right} pairs of {pairs} right, {wrong} wrong.")


def _actions(tally: Tally) -> Told:
    value, counts = 0.0, {"mitigation": 0, "prevention": 0}
    for row in tally.causes:
        key = row["key"]
        if not tally.worth[key]:
            continue
        fits = helped(key, tally.said.get(key), tally.reading)
        for part, rows in fits.items():
            counts[part] += bool(rows)
            value += 0.5 * tally.worth[key] * bool(rows)
    told = f"{counts['mitigation']} mitigations and {counts['prevention']} preventions fit a found cause."
    return _told("actions", value / len(tally.causes), told)


def _evidence(tally: Tally) -> Told:
    value, shows, wrong = 0.0, 0, 0
    for row in tally.causes:
        key = row["key"]
        verdicts = [one["verdict"] for one in evidence_for(key, tally.said.get(key), tally.reading)]
        good, bad = verdicts.count("shows"), verdicts.count("wrong")
        value += tally.worth[key] * good / max(1, good + bad)
        shows, wrong = shows + good, wrong + bad
    told = f"{shows} pins and lines show what is claimed, {wrong} do not."
    return _told("evidence", value / len(tally.causes), told)
