"""What an answer says about its variant, as plain data: all that measures and corrections need, and no key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graders.troubleshooting.answer import Answer, Hypothesis
from graders.troubleshooting.catalogue import HERRING, subjects
from graders.troubleshooting.figures import hours_of_seconds, hours_said
from graders.troubleshooting.helps import helping
from graders.troubleshooting.matching import MENTIONS, Match, Read, match_all, spread_out
from graders.troubleshooting.patterns import flat, hits
from graders.troubleshooting.pins import Judged, citations, judge
from graders.troubleshooting.places import tokens_in
from graders.troubleshooting.sentences import Statement, statements
from graders.troubleshooting.stance import DISMISSES, STATES, blames
from graders.troubleshooting.truth import Truth

Json = dict[str, Any]
_FALLBACK = ("first_look", "priorities")


def read(answer: Answer, truth: Truth) -> Json:
    """The reading of an answer: statements with their matches, pins with what they show, true figures.

    Plain JSON data: `assess` needs nothing else, so that a correction takes no new variant.
    """
    reads = match_all(statements(answer), truth)
    claiming = _claiming(answer)
    known = {one.id: one for one in answer.hypotheses}
    rows = [
        _statement(one, claiming, known, reads, number, truth) for number, one in enumerate(reads)
    ]
    cards = [_hypothesis(one, truth) for one in answer.hypotheses]
    _placed_by_pins(rows, cards)
    return {
        "statements": rows,
        "hypotheses": cards,
        "helps": helping(answer, reads, truth),
        "spread": sorted(spread_out(reads, truth)),
        "truth": _truth(truth),
        "notes": list(answer.notes),
    }


def _placed_by_pins(rows: Sequence[Json], cards: Sequence[Json]) -> None:
    """A hypothesis without a place in its words is placed by pinned lines, if half of its pins show it."""
    pins = {card["id"]: card["pins"] for card in cards}
    for row in rows:
        given = pins.get(row["hypothesis"], []) if row["hypothesis"] else []
        for match in row["matches"]:
            good = [pin for pin in given if match["subject"] in pin["shows"]]
            if not match["places"] and 2 * len(good) >= max(1, len(given)):
                match["beside"] += [pin["says"] for pin in good if pin["line"]][:3]


def _claiming(answer: Answer) -> Sequence[str]:
    """Sections whose sentences claim causes; where nothing is in them, the next best."""
    if answer.sections.get("issues", "").strip():
        return ("issues",)
    return () if answer.hypotheses else _FALLBACK


def _statement(
    one: Read,
    claiming: Sequence[str],
    known: Mapping[str, Hypothesis],
    reads: Sequence[Read],
    number: int,
    truth: Truth,
) -> Json:
    statement = one.statement
    hypothesis = known.get(statement.hypothesis) if statement.hypothesis else None
    judged = [] if hypothesis else list(citations(statement.text, truth))
    return {
        "id": statement.id,
        "where": statement.where,
        "section": statement.section,
        "hypothesis": statement.hypothesis,
        "block": statement.block,
        "text": statement.text[:1_000],
        "matches": [
            _match(
                match,
                one,
                _verdict(match, statement, hypothesis, claiming),
                _hours(one, match, reads, number, truth),
            )
            for match in one.matches
        ],
        "hours": hours_said(one.text, truth.gap, truth.totals),
        "citations": [_judged(cited) for cited in judged],
        "about": _about(statement, truth),
    }


def _about(statement: Statement, truth: Truth) -> list[str]:
    """In a list of priorities, causes whose place an entry gives although it does not name them."""
    if statement.section != "priorities":
        return []
    return [key for key in truth.causes if tokens_in(truth.spots[key], statement.text)]


def _verdict(
    match: Match, statement: Statement, hypothesis: Hypothesis | None, claiming: Sequence[str]
) -> tuple[str, str]:
    """(verdict, why): what status or section make of what the sentence says."""
    if hypothesis is not None:
        if hypothesis.status == "refuted":
            return DISMISSES, "the hypothesis is marked refuted"
        if hypothesis.status == "open" and not hypothesis.figured and match.verdict == STATES:
            return MENTIONS, "the hypothesis is still open and has neither cost nor priority"
        return match.verdict, match.why
    if match.verdict == STATES and subjects()[match.subject].kind == HERRING:
        return _of_herring(match, statement, claiming)
    if match.verdict == STATES and statement.section not in claiming:
        return MENTIONS, f"{statement.section.replace('_', ' ')} is not where causes are claimed"
    return match.verdict, match.why


def _of_herring(match: Match, statement: Statement, claiming: Sequence[str]) -> tuple[str, str]:
    """A sentence on a herring blames it, or gives a reason why it is harmless, or only mentions it."""
    if blames(statement.text) or hours_said(statement.text, 0.0, ()):
        return (STATES, match.why) if statement.section in claiming else (MENTIONS, match.why)
    if hits(subjects()[match.subject].reasons, flat(statement.text)):
        return DISMISSES, "gives a reason why it is harmless and blames it for nothing"
    return MENTIONS, "blames it for nothing"


def _match(match: Match, one: Read, verdict: tuple[str, str], hours: list[float]) -> Json:
    subject = subjects()[match.subject]
    reasons = [hit.words for hit in hits(subject.reasons, _whole(one))] if subject.reasons else []
    return {
        "subject": match.subject,
        "name": subject.name,
        "verdict": verdict[0],
        "why": verdict[1],
        "words": [hit.words for hit in match.hits],
        "places": list(match.places),
        "beside": list(match.beside),
        "wrong": list(match.wrong),
        "reasons": reasons[:5] if subject.kind == HERRING else [],
        "hours": [round(value, 3) for value in hours],
    }


def _whole(one: Read) -> str:
    return flat(f"{one.text} {one.statement.more}") if one.statement.hypothesis else one.text


def _hours(
    one: Read, match: Match, reads: Sequence[Read], number: int, truth: Truth
) -> list[float]:
    """Hours that the sentence puts on this subject, or those after it in its block that have no subject."""
    stated = [m for m in one.matches if m.verdict == STATES]
    text = one.text
    if len(stated) > 1:
        start, end = min(h.start for h in match.hits), max(h.end for h in match.hits)
        after = [
            min(h.start for h in m.hits) for m in stated if min(h.start for h in m.hits) >= end
        ]
        text = text[start : min(after, default=len(text))]
    found = hours_said(text, truth.gap, truth.totals)
    for follows in reads[number + 1 :]:
        if found or follows.matches or not one.statement.beside(follows.statement):
            return found
        found = hours_said(follows.text, truth.gap, truth.totals)
    return found


def _judged(one: Judged) -> Json:
    return {
        "says": one.says,
        "shows": list(one.shows),
        "about": list(one.about),
        "finding": one.finding,
        "wrongable": one.wrongable,
        "path": one.path,
        "line": one.line,
    }


def _hypothesis(one: Hypothesis, truth: Truth) -> Json:
    hours = [one.hours] if one.hours is not None else []
    if one.seconds_per_step is not None:
        hours.append(hours_of_seconds(one.seconds_per_step))
    return {
        "id": one.id,
        "claim": one.claim[:1_000],
        "status": one.status,
        "hours": [round(value, 3) for value in hours],
        "priority": one.priority,
        "opened_min": one.opened_min,
        "decided_min": one.decided_min,
        "pins": [_judged(judge(pin, truth)) for pin in one.pins],
    }


def _truth(truth: Truth) -> Json:
    """What measures compare with: titles, hours, and which fit what."""
    return {
        "gap_hours": truth.gap,
        "causes": [
            {
                "key": cause.key,
                "title": cause.title,
                "hours": cause.hours,
                "alone": cause.alone,
                "last": cause.last,
            }
            for cause in truth.key.causes
        ],
        "herrings": [
            {"key": herring.key, "title": herring.title, "why": herring.why}
            for herring in truth.key.herrings
        ],
    }
