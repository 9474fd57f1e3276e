"""What the five texts beside a cluster say of its faults: a reading as plain data, which people can correct.

Statements, stance and languages are those of the written incident (`graders/troubleshooting`); the words of
a fault stand in its own file. Matching words is not understanding: the reading is evidence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from graders.troubleshooting.answer import Answer
from graders.troubleshooting.languages import spoken
from graders.troubleshooting.patterns import Hit, flat, hits
from graders.troubleshooting.sentences import Statement, statements
from graders.troubleshooting.stance import DISMISSES, STATES, heads_aside, told
from graders.written import parts_of, sections_of
from scenarios.live_slurm.faults import all_faults
from scenarios.live_slurm.scene import Scene, oddities

Json = dict[str, Any]
WRITTEN = "answer.json"
"""The file of an answer that holds the texts."""
SECTIONS = ("first_look", "issues", "done", "people", "prevention")
MENTIONS, PREVENTS = "mentions", "prevents"
CLAIMED_IN = ("issues",)
_FALLBACK = ("first_look", "done")
PREVENTION = "prevention"
_ACTS = (
    "alert*|alarm*|monitor*|page|notif*|warn*|watch*|tell*|mail*|remind*|check*|verif*|compar*|test*|try|trial|lint*"
    "|valid*|assert*|review*|approv*|template*|generat*|automat*|version*|ansible|puppet|git|report*|list*|log*"
    "|dashboard*|measure*|limit*|forbid*|enabl*|wait*|cron|daily|weekly|owner*|ticket*|runbook|roll out|rollout"
    "|reconfigur*|from one table|one source|keep|read ~ from|make ~ from|write ~ from|let|never|only|exclusive"
    "|überwach*|alarmier*|prüf*|vergleich*|test*|melde*|vorlage*|vérif*|surveill*|comprob*|vigil*|controll*"
)
"""Words by which people say what would have prevented or shown something."""

_THEN = (
    "so|hence|thus|therefore|because|since|which|darum|deshalb|daher|weil|donc|por eso|quindi|dus"
)
"""What stands behind these is what came of it: a negation there denies no cause."""


@dataclass(frozen=True, slots=True)
class Subject:
    """Something that a statement can speak of: a fault of the catalogue, or an oddity."""

    key: str
    title: str
    about: str
    where: str
    is_fault: bool


@cache
def catalogue() -> Mapping[str, Subject]:
    """Every fault and every oddity, by name; places of a drawn node are filled in by `subjects`."""
    found = [Subject(one.name, one.title, one.about, one.where, True) for one in all_faults()]
    found += [Subject(one.name, one.title, one.about, "", False) for one in oddities()]
    return {one.key: one for one in found}


def subjects(scene: Scene) -> dict[str, Subject]:
    """The catalogue as it is on one cluster: what is wrong there is at its own node, anything else anywhere."""
    own = {one.name: one.where for one in scene.faults}
    return {
        key: Subject(key, one.title, one.about, own.get(key, _anywhere(one.where)), one.is_fault)
        for key, one in catalogue().items()
    }


def _anywhere(where: str) -> str:
    return where.replace("{node}", "gpu-n00*").replace("{other}", "gpu-n00*")


def parse(text: str) -> dict[str, str]:
    """The sections in that file's text. Raises graders.written.BadAnswer."""
    data, notes = parts_of(text, "notes")
    return sections_of(data.get("sections", {}), SECTIONS, notes)


def read(sections: Mapping[str, str], scene: Scene) -> Json:
    """The reading: statements with what they say of which fault, and which faults and oddities there are."""
    claiming = CLAIMED_IN if sections.get("issues", "").strip() else _FALLBACK
    known = subjects(scene)
    found = statements(Answer(sections, ()))
    rows = [_statement(one, claiming, known) for one in found]
    _placed_by_their_block(found, rows, known)
    return {
        "statements": rows,
        "faults": [{"key": one.name, "title": one.title} for one in scene.faults],
        "oddities": [{"key": one.name, "title": one.title} for one in scene.oddities],
    }


def _statement(one: Statement, claiming: Sequence[str], known: Mapping[str, Subject]) -> Json:
    text = flat(one.text)
    language = spoken(text)
    languages = ("en",) if language in ("", "en") else (language, "en")
    matches = []
    for subject in known.values():
        if words := hits(subject.about, text):
            verdict, why = _verdict(one, text, words, claiming, languages)
            placed = [hit.words for hit in hits(subject.where, text)] if subject.where else []
            matches.append(_match(subject, verdict, why, words, placed))
    return {
        "id": one.id,
        "where": one.where,
        "section": one.section,
        "block": one.block,
        "text": one.text[:1_000],
        "matches": _nearest(matches),
    }


def _verdict(
    one: Statement,
    text: str,
    words: Sequence[Hit],
    claiming: Sequence[str],
    languages: Sequence[str],
) -> tuple[str, str]:
    if one.section == PREVENTION:
        acts = hits(_ACTS, text)
        return (PREVENTS, f"says what to do: {acts[0].words}") if acts else (MENTIONS, "no act")
    if heads_aside(one.under, languages):
        return DISMISSES, "stands below what is put aside"
    stance, firm = told(text, words, hits(_THEN, text), languages)
    if stance == DISMISSES:
        return (DISMISSES, "says that it is harmless") if firm else (STATES, "says what is lacking")
    if one.section not in claiming:
        return MENTIONS, f"{one.section.replace('_', ' ')} is not where causes are claimed"
    return STATES, "claims it"


def _match(
    subject: Subject, verdict: str, why: str, words: Sequence[Hit], placed: Sequence[str]
) -> Json:
    return {
        "subject": subject.key,
        "title": subject.title,
        "verdict": verdict,
        "why": why,
        "words": list(dict.fromkeys(hit.words for hit in words)),
        "places": list(dict.fromkeys(placed)),
    }


def _nearest(matches: list[Json]) -> list[Json]:
    """Of faults that share a word those whose place is given as well, where there are such."""
    kept = []
    for one in matches:
        better = [
            other
            for other in matches
            if other is not one
            and len(other["words"]) + len(other["places"]) > len(one["words"]) + len(one["places"])
            and {word.lower() for word in one["words"]} <= {word.lower() for word in other["words"]}
        ]
        if not better:
            kept.append(one)
    return kept


def _placed_by_their_block(
    found: Sequence[Statement], rows: Sequence[Json], known: Mapping[str, Subject]
) -> None:
    """A block describes one cause: its place may stand in another sentence of it, or above it."""
    for one, row in zip(found, rows, strict=True):
        beside = [flat(one.under), *(flat(other.text) for other in found if other.beside(one))]
        for match in row["matches"]:
            where = known[match["subject"]].where
            if where and not match["places"]:
                words = [hit.words for text in beside for hit in hits(where, text)]
                match["places"] = list(dict.fromkeys(words))
