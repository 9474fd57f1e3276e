"""Sentences of any language: of what they speak by the words of the trade, places and figures."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from graders.troubleshooting.catalogue import CAUSE, Subject, subjects
from graders.troubleshooting.patterns import Hit, hits
from graders.troubleshooting.places import (
    SPREAD,
    Spot,
    limits_in,
    machines_in,
    tokens_at,
    tokens_in,
)
from graders.troubleshooting.truth import Truth

PLACED, TWICE, ONCE = 0.8, 0.6, 0.5
"""How sure: a word of the trade with a place of the variant, two such words without, and one of a herring."""
BY_PLACE = 0.6
_PLACES = 2


def spoken_in_field_words(
    text: str, near: str, truth: Truth, known: Collection[str], place: str = ""
) -> Iterator[tuple[Subject, tuple[Hit, ...], float]]:
    """(subject, its words, how sure) of those that are not `known` already.

    `near` is what stands beside the text: a place there is enough where the text itself names none.
    `place` is what a hypothesis has in its own field: as good as if the text named it, and where the text
    has no word of the trade, that of the field is enough ("every_steps of config.yaml").
    A subject of the variant is placed by its own tokens, or by the kind of its places; any other cause
    takes two words of its own. A limit that somebody set ("425 W"), said of a machine of its kind by whoever
    names no other cause beside it, is as good as a word.
    """
    said = f"{text} , {place}"
    for key, subject in subjects().items():
        if key in known or not subject.words:
            continue
        spot = truth.spots.get(key)
        placed = tokens_in(spot, said) if spot is not None else []
        names = [token.lower() for token in placed]
        own = hits(subject.words, text) or (hits(subject.words, said) if place else [])
        distinct = _distinct([h for h in own if h.words.lower() not in names])
        if not distinct and spot is not None and not _any_cause(known):
            distinct = _limits(key, spot, text, said, truth)
        if not distinct:
            continue
        if (
            placed
            or (spot is not None and not _any_cause(known) and _of_its_kind(key, said, truth))
            or (spot is not None and len(distinct) >= 2 and tokens_in(spot, near))
        ):
            yield subject, tuple(distinct[:3]), PLACED
        elif (
            subject.kind == CAUSE and len(distinct) >= (2 if spot is not None else 3) and not known
        ):
            yield subject, tuple(distinct[:3]), TWICE
        elif spot is not None and subject.kind != CAUSE and any(_telling(h) for h in distinct):
            yield subject, tuple(distinct[:3]), ONCE


def spoken_by_place(text: str, truth: Truth) -> tuple[Subject, tuple[Hit, ...]] | None:
    """The cause of which a text gives two places or values of its own, and of no other cause as many.

    Whoever names the machine and its device, ticket or clock has found it in whatever words.
    """
    found = {key: tokens_at(truth.spots[key], text) for key in truth.causes}
    best = sorted(found, key=lambda key: -len(found[key]))[:2]
    key, others = best[0], [len(found[other]) for other in best[1:]]
    if len(found[key]) < _PLACES or len(found[key]) in others:
        return None
    kind, own = truth.spots[key].kind, truth.spots[key].names
    more = machines_in(truth.machines[kind], text) - own if kind else set()
    if len(more) > SPREAD or truth.identities.elsewhere(key, text):
        return None
    return subjects()[key], tuple(found[key])


def _telling(hit: Hit) -> bool:
    """Whether a word stands for nothing else ("SlurmdTimeout", "busy_poll")."""
    return len(hit.words) >= _LONG or any(sign in hit.words for sign in "_-=/")


_LONG = 8


def _any_cause(keys: Collection[str]) -> bool:
    return any(subjects()[key].kind == CAUSE for key in keys)


def _limits(key: str, spot: Spot, text: str, said: str, truth: Truth) -> list[Hit]:
    """The cause's own limits in a text that says of which machines they are."""
    found = limits_in(spot, text) if spot.kind and key in truth.causes else []
    return found if found and machines_in(truth.machines[spot.kind], said) else []


def _of_its_kind(key: str, text: str, truth: Truth) -> bool:
    return key in truth.causes and bool(truth.identities.elsewhere(key, text))


def _distinct(found: list[Hit]) -> list[Hit]:
    """One hit for each different word."""
    kept: dict[str, Hit] = {}
    for hit in found:
        kept.setdefault(hit.words.lower(), hit)
    return list(kept.values())
