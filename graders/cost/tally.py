"""What the opportunities of a reading come to: which levers, with which claims, and which findings."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any

from graders.cost.matching import STATES
from graders.standing import ASIDE, BACK, GUESS
from scenarios.cost.catalogue import FINDINGS, Lever, levers, traps

Json = dict[str, Any]
SLACK = 1.1
"""So far above the supported range a claim may be before it is called too high."""
SMALL = 500_000
"""Cents by which a claim has to be above the range as well: nobody argues about less."""
_AWARE = re.compile(
    r"after|first|before|once|overlap|same|less|shrink|smaller|remain|depend|effici|right-?siz|instead|either|exclu"
    r"|nach|zuerst|vorher|selbe|weniger|kleiner|übrig|statt|schließ|après|avant|d'abord|même|moins|reste|lieu"
    r"|después|antes|primero|mism|menos|queda|vez de",
    re.I,
)
ONE_FIGURE = 5
"""Rows from which on one figure for more than half of them is taken for none."""


@dataclass(frozen=True, slots=True)
class Found:
    """One finding about opportunities; `rows` are the cost rows that show it, `where` the materials."""

    finding: str
    opportunities: tuple[str, ...]
    text: str
    rows: Sequence[Json]
    where: tuple[str, ...] = ()

    def plain(self) -> Json:
        """The row of evidence."""
        return {
            "kind": "finding",
            "finding": self.finding,
            "title": FINDINGS[self.finding],
            "opportunities": list(self.opportunities),
            "text": self.text,
            "rows": list(self.rows),
            "where": list(self.where),
        }


@dataclass(frozen=True)
class Tally:
    """`means`: opportunity -> subject; `named`: lever -> opportunities that mean it; findings in order."""

    reading: Json
    means: Mapping[str, str]
    named: Mapping[str, list[str]]
    findings: list[Found] = field(default_factory=list)

    @property
    def rows(self) -> list[Json]:
        found: list[Json] = self.reading["statements"]
        return found

    @property
    def truth(self) -> Json:
        found: Json = self.reading["truth"]
        return found

    @property
    def put_forward(self) -> list[Json]:
        """Rows that are proposed or thought possible: not those that are put aside or taken back."""
        return [row for row in self.rows if row["matches"] or not _set_aside(row)]

    def row(self, given: str) -> Json:
        """The opportunity of that id."""
        return next(row for row in self.rows if row["id"] == given)

    def lever(self, key: str) -> Json:
        """The figures of a lever in this bill."""
        found: Json = self.truth["levers"][key]
        return found

    def certain(self, given: str) -> bool:
        """Whether words or a person say what the row means, so that it may be held against it."""
        return all(
            match.get("rests") != "filter"
            for match in self.row(given)["matches"]
            if match["subject"] == self.means.get(given)
        )

    @cached_property
    def repeated(self) -> frozenset[tuple[Any, ...]]:
        """Figures that stand in more than half of the rows: one number for everything is no estimate."""
        said = [tuple(row.get("figure") or ("money", None)) for row in self.rows]
        given = [one for one in said if one[1]]
        return frozenset(
            one for one in set(given) if len(said) >= ONE_FIGURE and 2 * said.count(one) > len(said)
        )

    def figure(self, given: str) -> int | None:
        """Cents that a row claims; None where it has no figure of its own."""
        row = self.row(given)
        if _uncertain(row) or tuple(row.get("figure") or ()) in self.repeated:
            return None
        found: int | None = row["claimed_cents"]
        return found or None

    @property
    def real(self) -> list[str]:
        """Levers that the answer has and that save more than they cost, largest first."""
        found = [key for key in self.named if self.lever(key)["real"]]
        return sorted(found, key=lambda key: (-self.lever(key)["alone"], key))

    @property
    def real_rows(self) -> int:
        """Rows of levers that save more than they cost, without those that repeat another."""
        return sum(len(self.named[key]) - len(self.again(key)) for key in self.real)

    def again(self, key: str) -> list[str]:
        """Opportunities that name a lever for cost rows for which an earlier one has named it."""
        ids = self.named[key]
        return [
            one for at, one in enumerate(ids) if any(self._same_money(one, b) for b in ids[:at])
        ]

    def _same_money(self, a: str, b: str) -> bool:
        first, second = (set(self.row(one).get("picked", ())) for one in (a, b))
        return not first or not second or bool(first & second)

    def claim(self, key: str) -> int | None:
        """Cents claimed for a lever: the largest where rows repeat it, the sum where they share it out."""
        given = [cents for one in self.named[key] if (cents := self.figure(one))]
        if not given:
            return None
        return max(given) if self.again(key) else sum(given)

    def saved(self, chosen: Iterable[str]) -> float:
        """Cents that these levers save together, each on what the others leave.

        Of the lines of the cloud no more than there is room for above the least sum that it is to be paid.
        """
        inside, outside = self._together(chosen)
        room = self.truth.get("room_cents")
        return outside + (inside if room is None else min(inside, room))

    def _together(self, chosen: Iterable[str]) -> tuple[float, float]:
        """Cents saved of the cloud's lines, before any least sum, and of all other lines."""
        kept: dict[str, str] = {}
        for key in chosen:
            group = levers()[key].group or key
            if group not in kept or self.lever(key)["alone"] > self.lever(kept[group])["alone"]:
                kept[group] = key
        parts = [self.lever(key)["parts"] for key in kept.values()]
        cost: Mapping[str, int] = self.truth["cost"]
        sums, cloud = [0.0, 0.0], set(self.truth.get("cloud", ()))
        for line, value in cost.items():
            less = value * (1 - prod(1 - part.get(line, 0.0) for part in parts))
            sums[line not in cloud] += less
        return sums[0], sums[1]

    @property
    def in_order(self) -> bool:
        """Whether a figure is what a row saves after those that the answer itself puts before it."""
        return self.truth.get("room_cents") is not None

    @cached_property
    def remains(self) -> Mapping[str, tuple[float, float]]:
        """Lever -> cents that it saves after those put before it: with the least sum, and without one."""
        last = len(self.rows) + 1

        def place(key: str) -> tuple[int, int]:
            given = [(self.row(one)["priority"] or last, one) for one in self.named[key]]
            at = [row["id"] for row in self.rows]
            return min((priority, at.index(one)) for priority, one in given)

        found: dict[str, tuple[float, float]] = {}
        before: list[str] = []
        for key in sorted(self.real, key=place):
            now = [*before, key]
            free = sum(self._together(now)) - sum(self._together(before))
            found[key] = (self.saved(now) - self.saved(before), free)
            before = now
        return found

    def support(self, key: str) -> tuple[float, float]:
        """The range in cents that the data support for a lever of this answer."""
        figures = self.lever(key)
        if not self.in_order or key not in self.remains:
            return figures["low"], figures["high"]
        left, free = self.remains[key]
        # what is left of the room is known no better than the savings that fill it
        slack = figures["spread"] * free
        return max(0.0, left - slack), left + slack

    def counted(self) -> list[str]:
        """Levers whose figures are judged: not those that are said to leave nothing, and do."""
        return [key for key in self.real if not (self.spent(key) and not self.claim(key))]

    def spent(self, key: str) -> bool:
        """Whether what the rows before it leave of a lever is not worth its effort."""
        return self.in_order and self.remains[key][0] <= self.lever(key)["effort"]


