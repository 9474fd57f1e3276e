"""The key to a scaling attempt's year as staff read it: what holds work up, what comes, two plans played."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from assessments.models import Attempt
from reviews.evidence import scaling_text
from reviews.evidence.structured import Table, short
from reviews.evidence.troubleshooting_key import key_of, line_url

Json = Mapping[str, Any]


@dataclass(frozen=True)
class Bottleneck:
    """What holds work up, or only seems to; `shows` are (material, address)."""

    facts: Json
    shows: list[tuple[str, str]]
    cures: list[str]


@dataclass(frozen=True)
class Compared:
    """A measure of both plans on the expected demand."""

    title: str
    unit: str
    better: str
    naive: str
    reference: str


@dataclass(frozen=True)
class Sheet:
    """Everything on the key's page."""

    bottlenecks: list[Bottleneck]
    others: list[Bottleneck]
    to_come: list[Json]
    notes: list[Json]
    mistakes: list[str]
    compared: list[Compared]
    reference: list[Table]
    naive: list[Table]


def sheet(attempt: Attempt) -> Sheet:
    """The key with the way to each material in the staff's room. Raises variants.NotBuilt."""
    key = key_of(attempt)
    room = reverse("admin:attempt-room", args=[attempt.pk])

    def bottleneck(row: Json) -> Bottleneck:
        shows = [(path, line_url(room, path, 1)) for path in row["shown_in"]]
        return Bottleneck(row, shows, [one["title"] for one in row.get("cured_by", [])])

    naive = {row["key"]: row for row in key["naive"]["figures"]}
    return Sheet(
        bottlenecks=[bottleneck(row) for row in key["bottlenecks"]],
        others=[bottleneck(row) for row in key["no_bottlenecks"]],
        to_come=key["to_come"],
        notes=key["notes"],
        mistakes=key["common_mistakes"],
        compared=[
            Compared(
                title=row["title"],
                unit=row["unit"],
                better="less is better" if row["better"] in ("low", "lower") else "more is better",
                naive=short(naive[row["key"]]["value"]) if row["key"] in naive else "–",
                reference=short(row["value"]),
            )
            for row in key["reference"]["figures"]
        ],
        reference=scaling_text.tables(json.dumps(key["reference"]["plan"])),
        naive=scaling_text.tables(json.dumps(key["naive"]["plan"])),
    )
