"""Whether what an answer would do at once keeps to what may not be done for now."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from graders.troubleshooting.answer import Answer
from graders.troubleshooting.catalogue import subjects
from graders.troubleshooting.helps import refused
from graders.troubleshooting.matches import Read
from graders.troubleshooting.patterns import hits
from graders.troubleshooting.places import tokens_in
from graders.troubleshooting.short import written_out
from graders.troubleshooting.truth import Truth

Json = dict[str, Any]
_SECTIONS = ("immediate", "priorities", "business")
_TWO = 2
_DOES = re.compile(
    r"\b(?:open|replace|repair|set|restore|change|öffne|tausche|setze|ouvrir|abrir)\w*\b", re.I
)
_OF_THE_JOB = re.compile(
    r"\b(?:re)?start\w*\b.{0,40}\b(?:job|run|training|checkpoint|outside|out of|exclud\w+|without)\b"
    r"|\b(?:job|run|training)\b.{0,30}\brestart\w*|\bneu ?start\w*\b.{0,40}\b(?:job|checkpoint|ohne|lauf)\b"
    r"|\b(?:relanc|redémarr)\w*\b.{0,50}\b(?:job|reprise|checkpoint|sans|hors)\b"
    r"|\breinici\w*\b.{0,50}\b(?:trabajo|checkpoint|sin|fuera)\b",
    re.IGNORECASE,
)
"""The job itself is nobody's system: where and when it starts is free."""
_SENTENCE = re.compile(r"(?<=[.;])\s+|\n")


@cache
def _words() -> Mapping[str, Any]:
    path = Path(__file__).with_name("constraints.toml")
    found: Mapping[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    return found


def constrained(answer: Answer, reads: Sequence[Read], truth: Truth) -> Json | None:
    """What the constraint forbids against which cause, and the sentences that keep to it or break it."""
    rule = truth.key.constraint
    if rule is None:
        return None
    found = [
        {"statement": id_, "where": where, "text": text[:300], "keeps": keeps}
        for id_, where, text in _said(answer, reads, truth, rule.cause)
        if (keeps := _keeps(rule.key, text)) is not None
    ]
    return {"key": rule.key, "cause": rule.cause, "told": rule.told, "said": found}


def _said(
    answer: Answer, reads: Sequence[Read], truth: Truth, cause: str
) -> Iterator[tuple[str, str, str]]:
    """(id, where, text) of whatever is proposed for now against the cause.

    Of a section that is a sentence with its words or place and the rest of its block.
    """
    for number, one in enumerate(answer.hypotheses, start=1):
        if one.mitigation and _about(f"{one.claim} {one.place}", truth, cause):
            where = f"hypothesis {number}, mitigation"
            yield f"h:{one.id}", where, written_out(one.mitigation, truth.names)
    blocks = {
        (read.statement.section, read.statement.block)
        for read in reads
        if read.statement.section in _SECTIONS and _about(read.text, truth, cause)
    }
    for read in reads:
        one_ = read.statement
        others = {match.subject for match in read.matches} - {cause}
        if others and not _about(read.text, truth, cause):
            continue
        if (one_.section, one_.block) in blocks and not read.copied:
            yield one_.id, one_.where, read.text


def _about(text: str, truth: Truth, cause: str) -> bool:
    if tokens_in(truth.spots[cause], text):
        return True
    words = {hit.words.lower() for hit in hits(subjects()[cause].words, text)}
    return len(words) >= _TWO or bool(words and _DOES.search(text))


def _keeps(key: str, text: str) -> bool | None:
    """Whether the text keeps to the constraint; None if it does neither. What is put off breaks nothing."""
    row = _words()[key]
    if hits(row["keeps"], text):
        return True
    if key == "frozen-systems":
        text = _OF_THE_JOB.sub(" ", text)
    for part in _SENTENCE.split(text):
        found = hits(row["breaks"], part)
        if (
            found
            and not hits(_words()["later"], part)
            and not refused(part, found[:1], ("en", "en"))
        ):
            return False
    return None