def _uncertain(row: Json) -> bool:
    """Whether a row is only thought possible, or speaks of another place than its filter's."""
    if any(match.get("corrected") for match in row["matches"]):
        return False
    return row.get("standing") == GUESS or any(match.get("against") for match in row["matches"])


def _set_aside(row: Json) -> bool:
    return row.get("standing") in (ASIDE, BACK)


def tally(reading: Json) -> Tally:
    """Everything that the measures and the evidence need."""
    means, named = {}, defaultdict(list)
    for row in reading["statements"]:
        for one in row["matches"]:
            if one["verdict"] == STATES:
                means[row["id"]] = one["subject"]
                if one["subject"] in levers():
                    named[one["subject"]].append(row["id"])
    found = Tally(reading, means, dict(named))
    found.findings.extend(_findings(found))
    return found


def _findings(one: Tally) -> list[Found]:
    found = [finding for row in one.rows for finding in _of_row(one, row)]
    return [*found, *_twice(one), *_too_much_of_a_line(one)]


def usd(cents: float) -> str:
    """Dollars for a sentence."""
    return f"{round(cents / 100):,} USD"


def _of_row(one: Tally, row: Json) -> Iterable[Found]:
    subject, claimed = one.means.get(row["id"]), row["claimed_cents"]
    if subject is None:
        if _set_aside(row):
            return
        if claimed and row["selected_rows"] and claimed > row["selected_cents"]:
            text = (
                f"{usd(claimed)} are claimed of rows that cost {usd(row['selected_cents'])} in all."
            )
            yield Found("over_claim", (row["id"],), text, row["rows"])
        elif claimed and not row["selected_rows"] and claimed > one.truth["most_cents"]:
            text = (
                f"{usd(claimed)} are claimed and no rows named; everything that can be saved in this bill"
                f" comes to {usd(one.truth['most_cents'])}."
            )
            yield Found("over_claim", (row["id"],), text, row["rows"])
        return
    if subject in traps():
        trap = traps()[subject]
        rows = row["rows"] or [
            r for line in trap.lines[:2] for r in one.truth["line_rows"].get(line, [])
        ]
        yield Found(trap.finding, (row["id"],), trap.why, rows, (trap.where,))
        return
    if one.certain(row["id"]):
        yield from _of_lever(one, row, levers()[subject])


