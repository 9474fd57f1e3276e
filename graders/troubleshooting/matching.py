"""Of which cause or herring a statement speaks, by which words, where, and whether it puts it aside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from graders.troubleshooting.catalogue import Subject, kin, subjects
from graders.troubleshooting.patterns import Hit, flat, hits, span, way_met
from graders.troubleshooting.places import SPREAD, machines_in, tokens_in
from graders.troubleshooting.sentences import Statement
from graders.troubleshooting.stance import DISMISSES, STATES, points_back, sets_aside, stance
from graders.troubleshooting.truth import Truth

MENTIONS = "mentions"
"""Verdict of words that neither claim nor put aside: a list of actions, or a hypothesis still open."""


@dataclass(frozen=True, slots=True)
class Match:
    """A statement speaks of `subject`. `places` locate it in this variant, `beside` those next to it.

    `wrong` are machines of the same kind that are not meant. `why` says what decided the verdict.
    """

    statement: str
    subject: str
    verdict: str
    why: str
    hits: tuple[Hit, ...]
    places: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()

    @property
    def located(self) -> bool:
        return bool(self.places or self.beside)


@dataclass(slots=True)
class Read:
    """A statement, its text without markup, and what it speaks of."""

    statement: Statement
    text: str
    matches: list[Match] = field(default_factory=list)


def match_all(found: Sequence[Statement], truth: Truth) -> list[Read]:
    """Every statement with its matches."""
    reads = [Read(one, flat(one.text)) for one in found]
    for read in reads:
        _match(read, truth)
    _pairs(reads, truth)
    _look_beside(reads, truth)
    _points_back(reads)
    _only_kin(reads, truth)
    return reads


def spoken_of(text: str) -> list[tuple[Subject, tuple[Hit, ...]]]:
    """Every subject one of whose ways the text meets, with the words of the shortest."""
    found = []
    for subject in subjects().values():
        met = [one for way in subject.ways if (one := way_met(way, text)) is not None]
        if not met or (subject.unless and hits(subject.unless, text)):
            continue
        found.append((subject, min(met, key=span)))
    return found


def _match(read: Read, truth: Truth) -> None:
    one = read.statement
    found = spoken_of(read.text)
    if not found and one.hypothesis and one.more:
        read.text = flat(f"{one.text}. {one.more.partition(chr(10))[0]}")
        found = spoken_of(read.text)
    for subject, words in found:
        others = [hit for other, theirs in found if other is not subject for hit in theirs]
        read.matches.append(_one(read, subject, words, others, truth))


def _one(
    read: Read, subject: Subject, words: tuple[Hit, ...], others: Sequence[Hit], truth: Truth
) -> Match:
    verdict = stance(read.text, words, others)
    why = "puts it aside" if verdict == DISMISSES else "says so"
    if sets_aside(read.statement.under) and verdict == STATES:
        verdict, why = DISMISSES, f"stands under “{read.statement.under[:80]}”"
    places, wrong = _places(subject.key, read.text, truth)
    return Match(read.statement.id, subject.key, verdict, why, words, places, (), wrong)


def _places(key: str, text: str, truth: Truth) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(what locates the subject in the text, machines of its kind that are not meant)."""
    spot = truth.spots.get(key)
    if spot is None:
        return (), ()
    named = machines_in(truth.machines[spot.kind], text) if spot.kind else set()
    tokens = [*tokens_in(spot, text), *sorted(named & spot.names)]
    if place := subjects()[key].place:
        tokens += [hit.words for hit in hits(place, text)]
    return tuple(dict.fromkeys(tokens)), tuple(sorted(named - spot.names))


def _pairs(reads: list[Read], truth: Truth) -> None:
    """Two sentences of one block that only together speak of something: the first is given the match."""
    for first, second in pairwise(reads):
        same = first.statement.beside(second.statement)
        if not same or first.matches or second.matches or not first.statement.section:
            continue
        joined = Read(first.statement, f"{first.text}  {second.text}")
        _match(joined, truth)
        first.matches = [replace(m, why=f"{m.why}, with the next sentence") for m in joined.matches]


def _look_beside(reads: list[Read], truth: Truth) -> None:
    """Places next to a statement that names none: its block, its heading, the rest of its hypothesis."""
    for number, read in enumerate(reads):
        for at, match in enumerate(read.matches):
            if match.places:
                continue
            places, wrong = _places(match.subject, _beside(reads, number), truth)
            if places and len(wrong) <= SPREAD:
                read.matches[at] = replace(match, beside=places)


def _beside(reads: Sequence[Read], number: int) -> str:
    one = reads[number].statement
    if one.hypothesis:
        return flat(one.more)
    near = [one.under]
    for other in (number - 1, number + 1):
        if 0 <= other < len(reads) and one.beside(reads[other].statement):
            near.append(reads[other].text)
    return "  ".join(near)


def _points_back(reads: Sequence[Read]) -> None:
    """A sentence like "It is harmless." speaks of the subject of the statement before it."""
    for first, second in pairwise(reads):
        same = first.statement.beside(second.statement)
        if same and first.matches and not second.matches and points_back(second.text):
            first.matches = [
                replace(m, verdict=DISMISSES, why="the next sentence puts it aside")
                for m in first.matches
            ]


def _only_kin(reads: Sequence[Read], truth: Truth) -> None:
    """Of subjects that share their words, a block speaks of the one that it locates, or of the plainest."""
    blocks: dict[tuple[str, int], list[Read]] = {}
    for read in reads:
        blocks.setdefault((read.statement.section, read.statement.block), []).append(read)
    spread = spread_out(reads, truth)
    for block in blocks.values():
        own = [_sure(read, spread) for read in block]
        near = set().union(*own)
        for read, here in zip(block, own, strict=True):
            kept = [
                m
                for m in read.matches
                if not _shaded(m, here if m.subject in truth.spots else near)
            ]
            read.matches = _plainest(kept, truth)


def _sure(read: Read, spread: set[str]) -> set[str]:
    """Subjects that the statement locates by itself."""
    return {m.subject for m in read.matches if m.places and m.subject not in spread}


def spread_out(reads: Sequence[Read], truth: Truth) -> set[str]:
    """Subjects to which all statements together give more machines than somebody who knows would."""
    named: dict[str, set[str]] = {}
    for read in reads:
        for match in read.matches:
            if match.verdict != DISMISSES:
                named.setdefault(match.subject, set()).update(match.wrong)
    return {
        key
        for key, wrong in named.items()
        if key in truth.spots and len(wrong) > max(SPREAD, 2 * len(truth.spots[key].names))
    }


def _shaded(match: Match, sure: set[str]) -> bool:
    """Whether a relation of the subject is among those that are sure and the subject itself is not."""
    if match.subject in sure:
        return False
    return any(match.subject in group and group & sure for group in kin())


def _plainest(matches: list[Match], truth: Truth) -> list[Match]:
    """Without those of whose words another relation has all: the one of this variant, else the first."""
    kept: list[Match] = []
    order = sorted(
        matches,
        key=lambda m: (not m.located, -len(m.hits), m.subject not in truth.spots),
    )
    for match in order:
        rivals = [k for k in kept if any({k.subject, match.subject} <= group for group in kin())]
        if not any(_inside(match, rival) for rival in rivals):
            kept.append(match)
    return [match for match in matches if match in kept]


def _inside(match: Match, other: Match) -> bool:
    return all(any(hit.meets(one) for one in other.hits) for hit in match.hits)
