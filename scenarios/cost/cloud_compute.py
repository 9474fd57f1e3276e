"""GPUs rented for our own people: burst, notebooks, batch and evaluation, day by day."""

from __future__ import annotations

import json
from datetime import date

from scenarios.company.regions import around
from scenarios.cost.charging import daily_use
from scenarios.cost.draw import Month, Scene
from scenarios.cost.jobs import history_of
from scenarios.cost.outcome import Cells, Part, Table, gathered, worth
from scenarios.cost.seasons import of_day
from scenarios.cost.serving import node_sku, single_sku
from scenarios.cost.skus import sold

TWICE = 0.12
"""Part of work on spot that is done twice."""
_Hours = dict[tuple[str, date], int]


def rented(scene: Scene) -> Part:
    """Burst, notebooks, batch and evaluation."""
    return gathered(scene, _burst, _dev, _batch, _eval)


def _in_month(hours: _Hours, month: Month) -> int:
    """GPU-hours of instances with eight GPUs."""
    return 8 * sum(count for (_, day), count in hours.items() if month.start <= day < month.end)


def _burst(scene: Scene) -> Part:
    history, sku = history_of(scene), node_sku(scene)
    warm = scene.part["cloud_poweroff"]
    asleep = round(24 * warm) if "cloud_poweroff" in scene.planted else 0
    billed = {
        (pool, day): min(24, round(used / (1 - warm))) if used else asleep
        for pool, days in history.pools.items()
        for day, used in days.items()
    }
    names = list(history.pools)
    rows = daily_use(
        scene, "od.burst", "burst", sku, names, lambda n, d: billed[n, d], queue="overflow"
    )
    paid = 8 * sum(billed.values())
    loose = "cloud_poweroff" in scene.planted
    part = max(0.0, 0.9 * (paid - history.burst_hours) / paid) if loose else 0.0
    how = (
        f"{paid:,} GPU-hours are paid in the burst pools and {history.burst_hours:,.0f} used by jobs;"
        + (
            " nine tenths of the difference go when instances end with their queue."
            if loose
            else " the rest is that every started hour is billed."
        )
    )
    shows = ("usage/usage.csv", "costs/focus.csv", "policies/bursting.md")
    return Part(rows, {}, [worth("cloud_poweroff", "od.burst", part, how, *shows)])


def _dev(scene: Scene) -> Part:
    names = [f"notebook-{n + 1:02d}" for n in range(max(4, round(8 * scene.scale)))]
    part, draw = scene.part["notebook_ttl"], scene.stream("notebooks")
    loose = "notebook_ttl" in scene.planted
    hours: _Hours = {}
    table: list[Cells] = []
    active = 0
    seasons = {day: of_day(scene, day) for day in scene.days}
    for name in names:
        for day in scene.days:
            rest = day.weekday() >= 5 and draw.chance(0.8)
            work = 0 if rest else round(draw.between(5, 10) * seasons[day])
            kept = min(24, round(work / (1 - part)))
            if loose and (not work or draw.chance(0.3)):
                kept = 24 if draw.chance(0.75) else kept
            hours[name, day] = kept
            active += work
            table.append((f"{day}", name, kept, work, round(draw.between(12, 55)) if work else 0))
    rows = daily_use(scene, "od.dev", "dev", single_sku(scene), names, lambda n, d: hours[n, d])
    paid = sum(hours.values())
    how = (
        f"{paid:,} hours are paid and {active:,} of them active; a limit of an hour saves nine tenths"
        " of the rest."
    )
    path, head = (
        "usage/notebooks.csv",
        ("day", "notebook", "allocated_hours", "active_hours", "gpu_util_percent"),
    )
    found = worth("notebook_ttl", "od.dev", max(0.0, 0.9 * (paid - active) / paid), how, path)
    return Part(rows, {path: Table("Notebooks", head, table)}, [found])


