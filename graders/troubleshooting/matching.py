"""Of which cause or herring a statement speaks, by which words, where, and whether it puts it aside."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from graders.troubleshooting.catalogue import CAUSE, Subject, kin, subjects
from graders.troubleshooting.copied import sources_of
from graders.troubleshooting.field_words import (
    BY_PLACE,
    spoken_by_place,
    spoken_in_field_words,
)
from graders.troubleshooting.figures import has_figure
from graders.troubleshooting.following import lead_in, leads, point_back, point_on
from graders.troubleshooting.languages import spoken
from graders.troubleshooting.matches import Match, Read
from graders.troubleshooting.patterns import Hit, flat, hits, span, way_met
from graders.troubleshooting.places import SPREAD, machines_in, tokens_in
from graders.troubleshooting.retraction import guesses, leave_to_herrings, take_back
from graders.troubleshooting.sentences import Statement
from graders.troubleshooting.short import written_out
from graders.troubleshooting.stance import (
    DISMISSES,
    STATES,
    heads_aside,
    scope,
    sets_aside,
    told,
)
from graders.troubleshooting.truth import Truth

_TAIL_WORDS = 9
_LIKELY = 0.7
_GOES_ON = 3
_ENOUGH_WORDS = 8
"""A sentence with fewer is taken for one of its section's language."""


def match_all(found: Sequence[Statement], truth: Truth) -> list[Read]:
    """Every statement with its matches. What was copied from the materials claims nothing."""
    reads = [_written_out(one, truth) for one in found]
    _set_languages(reads)
    sources = sources_of(truth)
    for read in reads:
        read.copied = sources.of(read.statement.text)
    for before, after in [*pairwise(reads), *pairwise(reads[::-1])]:
        same = before.statement.section == after.statement.section != ""
        if before.copied and same and sources.beside_a_copy(after.statement.text):
            after.copied = before.copied
    lead_in(reads)
    for read in reads:
        if not read.copied:
            _match(read, truth)
    for number, read in enumerate(reads):
        if not read.copied:
            _in_field_words(reads, number, read, truth)
    leave_to_herrings(reads, truth)
    _pairs(reads, truth)
    _look_beside(reads, truth)
    point_back(reads)
    point_on(reads, truth)
    _only_kin(reads, truth)
    guesses(reads)
    take_back(reads, truth)
    return reads


def _written_out(one: Statement, truth: Truth) -> Read:
    text, place, more = (written_out(said, truth.names) for said in (one.text, one.place, one.more))
    return Read(one, text, place=place, more=more)


def _set_languages(reads: Sequence[Read]) -> None:
    """A sentence's own language where it shows, else its section's, else that of the whole answer."""
    whole = spoken(" ".join(read.text for read in reads)) or "en"
    sections: dict[str, list[str]] = {}
    for read in reads:
        sections.setdefault(read.statement.section, []).append(read.text)
    main = {key: spoken(" ".join(texts)) or whole for key, texts in sections.items()}
    for read in reads:
        own = spoken(read.text) if len(read.text.split()) >= _ENOUGH_WORDS else ""
        read.language = own or main[read.statement.section]


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
    if not found and one.hypothesis and read.more:
        read.text = f"{read.text}. {read.more.partition(chr(10))[0]}"
        found = spoken_of(read.text)
    made = [_one(read, subject, words, _others(subject, found), truth) for subject, words in found]
    read.matches += _beyond_brackets(read.text, made)


_BRACKETS = re.compile(r"\([^()]*\)")


def _beyond_brackets(text: str, found: Sequence[Match]) -> list[Match]:
    """Without causes that only a remark in brackets suggests, beside one that is named at its place.

    "spine01 is out (it waits for a power supply)" claims nothing of power supplies.
    """
    inside = [match.span() for match in _BRACKETS.finditer(text)]
    placed = [m for m in found if m.places and subjects()[m.subject].kind == CAUSE]

    def remarked(match: Match) -> bool:
        within = any(a <= hit.start and hit.end <= b for hit in match.hits for a, b in inside)
        return within and not match.places and subjects()[match.subject].kind == CAUSE

    return [match for match in found if not (placed and remarked(match))]


