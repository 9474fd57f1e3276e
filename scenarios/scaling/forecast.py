"""What the year may bring, as tables: demand with its uncertainty, money, prices, lead times and limits."""

from __future__ import annotations

from scenarios.company.profile import digest
from scenarios.scaling import content
from scenarios.scaling.assumptions import LINK_USD_GBPS, MONTH_H
from scenarios.scaling.demand import median, weeks_late
from scenarios.scaling.diagrams import counts
from scenarios.scaling.items import items
from scenarios.scaling.scene import Scene, Work
from scenarios.scaling.tables import Cells, Table, clean, plain
from scenarios.scaling.wording import TENTH
from scenarios.simulator.streams import Stream

GROWTH = "outlook/growth.csv"
BUDGET = "outlook/budget.csv"
ORDERS = "buying/orders.csv"
CLOUD = "buying/cloud.csv"
RUNNING = "buying/running-costs.csv"
LIMITS = "buying/limits.csv"
DELIVERIES = "buying/deliveries.csv"
PAST_ORDERS, PAST_MONTHS = 48, 24
"""Orders that the history of deliveries has, and the months of which it has them."""


def tables(scene: Scene) -> tuple[Table, ...]:
    """All tables about the year to come, in the order in which they are shown."""
    found = [
        _growth(scene),
        _budget(scene),
        _orders(scene),
        _limits(scene),
        _running(scene),
        _deliveries(scene),
    ]
    if scene.rents:
        found.insert(3, _cloud(scene))
    return tuple(found)


def expected(scene: Scene, work: Work, month: int, deviations: float = 0.0) -> float:
    """GPU-hours a day of a class in mid-month (0 to 11); deviations: of the rate, from the likely one."""
    rate = median(scene).rates[work.job_class] + deviations * work.uncertainty
    hours = sum(one.hours for one in scene.months[:month]) + scene.months[month].hours / 2
    jumps = 1.0
    for event in scene.events:
        there = event.month <= month and event.subject in ("", work.job_class)
        if event.kind == "launch" and there:
            jumps *= event.factor
    return float(work.gpu_hours_day * (1 + rate) ** (hours / MONTH_H) * jumps)


def _growth(scene: Scene) -> Table:
    rows: list[Cells] = []
    for month in scene.months:
        for work in scene.work:
            paths = (expected(scene, work, month.index, one) for one in (-TENTH, 0.0, TENTH))
            rows.append((month.name, work.job_class, *map(round, paths)))
    head = ("month", "job_class", "low_gpu_hours_day", "median_gpu_hours_day", "high_gpu_hours_day")
    return Table(GROWTH, "Expected demand by kind of work", head, rows)


def _budget(scene: Scene) -> Table:
    rows: list[Cells] = [
        (one.quarter, plain(one.capex_usd), plain(one.opex_usd)) for one in scene.quarters
    ]
    return Table(BUDGET, "Budget by quarter", ("quarter", "capex_usd", "opex_usd"), rows)


def _orders(scene: Scene) -> Table:
    rows: list[Cells] = []
    for one in items(scene).values():
        price, kw, sites = plain(one.price_usd), plain(one.power_kw), " / ".join(one.sites)
        rows.append((one.item, one.title, one.unit, price, one.weeks, kw, one.gpus, sites))
    head = ("item", "what", "unit", "price_usd", "lead_time_weeks", "power_kw", "gpus", "sites")
    return Table(ORDERS, "What can be ordered, with lead times", head, [clean(row) for row in rows])


def _cloud(scene: Scene) -> Table:
    terms = {row["kind"]: row["terms"] for row in content.rows("rents")}
    rows = [
        clean((one.kind, one.region, plain(one.usd, 4), one.most, terms[one.kind]))
        for one in scene.rents
    ]
    head = ("kind", "region", "usd_gpu_hour", "gpus_at_most", "terms")
    return Table(CLOUD, "GPUs to rent", head, rows)


def _deliveries(scene: Scene) -> Table:
    head = ("ordered", "item", "promised_weeks", "weeks_late")
    rows: list[Cells] = [clean(row) for row in past_orders(scene)]
    return Table(DELIVERIES, "When orders of two years came", head, rows)


def past_orders(scene: Scene) -> list[tuple[str, str, int, int]]:
    """Orders of the two years before, as they were made: month, item, weeks promised, weeks later."""
    chance = Stream(f"{digest(scene.profile)}/{scene.level}/{scene.seed}", "past orders")
    known, first = list(items(scene).values()), scene.months[0].start
    begins, found = first.year * 12 + first.month - 1 - PAST_MONTHS, []
    for number in range(PAST_ORDERS):
        one = known[int(chance.between(0, len(known)))]
        year, month = divmod(begins + number * PAST_MONTHS // PAST_ORDERS, 12)
        found.append((f"{year}-{month + 1:02}", one.item, one.weeks, weeks_late(chance)))
    return found


def _limits(scene: Scene) -> Table:
    rows: list[Cells] = []
    for place in scene.places:
        leaf, spine, racks = counts.leaf_ports(place), counts.spine_ports(place), place.site.racks
        all_racks, all_free = racks + place.floor_free, place.racks_free + place.floor_free
        found: list[Cells] = [
            ("racks", racks, plain(place.racks_free)),
            ("racks when all floor space is used", all_racks, plain(all_free)),
            ("kW for all IT equipment", plain(place.site.total_kw), plain(place.power_free_kw)),
            ("kW of one rack", plain(place.site.rack_kw), ""),
            ("ports of leaves", leaf.total, leaf.free),
            ("ports of spines", spine.total, spine.free),
        ]
        for tier in place.tiers:
            free = plain(tier.capacity_tb - tier.used_tb)
            found.append((f"TB of {tier.name}", plain(tier.capacity_tb), free))
        rows += [clean((place.site.name, *row)) for row in found]
    return Table(LIMITS, "Limits of the sites", ("site", "what", "limit", "free"), rows)


def _running(scene: Scene) -> Table:
    book = scene.profile.price_book
    rows: list[Cells] = [
        ("Colocation", "USD a kW and month", plain(book.colocation_kw_month)),
        ("Support of hardware", "% of the price a year", plain(book.support_percent)),
        ("Licences", "USD a GPU and year", plain(book.licence_gpu_year)),
        ("Data out of the cloud", "USD a GB", plain(book.egress_gb, 4)),
        ("Engineer", "USD a year", plain(book.engineer_year)),
        ("Line to the cloud", "USD a Gb/s and month", plain(LINK_USD_GBPS * scene.profile.per_usd)),
    ]
    for site in (place.site for place in scene.places):
        rows.append((f"Electricity at {site.name}", "USD a kWh", plain(site.price_kwh, 4)))
        rows.append((f"PUE of {site.name}", "kWh paid for a kWh of equipment", plain(site.pue)))
    return Table(RUNNING, "Running costs", ("what", "unit", "value"), [clean(row) for row in rows])
