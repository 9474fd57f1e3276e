"""What the company owns, and the room in which it stands, month by month."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from scenarios.cost.charging import monthly, spread_out, usd
from scenarios.cost.draw import Month, Scene
from scenarios.cost.outcome import Cells, Part, Table, gathered, worth
from scenarios.cost.rows import Row, Seller, Sku, Thing, split
from scenarios.cost.seasons import season
from scenarios.cost.sellers import OWN, ROOM, SUPPORT, site_place, slug
from scenarios.cost.skus import sold

SUPPORT_YEARS = 5
_KIT_YEARS = 5
"""Over which switches and storage are written off."""


@dataclass(frozen=True, slots=True)
class Asset:
    """Something bought: price in cents, month of purchase (2024-07), years over which it is written off."""

    id: str
    name: str
    line: str
    cents: int
    bought: str
    years: int

    def charge(self, month: Month) -> int:
        """Cents written off in the month: equal parts that come to the price."""
        at = self.age(month)
        parts = split(self.cents, self.years * 12)
        return parts[at] if 0 <= at < len(parts) else 0

    def age(self, month: Month) -> int:
        """Whole months since it was bought."""
        years = month.start.year - int(self.bought[:4])
        return years * 12 + month.start.month - int(self.bought[5:7])

    def left(self, month: Month) -> int:
        """Book value in cents at the end of the month."""
        gone = split(self.cents, self.years * 12)[: max(0, self.age(month) + 1)]
        return self.cents - sum(gone)


def owned(scene: Scene) -> Part:
    """Assets and the room."""
    return gathered(scene, _assets, _room)


def assets_of(scene: Scene) -> list[Asset]:
    """Nodes, switches and storage of the profile."""
    return [*_nodes(scene), *_kit(scene)]


def _nodes(scene: Scene) -> Iterator[Asset]:
    for kind in scene.profile.node_types:
        code, cents = slug(kind.name), round(kind.price_usd * 100)
        for n in range(1, kind.count + 1):
            name = f"{kind.name}, number {n}"
            yield Asset(
                f"{code}-{n:03d}", name, "dc.nodes", cents, kind.purchased, kind.depreciation_years
            )


def _kit(scene: Scene) -> Iterator[Asset]:
    book, net = scene.profile.price_book, scene.profile.fabric
    first = min(kind.purchased for kind in scene.profile.node_types)
    cents = round(book.switch_usd * 100)
    for what, count in (("leaf", net.leaf_switches), ("spine", net.spine_switches)):
        for n in range(1, count + 1):
            yield Asset(
                f"{what}-{n:03d}", f"Switch {what} {n}", "dc.fabric", cents, first, _KIT_YEARS
            )
    for tier in scene.profile.storage.tiers:
        if tier.kind == "parallel":
            price = round(tier.capacity_tb * book.storage_tb * 100)
            name = f"Storage {tier.name}"
            yield Asset(f"fs-{slug(tier.name)}", name, "dc.storage", price, first, _KIT_YEARS)


def _assets(scene: Scene) -> Part:
    rows: list[Row] = []
    table: list[Cells] = []
    for asset in assets_of(scene):
        sku, thing = sold(asset.line, pricing="Other"), Thing(asset.id, asset.name, "Asset")
        said = f"Amortisation of {asset.name}"
        for month in scene.months:
            if asset.age(month) == 0:
                rows.append(_bought(asset, sku, month, scene))
            if cents := asset.charge(month):
                rows.append(spread_out(scene, asset.line, sku, OWN, month, cents, said, thing))
        year = sum(asset.charge(month) for month in scene.months)
        value = asset.left(scene.months[-1])
        life = (asset.id, asset.name, asset.bought, asset.years)
        table.append((*life, usd(asset.cents), usd(year), usd(value)))
    head = (
        "asset",
        "name",
        "bought",
        "years",
        "price_usd",
        "amortisation_of_the_year_usd",
        "book_value_usd",
    )
    return Part(rows, {"costs/assets.csv": Table("Assets", head, table)})


def _bought(asset: Asset, sku: Sku, month: Month, scene: Scene) -> Row:
    maker = Seller(SUPPORT.provider, SUPPORT.publisher, SUPPORT.account, "RLH", SUPPORT.kind)
    return Row(
        line="dc.purchase",
        sku=sku,
        seller=maker,
        month=month,
        start=month.start,
        end=month.end,
        quantity=1,
        billed=asset.cents,
        effective=0,
        said=f"Purchase of {asset.name}",
        thing=Thing(asset.id, asset.name, "Asset"),
        place=site_place(scene),
        category="Purchase",
        frequency="One-Time",
        unit_cents=asset.cents,
    )


def _room(scene: Scene) -> Part:
    prices, profile = scene.prices, scene.profile
    site, net = profile.facility.sites[0], profile.fabric
    load = sum(kind.count * kind.power_kw for kind in profile.node_types)
    load += (net.leaf_switches + net.spine_switches) * net.switch_kw + profile.fleet_nodes
    space, power = sold("space", prices.kw_month), sold("power", prices.kwh)
    draw, kw = scene.stream("power"), max(1, round(site.total_kw))
    rows: list[Row] = []
    table: list[Cells] = []
    for month in scene.months:
        drawn = load * draw.between(0.69, 0.75) * season(scene)[month.start] ** 0.7
        kwh = round(drawn * site.pue * 24 * month.days)
        said = f"{kw} kW at {site.name}"
        rows.append(monthly(scene, "colo.space", space, ROOM, month, kw, said))
        said = f"Electricity at {site.name}"
        rows.append(monthly(scene, "colo.power", power, ROOM, month, kwh, said, usage=True))
        table.append((month.name, kw, f"{drawn:.1f}", f"{site.pue:.2f}", kwh))
    cap = scene.part["power_cap"]
    head = ("month", "contracted_kw", "drawn_kw", "factor", "kwh")
    tables = {
        "facility/power.csv": Table("Power by month", head, table),
        "facility/power-test.csv": _power_test(scene),
    }
    how = (
        "A third of the fleet's hours wait for data; capped, they draw less and last no longer:"
        f" {cap:.1%} of the power."
    )
    return Part(
        rows, tables, [worth("power_cap", "colo.power", cap, how, "facility/power-test.csv")]
    )


def _power_test(scene: Scene) -> Table:
    saved, longer = "1.0", "2.4"
    if "power_cap" in scene.planted:
        saved, longer = f"{100 * scene.part['power_cap'] / 0.33:.1f}", "0.3"
    rows: list[Cells] = [
        ("jobs that wait for data", 33, 500, saved, longer),
        ("training", 48, 600, "9.8", "6.0"),
        ("training", 48, 500, "16.1", "12.5"),
    ]
    head = ("work", "part_of_hours_percent", "cap_w", "power_saved_percent", "time_longer_percent")
    return Table("Test of power caps", head, rows)
