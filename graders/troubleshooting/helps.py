"""Which sentence or field proposes what helps against which cause."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from graders.troubleshooting.answer import Answer
from graders.troubleshooting.catalogue import Subject, Ways, subjects
from graders.troubleshooting.matching import Read
from graders.troubleshooting.patterns import flat, hits, way_met
from graders.troubleshooting.places import tokens_in
from graders.troubleshooting.truth import Truth

MITIGATE, PREVENT = "mitigation", "prevention"
_SECTIONS = {
    MITIGATE: ("immediate", "priorities", "issues", "business"),
    PREVENT: ("long_term", "issues", "immediate"),
}


def helping(answer: Answer, reads: Sequence[Read], truth: Truth) -> list[dict[str, Any]]:
    """Rows {cause, part, statement, where, words}: everything that helps against a cause of the variant.

    In a section a sentence whose words would help against many causes ("drain it") counts for one if it
    has the cause's topic or place, or stands beside a sentence that has. A hypothesis's own fields count
    for whatever the hypothesis is about.
    """
    found = []
    for key in truth.causes:
        subject = subjects()[key]
        for part, ways in ((MITIGATE, subject.mitigate), (PREVENT, subject.prevent)):
            found += list(_of_hypotheses(answer, key, part, ways))
            found += list(_of_sections(reads, subject, part, ways, truth))
    return found


def _row(key: str, part: str, statement: str, where: str, words: str) -> dict[str, Any]:
    return {"cause": key, "part": part, "statement": statement, "where": where, "words": words}


def _words(ways: Ways, text: str) -> str:
    met = next((one for way in ways if (one := way_met(way, text)) is not None), None)
    return "" if met is None else ", ".join(hit.words for hit in met)


def _of_hypotheses(answer: Answer, key: str, part: str, ways: Ways) -> Iterator[dict[str, Any]]:
    for number, one in enumerate(answer.hypotheses, start=1):
        text = one.mitigation if part == MITIGATE else one.prevention
        words = _words(ways, flat(text))
        if words:
            yield _row(key, part, f"h:{one.id}", f"hypothesis {number}, {part}", words)


def _of_sections(
    reads: Sequence[Read], subject: Subject, part: str, ways: Ways, truth: Truth
) -> Iterator[dict[str, Any]]:
    spot = truth.spots[subject.key]
    for number, read in enumerate(reads):
        one = read.statement
        if one.section not in _SECTIONS[part]:
            continue
        words = _words(ways, read.text)
        if not words:
            continue
        if _words(tuple(way for way in ways if len(way) > 1), read.text):
            yield _row(subject.key, part, one.id, one.where, words)
            continue
        near = f"{read.text}  {flat(one.under)}  {_same_block(reads, number)}"
        if hits(subject.topic, near) or tokens_in(spot, near):
            yield _row(subject.key, part, one.id, one.where, words)


def _same_block(reads: Sequence[Read], number: int) -> str:
    one = reads[number].statement
    near = reads[max(0, number - 1) : number + 2]
    return "  ".join(other.text for other in near if one.beside(other.statement))
