"""What written parts beside the table say of its rows: that they are put aside, taken back, or guesses."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from graders.standing import ASIDE, BACK, GUESS, PROPOSED, kind_of, sentences

SAYS = {
    ASIDE: "is put aside",
    BACK: "is taken back",
    GUESS: "is only thought possible, so that its figure counts for nothing",
}
_ROWS = re.compile(
    r"\b(?:rows?|lines?|items?|points?|proposals?|zeilen?|punkte?n?|lignes?|filas?|puntos?|líneas?)\.?\s+"
    r"(\d{1,2}(?:\s*(?:,|-|–|\w{1,7})\s*\d{1,2}\b)*)",
    re.IGNORECASE,
)
_SPAN = re.compile(r"(\d{1,2})\s*(?:-|–|to|through|bis|à|a|al|hasta)\s*(\d{1,2})", re.IGNORECASE)
_OF_ALL = {
    BACK: re.compile(
        r"\b(?:all|every|everything|none|whole|entire|table|alle[ns]?|sämtliche|ganze|tabelle|tou(?:te)?s|tableau"
        r"|todas|tabla|tutte|tabella|wszystk\w+|tabel\w+)\b|すべて|全て|全部|表",
        re.IGNORECASE,
    ),
    ASIDE: re.compile(
        r"\bnone of (?:these|them|those|it|(?:the|my) (?:rows|measures|proposals))|\bno row\b"
        r"|\bnothing in (?:the|this|my) table|\bkeine (?:der|dieser|davon|zeile)|\baucune (?:de ces|des|ligne)"
        r"|\bninguna (?:de|fila)",
        re.IGNORECASE,
    ),
    GUESS: re.compile(
        r"\b(?:which|any|one|some) of (?:these|them|the (?:rows|measures))|\bwelche (?:davon|dieser|der zeilen)"
        r"|\blesquel(?:le)?s|\bcuáles? de",
        re.IGNORECASE,
    ),
}
"""Words by which a sentence of a written part speaks of the whole table."""
_OTHERS = re.compile(
    r"\b(?:other|others|else|colleagues?|suggestions|übrigen|anderen?|kollegen|autres?|collègues|demás|otr[ao]s)\b",
    re.IGNORECASE,
)


def beside(sections: Mapping[str, str], count: int) -> dict[int, tuple[str, str]]:
    """Number of a row, from 0 -> (what a written part does with it, its sentence)."""
    found: dict[int, tuple[str, str]] = {}
    for text in sections.values():
        for sentence in sentences(text):
            if (kind := kind_of(sentence)) != PROPOSED:
                found |= dict.fromkeys(_meant(sentence, kind, count), (kind, sentence[:200]))
    return found


def _meant(sentence: str, kind: str, count: int) -> Sequence[int]:
    """Rows of which a sentence speaks: by number, or all of them."""
    numbers: set[int] = set()
    for match in _ROWS.finditer(sentence):
        numbers.update(int(one) for one in re.findall(r"\d+", match[1]))
        for span in _SPAN.finditer(match[1]):
            numbers.update(range(int(span[1]), int(span[2]) + 1))
    if numbers:
        return [one - 1 for one in sorted(numbers) if 1 <= one <= count]
    whole = _OF_ALL[kind].search(sentence) and not _OTHERS.search(sentence)
    return range(count) if whole else ()
