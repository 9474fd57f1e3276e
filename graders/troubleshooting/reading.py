"""What an answer says about its variant, as plain data: all that measures and corrections need, and no key."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from graders.troubleshooting.answer import Answer, Hypothesis
from graders.troubleshooting.catalogue import CAUSE, HERRING, subjects
from graders.troubleshooting.constrained import constrained
from graders.troubleshooting.figures import hours_of_seconds, hours_said
from graders.troubleshooting.helps import helping
from graders.troubleshooting.labels import labelled
from graders.troubleshooting.languages import NAMES, says, spoken
from graders.troubleshooting.matches import MENTIONS, Match, Read
from graders.troubleshooting.matching import match_all, spread_out
from graders.troubleshooting.ordering import ordered, together
from graders.troubleshooting.patterns import flat, hits
from graders.troubleshooting.pins import Judged, citations, judge, named_sources
from graders.troubleshooting.places import tokens_in
from graders.troubleshooting.sentences import Statement, statements
from graders.troubleshooting.stance import DISMISSES, STATES, blames
from graders.troubleshooting.truth import Truth
from scenarios.troubleshooting.constraints import bound_by

Json = dict[str, Any]
_FALLBACK = ("first_look", "priorities")
_TELLING = re.compile(r"\w{3}")
"""Of what helps: "on" and "it" may stand in any sentence."""
_LEADING = re.compile(r"\W*(?:\w+,?\s+){0,2}[~≈]?\d[\d.,]*\s*h\w*\b[^:]*:", re.IGNORECASE)
"""A sentence that leads in with what something costs ("Next, 2.1 h: checkpoints.")."""
_TOO_SHORT = 20
"""Words of an answer that are too few to tell its language by."""


def read(answer: Answer, truth: Truth) -> Json:
    """The reading of an answer: statements with their matches, pins with what they show, true figures.

    Plain JSON data: `assess` needs nothing else, so that a correction takes no new variant.
    """
    reads = match_all(statements(answer), truth)
    claiming = _claiming(answer)
    known = {one.id: one for one in answer.hypotheses}
    helps = helping(answer, reads, truth)
    proposed = {(row["statement"], row["cause"]) for row in helps if _TELLING.search(row["words"])}
    rows = [
        _statement(one, claiming, known, reads, number, truth, proposed)
        for number, one in enumerate(reads)
    ]
    cards = [_hypothesis(one, truth) for one in answer.hypotheses]
    _placed_by_pins(rows, cards)
    order, order_by = ordered(reads, rows, truth)
    return {
        "statements": rows,
        "hypotheses": cards,
        "helps": helps,
        "spread": sorted(spread_out(reads, truth)),
        "order": order,
        "order_by": order_by,
        "together": together(reads, rows),
        "read": _how_much(reads, rows, helps),
        "constraint": constrained(answer, reads, truth),
        "truth": _truth(truth),
        "notes": list(answer.notes),
    }


def _how_much(reads: Sequence[Read], rows: Sequence[Json], helps: Sequence[Json]) -> Json:
    """How many sentences there are and how many were taken for nothing; marks each with what it is."""
    acts = {one["statement"]: one["part"] for one in helps}
    for row, one in zip(rows, reads, strict=True):
        row["taken"] = _taken_for(row, one, acts.get(row["id"], ""))
    languages = [NAMES.get(key, "") for key in dict.fromkeys(one.language for one in reads)]
    whole = " ".join(one.text for one in reads)
    known = spoken(whole) or len(whole.split()) < _TOO_SHORT
    return {
        "sentences": len(rows),
        "unread": sum(not row["taken"] for row in rows),
        "copied": sum(bool(one.copied) for one in reads),
        "languages": [name for name in languages if name],
        "known": bool(known) or any(row["matches"] for row in rows),
    }


def _taken_for(row: Json, one: Read, act: str) -> str:
    """What a statement was taken for, in a few words; "" for nothing."""
    if one.copied:
        return f"words of {one.copied}"
    verdicts = {match["verdict"] for match in row["matches"]}
    if STATES in verdicts:
        return "a guess" if all(m["guess"] for m in row["matches"]) else "a claim"
    if DISMISSES in verdicts:
        return "something put aside"
    if act:
        return f"a {act}"
    if row["section"] == "priorities" and (verdicts or row["about"]):
        return "an order"
    if row["matches"]:
        return "a mention"
    if row["citations"]:
        return "evidence"
    return "a figure" if row["hours"] else ""


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
    proposed: Collection[tuple[str, str]],
) -> Json:
    statement = one.statement
    hypothesis = known.get(statement.hypothesis) if statement.hypothesis else None
    judged = [] if hypothesis or one.copied else list(citations(statement.text, truth))
    judged += [] if one.copied else list(named_sources(one, truth))
    return {
        "id": statement.id,
        "where": statement.where,
        "section": statement.section,
        "hypothesis": statement.hypothesis,
        "block": statement.block,
        "text": statement.text[:1_000],
        "place": statement.place[:300],
        "matches": [
            _match(
                match,
                one,
                _verdict(match, one, hypothesis, claiming, proposed),
                _hours(one, match, reads, number, truth),
            )
            for match in one.matches
        ],
        "hours": hours_said(one.text, truth.gap, truth.totals),
        "citations": [_judged(cited) for cited in judged],
        "about": _about(statement, truth),
        "copied": one.copied,
        "language": one.language if spoken(one.text) or one.matches else spoken(one.text),
        "seen": bool(says("seen", one.text, one.languages)),
    }


def _about(statement: Statement, truth: Truth) -> list[str]:
    """In a list of priorities, causes whose place an entry gives although it does not name them."""
    if statement.section != "priorities":
        return []
    return [key for key in truth.causes if tokens_in(truth.spots[key], statement.text)]


def _verdict(
    match: Match,
    one: Read,
    hypothesis: Hypothesis | None,
    claiming: Sequence[str],
    proposed: Collection[tuple[str, str]],
) -> tuple[str, str]:
    """(verdict, why): what status or section make of what the sentence says.

    What is `proposed` against a cause, outside the sections that claim causes, does not put it aside.
    """
    statement = one.statement
    if hypothesis is not None:
        if hypothesis.status == "refuted":
            return DISMISSES, "the hypothesis is marked refuted"
        if hypothesis.status == "open" and not hypothesis.figured and match.verdict == STATES:
            return MENTIONS, "the hypothesis is still open and has neither cost nor priority"
        return match.verdict, match.why
    if match.verdict == STATES and subjects()[match.subject].kind == HERRING:
        if not match.located and any(_blamed(other, match) for other in one.matches):
            return MENTIONS, "the sentence blames something else"
        return _of_herring(match, statement, claiming)
    aside = match.verdict == DISMISSES and statement.section not in claiming
    if aside and (statement.id, match.subject) in proposed:
        return MENTIONS, "proposes something against it"
    if match.verdict == STATES and statement.section not in claiming:
        return MENTIONS, f"{statement.section.replace('_', ' ')} is not where causes are claimed"
    return match.verdict, match.why


def _blamed(other: Match, match: Match) -> bool:
    """Whether the sentence that has the match states another subject, a cause, with its place."""
    kind = subjects()[other.subject].kind
    return kind == CAUSE and other is not match and other.verdict == STATES and other.located


def _of_herring(match: Match, statement: Statement, claiming: Sequence[str]) -> tuple[str, str]:
    """A sentence on a herring blames it, or gives a reason why it is harmless, or only mentions it."""
    if statement.text.rstrip(" )\"'”").endswith("?"):
        return MENTIONS, "only asks whether it is it"
    if match.why == "says so" and match.guess:
        return (STATES, match.why) if statement.section in claiming else (MENTIONS, match.why)
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
        "elsewhere": list(match.elsewhere),
        "own": match.own,
        "field": match.field,
        "firm": match.firm,
        "guess": match.guess,
        "sure": round(match.sure, 2),
    }


def _whole(one: Read) -> str:
    return f"{one.text} {one.more}" if one.statement.hypothesis else one.text


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
    said = [text]
    for follows in reads[number + 1 :]:
        if follows.matches or not one.statement.beside(follows.statement):
            break
        if labelled(follows.text):
            break
        said.append(follows.text)
    return _first_figure(said, truth) or _of_its_label(reads, number, truth)


def _first_figure(said: Sequence[str], truth: Truth) -> list[float]:
    """Hours of the first sentence that states any; what only says a change stands where none does."""
    for changes in (False, True):
        for text in said:
            if found := hours_said(text, truth.gap, truth.totals, changes=changes):
                return found
    return []


def _of_its_label(reads: Sequence[Read], number: int, truth: Truth) -> list[float]:
    """Hours of the sentence that opens the finding and names nothing else ("F2, 1.70 h.")."""
    one = reads[number].statement
    for lead in reversed(reads[:number]):
        if not one.beside(lead.statement):
            return []
        if _LEADING.match(lead.text) or labelled(lead.text):
            return [] if lead.matches else hours_said(lead.text, truth.gap, truth.totals)
    return []


def _judged(one: Judged) -> Json:
    return {
        "says": one.says,
        "shows": list(one.shows),
        "about": list(one.about),
        "finding": one.finding,
        "wrongable": one.wrongable,
        "named": one.named,
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
    """What measures compare with: titles, hours, and which fit what.

    Against a cause whose usual remedy may not be applied for now one has to go round or to agree first;
    `anywhere` is a cause that stands on no single machine.
    """
    rule = truth.key.constraint
    bound = bound_by(rule.key) if rule else frozenset()
    return {
        "gap_hours": truth.gap,
        "causes": [
            {
                "key": cause.key,
                "title": cause.title,
                "hours": cause.hours,
                "alone": cause.alone,
                "last": cause.last,
                "overlaps": list(cause.overlaps),
                "effort": subjects()[cause.key].effort + (cause.key in bound),
                "anywhere": not truth.spots[cause.key].kind,
            }
            for cause in truth.key.causes
        ],
        "herrings": [
            {"key": herring.key, "title": herring.title, "why": herring.why}
            for herring in truth.key.herrings
        ],
    }
