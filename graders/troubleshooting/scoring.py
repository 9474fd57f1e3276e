"""What becomes of each cause and herring when the statements, corrected or not, are put together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from statistics import fmean
from typing import Any

Json = dict[str, Any]
STATES, DISMISSES, NONE = "states", "dismisses", "none"
VERDICTS = (STATES, DISMISSES, NONE)

NAMED = 0.4
"""Worth of a cause that is named without its place."""
CONTRADICTED = 0.5
WRONG_PLACE = "named, wrong place"
ASTRAY = 0.5
"""Part of the worth of everything else where more than half of the claims send people to a wrong place."""
NOWHERE = 0.5
"""Part of the worth of everything where no claim has a place: such an answer fits any incident."""
LONE_GUESS, GUESS = 0.6, 0.2
"""Part of the worth of a claim that is only thought possible: beside firm ones, and in a list of such."""
CLOSE, FAR = 0.2, 0.7
"""A stated cost is right up to the one and worthless from the other on, as a part of the true one."""
LEAST_HOURS = 0.3
ALIKE = 0.1
"""Causes whose hours differ by no more may stand in either order."""
QUICK_PART = 0.3
"""What takes less effort may stand before another if it gives back this part of the other's hours."""


@dataclass(slots=True)
class Said:
    """The statements on one subject: those that claim it, put it aside, or only mention it."""

    states: list[tuple[Json, Json]] = field(default_factory=list)
    dismisses: list[tuple[Json, Json]] = field(default_factory=list)
    mentions: list[tuple[Json, Json]] = field(default_factory=list)

    @property
    def hypotheses(self) -> list[str]:
        """Ids of the hypotheses that claim it."""
        return [row["hypothesis"] for row, _ in self.states if row["hypothesis"]]

    def ids(self, which: str) -> list[str]:
        return [row["id"] for row, _ in getattr(self, which)]


def gather(reading: Json) -> dict[str, Said]:
    """Subject -> what was said of it, in the order of the answer."""
    found: dict[str, Said] = {}
    for row in reading["statements"]:
        for match in row["matches"]:
            said = found.setdefault(match["subject"], Said())
            if match["verdict"] in ("states", "dismisses", "mentions"):
                getattr(said, match["verdict"]).append((row, match))
    return found


def state_of_cause(key: str, said: Said | None, reading: Json) -> tuple[str, float]:
    """(found, named, named at a wrong place, contradicted, put aside or missed; worth from 0 to 1).

    A wrong place is one of a kind by which the cause is placed, said of it by whoever claims it, while
    nobody names the right one. A bare negation before a word contradicts nothing that is claimed elsewhere.
    """
    if said is None or not said.states:
        return ("put aside" if said is not None and said.dismisses else "missed"), 0.0
    sure = any(match.get("corrected") for _, match in said.states)
    if not sure and misplaced(said):
        return WRONG_PLACE, 0.0
    placed = any(match["places"] or match["beside"] for _, match in said.states)
    placed = placed or _told_by_its_cost(key, said, reading)
    located = sure or (placed and key not in reading["spread"])
    worth = 1.0 if located else NAMED
    if any(_same_place(match) and _firm(match) for _, match in said.dismisses):
        return "contradicted", worth * CONTRADICTED
    return ("found" if located else "named"), worth


def _told_by_its_cost(key: str, said: Said, reading: Json) -> bool:
    """Whether a cause that stands on no single machine is given the cost that only it has here."""
    row = next((one for one in reading["truth"]["causes"] if one["key"] == key), None)
    if row is None or not row.get("anywhere"):
        return False
    given = hours_said(said, reading)
    return bool(given) and all(abs(hours - row["hours"]) <= ALIKE * row["hours"] for hours in given)


def misplaced(said: Said) -> bool:
    """Whether what is claimed is said of another host, job, person or device, and nowhere of its own.

    Where hypotheses give its place in their own field, that is what counts.
    """
    states = [match for _, match in said.states]
    states = [match for match in states if match.get("field")] or states
    return any(m.get("elsewhere") for m in states) and not any(
        m.get("own") and not m.get("elsewhere") for m in states
    )


def places_any(claimed: Iterable[str], said: Mapping[str, Said], reading: Json) -> bool:
    """Whether one of the claims names a place or a value that only this incident has."""
    spread = reading["spread"]
    states = [match for key in claimed if key not in spread for _, match in said[key].states]
    return any(m["places"] or m["beside"] or m.get("corrected") for m in states)


def guessed(said: Said | None) -> bool:
    """Whether it was only thought possible, wherever it was claimed."""
    if said is None or not said.states:
        return False
    return all(m.get("guess") and not m.get("corrected") for _, m in said.states)


def _firm(match: Json) -> bool:
    return bool(match.get("firm", True))


