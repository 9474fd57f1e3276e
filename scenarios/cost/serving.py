"""GPUs rented for what customers use: on demand, small endpoints and the commitment, day by day."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date, timedelta
from itertools import pairwise

from scenarios.cost.charging import daily_use, ends, last_notice
from scenarios.cost.draw import Month, Scene
from scenarios.cost.outcome import Cells, Part, Table, gathered, worth
from scenarios.cost.rows import Commitment, Row, Sku, Thing
from scenarios.cost.seasons import of_day
from scenarios.cost.sellers import ACCOUNTS, CLOUD, home_place, slug
from scenarios.cost.skus import sold

FULL = 72
"""Utilisation in percent that the load test reaches within the latency that is agreed."""
FULL_REQUESTS = 46
"""Requests a second of one instance at that utilisation."""
LOAD_TEST = ((30, 290), (45, 315), (60, 345), (FULL, 392), (80, 470), (90, 830))
"""Utilisation in percent, and the 95th percentile of the answer's time in ms."""
_SWING = 5.0
"""Most points of utilisation by which an hour lies off the mean."""
_ON_ONE = 2
"""Small endpoints that may share a GPU (policies/service-levels.md says so)."""
_COMMITMENT = Commitment("cmt-88213", "Serving, 8 GPUs, one year")
_THING = Thing(_COMMITMENT.id, _COMMITMENT.name, "Commitment")


def served(scene: Scene) -> Part:
    """The assistant, small endpoints, and what is committed for them."""
    return gathered(scene, _serving, _small, _committed)


def node_sku(scene: Scene) -> Sku:
    """An instance with eight GPUs, on demand, for an hour."""
    details = json.dumps({"InstanceType": f"g8.{scene.profile.gpu.lower()}", "GpuCount": 8})
    return sold("node", 8 * scene.prices.on_demand, details=details)


def single_sku(scene: Scene) -> Sku:
    """An instance with one GPU, on demand, for an hour."""
    details = json.dumps({"InstanceType": f"g1.{scene.profile.gpu.lower()}", "GpuCount": 1})
    return sold("single", scene.prices.on_demand, details=details)


def serving_hours(scene: Scene) -> dict[date, list[int]]:
    """Rented serving instances for every hour of every day."""
    draw, planted = scene.stream("serving"), "commit_base" in scene.planted
    scale = max(0.6, scene.scale)
    base = max(1, round(draw.between(1.6, 3.9) * scale)) if planted else 0
    swing = (draw.between(0.8, 2.6) if planted else 4.2) * scale
    found = {}
    for day in scene.days:
        busy = (0.7 if day.weekday() >= 5 else 1.0) * draw.between(0.85, 1.15)
        busy *= of_day(scene, day)
        if not planted and draw.chance(0.3):
            busy *= 0.3
        shape = [max(0.0, 1 - ((hour - 14) / 7.0) ** 2) for hour in range(24)]
        found[day] = [base + round(swing * busy * part) for part in shape]
    return found


def _best_commitment(scene: Scene, hourly: dict[date, list[int]]) -> tuple[int, int]:
    """Instances to commit and what that saves in a year, in cents: every level is tried."""
    flat = [count for hours in hourly.values() for count in hours]
    full, less = 8 * scene.prices.on_demand, 8 * scene.prices.reserved
    options = [
        (sum(min(level, count) for count in flat) * full - level * len(flat) * less, level)
        for level in range(max(flat) + 1)
    ]
    saved, level = max(options, key=lambda one: (one[0], -one[1]))
    return level, saved


def _serving(scene: Scene) -> Part:
    hourly, sku = serving_hours(scene), node_sku(scene)
    most = max(max(hours) for hours in hourly.values())
    names = [f"serve-od-{n + 1:02d}" for n in range(most)]
    on = {
        (name, day): sum(count > at for count in hours)
        for at, name in enumerate(names)
        for day, hours in hourly.items()
    }
    rows = daily_use(
        scene, "od.serving", "serving", sku, names, lambda n, d: on[n, d], service="assistant-api"
    )
    level, saved = _best_commitment(scene, hourly)
    part = saved / sum(row.effective for row in rows)
    less = scene.part["serving_efficiency"]
    busy = round(FULL * (1 - less))
    path = "usage/serving-hours.csv"
    commit = (
        f"Hour by hour, {level} instances committed for a year save most: {part:.0%} of the line."
        if level
        else "Hour by hour, not one committed instance would be used enough to pay for itself."
    )
    fewer = f"Utilisation while serving is {busy} %; the load test reaches {FULL} % within the agreed latency."
    return Part(
        rows,
        {path: _by_hour(scene, hourly, FULL * (1 - less))},
        [
            worth("commit_base", "od.serving", part, commit, path),
            worth("serving_efficiency", "od.serving", less, fewer, path, "usage/load-test.csv"),
        ],
    )


def late_at(util: float) -> int:
    """Milliseconds of the 95th percentile at a utilisation in percent, between the load test's points."""
    for (low, fast), (high, slow) in pairwise(LOAD_TEST):
        if util <= high:
            return round(fast + (slow - fast) * (util - low) / (high - low))
    return LOAD_TEST[-1][1]


