"""Times as people write them, in months: “6 weeks”, “zwei Monate”, “2 à 3 mois”."""

from __future__ import annotations

import re

_COUNTS = {
    word: number
    for number, words in enumerate(
        (
            "one|a|an|ein|eine|einen|un|une|una",
            "two|zwei|deux|dos",
            "three|drei|trois|tres",
            "four|vier|quatre|cuatro",
            "five|fünf|cinq|cinco",
            "six|sechs|seis",
            "seven|sieben|sept|siete",
            "eight|acht|huit|ocho",
            "nine|neun|neuf|nueve",
            "ten|zehn|dix|diez",
            "eleven|elf|onze|once",
            "twelve|zwölf|douze|doce",
        ),
        start=1,
    )
    for word in words.split("|")
}
_UNITS = {
    "day|tag|jour|día|dia": 1 / 30,
    "week|wk|woche|semaine|semana": 1 / 4.33,
    "quarter|quartal|trimest": 3.0,
    "month|mo\\b|monat|mois|mes": 1.0,
    "year|jahr|année|ans?\\b|año": 12.0,
    "d\\b": 1 / 30,
    "w\\b": 1 / 4.33,
    "m\\b": 1.0,
    "q\\b": 3.0,
}
_NUMBER = rf"(\d{{1,4}}(?:[.,]\d{{1,2}})?|\b(?:{'|'.join(_COUNTS)})\b)"
_UNIT = "|".join(f"({unit})" for unit in _UNITS)
_TIME = re.compile(
    rf"(?<![\d.,]){_NUMBER}(?:\s?(?:-|–|to|or|bis|oder|à|ou|a|o)\s?{_NUMBER})?[\s-]?(?:{_UNIT})",
    re.I,
)


def months_said(text: str) -> float | None:
    """Months that a timeline gives, the middle of a range; None where it gives none."""
    found = _TIME.search(text)
    if not found:
        return None
    low = _number(found[1])
    high = _number(found[2] or found[1])
    at = next(at for at, one in enumerate(found.groups()[2:]) if one)
    return round((low + high) / 2 * list(_UNITS.values())[at], 3)


def _number(said: str) -> float:
    return float(_COUNTS.get(said.lower()) or said.replace(",", "."))