def _same_place(match: Json) -> bool:
    """Whether what is put aside is the cause itself and not the same thing elsewhere."""
    return bool(match["places"]) or not match["wrong"]


def state_of_herring(said: Said | None, reading: Json) -> tuple[str, float]:
    """(dismissed, dismissed without evidence, swallowed, contradicted or ignored; worth from -1 to 1)."""
    if said is None or not (said.states or said.dismisses):
        return "ignored", 0.0
    if said.states:
        return ("contradicted", 0.0) if said.dismisses else ("swallowed", -1.0)
    pinned = {
        one["id"] for one in reading["hypotheses"] if any(pin["shows"] for pin in one["pins"])
    }
    for row, match in said.dismisses:
        if match["places"] or match["beside"] or match["reasons"] or row["hypothesis"] in pinned:
            return "dismissed", 1.0
    return "dismissed without evidence", 0.5


def closeness(hours: float, cause: Json) -> float:
    """How near a stated cost is to the true one, 0 to 1; overlapping causes have a range of true ones."""
    low = min(cause["hours"], cause["alone"], cause["last"])
    high = max(cause["hours"], cause["alone"], cause["last"])
    return _near(max(low - hours, hours - high, 0.0), cause["hours"])


def hours_said(said: Said | None, reading: Json) -> list[float]:
    """Hours that were put on a cause: on the board if there are any, else in sentences that claim it."""
    if said is None:
        return []
    own = {one["id"]: one["hours"] for one in reading["hypotheses"]}
    board = [h for key in dict.fromkeys(said.hypotheses) for h in own.get(key, [])]
    if board:
        return board
    return [
        hours
        for row, match in said.states
        for hours in (match["hours"] or (row["hours"] if match.get("corrected") else []))
    ]


def nearness(key: str, said: Mapping[str, Said], causes: Sequence[Json], reading: Json) -> float:
    """Mean closeness of everything that was said of a cause, so that a spray of numbers gains nothing.

    Of causes that overlap, and of those on which one figure was put together, the sum counts.
    """
    rows = {row["key"]: row for row in causes}
    found = hours_said(said.get(key), reading)
    near = [closeness(hours, rows[key]) for hours in found]
    groups = [one for one in reading.get("together", ()) if key in one["subjects"]]
    joint = [_of_group(one["subjects"], one["hours"][0], rows) for one in groups]
    if joint and max(joint) >= (fmean(near) if near else 0.0):
        return max(joint)
    if not near:
        return 0.0
    return min(fmean(near), _of_overlap(key, said, rows, reading))


def _of_group(keys: Sequence[str], hours: float, rows: Mapping[str, Json]) -> float:
    """How near one figure is to the hours of several causes; what is none of the variant adds nothing."""
    whole = sum(rows[key]["hours"] for key in keys if key in rows)
    return _near(abs(hours - whole), whole) if whole else 0.0


def _of_overlap(
    key: str, said: Mapping[str, Said], rows: Mapping[str, Json], reading: Json
) -> float:
    """How near the hours of causes that overlap are in sum, where all of them were given any."""
    keys = [key, *(other for other in rows[key].get("overlaps", ()) if other in rows)]
    given = [hours_said(said.get(one), reading) for one in keys]
    if len(keys) == 1 or not all(given):
        return 1.0
    return _of_group(keys, sum(fmean(hours) for hours in given), rows)


def _near(off: float, hours: float) -> float:
    near: float = (FAR - off / max(hours, LEAST_HOURS)) / (FAR - CLOSE)
    return max(0.0, min(1.0, near))


def priorities(found: Mapping[str, Said], keys: Sequence[str], reading: Json) -> dict[str, int]:
    """Cause -> its place in line: from the board, else from the order of the section on priorities."""
    own = {one["id"]: one["priority"] for one in reading["hypotheses"]}
    board = {}
    for key in keys:
        given = [p for one in found[key].hypotheses if (p := own.get(one)) is not None]
        if given:
            board[key] = min(given)
    if board:
        return board
    order = {k: n for n, keys_ in enumerate(reading.get("order", ()), start=1) for k in keys_}
    return {key: order[key] for key in keys if key in order}


def order_of(
    places: Mapping[str, int], worth: Mapping[str, float], causes: Sequence[Json]
) -> tuple[float, int, int, int]:
    """(value from -1 to 1, pairs right, pairs wrong, all pairs) over found causes.

    First what gives back more hours, or what takes less effort and risk for no small part of them. Causes
    that overlap or stand in one entry are reckoned together against all others.
    """
    rows = {row["key"]: row for row in causes}
    pairs, right, wrong, value = 0, 0, 0, 0.0
    for one, other in combinations(sorted(worth), 2):
        if other in rows[one].get("overlaps", ()):
            continue
        if one in places and places[one] == places.get(other):
            continue
        pairs += 1
        if one not in places or other not in places:
            continue
        first, second = (one, other) if places[one] < places[other] else (other, one)
        good = _before(first, second, places, rows)
        right, wrong = right + good, wrong + (not good)
        value += min(worth[one], worth[other]) * (1 if good else -1)
    return (value / pairs if pairs else 0.0), right, wrong, pairs


