"""Which answers' scorecards are apart, remembered: scorecards are frozen, so what they say of each other stays.

What can change is which cards count, how much was talked over, and the rule: these are part of what is
remembered by. Each process has its own memory of it.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from reviews.scoring.agreement import Rule
from reviews.scoring.disagreements import apart

KEPT = 50_000  # answers; some 10 MB


class Judged(NamedTuple):
    """An answer. cards: keys of the scorecards that are in; talked: outcomes recorded."""

    answer: int
    cards: tuple[int, ...]
    talked: int
    rule: Rule


_known: dict[Judged, bool] = {}


def still_apart(answers: Collection[Judged]) -> set[int]:
    """The answers that differ by the rule and were not talked over, however many cards are in.

    It is for whoever asks to keep it from those who may not know that others' scorecards differ.
    """
    rows = [row for row in answers if len(row.cards) > 1]
    said = {row: _known.get(row) for row in rows}
    new = [row for row, is_apart in said.items() if is_apart is None]
    if new:
        far = apart([row.answer for row in new])
        found = {row: row.answer in far for row in new}
        said.update(found)
        if len(_known) > KEPT:
            _known.clear()
        _known.update(found)
    return {row.answer for row, is_apart in said.items() if is_apart}