def _in_field_words(reads: Sequence[Read], number: int, read: Read, truth: Truth) -> None:
    """Adds what only words of the trade and places say. Those of a herring beside a cause say nothing."""
    known = [match.subject for match in read.matches]
    located = any(subjects()[m.subject].kind == CAUSE and m.places for m in read.matches)
    near, place = _beside(reads, number), read.place
    spoken_too = list(spoken_in_field_words(read.text, near, truth, known, place))
    if not any(
        subjects()[key].kind == CAUSE for key in [*known, *(one.key for one, *_ in spoken_too)]
    ):
        spoken_too += _in_places(reads, number, truth)
    causes = located or any(one.kind == CAUSE and sure > _LIKELY for one, _, sure in spoken_too)
    found = [(subjects()[match.subject], match.hits) for match in read.matches]
    found += [(subject, words) for subject, words, _ in spoken_too]
    for subject, words, sure in spoken_too:
        match = replace(_one(read, subject, words, _others(subject, found), truth), sure=sure)
        if match.verdict == DISMISSES and not match.firm:
            match = replace(match, verdict=STATES, firm=True)
        weak = sure < _LIKELY and subject.kind != CAUSE
        if match.verdict == DISMISSES or (not weak and (subject.kind == CAUSE or not causes)):
            read.matches.append(match)


def _in_places(
    reads: Sequence[Read], number: int, truth: Truth
) -> list[tuple[Subject, tuple[Hit, ...], float]]:
    """What a sentence on issues says by places alone, if it or what goes on from it puts a figure on that."""
    read = reads[number]
    placed = spoken_by_place(read.text, truth)
    if placed is None or read.statement.section != "issues":
        return []
    after = reads[number + 1 : number + 1 + _GOES_ON]
    said = [
        read,
        *(one for one in after if one.statement.beside(read.statement) and not one.matches),
    ]
    return [(*placed, BY_PLACE)] if any(has_figure(one.text) for one in said) else []


Others = Sequence[tuple[Subject, Hit]]


def _others(subject: Subject, found: Sequence[tuple[Subject, tuple[Hit, ...]]]) -> Others:
    """The words of other subjects."""
    return [(one, hit) for one, theirs in found if one is not subject for hit in theirs]


def _one(
    read: Read, subject: Subject, words: tuple[Hit, ...], others: Others, truth: Truth
) -> Match:
    verdict, firm = told(read.text, words, [hit for _, hit in others], read.languages)
    if subject.kind != CAUSE and any(sets_aside(hit.words, read.languages) for hit in words):
        verdict, firm = DISMISSES, True
    why = "puts it aside" if verdict == DISMISSES else "says so"
    heading = _heading(read, words) or read.led
    if heading and verdict == STATES:
        verdict, firm, why = DISMISSES, True, f"stands under “{heading[:80]}”"
    match = Match(read.statement.id, subject.key, verdict, why, words, firm=firm)
    return _in_its_field(match, read, truth) or _in_its_words(match, read, others, truth)


def _in_its_words(match: Match, read: Read, others: Others, truth: Truth) -> Match:
    """The match with the place that the sentence gives to its subject.

    Words of a relation may be said of the very same thing: where the part of the sentence that is the
    subject's alone names nobody, the part that it shares with its relations may.
    """
    key, words = match.subject, match.hits
    places, wrong = _places(key, read.text, truth)
    part = _part(read, words, [hit for _, hit in others])
    elsewhere = truth.identities.elsewhere(key, part)
    if not elsewhere and not _own_named(key, part, truth):
        apart = [hit for one, hit in others if not any({one.key, key} <= group for group in kin())]
        elsewhere = truth.identities.elsewhere(key, _part(read, words, apart))
    return replace(
        match,
        places=places,
        wrong=wrong,
        elsewhere=elsewhere,
        own=not elsewhere and _own_named(key, read.text, truth),
        sure=0.9 if places else 0.7,
    )


def _part(read: Read, words: Sequence[Hit], others: Sequence[Hit]) -> str:
    apart = [hit for hit in others if not any(hit.meets(word) for word in words)]
    start, end = scope(read.text, words, apart)
    return read.text[start:end] if others else read.text


def _in_its_field(match: Match, read: Read, truth: Truth) -> Match | None:
    """The match with the place of the hypothesis's own field; None where that decides nothing.

    Of a place of another kind (a rack, "the whole job") the words of the claim may say more.
    """
    key, place = match.subject, read.place
    if not place or key not in truth.spots:
        return None
    places, wrong = _places(key, place, truth)
    elsewhere = truth.identities.elsewhere(key, place)
    if not places and not elsewhere:
        return None
    own = not elsewhere and _own_named(key, place, truth)
    return replace(
        match,
        places=() if elsewhere else places,
        wrong=wrong,
        elsewhere=elsewhere,
        own=own,
        field=True,
        sure=0.95 if places else 0.9,
    )