def _before(first: str, second: str, places: Mapping[str, int], rows: Mapping[str, Json]) -> bool:
    """Whether one cause may stand before another."""
    more, less = _joint(first, second, places, rows), _joint(second, first, places, rows)
    if _entry(first, places, rows) >= _entry(second, places, rows) * (1 - ALIKE):
        return True
    if more >= less * (1 - ALIKE) or rows[first]["hours"] >= rows[second]["hours"] * (1 - ALIKE):
        return True
    quicker = bool(rows[first].get("effort", 2) < rows[second].get("effort", 2))
    alone, enough = rows[first]["hours"], QUICK_PART * rows[second]["hours"]
    return quicker and bool(alone >= enough or more >= QUICK_PART * less)


def _entry(key: str, places: Mapping[str, int], rows: Mapping[str, Json]) -> float:
    """Hours of everything that stands in the same entry."""
    same = (one for one in places if one in rows and places[one] == places[key])
    return float(sum(rows[one]["hours"] for one in same))


def _joint(key: str, against: str, places: Mapping[str, int], rows: Mapping[str, Json]) -> float:
    """Hours of a cause and of those that go with it on the same side of another."""
    before = places[key] < places[against]
    with_it = [
        other
        for other in places
        if other in rows
        and other not in (key, against)
        and (other in rows[key].get("overlaps", ()) or places[other] == places[key])
        and (places[other] < places[against]) == before
        and places[other] != places[against]
    ]
    hours: float = rows[key]["hours"] + sum(rows[other]["hours"] for other in with_it)
    return hours


def helped(key: str, said: Said | None, reading: Json) -> dict[str, list[Json]]:
    """Part (mitigation, prevention) -> rows that fit; a board's card counts only for what it claims."""
    own = set(said.ids("states")) if said else set()
    found: dict[str, list[Json]] = {"mitigation": [], "prevention": []}
    for row in reading["helps"]:
        if row["cause"] == key and (
            not row["statement"].startswith("h:") or row["statement"] in own
        ):
            found[row["part"]].append(row)
    return found


BROKEN = -0.5
"""What a mitigation is worth that is not allowed for now, as a part of one that helps."""


def breaking(reading: Json) -> list[Json]:
    """Sentences that would do what the incident's constraint forbids, unless others keep to it."""
    said = (reading.get("constraint") or {}).get("said", [])
    if any(row["keeps"] for row in said):
        return []
    return [row for row in said if not row["keeps"]]


def kept(key: str, part: str, rows: Sequence[Json], reading: Json) -> float:
    """What the actions of one kind against a cause are worth, 1 or 0; less than nothing if forbidden."""
    rule = reading.get("constraint")
    if rule is None or rule["cause"] != key or part != "mitigation":
        return float(bool(rows))
    if breaking(reading):
        return BROKEN
    return float(bool(rows) or any(row["keeps"] for row in rule["said"]))


def evidence_for(key: str, said: Said | None, reading: Json) -> list[Json]:
    """Pins and citations given for a cause, each once, with a verdict: shows, about, wrong.

    Sources that are only named in words count where no pin and no line says more.
    """
    if said is None:
        return []
    seen: dict[str, Json] = {}
    for where, one in _given(said, reading):
        verdict = "shows" if key in one["shows"] else "about" if key in one["about"] else "wrong"
        if verdict == "wrong" and not one["wrongable"]:
            continue
        seen.setdefault(one["says"], {"where": where, "verdict": verdict, **one})
    exact = [one for one in seen.values() if not one.get("named")]
    return exact if any(one["verdict"] != "about" for one in exact) else list(seen.values())


def _given(said: Said, reading: Json) -> Iterator[tuple[str, Json]]:
    claiming = set(said.hypotheses)
    for one in reading["hypotheses"]:
        if one["id"] in claiming:
            for pin in one["pins"]:
                yield f"h:{one['id']}", pin
    blocks = {(row["section"], row["block"]) for row, _ in said.states if row["section"]}
    own = set(said.ids("states"))
    for row in reading["statements"]:
        if row["id"] in own or ((row["section"], row["block"]) in blocks and not row["matches"]):
            for cited in row["citations"]:
                yield row["id"], cited


def minute_of(said: Said | None, reading: Json) -> float | None:
    """When the first of the hypotheses that claim it was opened, minutes since the start."""
    if said is None:
        return None
    own = {one["id"]: one["opened_min"] for one in reading["hypotheses"]}
    known = [m for key in said.hypotheses if (m := own.get(key)) is not None]
    return min(known, default=None)
