"""Which cost rows the filters of an opportunity table select, by the same rule as the grader's."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from functools import lru_cache
from itertools import combinations
from pathlib import Path
from typing import Any

from graders.cost.answer import Opportunity
from graders.cost.scope import Group, base_of, cents, select, shown
from scenarios.cost.tables import LINE_COLUMNS, LINES, opened

Json = dict[str, Any]
KEYS: Mapping[str, tuple[str, ...]] = {
    "service": ("ServiceName", "SkuMeter"),
    "category": ("ServiceCategory", "ServiceSubcategory"),
    "account": ("SubAccountName", "SubAccountId"),
    "team": ("Team",),
    "resource": ("ResourceName", "ResourceId", "ResourceType"),
    "region": ("RegionId", "RegionName", "AvailabilityZone"),
    "provider": ("ProviderName",),
    "charge": ("ChargeCategory", "ChargeFrequency", "PricingCategory", "ChargeDescription"),
    "commitment": (
        "CommitmentDiscountStatus",
        "CommitmentDiscountName",
        "CommitmentDiscountId",
    ),
    "tag": ("Tags",),
}
"""Key of a filter -> the columns of the cost rows that say it, the most telling one first."""
_OFFERED = 2
"""Columns of a key whose values are offered; the others are known by them."""
Row = Mapping[str, str]


def _line_rows(file: Path) -> list[Json]:
    with closing(opened(file)) as base:
        cursor = base.execute(f"SELECT * FROM {LINES}")  # noqa: S608  our own table
        names = [one[0] for one in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor]


@lru_cache(maxsize=16)
def groups_of(file: Path) -> tuple[Group, ...]:
    """The cost rows of a stored bill, grouped: some hundred groups of a few hundred bytes."""
    return tuple(_group(row) for row in _line_rows(file))


def _group(row: Json) -> Group:
    said = {name: str(row[name] or "") for name in (*LINE_COLUMNS, "ChargeDescription")}
    texts = {key: tuple(said[name] for name in names) for key, names in KEYS.items()}
    many = ("category", "account", "resource", "region", "commitment")
    return Group(
        line="",
        service=said["ServiceName"],
        meter=said["SkuMeter"],
        team=said["Team"],
        provider=said["ProviderName"],
        charge=(*texts["charge"], said["SkuMeter"]),
        tags=tuple(text.lower() for text in _tags(said["Tags"])),
        rows=row["n"],
        first=str(row["first"])[:10],
        last=str(row["last"])[:10],
        cents=row["cents"],
        **{key: texts[key] if any(texts[key]) else () for key in many},
    )


def _tags(text: str) -> list[str]:
    return [f"{key}={value}" for key, value in json.loads(text or "{}").items()]


def offered(file: Path) -> dict[str, list[Json]]:
    """Key of a filter -> the values that the bill has for it, with their cost, largest first."""
    rows = _line_rows(file)
    return {key: _values(rows, columns[:_OFFERED]) for key, columns in KEYS.items()}


def _values(rows: Iterable[Json], columns: Sequence[str]) -> list[Json]:
    found: dict[str, Json] = {}
    for at, column in enumerate(columns):
        for row in rows:
            texts = _tags(row[column]) if column == "Tags" else [str(row[column] or "")]
            for text in filter(None, texts):
                one = found.setdefault(text, {"value": text, "of": column, "rank": at, "cents": 0})
                one["cents"] += row["cents"] if one["of"] == column else 0
    ordered = sorted(found.values(), key=lambda one: (one["rank"], -one["cents"], one["value"]))
    return [{"value": one["value"], "of": one["of"], "usd": one["cents"] / 100} for one in ordered]


def told(groups: Sequence[Group], rows: Sequence[Opportunity]) -> Json:
    """What each row's filter selects and claims, and which rows act on the same cost.

    USD in the twelve months of the bill; `claimed_usd` is None where a row has no figure.
    """
    chosen = [select(groups, row.where) if row.where else [] for row in rows]
    sets = [frozenset(found) for found in chosen]
    return {
        "rows": [_told(row, found, groups) for row, found in zip(rows, chosen, strict=True)],
        "overlaps": [
            {"ids": [rows[a].id, rows[b].id], "usd": cents(both) / 100}
            for a, b in combinations(range(len(rows)), 2)
            if (both := sets[a] & sets[b])
        ],
        "total_usd": cents(groups) / 100,
    }


def _told(row: Opportunity, selected: Sequence[Group], groups: Sequence[Group]) -> Json:
    base, words = base_of(row.saving.of, selected, groups)
    value, is_percent = row.saving.value, row.saving.kind == "percent"
    claimed = value
    if value is not None and is_percent:
        claimed = round(value * cents(base)) / 10_000  # percent of cents, in dollars
    return {
        "id": row.id,
        "rows": sum(group.rows for group in selected),
        "usd": cents(selected) / 100,
        "lines": shown(selected),
        "base": words,
        "base_usd": cents(base) / 100,
        "claimed_usd": claimed,
    }
