"""What a controller did in each stretch of a played workload, in words that give no figure away."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import pairwise
from typing import Any

from graders.playing import clock

Replay = Mapping[str, Any]
NOTHING = "Nothing: it lets the time pass."
_SIZES = re.compile(r"^(?P<who>.+): (?P<before>\d+) to (?P<after>\d+) nodes$")
_NAMED = re.compile(r"\S*\d\S*?(?=[,;:]*(?:\s|$))")
_LIST = re.compile(r"…(?:, …)+$")
_NAMELESS = re.compile(r"^[\W_]*$")
_OF_THE_WORLD = re.compile(r"\b(?:finished|failed)$")
MOST_SHOWN, MOST_ACTS = 8, 4
LEAST_SAID = 4
"""So many different things have to be done for a question with four options."""
EACH = 4
"""Of so many moments one is quiet."""
LEAST_APART = 3
"""Stretches that lie between two moments that are asked about."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """From one sample to the next, in s; `acts` are what the controller did there, masked, each once.

    `often` says how often where that is needed to tell stretches apart: in the order of `acts`, "" for once.
    """

    number: int
    start: int
    end: int
    acts: tuple[str, ...]
    often: tuple[str, ...] = ()

    @property
    def said(self) -> str:
        """All of it as one option."""
        if not self.acts:
            return NOTHING
        more = len(self.acts) - MOST_ACTS
        often = self.often or ("",) * len(self.acts)
        acts = [act + times for act, times in zip(self.acts, often, strict=True)]
        text = "; ".join(acts[:MOST_ACTS]) + (f"; and {more} more" if more > 0 else "")
        return f"{text[0].upper()}{text[1:]}" + ("" if text.endswith("…") else ".")

    @property
    def when(self) -> str:
        return f"{clock(self.start)} to {clock(self.end)}"


def masked(text: str) -> str:
    """An act without the names and figures by which the shown state would tell it from others."""
    if sizes := _SIZES.match(text):
        grows = int(sizes["after"]) > int(sizes["before"])
        return f"{'more' if grows else 'fewer'} nodes for {sizes['who']}"
    plain = _LIST.sub("…", _NAMED.sub("…", " ".join(text.split())))
    return "… is set to …" if _NAMELESS.match(plain) else plain


def stretches_of(replay: Replay) -> list[Stretch]:
    """The workload from sample to sample; how often something is done is said where few things are done."""
    found, counts = _stretches(replay)
    if len({one.said for one in found}) >= LEAST_SAID:
        return found
    words = ("", ", twice", ", three times or more")
    return [
        replace(one, often=tuple(words[min(count[act], 3) - 1] for act in one.acts))
        for one, count in zip(found, counts, strict=True)
    ]


def _stretches(replay: Replay) -> tuple[list[Stretch], list[Counter[str]]]:
    """The stretches, and how often each act is done in each."""
    times: Sequence[int] = replay["t"]
    marks = [
        (mark["t"], masked(str(mark["text"])))
        for mark in replay["marks"]
        if mark["kind"] == "action" and not _OF_THE_WORLD.search(str(mark["text"]))
    ]
    cut = int(replay.get("cut", {}).get("marks", 10**12))
    found, counts, at = [], [], 0
    for number, (start, end) in enumerate(pairwise(times)):
        acts = []
        while at < len(marks) and marks[at][0] < end:
            if marks[at][0] >= start:
                acts.append(marks[at][1])
            at += 1
        if end <= cut:
            found.append(Stretch(number, start, end, tuple(sorted(set(acts)))))
            counts.append(Counter(acts))
    return found, counts


def state_at(replay: Replay, one: Stretch) -> list[tuple[str, str]]:
    """(name, value with its unit) of every series at the stretch's begin that tells something there."""
    rows = []
    for series in replay["series"]:
        values = series["values"]
        if len(set(values)) > 1:
            rows.append((str(series["label"]), f"{values[one.number]:,g} {series['unit']}"))
    return rows[:MOST_SHOWN]


def before(stretches: Sequence[Stretch], one: Stretch) -> str:
    """What the controller did in the stretch before, as it stands above the question."""
    return stretches[one.number - 1].said if one.number else "The day begins."


def telling(stretches: Sequence[Stretch], replay: Replay, seed: str) -> list[Stretch]:
    """Stretches worth asking about: rare acts first; one in four, where `seed` says, is one in which
    nothing is done while something waits."""
    counts: dict[tuple[str, ...], int] = {}
    for one in stretches:
        counts[one.acts] = counts.get(one.acts, 0) + 1
    busy = [one for one in stretches if one.acts and one.number]
    busy.sort(key=lambda one: (counts[one.acts], -len(one.acts), one.number))
    quiet = [one for one in stretches if not one.acts and one.number and _waits(replay, one)]
    quiet.sort(key=lambda one: (-_waits(replay, one), one.number))
    found: list[Stretch] = []
    place = sha256(seed.encode()).digest()[0] % EACH
    while busy or quiet:
        wanted = quiet if quiet and (len(found) % EACH == place or not busy) else busy
        one = wanted.pop(0)
        if all(abs(one.number - other.number) > LEAST_APART for other in found):
            found.append(one)
    return found


def _waits(replay: Replay, one: Stretch) -> float:
    """How much waits at the begin of the stretch, over all series that count what waits."""
    return sum(
        float(series["values"][one.number])
        for series in replay["series"]
        if "wait" in f"{series['key']} {series['label']}".lower() or "queue" in series["key"]
    )
