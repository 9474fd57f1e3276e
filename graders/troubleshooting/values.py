"""Readings in a text, as figures with their units: what an answer gives and what the materials show."""

from __future__ import annotations

import re
from collections.abc import Iterator

_READING = re.compile(
    r"(?<![\w.,])(\d{1,5}(?:[.,]\d{1,3})?)\s?(MHz|GHz|°\s?C|C|degrees|Grad|W|ms|Gb/s|GT/s)(?![\w/])"
    r"|\b(MTU|Xid)\s?[:=]?\s?(?:\w+ )?(\d{1,5})\b",
    re.IGNORECASE,
)
_UNITS = {"ghz": ("mhz", 1000.0), "degrees": ("c", 1.0), "grad": ("c", 1.0), "°c": ("c", 1.0)}
Reading = tuple[str, float]


def readings(text: str) -> Iterator[tuple[str, Reading]]:
    """(as it is written, (unit, value)) of every reading in a text."""
    for match in _READING.finditer(text):
        unit = (match[2] or match[3]).lower().replace(" ", "")
        unit, factor = _UNITS.get(unit, (unit, 1.0))
        yield match[0].strip(), (unit, float((match[1] or match[4]).replace(",", ".")) * factor)
