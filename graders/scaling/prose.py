"""Figures in the written parts that the plan does not have; only sentences that leave no doubt are read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations

from graders.scaling.tables import table
from scenarios.scaling.plan import Plan
from scenarios.scaling.scene import Scene

_DATA = table("prose")
MONTHS: Sequence[str] = _DATA["months"]
_WORDS: Mapping[str, int] = _DATA["numbers"]


def any_of(words: Sequence[str]) -> re.Pattern[str]:
    """What finds any of the words, which may be regular expressions, whatever their case."""
    return re.compile(rf"\b(?:{'|'.join(words)})\b", re.I)


_COUNT = rf"(\d{{1,4}}|{'|'.join(_WORDS)})"
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_HEDGE, _ORDER, _ARRIVE, _RENT = (
    any_of(_DATA[key]) for key in ("hedge", "order", "arrive", "rent")
)
_CAPITAL, _WHOLE = any_of(_DATA["capital"]), any_of(_DATA["whole"])
_NODES = re.compile(rf"\b{_COUNT}\b(?:\s+[\w-]+){{0,4}}?\s+nodes?\b", re.I)
_GPUS = re.compile(r"\b(\d{1,5})\b(?:\s+[\w-]+){0,3}?\s+GPUs?\b")
_SIGNS = {"USD": r"\$", "EUR": "€", "GBP": "£", "JPY": "¥", "CNY": "¥", "INR": "₹", "KRW": "₩"}
_CALLED = {"USD": "|US dollars|dollars", "EUR": "|euros?", "GBP": "|pounds", "JPY": "|yen"}
_MONTH = re.compile(rf"\b({'|'.join(MONTHS)})\b")
_SUM = re.compile(
    rf"\b(?i:by|until|till|before|since|through)\s+(?:\w+\s+){{0,3}}?(?:{'|'.join(MONTHS)})\b"
)
"""What is ordered by a month is a sum over several."""
CLOSE = 0.1
"""Part by which a sum of money in the text may be off."""
MOST_SENTENCES = 2_000
"""Of a section that are read."""
MOST_FOUND = 12
"""Nobody reads more, and one careless figure may be repeated often."""


@cache
def _sums_of_money(currency: str) -> re.Pattern[str]:
    """An amount with the currency's sign or code before it, or its code or name behind."""
    sign, called = _SIGNS.get(currency, currency), _CALLED.get(currency, "")
    return re.compile(
        rf"(?:{sign}|{currency}\s?)\s?(\d[\d,]{{0,14}}(?:\.\d{{1,4}})?)\s*(million|M\b|k\b)?"
        rf"|\b(\d[\d,]{{0,14}}(?:\.\d{{1,4}})?)\s*(million|M|k)?\s?(?:{currency}{called})\b"
    )


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A sentence that the plan does not bear out. `rows`: ids of the plan's rows it is held against."""

    section: str
    quote: str
    text: str
    rows: tuple[str, ...] = ()


def contradictions(
    sections: Mapping[str, str], plan: Plan, scene: Scene, capex: float
) -> list[Contradiction]:
    """Sentences with a figure that the plan does not have. capex: USD of all orders of the plan."""
    found = []
    for section, text in sections.items():
        for sentence in _SENTENCE.split(text)[:MOST_SENTENCES]:
            if not sentence.strip() or len(sentence) > 600 or _HEDGE.search(sentence):
                continue
            for said, rows in _of(sentence, plan, scene, capex):
                found.append(Contradiction(section, sentence.strip()[:300], said, rows))
                if len(found) == MOST_FOUND:
                    return found
    return found


def _of(
    sentence: str, plan: Plan, scene: Scene, capex: float
) -> Iterator[tuple[str, tuple[str, ...]]]:
    for reader in (_ordered, _rented, _spent):
        found = reader(sentence, plan, scene, capex)
        if found:
            yield found


def _number(text: str) -> int:
    return _WORDS.get(text.lower()) or int(text)


def _sums(values: Sequence[int]) -> set[int]:
    """Every sum of some of the values; of many, each alone and all together."""
    if len(values) > 8:
        return {*values, sum(values)}
    return {sum(some) for n in range(1, len(values) + 1) for some in combinations(values, n)}


def _ordered(
    sentence: str, plan: Plan, scene: Scene, capex: float
) -> tuple[str, tuple[str, ...]] | None:
    nodes, months = _NODES.findall(sentence), _MONTH.findall(sentence)
    if len(nodes) != 1 or len(months) != 1 or not _ORDER.search(sentence):
        return None
    if _ARRIVE.search(sentence) or _SUM.search(sentence):
        return None
    month = _month(sentence, months[0], scene)
    rows = [one for one in plan.purchases if one.item.startswith("node:") and one.month == month]
    count = _number(nodes[0])
    if not month or count in _sums([one.count for one in rows]):
        return None
    there = sum(one.count for one in rows)
    said = f"the plan orders {there or 'none'} in {month}"
    return f"The text orders {count} nodes in {months[0]}; {said}.", tuple(one.id for one in rows)


def _month(sentence: str, said: str, scene: Scene) -> str:
    """The plan's month that a sentence names; "" where it names a month of another year."""
    number = MONTHS.index(said) + 1
    month = next((one.name for one in scene.months if one.start.month == number), "")
    year = re.search(rf"\b{said},?\s+(\d{{4}})\b", sentence)
    return month if year is None or month.startswith(year[1]) else ""


def _rented(
    sentence: str, plan: Plan, scene: Scene, capex: float
) -> tuple[str, tuple[str, ...]] | None:
    gpus = _GPUS.findall(sentence)
    if len(gpus) != 1 or not _RENT.search(sentence) or "cloud" not in sentence.lower():
        return None
    count, rows = int(gpus[0]), plan.cloud
    if count in _sums([one.gpus for one in rows]):
        return None
    there = ", ".join(f"{one.gpus} ({one.start} to {one.end})" for one in rows[:6]) or "none"
    said = f"The text rents {count} GPUs in the cloud; the plan rents {there}."
    return said, tuple(one.id for one in rows)


def _spent(
    sentence: str, plan: Plan, scene: Scene, capex: float
) -> tuple[str, tuple[str, ...]] | None:
    money = scene.profile.currency
    sums = _sums_of_money(money).findall(sentence)
    wanted = _CAPITAL.search(sentence) and _WHOLE.search(sentence)
    if len(sums) != 1 or not wanted or re.search(r"budget|quarter|Q[1-4]", sentence):
        return None
    digits, scale = (sums[0][0], sums[0][1]) if sums[0][0] else (sums[0][2], sums[0][3])
    usd = float(digits.replace(",", "")) * _DATA["scale"][scale]
    if abs(usd - capex) <= CLOSE * max(usd, capex):
        return None
    return (
        f"The text puts capital at {usd:,.0f} {money}; the plan's orders come to"
        f" {capex:,.0f} {money}.",
        tuple(one.id for one in plan.purchases),
    )
