"""Which cost rows a filter selects, and what they come to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any

from scenarios.company.profile import Profile
from scenarios.cost.focus import pricing
from scenarios.cost.ledger import Bill, bill_of
from scenarios.cost.rows import Row

Json = dict[str, Any]
MOST_SHOWN = 12
_TOTAL = re.compile(
    r"\b(total|whole|entire|everything|bill|gesamt\w*|insgesamt|alles|tout|entier|todo|factura|facture)\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Group:
    """Cost rows that no filter can tell apart: how many, from and to which day, and their cost in cents."""

    line: str
    service: str
    meter: str
    category: tuple[str, ...]
    account: tuple[str, ...]
    team: str
    resource: tuple[str, ...]
    region: tuple[str, ...]
    provider: str
    charge: tuple[str, ...]
    commitment: tuple[str, ...]
    tags: tuple[str, ...]
    rows: int
    first: str
    last: str
    cents: int

    def has(self, key: str) -> Sequence[str]:
        """Everything that a value of this key of a filter is compared with."""
        own: str | tuple[str, ...] = self.tags if key == "tag" else getattr(self, key)
        if key == "service":
            return (self.service, self.meter)
        return (own,) if isinstance(own, str) else own


@lru_cache(maxsize=3)
def groups_of(profile: Profile, level: str, seed: int) -> tuple[Group, ...]:
    """All cost rows of a bill, grouped."""
    return _groups(bill_of(profile, level, seed))


def _groups(bill: Bill) -> tuple[Group, ...]:
    found: dict[tuple[object, ...], list[Row]] = {}
    for row in bill.rows:
        mark = (
            row.line,
            row.sku.id,
            row.account,
            row.thing,
            row.place,
            row.category,
            row.status,
            row.tags,
            row.seller,
        )
        found.setdefault(mark, []).append(row)
    return tuple(_group(rows) for rows in found.values())


def _group(rows: list[Row]) -> Group:
    one = rows[0]
    place, thing, account = one.place, one.thing, one.account
    return Group(
        line=one.line,
        service=one.sku.service,
        meter=one.sku.meter,
        category=(one.sku.category, one.sku.subcategory),
        account=(account.name, account.id) if account else (),
        team=dict(one.tags).get("team", ""),
        resource=(thing.name, thing.id, thing.kind) if thing else (),
        region=(place.region, place.name, place.zone) if place else (),
        provider=one.seller.provider,
        charge=(one.category, one.sku.meter, one.frequency, pricing(one), one.said),
        commitment=(one.status, one.commitment.id, one.commitment.name) if one.commitment else (),
        tags=tuple(f"{key}={value}".lower() for key, value in one.tags),
        rows=len(rows),
        first=f"{min(row.start for row in rows)}",
        last=f"{max(row.end for row in rows)}",
        cents=sum(row.effective for row in rows),
    )


def select(groups: Iterable[Group], where: Mapping[str, Sequence[str]]) -> list[Group]:
    """The groups that fit every key; of several values of a key one is enough. Case plays no part."""
    return [
        group
        for group in groups
        if all(_fits(group.has(key), values) for key, values in where.items())
    ]


def _fits(own: Sequence[str], values: Sequence[str]) -> bool:
    return any(fnmatchcase(text.lower(), value.lower()) for value in values for text in own)


def base_of(
    of: str, selected: Sequence[Group], groups: Sequence[Group]
) -> tuple[Sequence[Group], str]:
    """The rows of which a percentage is a part, and what they are in words.

    `of` is what the answer says: nothing for the rows of its filter, the whole bill, or a name.
    """
    if not of or of.lower() in ("where", "filter", "rows", "these rows"):
        return selected, "the rows of its filter"
    if _TOTAL.search(of):
        return groups, "the whole bill"
    named = [
        group
        for key in ("service", "account", "resource", "category")
        for group in select(groups, {key: (f"*{of}*",)})
    ]
    if kept := list(dict.fromkeys(named)):
        return kept, f"rows named {of[:60]}"
    return selected, "the rows of its filter, as no other rows have that name"


def cents(groups: Iterable[Group]) -> int:
    """Effective cost of the groups."""
    return sum(group.cents for group in groups)


def by_line(groups: Iterable[Group]) -> dict[str, int]:
    """Line -> effective cost of the groups, in cents."""
    found: dict[str, int] = {}
    for group in groups:
        found[group.line] = found.get(group.line, 0) + group.cents
    return dict(sorted(found.items()))


def shown(groups: Iterable[Group]) -> list[Json]:
    """The groups for a reader, put together by service, account and meter, largest first."""
    found: dict[tuple[str, str, str], Json] = {}
    for group in groups:
        account = group.account[0] if group.account else ""
        row = found.setdefault(
            (group.service, account, group.meter),
            {
                "service": group.service,
                "account": account,
                "meter": group.meter,
                "provider": group.provider,
                "rows": 0,
                "from": group.first,
                "to": group.last,
                "cents": 0,
                "resources": set(),
            },
        )
        row["rows"] += group.rows
        row["cents"] += group.cents
        row["from"], row["to"] = min(row["from"], group.first), max(row["to"], group.last)
        row["resources"].add(group.resource[0] if group.resource else "")
    rows = sorted(
        found.values(),
        key=lambda row: (-row["cents"], row["service"], row["account"], row["meter"]),
    )
    return [_plain(row) for row in rows[:MOST_SHOWN]]


def _plain(row: Json) -> Json:
    names = sorted(name for name in row["resources"] if name)
    kept = {key: value for key, value in row.items() if key not in ("resources", "cents")}
    return {
        **kept,
        "usd": round(row["cents"] / 100, 2),
        "resources": names[:6],
        "more_resources": max(0, len(names) - 6),
    }
