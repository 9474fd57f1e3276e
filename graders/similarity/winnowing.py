"""Fingerprints of a text: Schleimer, Wilkerson and Aiken, Winnowing (SIGMOD 2003), over runs of symbols.

Of every `window` runs in a row at least one is kept, so that two texts which share `run + window - 1` symbols
in a row share a fingerprint; what is shorter than `run` is never seen.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import NamedTuple

from graders.similarity.tokens import CODE, PROSE


class Grain(NamedTuple):
    """How finely a kind of text is compared, in symbols.

    `run`: of one fingerprint. `window`: runs of which one is kept. `quoted`: a run that stands in the materials
    is no word of one's own. `passage`: the least that is shown. `finding`: what two answers have to share, over
    all passages, before anything is said at all; a short answer `least`, if that is a `part` of it.
    """

    run: int
    window: int
    quoted: int
    passage: int
    finding: int
    least: int
    part: float


GRAINS = {CODE: Grain(20, 11, 20, 40, 150, 80, 0.3), PROSE: Grain(6, 5, 5, 12, 40, 20, 0.3)}


def runs(signs: Sequence[str], length: int) -> list[int]:
    """A signed 64-bit number for each run of so many symbols, in order; the same on every machine."""
    return [_number(signs[at : at + length]) for at in range(len(signs) - length + 1)]


def _number(signs: Sequence[str]) -> int:
    digest = hashlib.blake2b("\x1f".join(signs).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def winnowed(
    numbers: Sequence[int], window: int, counts: Callable[[int], bool] = lambda _: True
) -> set[int]:
    """Positions that are kept: in each window the least number that counts, the last one of equals."""
    kept: set[int] = set()
    for start in range(max(1, len(numbers) - window + 1)):
        here = range(start, min(start + window, len(numbers)))
        able = [(numbers[at], -at) for at in here if counts(at)]
        if able:
            kept.add(-min(able)[1])
    return kept
