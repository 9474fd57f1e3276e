"""From a reading, and what interviewers corrected in it, to measures and evidence. Decides nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graders.troubleshooting.catalogue import CAUSE, subjects
from graders.troubleshooting.evidence import (
    cause_row,
    claim_rows,
    herring_row,
    other_rows,
    reading_row,
)
from graders.troubleshooting.scoring import (
    ASTRAY,
    GUESS,
    LONE_GUESS,
    NONE,
    NOWHERE,
    VERDICTS,
    WRONG_PLACE,
    Said,
    breaking,
    evidence_for,
    gather,
    guessed,
    helped,
    kept,
    nearness,
    order_of,
    places_any,
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
    """The causes and herrings of one answer put together. Worths carry the part for too many claims.

    `doubt` holds the part that a claim is worth which is only thought possible.
    """

    reading: Json
    said: Mapping[str, Said]
    states: Mapping[str, str]
    worth: Mapping[str, float]
    claimed: Sequence[str]
    aside: Sequence[str]
    doubt: Mapping[str, float]
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
    found, unmeasured = _measured(tally)
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
    rows.append(reading_row(corrected, unmeasured))
    return Assessed(list(found), rows)


def _measured(tally: Tally) -> tuple[list[Told], list[str]]:
    """(what was measured, labels of what was not because it could not be read)."""
    labels = percentages(_TABLE)
    if not tally.reading.get("read", {}).get("known", True):
        return [], [one.label for one in labels.values()]
    found = [_found(tally), _hold(tally), _hours(tally), _herrings(tally)]
    maybe = {"order": _order(tally), "actions": _actions(tally), "evidence": _evidence(tally)}
    found += [one for one in maybe.values() if one is not None]
    return found, [labels[key].label for key, one in maybe.items() if one is None]


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
    guesses = [key for key in claimed if guessed(said[key])]
    doubt = GUESS if 2 * len(guesses) >= len(claimed) and len(guesses) > 1 else LONE_GUESS
    found = {key: state_of_cause(key, said.get(key), reading) for key in causes}
    found = {k: (s, w * doubt if k in guesses else w) for k, (s, w) in found.items()}
    astray = sum(state == WRONG_PLACE for state, _ in found.values())
    sent = ASTRAY if 2 * astray > len(claimed) else 1.0
    sent *= 1.0 if places_any(claimed, said, reading) else NOWHERE
    harmless = {key: state_of_herring(said.get(key), reading) for key in herrings}
    part = sent * _credited(len(causes), len(claimed))
    less = _credited(len(herrings), len(aside))
    return Tally(
        reading=reading,
        said=said,
        states={key: one[0] for key, one in (found | harmless).items()},
        worth={key: worth * part for key, (_, worth) in found.items()},
        claimed=claimed,
        aside=aside,
        doubt=dict.fromkeys(guesses, doubt),
        herring_worth={k: w * less if w > 0 else w for k, (_, w) in harmless.items()},
    )


def _credited(there: int, said: int) -> float:
    """The part that counts of what is said by somebody who names more than is allowed for what is there."""
    return min(1.0, _ALLOWED * there / max(1, said))


def _told(key: str, value: float, told: str) -> Told:
    # 0.0 is added because a sum of nothing can come out as minus zero
    return Told(percentages(_TABLE)[key], round(100 * value, 2) + 0.0, 0.0, 100.0, told)


def _found(tally: Tally) -> Told:
    states = [tally.states[row["key"]] for row in tally.causes]
    part = _credited(len(states), len(tally.claimed))
    counts = f"{states.count('found')} of {len(states)} causes found with their place,"
    counts += (
        f" {states.count('named')} named without, {states.count(WRONG_PLACE)} at a wrong place."
    )
    counts += f" {len(tally.doubt)} claims are only guesses." if tally.doubt else ""
    if tally.claimed and not places_any(tally.claimed, tally.said, tally.reading):
        counts += (
            f" No claim names a place or value of this incident, so that each counts {NOWHERE:.0%}."
        )
    if part < 1:
        counts += f" {len(tally.claimed)} causes are claimed, so that each counts {part:.0%}."
    return _told("causes_found", sum(tally.worth.values()) / len(states), counts)


def _hold(tally: Tally) -> Told:
    true = [key for key in tally.claimed if key in tally.worth and tally.states[key] != WRONG_PLACE]
    held = sum(tally.doubt.get(key, 1.0) for key in true)
    value = held / len(tally.claimed) if tally.claimed else 0.0
    return _told(
        "claims_hold",
        value,
        f"{len(true)} of {len(tally.claimed)} claimed causes are of this variant and at their place.",
    )


def _hours(tally: Tally) -> Told:
    gap = sum(row["hours"] for row in tally.causes)
    explained = sum(
        row["hours"]
        * tally.worth[row["key"]]
        * nearness(row["key"], tally.said, tally.causes, tally.reading)
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


def _order(tally: Tally) -> Told | None:
    worth = {key: worth for key, worth in tally.worth.items() if worth > 0}
    places = priorities(tally.said, list(worth), tally.reading)
    if not places and len(worth) > 1 and tally.reading.get("order_by") == "could not be read":
        return None
    value, right, wrong, pairs = order_of(places, worth, tally.causes)
    # the worths are less already; in so long a list two causes stand in one order or the other by chance
    value *= _credited(len(tally.causes), len(tally.claimed))
    return _told("order", value, f"{right} pairs of {pairs} right, {wrong} wrong.")


def _actions(tally: Tally) -> Told | None:
    value, counts = 0.0, {"mitigation": 0, "prevention": 0}
    for row in tally.causes:
        key = row["key"]
        if not tally.worth[key]:
            continue
        fits = helped(key, tally.said.get(key), tally.reading)
        for part, rows in fits.items():
            counts[part] += bool(rows)
            fit = kept(key, part, rows, tally.reading)
            value += 0.5 * tally.worth[key] * fit
    if not sum(counts.values()) and _unread_in(tally.reading, ("immediate", "long_term")):
        return None
    told = f"{counts['mitigation']} mitigations and {counts['prevention']} preventions fit a found cause."
    broken = breaking(tally.reading)
    told += f" {len(broken)} actions are not allowed for now." if broken else ""
    return _told("actions", max(0.0, value) / len(tally.causes), told)


def _unread_in(reading: Json, sections: Sequence[str]) -> bool:
    """Whether somebody wrote there in a language that is not known, and nothing was taken for anything."""
    rows = [row for row in reading["statements"] if row["section"] in sections]
    return bool(rows) and not any(row.get("language", "en") or row.get("taken") for row in rows)


def _evidence(tally: Tally) -> Told | None:
    value, shows, wrong = 0.0, 0, 0
    for row in tally.causes:
        key = row["key"]
        verdicts = [one["verdict"] for one in evidence_for(key, tally.said.get(key), tally.reading)]
        good, bad = verdicts.count("shows"), verdicts.count("wrong")
        value += tally.worth[key] * good / max(1, good + bad)
        shows, wrong = shows + good, wrong + bad
    if not shows + wrong and any(tally.worth.values()) and _points_at_evidence(tally.reading):
        return None
    told = f"{shows} pins, lines and named sources show what is claimed, {wrong} do not."
    return _told("evidence", value / len(tally.causes), told)


def _points_at_evidence(reading: Json) -> bool:
    """Whether a claim says that something shows it, in words that name no source that is known."""
    return any(
        row.get("seen") and any(match["verdict"] == "states" for match in row["matches"])
        for row in reading["statements"]
    )