def _of_lever(one: Tally, row: Json, lever: Lever) -> Iterable[Found]:
    figures, claimed = one.lever(lever.key), row["claimed_cents"]
    rows = [shown for line in lever.lines for shown in one.truth["line_rows"].get(line, [])]
    where = tuple(figures["shows"])
    if claimed and claimed > one.support(lever.key)[1] * SLACK + SMALL:
        text = (
            f"{usd(claimed)} are claimed; the data support {_supported(one, lever.key)}."
            f" {figures['how']}"
        )
        yield Found("over_claim", (row["id"],), text, rows, where)
    elif figures["high"] < figures["effort"]:
        text = f"{_most(figures)} for work that costs {usd(figures['effort'])}. {figures['how']}"
        yield Found("below_effort", (row["id"],), text, rows, where)
    if lever.key == "commit_base" and _sized_to_waste(one, row):
        text = (
            "Serving can be made smaller first: of a commitment sized to today's load"
            f" {usd(figures['alone'] - figures['last'])} would be paid for hours that are then not used."
        )
        yield Found("waste_commitment", (row["id"],), text, rows, where)


def _supported(one: Tally, key: str) -> str:
    """The range that the data support, in words."""
    figures, (low, high) = one.lever(key), one.support(key)
    if figures["high"] <= 0:
        return "no saving here"
    said = f"{usd(low)} to {usd(high)}"
    if not one.in_order or key not in one.remains:
        return said
    left, free = one.remains[key]
    said += f" after the rows that the table puts first ({usd(figures['alone'])} taken by itself"
    if free - left > SMALL:
        said += f"; {usd(free - left)} go to the least sum that the cloud is to be paid"
    return f"{said})"


def _most(figures: Json) -> str:
    """What can be had at most, as the beginning of a sentence."""
    if figures["high"] <= 0:
        return "Nothing can be saved here"
    return f"At most {usd(figures['high'])} a year can be saved"


def _sized_to_waste(one: Tally, row: Json) -> bool:
    """A commitment of today's load, by somebody who does not say that the load will be smaller."""
    figures, smaller = one.lever("commit_base"), one.lever("serving_efficiency")
    claimed = row["claimed_cents"] or 0
    if not smaller["real"] or claimed <= figures["last"] * SLACK * 1.1:
        return False
    return not _AWARE.search(row["dependency"])


def _twice(one: Tally) -> Iterable[Found]:
    for key in one.named:
        again = [given for given in one.again(key) if one.certain(given)]
        if again:
            rows = [r for line in levers()[key].lines for r in one.truth["line_rows"].get(line, [])]
            text = f"{levers()[key].title}: the same saving is in the table {len(again) + 1} times."
            yield Found("double_count", tuple(again), text, rows)
    groups: dict[str, list[str]] = defaultdict(list)
    for key in one.named:
        if levers()[key].group and one.lever(key)["real"] and one.certain(one.named[key][0]):
            groups[levers()[key].group].append(key)
    for keys in groups.values():
        ids = [one.named[key][0] for key in keys]
        aware = any(_AWARE.search(one.row(given)["dependency"]) for given in ids)
        if len(keys) > 1 and not aware:
            rows = [
                r for line in levers()[keys[0]].lines for r in one.truth["line_rows"].get(line, [])
            ]
            titles = " and ".join(levers()[key].title for key in keys)
            text = f"{titles} act on the same hours: only one of them can be had."
            yield Found("double_count", tuple(ids), text, rows)


def _too_much_of_a_line(one: Tally) -> Iterable[Found]:
    """Claims that together are more than the line on which they act costs."""
    claims: dict[str, dict[str, int]] = defaultdict(dict)
    for key, ids in one.named.items():
        if len(levers()[key].lines) == 1 and one.certain(ids[0]):
            # a lever that is there twice is a finding of its own, and not its first row's fault
            claims[levers()[key].lines[0]][ids[0]] = one.claim(key) or 0
    for line, by in claims.items():
        cost = one.truth["cost"].get(line, 0)
        if len(by) > 1 and sum(by.values()) > cost > 0:
            text = f"Together {usd(sum(by.values()))} are claimed of rows that cost {usd(cost)}."
            yield Found("double_count", tuple(by), text, one.truth["line_rows"].get(line, []))
