"""What a sentence says of those before and after it in its paragraph."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from graders.troubleshooting.catalogue import CAUSE, subjects
from graders.troubleshooting.figures import has_figure
from graders.troubleshooting.labels import labelled
from graders.troubleshooting.languages import says
from graders.troubleshooting.matches import Read
from graders.troubleshooting.patterns import hits
from graders.troubleshooting.places import tokens_in
from graders.troubleshooting.sentences import OF_ACTIONS
from graders.troubleshooting.stance import (
    DISMISSES,
    STATES,
    blames,
    heads_aside,
    points_back,
    sets_aside,
)
from graders.troubleshooting.truth import Truth

LEAD_WORDS = 12
"""Words before a colon that may lead in what follows."""
_TURNS = re.compile(
    r"\b(?:however|instead|but|the (?:real |actual )?(?:cause|culprit|reason)|stattdessen|aber|sondern"
    r"|ursache ist|mais|plutôt|la cause|pero|sino|la causa)\b",
    re.IGNORECASE,
)


_WHAT = re.compile(
    r"(?:\W*\w+ly,?\s+)?\W*(?:what|the following|the rest|the others|was|folgendes|das folgende|alles übrige"
    r"|ce qui|le reste|lo que|lo demás|ciò che|quello che|il resto|o que|o resto)\s[^:]+\.$",
    re.IGNORECASE,
)
"""A sentence that is a heading: "Fourthly, what may be forgotten." """
_OTHERS = re.compile(
    r"^\W*(?:the )?(?:noise|herrings|decoys|harmless (?:things|stuff)) first\b"
    r"|\b(?:some|these|other|the following|a few|several|more|einige|andere|weitere|ein paar|d['’]autres"
    r"|quelques|algunas|otras|altre|alcune|outras)\s+(?:\w+\s+)?(?:dead ends|red herrings|decoys"
    r"|false (?:trails|leads|tracks|alarms)|distractions|suspects|sackgassen|falsche (?:fährten|spuren)"
    r"|verdächtige|fausses pistes|pistas falsas|callejones|false piste|sospechosos)\b",
    re.IGNORECASE,
)
"""A sentence that announces several things that are no causes: "I also chased some dead ends." """
_FEW_MORE = 12


def lead_in(reads: Sequence[Read]) -> None:
    """A sentence that begins "Looks wrong and is not:" speaks for those after it in its paragraph.

    Until one of them says what something costs.
    """
    led = ""
    for before, after in pairwise(reads):
        lead, colon, rest = before.text.partition(":")
        if not before.statement.beside(after.statement) or has_figure(after.text):
            led = ""
            continue
        if _opens(before.text):
            led = before.text if _OTHERS.search(before.text) or _aside(before.text, before) else ""
        elif colon and rest.strip() and len(lead.split()) <= LEAD_WORDS:
            led = lead if _aside(lead, before) else ""
        led = "" if labelled(after.text) else led
        after.led = "" if _TURNS.search(after.text) else led


def _opens(text: str) -> bool:
    """Whether a sentence does nothing but lead in: "Fourthly, what may be forgotten."""
    if _OTHERS.search(text):
        return len(text.split()) <= _FEW_MORE
    return _WHAT.match(text) is not None and len(text.split()) <= LEAD_WORDS


def _aside(lead: str, read: Read) -> bool:
    return heads_aside(lead, read.languages)


def point_back(reads: Sequence[Read]) -> None:
    """A sentence like "It is harmless." speaks of the subject of the statement before it."""
    for first, second in pairwise(reads):
        same = first.statement.beside(second.statement)
        if (
            same
            and first.matches
            and not second.matches
            and not _FIGURED.search(second.text)
            and (points_back(second.text, second.languages) or _answered_no(first, second))
        ):
            first.matches = [
                replace(m, verdict=DISMISSES, why="the next sentence puts it aside")
                for m in first.matches
            ]


_FIGURED = re.compile(r"\d\s?(?:s|ms|h|sec|hours?)\b", re.IGNORECASE)
"""What puts a figure on something does not say that it is harmless ("the 0.4 s that were there before")."""
_YES = re.compile(r"\W*(?:yes|yep|ja|oui|sí|sì|sim|tak)\b", re.IGNORECASE)
_NO = re.compile(r"\W*(?:no|nope|nein|non|nee|não|nie)\b", re.IGNORECASE)


def _answered_no(first: Read, second: Read) -> bool:
    """Whether a question is answered with no, or one about a herring with what blames it for nothing."""
    if not first.text.rstrip(" )\"'”").endswith("?"):
        return False
    if _NO.match(second.text):
        return True
    if any(subjects()[m.subject].kind == CAUSE for m in first.matches) or second.text.endswith("?"):
        return False
    doubts = any(says(kind, second.text, second.languages) for kind in ("guesses", "undecided"))
    return not (doubts or _YES.match(second.text) or blames(second.text))


def point_on(reads: Sequence[Read], truth: Truth) -> None:
    """What "Slurm 22.05 is no cause either." puts aside the next sentence only says more of.

    Of the same subject, and unless that puts a figure on it.
    """
    for first, second in pairwise(reads):
        if not first.statement.beside(second.statement) or first.matches:
            continue
        if first.statement.section in OF_ACTIONS:
            continue
        if not sets_aside(first.text, first.languages) or has_figure(second.text):
            continue
        second.matches = [
            replace(m, verdict=DISMISSES, why="the sentence before puts it aside")
            if m.verdict == STATES and _speaks_of(m.subject, first.text, truth)
            else m
            for m in second.matches
        ]


def _speaks_of(key: str, text: str, truth: Truth) -> bool:
    spot, subject = truth.spots.get(key), subjects()[key]
    return bool((spot and tokens_in(spot, text)) or (subject.words and hits(subject.words, text)))


_CLAUSES = re.compile(r"[;.]\s|,\s+(?:and|und|et|y|e|en|i)\s|\s(?:and|und)\s(?=what|was)")
_WHAT_IS = re.compile(
    r"(?:^|[;.]\s)(?:and |und )?((?:what|was)\b[^;:.]{4,60}?\b(?:is|are|ist|sind))\b", re.IGNORECASE
)
_CLEARED = re.compile(
    r"\W*(?:I|we)\b[^:;.]{0,40}?"
    r"\b(cleared|ruled out|dismissed|set aside|put aside|discarded|excluded|crossed off)\b",
    re.IGNORECASE,
)


def leads(before: str) -> list[str]:
    """What stands before the first colon and before the last, of a long sentence its last clause."""
    before = before.replace("|", ":")
    first, colon, _ = before.partition(":")
    last = _CLAUSES.split(before.rpartition(":")[0])[-1]
    found = [first, last] if colon else []
    found += [match[1] for match in _WHAT_IS.finditer(before)]
    found += [match[1] for match in [_CLEARED.match(before)] if match]
    return [lead.strip() for lead in found if 0 < len(lead.split()) <= LEAD_WORDS]