def _own_named(key: str, text: str, truth: Truth) -> bool:
    named = truth.identities.named(text)
    own = truth.identities.own.get(key, {})
    return any(named.get(kind, set()) & names for kind, names in own.items())


def _heading(read: Read, words: Sequence[Hit]) -> str:
    """The heading, or the words before or after a colon, that put aside what the sentence speaks of."""
    under = read.statement.under
    if under and heads_aside(flat(under), read.languages):
        return under
    first = min(hit.start for hit in words)
    for lead in leads(read.text[:first]):
        if heads_aside(lead, read.languages):
            return lead
    _, colon, tail = read.text.rpartition(":")
    last = max(hit.end for hit in words)
    if colon and len(read.text) - len(tail) > last and len(tail.split()) <= _TAIL_WORDS:
        return tail.strip() if heads_aside(tail, read.languages) else ""
    return ""


_ALL_OVER = re.compile(
    r"\b(?:(?:all|each|every|alle[nr]?|jede[rmn]?|auf allen|tou(?:te)?s les|chaque|tod[oa]s l[oa]s|cada|tutti i"
    r"|ogni|todos os|alle|elke|wszystkich|każd\w+) (?:(?:our|of our|of the|unseren?|nos|nuestros) )?(?:the )?"
    r"(?:(?:compute|own) )?(?:nodes?|ranks?|hosts?|knoten|ranks?|nœuds?|rangs?|nodos?|nodi|nós|węz\w+)"
    r"|(?:nodes?|ranks?|knoten) alike)\b|全ノード|全ランク|すべてのノード",
    re.IGNORECASE,
)
"""How people place what is the same on the whole job."""


def _places(key: str, text: str, truth: Truth) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(what locates the subject in the text, machines of its kind that are not meant)."""
    spot = truth.spots.get(key)
    if spot is None:
        return (), ()
    named = machines_in(truth.machines[spot.kind], text) if spot.kind else set()
    tokens = [*tokens_in(spot, text), *sorted(named & spot.names)]
    if place := subjects()[key].place:
        tokens += [hit.words for hit in hits(place, text)]
    if not spot.kind and key in truth.identities.of_job:
        tokens += [match.group() for match in _ALL_OVER.finditer(text)]
    return tuple(dict.fromkeys(tokens)), tuple(sorted(named - spot.names))


def _pairs(reads: list[Read], truth: Truth) -> None:
    """Two sentences of one block that only together speak of something: the first is given the match."""
    for first, second in pairwise(reads):
        same = first.statement.beside(second.statement)
        if not same or first.matches or second.matches or not first.statement.section:
            continue
        if first.copied or second.copied:
            continue
        joined = Read(first.statement, f"{first.text}  {second.text}", language=first.language)
        _match(joined, truth)
        first.matches = [replace(m, why=f"{m.why}, with the next sentence") for m in joined.matches]


def _look_beside(reads: list[Read], truth: Truth) -> None:
    """Places next to a statement that names none: its block, its heading, the rest of its hypothesis."""
    for number, read in enumerate(reads):
        for at, match in enumerate(read.matches):
            if match.field:
                continue
            changed = _elsewhere_beside(match, reads, number, truth)
            if not match.places:
                places, wrong = _places(match.subject, _beside(reads, number), truth)
                if places and len(wrong) <= SPREAD:
                    changed = replace(changed, beside=places)
            read.matches[at] = changed


def _elsewhere_beside(match: Match, reads: Sequence[Read], number: int, truth: Truth) -> Match:
    """Who and what sentences beside it name that have no subject, where the statement itself names none."""
    key, one = match.subject, reads[number].statement
    if match.own or match.elsewhere or key not in truth.causes:
        return match
    if one.hypothesis:
        near = reads[number].more.partition("\n")[0]
    else:
        around = [reads[at] for at in (number - 1, number + 1) if 0 <= at < len(reads)]
        near = "  ".join(r.text for r in around if one.beside(r.statement) and not r.matches)
    found = truth.identities.elsewhere(key, near)
    return replace(match, elsewhere=found, own=not found and _own_named(key, near, truth))


def _beside(reads: Sequence[Read], number: int) -> str:
    one = reads[number].statement
    if one.hypothesis:
        return reads[number].more
    near = [one.under]
    for other in (number - 1, number + 1):
        if 0 <= other < len(reads) and one.beside(reads[other].statement):
            near.append(reads[other].text)
    return "  ".join(near)


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
