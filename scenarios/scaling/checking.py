"""One row of the checks."""

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