def _batch(scene: Scene) -> Part:
    draw, prices = scene.stream("batch"), scene.prices
    names = [f"batch-{n + 1:02d}" for n in range(max(2, round(2 * scene.scale)))]
    hours = {
        (name, day): round(draw.between(6, 15) * of_day(scene, day))
        for name in names
        for day in scene.days
    }
    rows = daily_use(
        scene, "od.batch", "batch", node_sku(scene), names, lambda n, d: hours[n, d], restart="any"
    )
    cheap = {day: round(draw.between(0, 5)) for day in scene.days}
    details = json.dumps({"InstanceType": f"g8.{scene.profile.gpu.lower()}", "GpuCount": 8})
    spot = sold(
        "node-spot",
        8 * prices.spot,
        listed=8 * prices.on_demand,
        pricing="Dynamic",
        details=details,
    )
    one = [f"{names[0]}-spot"]
    rows += daily_use(scene, "spot.batch", "batch", spot, one, lambda n, d: cheap[d], restart="any")
    able = 85 if "spot_batch" in scene.planted else 3
    gain = max(0.0, min(0.8, 1 - prices.spot * (1 + TWICE) / prices.on_demand))
    quiet = scene.part["internal_preemptible"]
    path = "usage/batch.csv"
    said = f"The {able} % of batch work with checkpoints, at the spot price and {TWICE:.0%} of it done twice."
    own = f"{quiet:.0%} of the batch's hours fit into our own GPUs that are free between 22 and 6 o'clock."
    return Part(
        rows,
        {path: _batch_table(scene, hours, able, quiet)},
        [
            worth("spot_batch", "od.batch", gain * able / 100, said, path, "costs/price-book.csv"),
            worth("internal_preemptible", "od.batch", quiet, own, path),
        ],
    )


def _batch_table(scene: Scene, hours: _Hours, able: int, quiet: float) -> Table:
    rows: list[Cells] = []
    for month in scene.months:
        used = _in_month(hours, month)
        rows.append((month.name, used, able, round(100 * TWICE), round(used * quiet)))
    head = (
        "month",
        "gpu_hours_on_demand",
        "with_checkpoints_percent",
        "redone_on_spot_percent",
        "own_gpu_hours_free_22_to_6",
    )
    return Table("Batch work by month", head, rows)


def _eval(scene: Scene) -> Part:
    draw, prices = scene.stream("eval"), scene.prices
    names = [f"eval-{n + 1:02d}" for n in range(max(1, round(2 * scene.scale)))]
    hours = {
        (name, day): round(draw.between(2, 12) * of_day(scene, day)) if day.weekday() < 5 else 0
        for name in names
        for day in scene.days
    }
    rows = daily_use(
        scene, "od.eval", "eval", node_sku(scene), names, lambda n, d: hours[n, d], data="public"
    )
    fits = min(1.0, scene.part["gpu_type"] / (1 - prices.small_gpu / prices.on_demand))
    away, busy = scene.part["region_move"], 14 if fits > 0.3 else 58
    table: list[Cells] = [
        (month.name, _in_month(hours, month), round(100 * fits), busy, round(100 * (1 - away)))
        for month in scene.months
    ]
    head = (
        "month",
        "gpu_hours",
        "fit_smaller_gpu_in_same_time_percent",
        "tensor_active_percent",
        f"price_in_{around(scene.profile.first_region).away.key.replace('-', '_')}_percent",
    )
    path = "usage/evaluation.csv"
    small = f"{fits:.0%} of evaluation hours fit a GPU at {prices.small_gpu / 100:.2f} USD an hour."
    far = f"The other region asks {away:.0%} less; evaluation data is public."
    part = scene.part["gpu_type"]
    return Part(
        rows,
        {path: Table("Evaluations by month", head, table)},
        [
            worth("gpu_type", "od.eval", part, small, path, "costs/price-book.csv"),
            worth("region_move", "od.eval", away, far, path, "policies/data-residency.md"),
        ],
    )
