"""One row of the checks, and how its figures are written."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Check:
    """One row. tone: ok, warn or bad; month: name or ""; subject: id of the plan's row, a site or a quarter."""

    key: str
    tone: str
    text: str
    month: str = ""
    subject: str = ""


def usd(value: float) -> str:
    """Such as 1,240,000 USD."""
    return f"{value:,.0f} USD"


def kw(value: float) -> str:
    """Such as 12.5 kW."""
    return f"{value:,.1f} kW"


def some(count: float, one: str) -> str:
    """Such as 1 node, 3 nodes."""
    return f"{count:,.0f} {one}" + ("" if count == 1 else "es" if one.endswith("ch") else "s")