def _by_hour(scene: Scene, hourly: dict[date, list[int]], mean: float) -> Table:
    draw, swing = scene.stream("serving use"), min(_SWING, FULL - mean)
    rows: list[Cells] = []
    for day, hours in hourly.items():
        for hour, count in enumerate(hours):
            util = round(mean + draw.between(-swing, swing))
            asked = round(count * FULL_REQUESTS * util / FULL)
            use = (util, asked, late_at(util)) if count else ("", 0, "")
            rows.append((f"{day}", hour, count, *use))
    head = ("day", "hour", "instances", "gpu_util_percent", "requests_per_s", "p95_ms")
    return Table("Serving on demand, by hour", head, rows)


def _small(scene: Scene) -> Part:
    names = [f"endpoint-{n + 1:02d}" for n in range(max(4, round(6 * scene.scale)))]
    draw, shared = scene.stream("small"), "mig_share" in scene.planted
    keep = -(-len(names) // _ON_ONE) if shared else len(names)
    rows = daily_use(
        scene,
        "od.small",
        "small",
        single_sku(scene),
        names,
        lambda n, d: 24,
        service="small-endpoints",
    )
    total = scene.profile.gpu_model.memory_mib // 1024
    table: list[Cells] = []
    for name in names:
        peak = draw.between(9, 17) if shared else draw.between(0.75, 0.9) * total
        util = draw.between(9, 24) if shared else draw.between(58, 85)
        asked, late = round(draw.between(4, 60)), round(draw.between(60, 140))
        table.append((name, round(peak), total, round(util), asked, late, 400))
    head = (
        "endpoint",
        "gpu_memory_peak_gib",
        "gpu_memory_gib",
        "gpu_util_p95_percent",
        "requests_per_s",
        "p95_ms",
        "slo_ms",
    )
    how = f"{len(names)} endpoints hold a GPU each; by memory, use and the rule they fit on {keep}."
    path, rule = "usage/endpoints.csv", "policies/service-levels.md"
    found = worth("mig_share", "od.small", 1 - keep / len(names), how, path, rule)
    return Part(rows, {path: Table("Small endpoints", head, table)}, [found])


def _committed(scene: Scene) -> Part:
    """Two instances (for 160 GPUs) committed for the year, of which a part of the hours is used."""
    draw, count = scene.stream("committed"), max(1, round(2 * scene.scale))
    wasted = draw.between(0.24, 0.4)
    paid = sold("committed", 8 * scene.prices.reserved)
    rows: list[Row] = []
    table: list[Cells] = []
    for month in scene.months:
        hours, spare = count * 24 * month.days, 0
        rows.append(_purchase(scene, month, paid, hours))
        for offset in range(month.days):
            day = month.start + timedelta(days=offset)
            unused = min(24 * count, round(24 * count * wasted * draw.between(0.5, 1.5)))
            rows += _covered(scene, month, day, paid, 24 * count - unused, unused)
            spare += unused
        table.append((month.name, _COMMITMENT.id, hours, hours - spare, spare))
    left, end = ends(scene, "commitment", 1, 4)
    head = ("month", "commitment", "hours_committed", "hours_used", "hours_unused")
    how = (
        f"The commitment ends on {end}, with notice by {last_notice(end)}; what it does not use can be"
        " left out of the next one,"
        f" for {12 - left} of the coming twelve months."
    )
    path = "costs/commitment.csv"
    found = worth(
        "unused_commitment", "ri.unused", (12 - left) / 12, how, path, "contracts/cloud.md"
    )
    return Part(rows, {path: Table("Use of the commitment", head, table)}, [found])


def _purchase(scene: Scene, month: Month, sku: Sku, hours: int) -> Row:
    return Row(
        line="ri.purchase",
        sku=sku,
        seller=CLOUD,
        month=month,
        start=month.start,
        end=month.end,
        quantity=hours,
        billed=hours * sku.agreed,
        effective=0,
        said=f"Commitment {_COMMITMENT.id}, instalment of the month",
        account=ACCOUNTS["serving"],
        thing=_THING,
        place=home_place(scene),
        category="Purchase",
        frequency="Recurring",
        commitment=_COMMITMENT,
    )


def _covered(
    scene: Scene, month: Month, day: date, paid: Sku, used: int, unused: int
) -> Iterator[Row]:
    tags = (("env", "prod"), ("team", slug(scene.roles["serving"].name)))
    machine = Thing("i-serve-committed", "serve-committed", "Virtual machine")
    if used:
        cost = used * paid.agreed
        yield _hours(scene, month, day, node_sku(scene), machine, used, cost, "Used", tags)
    if unused:
        cost = unused * paid.agreed
        yield _hours(scene, month, day, paid, _THING, unused, cost, "Unused", ())


def _hours(
    scene: Scene,
    month: Month,
    day: date,
    sku: Sku,
    thing: Thing,
    hours: int,
    cents: int,
    status: str,
    tags: tuple[tuple[str, str], ...],
) -> Row:
    said = (
        "Instance hours covered by the commitment"
        if status == "Used"
        else "Committed hours that nothing used"
    )
    return Row(
        line=f"ri.{status.lower()}",
        sku=sku,
        seller=CLOUD,
        month=month,
        start=day,
        end=day + timedelta(days=1),
        quantity=hours,
        billed=0,
        effective=cents,
        said=said,
        account=ACCOUNTS["serving"],
        thing=thing,
        place=home_place(scene),
        commitment=_COMMITMENT,
        status=status,
        tags=tags,
    )
