"""How figures, names and tables are written for people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from scenarios.company.profile.tables import PolicyValue

TENTH = 1.2816
"""Standard deviations from the middle to where one year in ten lies beyond (normal distribution)."""


def usd(amount: float) -> str:
    """Dollars without cents: 1,240,000 USD."""
    return f"{amount:,.0f} USD"


def figure(value: PolicyValue) -> str:
    """A value as people read it: 1,240, 3.45, yes."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        text = f"{value:,.4f}".rstrip("0").rstrip(".")
        return "0" if text == "-0" else text
    return value


def percent(part: float) -> str:
    """A part of 1 in whole percent."""
    return f"{100 * part:.0f} %"


def picked(one: object, names: str) -> dict[str, Any]:
    """Fields of an object by their names, which blanks separate."""
    return {name: getattr(one, name) for name in names.split()}


def joined(names: Sequence[str]) -> str:
    """a, b and c."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def kw(value: float) -> str:
    """Such as 12.5 kW."""
    return f"{value:,.1f} kW"


def some(count: float, one: str) -> str:
    """Such as 1 node, 3 nodes."""
    return f"{count:,.0f} {one}" + ("" if count == 1 else "es" if one.endswith("ch") else "s")


def amount(value: object) -> str:
    """Such as 88,400."""
    return f"{float(str(value)):,.0f}"


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table; figures as they are, bars in names escaped."""
    lines = [_row(head), _row(["---"] * len(head)), *(_row(row) for row in rows)]
    return "\n".join(lines)


def _row(cells: Sequence[object]) -> str:
    return f"| {' | '.join(str(one).replace('|', chr(92) + '|') for one in cells)} |"
