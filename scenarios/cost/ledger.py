"""The whole bill of one company: every charge, every table, and what each lever and trap is worth in it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from scenarios.company.profile import Profile
from scenarios.cost.agreements import agreed
from scenarios.cost.catalogue import levers
from scenarios.cost.charging import usd
from scenarios.cost.cloud_compute import rented
from scenarios.cost.cloud_other import cloud_support, stored_and_moved
from scenarios.cost.draw import Scene, scene_of
from scenarios.cost.outcome import Table, Worth
from scenarios.cost.own import owned
from scenarios.cost.rows import Row
from scenarios.cost.serving import served
from scenarios.cost.usage import used


@dataclass(frozen=True)
class Bill:
    """Charges in the order of the invoices; `cost`: line -> effective cost of the twelve months, in cents."""

    scene: Scene
    rows: tuple[Row, ...]
    tables: dict[str, Table]
    worths: dict[str, Worth]
    cost: dict[str, int]

    @property
    def total(self) -> int:
        """Effective cost of the twelve months, in cents."""
        return sum(self.cost.values())


@lru_cache(maxsize=3)
def bill_of(profile: Profile, level: str, seed: int) -> Bill:
    """The bill of this company, level and seed. Raises NoBill."""
    scene = scene_of(profile, level, seed)
    parts = [
        owned(scene),
        agreed(scene),
        served(scene),
        rented(scene),
        stored_and_moved(scene),
        used(scene),
    ]
    rows = [row for part in parts for row in part.rows]
    rows += cloud_support(scene, rows)
    rows.sort(key=_order)
    tables = {path: table for part in parts for path, table in part.tables.items()}
    worths = {worth.lever: worth for part in parts for worth in part.worths}
    worths["chargeback"] = _chargeback(scene)
    for key in ("repatriate", "cooling"):
        worths[key] = Worth(
            key, dict.fromkeys(levers()[key].lines, 0.0), "Nothing within the year.", ()
        )
    cost: dict[str, int] = defaultdict(int)
    for row in rows:
        cost[row.line] += row.effective
    tables |= {
        "costs/invoices.csv": _invoices(rows),
        "costs/showback.csv": _showback(scene, rows, tables),
    }
    return Bill(
        scene, tuple(rows), dict(sorted(tables.items())), worths, dict(sorted(cost.items()))
    )


def _order(row: Row) -> tuple[str, str, str, date, str]:
    return (
        row.month.name,
        row.seller.provider,
        row.sku.id,
        row.start,
        row.thing.id if row.thing else row.said,
    )


def _chargeback(scene: Scene) -> Worth:
    part = scene.part["chargeback"]
    planted = "chargeback" in scene.planted
    said = (
        f"Two teams were shown their cost in a trial and used {part:.0%} less; the others see none."
        if planted
        else "Teams pay for what they use."
    )
    return Worth(
        "chargeback",
        dict.fromkeys(levers()["chargeback"].lines, part),
        said,
        ("policies/governance.md",),
    )


def _invoices(rows: Sequence[Row]) -> Table:
    sums: dict[tuple[str, str, str], int] = defaultdict(int)
    for row in rows:
        if row.invoice:
            sums[row.invoice, row.seller.provider, row.month.name] += row.billed
    head = ("invoice", "issuer", "month", "amount_usd")
    return Table("Invoices", head, [(*key, usd(cents)) for key, cents in sorted(sums.items())])


def _showback(scene: Scene, rows: Sequence[Row], tables: dict[str, Table]) -> Table:
    """Owned nodes by month, spread over teams by GPU-hours: the parts and what was idle come to the cost."""
    hours: dict[tuple[str, str], int] = defaultdict(int)
    for when, team, _, gone, _ in tables["usage/quotas.csv"].rows:
        hours[str(when), str(team)] += round(float(gone) * 10)
    own = [r for r in rows if r.line.startswith(("dc.", "colo.", "sup.nodes", "sup.fabric"))]
    cells: list[tuple[str | int, ...]] = []
    for month in scene.months:
        cost = sum(r.effective for r in own if r.month == month)
        able = scene.gpus * 24 * month.days * 10
        left = cost
        for (name, team), tenth in sorted(hours.items()):
            if name != month.name:
                continue
            part = cost * tenth // able
            left -= part
            cells.append((month.name, team, f"{tenth // 10}.{tenth % 10}", usd(part)))
        cells.append((month.name, "not used by anybody", "", usd(left)))
    head = ("month", "team", "gpu_hours", "cost_usd")
    return Table("Own GPUs, cost by team", head, cells)
