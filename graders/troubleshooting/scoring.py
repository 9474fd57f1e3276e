"""What becomes of each cause and herring when the statements, corrected or not, are put together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
CLOSE, FAR = 0.2, 0.7
"""A stated cost is right up to the one and worthless from the other on, as a part of the true one."""
LEAST_HOURS = 0.3
ALIKE = 0.1
"""Causes whose hours differ by no more may stand in either order."""


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
    """(found, named, contradicted, put aside or missed; worth from 0 to 1)."""
    if said is None or not said.states:
        return ("put aside" if said is not None and said.dismisses else "missed"), 0.0
    sure = any(match.get("corrected") for _, match in said.states)
    placed = any(match["places"] or match["beside"] for _, match in said.states)
    located = sure or (placed and key not in reading["spread"])
    worth = 1.0 if located else NAMED
    if any(_same_place(match) for _, match in said.dismisses):
        return "contradicted", worth * CONTRADICTED
    return ("found" if located else "named"), worth


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
    off = max(low - hours, hours - high, 0.0) / max(cause["hours"], LEAST_HOURS)
    near: float = (FAR - off) / (FAR - CLOSE)
    return max(0.0, min(1.0, near))


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


def nearness(said: Said | None, cause: Json, reading: Json) -> float:
    """Mean closeness of everything that was said, so that a spray of numbers gains nothing."""
    found = hours_said(said, reading)
    return fmean(closeness(hours, cause) for hours in found) if found else 0.0


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
    order: list[str] = []
    for row in reading["statements"]:
        if row["section"] == "priorities":
            named = [m["subject"] for m in row["matches"] if m["verdict"] != DISMISSES]
            order += named or (row["about"] if len(row["about"]) == 1 else [])
    return {key: order.index(key) + 1 for key in keys if key in order}


def order_of(
    places: Mapping[str, int], worth: Mapping[str, float], hours: Mapping[str, float]
) -> tuple[float, int, int, int]:
    """(value from -1 to 1, pairs right, pairs wrong, all pairs) over found causes."""
    pairs, right, wrong, value = 0, 0, 0, 0.0
    for one, other in combinations(sorted(worth), 2):
        pairs += 1
        if one not in places or other not in places:
            continue
        more = (hours[one] - hours[other]) / max(hours[one], hours[other])
        ahead = places[other] - places[one]
        good = abs(more) <= ALIKE or (ahead * more > 0)
        if ahead == 0 and abs(more) > ALIKE:
            continue
        right, wrong = right + good, wrong + (not good)
        value += min(worth[one], worth[other]) * (1 if good else -1)
    return (value / pairs if pairs else 0.0), right, wrong, pairs


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


def evidence_for(key: str, said: Said | None, reading: Json) -> list[Json]:
    """Pins and citations given for a cause, each once, with a verdict: shows, about, wrong."""
    if said is None:
        return []
    seen: dict[str, Json] = {}
    for where, one in _given(said, reading):
        verdict = "shows" if key in one["shows"] else "about" if key in one["about"] else "wrong"
        if verdict == "wrong" and not one["wrongable"]:
            continue
        seen.setdefault(one["says"], {"where": where, "verdict": verdict, **one})
    return list(seen.values())


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
