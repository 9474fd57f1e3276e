"""Hours and seconds per step that a sentence gives, in any of the languages that are read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from graders.troubleshooting.durations import durations
from scenarios.troubleshooting.physics import STEPS

_VALUE = r"\d{1,3}(?:[.,]\d{1,3})?|[.,]\d{1,3}"
_NUMBER = rf"(?<!\d:)(?<![\w.,-])[~≈+]?({_VALUE})"
_TO = rf"(?:\s*(?:-|–|to|bis|à|a|hasta|até|tot|do|から)\s*({_VALUE}))?\s*"
_AGO = (
    r"\b(?!\s*(?:ago|before|after|into|later|earlier|less|vorher|später|weniger|zuvor|antes|avant|après"
    r"|después))"
)
_HOUR = r"(?:h|hr|hrs|hours?|std|stdn|stunden?|heures?|horas?|ore|ora|uur|uren|godz(?:in[ay]?)?)"
_HOURS = re.compile(
    rf"{_NUMBER}{_TO}{_HOUR}{_AGO}(?!-|\s\d\d\b(?!\s*(?:nodes?|ranks?|gpus?|steps?|knoten)\b))",
    re.I,
)
_EACH_MINUTE = r"\s*(?:/|per|pro|je|par|por|each|every|apart)\b"
_MINUTES = re.compile(
    rf"(?<!every )(?<!each )(?<!after )(?<!within )(?<!alle )(?<!nach )(?<!cada )(?<!après )"
    rf"(?<![\w.,-])[~≈+]?(\d{{2,3}}){_TO}(?:min|mins|minutes?|minuten|minutos?|minuti|minut)\b"
    rf"(?!{_EACH_MINUTE}){_AGO}",
    re.I,
)
_MOST = 1.4
"""Times the whole gap from which on a figure is a time of day, or how long something else took."""
_FEWEST_MINUTES = 30
"""Fewer say how long something takes each time or since when, and hardly ever what it cost the whole run."""
_IN_WORDS = (
    (0.5, r"(?:half an hour|(?:eine )?halbe stunde|une demi-heure|media hora)"),
    (1.0, r"(?:an|one|eine|une|una) (?:good |gute )?(?:hour|stunde|heure|hora)"),
)
"""A single hour and half of one; what is more is counted by `durations`."""
_OFTEN = (
    r"(?<!every )(?<!each )(?<!after )(?<!within )(?<!for )(?<!in )(?<!per )"
    r"(?<!alle )(?<!nach )(?<!pro )(?<!seit )(?<!times )(?<!twice )(?<!once )"
)
_WORDY = tuple((hours, re.compile(rf"{_OFTEN}\b{words}{_AGO}", re.I)) for hours, words in _IN_WORDS)
_CJK_HOURS = re.compile(rf"{_NUMBER}\s*(?:時間|小时)(?!に|ごと|毎|当た|前|後|おき)")
_S = r"(ms|s|sec|secs|seconds?|sek|sekunden?|secondes?|segundos?|secondi|seconden)"
_EACH = (
    r"\s*(?:/|per|pro|je|par|por|al|a|à chaque|each|every|(?:in|on|of) (?:each|every))\s*"
    r"(?:training\s+)?(?:steps?|st\b|schritte?s?|pas\b|étape|etape|pasos?"
    r"|itérations?|iterations?|passos?|stap|it\b)"
)
_PER_STEP = re.compile(rf"{_NUMBER}{_TO}{_S}{_EACH}", re.I)
_INSTEAD = (
    r"\s*(?:s|ms|sec|seconds?|sek|sekunden?)?\s*(?:instead of|rather than|against|versus|vs\.?"
    r"|compared (?:to|with)"
    r"|up from|where it was|(?:an)?statt|gegenüber|gegen|au lieu de|contre|en vez de|en lugar de|frente a"
    r"|invece di|contro|em vez de|contra|in plaats van|zamiast|a nie|wobec|ではなく)\s*"
)
_CONTRAST = re.compile(rf"{_NUMBER}{_INSTEAD}({_VALUE})\s*{_S}\b", re.I)
_FROM_TO = re.compile(
    rf"\b(?:(?:from|von|de|da|z|od)\s+({_VALUE})\s*(?:s|sec|sek)?\s*(?:to|auf|à|a|para|naar|do|na)"
    rf"|({_VALUE})\s*(?:s|sec|sek)?\s*(?:auf|→|->|から))\s*({_VALUE})\s*{_S}(?![a-z])",
    re.I,
)
_BARE = re.compile(rf"(?:\+\s*|(?:costs?|kostet|coûte|cuesta|costa)\s+)({_VALUE})\s*s\b", re.I)
_ON_AVERAGE = (
    r"(?:on average|averaged|in the mean|im (?:mittel|schnitt|durchschnitt)|en moyenne|de media|en promedio"
    r"|in media|em média|gemiddeld|średnio)"
)
_SMALL = r"\d{0,2}[.,]\d{1,3}"
_MEAN = re.compile(
    rf"{_ON_AVERAGE}\s+({_SMALL})|({_SMALL})\s*s\b[^.;,\d]{{0,20}}\b{_ON_AVERAGE}", re.IGNORECASE
)
"""What grows through the run costs what it comes to on average, not what it reached."""
_PART = re.compile(
    _NUMBER
    + r"\s*(?:%|percent|per cent|prozent)\s*(?:of\s+|der\s+|des\s+|de la\s+)?(?:the\s+|all\s+)?"
    + r"(?:gap|lost|loss|slowdown|slow-down|extra|excess|delta|difference|regression"
    + r"|lücke|verlust|perte|pérdida)",
    re.I,
)


def hours_of_seconds(seconds: float) -> float:
    """Hours of the whole run that so many seconds per step make."""
    return seconds * STEPS / 3_600


@dataclass(frozen=True, slots=True)
class _Figure:
    start: int
    end: int
    hours: tuple[float, ...]


def hours_said(
    text: str, gap: float, totals: Sequence[float], *, changes: bool = True
) -> list[float]:
    """Hours that a sentence puts on something, in its order; a range gives both ends.

    `gap` is the whole of what was lost; the gap itself and durations of whole runs (`totals`) are left out.
    "0.73 instead of 0.09 s" is what has been added, not what it was before; without `changes` it says nothing.
    """
    found: list[_Figure] = []
    for figure in _figures(text, gap, changes):
        if not any(figure.start < one.end and one.start < figure.end for one in found):
            found.append(figure)
    found.sort(key=lambda one: one.start)
    whole = (gap, *totals)
    said = [h for one in found for h in one.hours if not any(abs(h - w) <= 0.03 * w for w in whole)]
    return [hours for hours in said if not gap or hours <= _MOST * gap]


def has_figure(text: str) -> bool:
    """Whether the text puts hours or seconds per step on anything."""
    return bool(hours_said(text, 0.0, ()))


def _figures(text: str, gap: float, changes: bool) -> Iterator[_Figure]:
    for start, end, hours in durations(text):
        yield _Figure(start, end, (hours,))
    mean = _MEAN.search(text)
    if mean:
        yield _figure(mean, hours_of_seconds(_value(mean[1] or mean[2])))
    for pattern in (_CONTRAST, _FROM_TO) if changes and not mean else ():
        for match in pattern.finditer(text):
            first, second, unit = (one for one in match.groups() if one)
            hours = hours_of_seconds(abs(_value(first) - _value(second)) * _scale(unit))
            if not gap or hours <= gap:
                # what would be more than was lost in all is said of something that does not happen each step
                yield _figure(match, hours)
    for pattern in (_HOURS, _CJK_HOURS):
        for match in pattern.finditer(text):
            yield _figure(match, *(_value(one) for one in match.groups() if one))
    for hours, pattern in _WORDY:
        for match in pattern.finditer(text):
            yield _figure(match, hours)
    for match in _MINUTES.finditer(text):
        minutes = [float(one.replace(",", ".")) for one in match.groups() if one]
        if minutes[0] >= _FEWEST_MINUTES:
            yield _figure(match, *(value / 60 for value in minutes))
    seconds = list(_PER_STEP.finditer(text))
    for match in seconds:
        scale = _scale(match.group(3))
        yield _figure(
            match, *(hours_of_seconds(_value(v) * scale) for v in match.groups()[:2] if v)
        )
    for match in _BARE.finditer(text):
        yield _figure(match, hours_of_seconds(_value(match.group(1))))
    for match in _PART.finditer(text):
        yield _figure(match, _value(match.group(1)) / 100 * gap)


def _figure(match: re.Match[str], *hours: float) -> _Figure:
    return _Figure(match.start(), match.end(), hours)


def _scale(unit: str) -> float:
    return 0.001 if unit.lower() == "ms" else 1.0


def _value(text: str) -> float:
    return float(text.replace(",", "."))
