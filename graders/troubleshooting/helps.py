"""Which sentence or field proposes what helps against which cause."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from graders.troubleshooting.answer import Answer
from graders.troubleshooting.catalogue import Subject, Ways, subjects
from graders.troubleshooting.languages import says, spoken
from graders.troubleshooting.matches import Read
from graders.troubleshooting.patterns import Hit, flat, hits, way_met
from graders.troubleshooting.places import tokens_in
from graders.troubleshooting.short import written_out
from graders.troubleshooting.truth import Truth

MITIGATE, PREVENT = "mitigation", "prevention"
_SECTIONS = {
    MITIGATE: ("immediate", "priorities", "issues", "business"),
    PREVENT: ("long_term", "issues", "immediate"),
}
_OF_VERBS = {MITIGATE: ("immediate", "business"), PREVENT: ("long_term",)}
"""Where a verb with the words of the cause is enough; elsewhere it takes the cause's own ways."""
_PART = re.compile(r"[;.]\s|[;\n]")
_CLAUSE = re.compile(r"[,;:.]\s|\s(?:but|aber|mais|pero|sondern|sino|ma|mas|maar)\s", re.IGNORECASE)
_GOES_ON = re.compile(
    r"\s*(?:for|or|nor|to|and|oder|noch|und|ni|ou|et|o|y|e|né|nem|of|en)\b", re.IGNORECASE
)


def helping(answer: Answer, reads: Sequence[Read], truth: Truth) -> list[dict[str, Any]]:
    """Rows {cause, part, statement, where, words}: everything that helps against a cause of the variant.

    In a section a sentence whose words would help against many causes ("drain it") counts for one if it
    has the cause's topic or place, or stands beside a sentence that has. A hypothesis's own fields count
    for whatever the hypothesis is about. What somebody would not do helps nothing.
    """
    found = []
    for key in truth.causes:
        subject = subjects()[key]
        for part, ways in ((MITIGATE, subject.mitigate), (PREVENT, subject.prevent)):
            found += list(_of_hypotheses(answer, subject, part, ways, truth))
            found += list(_of_sections(reads, subject, part, ways, truth))
    return found


def _row(key: str, part: str, statement: str, where: str, words: str) -> dict[str, Any]:
    return {"cause": key, "part": part, "statement": statement, "where": where, "words": words}


def _words(ways: Ways, text: str, languages: Sequence[str]) -> str:
    """The words by which the text meets one of the ways, unless it refuses them."""
    for way in ways:
        met = way_met(way, text)
        if met is not None and not refused(text, met, languages):
            return ", ".join(hit.words for hit in met)
    return ""


def refused(text: str, met: Sequence[Hit], languages: Sequence[str]) -> bool:
    """Whether the clause in which the words stand says that it is not to be done."""
    first, last = min(hit.start for hit in met), max(hit.end for hit in met)
    start, no = 0, False
    for border in [*_CLAUSE.finditer(text), None]:
        end = border.start() if border else len(text)
        clause = text[start:end]
        cues = says("refuses", clause, languages)
        if _WITHOUT.search(clause):
            cues = [cue for cue in cues if cue.words.lower() not in _NEITHER]
        own = [Hit(cue.start + start, cue.end + start, cue.words) for cue in cues]
        fresh = any(
            not any(hit.meets(cue) for hit in met) for cue in own if not _of_those(text, last, cue)
        )
        no = fresh or (no and _GOES_ON.match(clause) is not None)
        if start <= first < max(end, start + 1):
            return no
        start = border.end() if border else end
    return no


_WITHOUT = re.compile(r"\b(?:sans|sin|ohne|senza|sem|bez|without)\b", re.IGNORECASE)
_NEITHER = ("ni", "né", "nem", "noch", "nor", "ani")
_THOSE = re.compile(r"\b(?:that|which|who|whose|where)\b", re.IGNORECASE)


def _of_those(text: str, last: int, cue: Hit) -> bool:
    """Whether a negation after the words belongs to what they name ("move it to nodes that do not ...")."""
    return cue.start >= last and _THOSE.search(text, last, cue.start) is not None


@cache
def _verbs() -> Mapping[str, str]:
    found: Mapping[str, str] = tomllib.loads(
        Path(__file__).with_name("actions.toml").read_text(encoding="utf-8")
    )
    return found


@cache
def _verbs_of(classes: str) -> str:
    return "|".join(_verbs()[one] for one in classes.split("|"))


def _done(subject: Subject, part: str, text: str, languages: Sequence[str]) -> str:
    """The verb by which the text does what helps against the cause."""
    terms = _verbs_of(subject.acts if part == MITIGATE else subject.guards)
    for hit in hits(terms, text):
        if not refused(text, [hit], languages):
            return hit.words
    return ""


def _of_hypotheses(
    answer: Answer, subject: Subject, part: str, ways: Ways, truth: Truth
) -> Iterator[dict[str, Any]]:
    for number, one in enumerate(answer.hypotheses, start=1):
        said = one.mitigation if part == MITIGATE else one.prevention
        text = written_out(said, truth.names)
        languages = (spoken(text) or "en", "en")
        words = _words(ways, text, languages) or _done(subject, part, text, languages)
        if words:
            yield _row(subject.key, part, f"h:{one.id}", f"hypothesis {number}, {part}", words)


def _of_sections(
    reads: Sequence[Read], subject: Subject, part: str, ways: Ways, truth: Truth
) -> Iterator[dict[str, Any]]:
    spot = truth.spots[subject.key]
    for number, read in enumerate(reads):
        one = read.statement
        if one.section not in _SECTIONS[part] or read.copied:
            continue
        if one.section in _OF_VERBS[part] and (done := _of_verbs(read, subject, part, truth)):
            yield _row(subject.key, part, one.id, one.where, done)
            continue
        words = _words(ways, read.text, read.languages)
        if not words:
            continue
        if _words(tuple(way for way in ways if len(way) > 1), read.text, read.languages):
            yield _row(subject.key, part, one.id, one.where, words)
            continue
        near = f"{read.text}  {flat(one.under)}  {_same_block(reads, number)}"
        if hits(subject.topic, near) or tokens_in(spot, near):
            yield _row(subject.key, part, one.id, one.where, words)


def _of_verbs(read: Read, subject: Subject, part: str, truth: Truth) -> str:
    """The verb of a part that names the cause, by its place or the words of the trade, and does what helps."""
    for text in _PART.split(read.text):
        named = hits(subject.words, text) or (part == PREVENT and hits(subject.topic, text))
        if named or tokens_in(truth.spots[subject.key], text):
            done = _done(subject, part, text, read.languages)
            if done:
                return done
    return ""


def _same_block(reads: Sequence[Read], number: int) -> str:
    one = reads[number].statement
    near = reads[max(0, number - 1) : number + 2]
    return "  ".join(other.text for other in near if one.beside(other.statement))
