"""The key to a cost attempt's bill as staff read it: what can be saved, what only looks like it, every line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from assessments.models import Attempt
from reviews.evidence.troubleshooting_key import key_of, line_url

Json = Mapping[str, Any]


@dataclass(frozen=True)
class Measure:
    """One lever; `lines` are (line, USD) from the largest on, `shows` (material, address)."""

    facts: Json
    lines: list[tuple[str, int]]
    shows: list[tuple[str, str]]
    excludes: list[str]


@dataclass(frozen=True)
class Sheet:
    """Everything on the key's page. USD a year."""

    facts: Json
    levers: list[Measure]
    others: list[Measure]
    traps: list[Measure]
    lines: list[tuple[str, Json]]
    percent: float


def sheet(attempt: Attempt) -> Sheet:
    """The key with the way to each material in the staff's room. Raises variants.NotBuilt."""
    key = key_of(attempt)
    room = reverse("admin:attempt-room", args=[attempt.pk])
    titles = {row["key"]: row["title"] for part in ("levers", "not_worth_it") for row in key[part]}

    def measure(row: Json) -> Measure:
        lines = row["lines"]
        found = lines.items() if isinstance(lines, dict) else [(line, 0) for line in lines]
        places = row.get("shown_in") or [row.get("where", "")]
        return Measure(
            facts=row,
            lines=sorted(found, key=lambda one: -one[1]),
            shows=[(path, line_url(room, path, 1)) for path in places if path],
            excludes=[titles.get(one, one) for one in row.get("excludes", [])],
        )

    return Sheet(
        facts=key,
        levers=[measure(row) for row in key["levers"]],
        others=[measure(row) for row in key["not_worth_it"]],
        traps=[measure(row) for row in key["traps"]],
        lines=sorted(key["lines"].items(), key=lambda one: -one[1]["usd"]),
        percent=round(100 * key["achievable_usd"] / key["total_usd"], 1),
    )
