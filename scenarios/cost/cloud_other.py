"""Storage, network and support in the cloud, day by day."""

from __future__ import annotations

import json
from collections import defaultdict

from scenarios.cost.charging import daily, instalment
from scenarios.cost.draw import Scene
from scenarios.cost.outcome import Cells, Part, Table, Worth, gathered, worth
from scenarios.cost.rows import Row, Thing
from scenarios.cost.seasons import of_day
from scenarios.cost.sellers import CLOUD, slug
from scenarios.cost.skus import sold
from scenarios.simulator.streams import Stream

BUCKETS = (("images-2m", 0.3), ("text-corpus", 0.34), ("audio-clean", 0.2), ("telemetry-raw", 0.16))
"""Data sets, and their parts of all."""
RUNS = ("base-7b", "base-30b", "chat-v3", "vision-2")
"""Trainings that keep checkpoints; the first is held for audit."""
SUPPORT_PERCENT = 3
_HELD = (("hold", "audit"),)
_WARM = ((0, 30, 0.7, 9), (30, 90, 0.3, 1))
_COLD = ((90, 365, 0.45, 0), (365, 1500, 0.55, 0))
"""Days since the last access from and to, part of the warm or cold data, reads a month."""
_COPIED = 0.92
"""Part of repeated transfers that a copy on our side keeps."""


def stored_and_moved(scene: Scene) -> Part:
    """Volumes, objects, checkpoints, transfer and addresses."""
    return gathered(scene, _volumes, _objects, _checkpoints, _network, _addresses)


def cloud_support(scene: Scene, rows: list[Row]) -> list[Row]:
    """The cloud's support plan: a part of what else it bills in a month."""
    sku, found = sold("cloud-support"), []
    said = f"Support plan, {SUPPORT_PERCENT} % of the month"
    billed: dict[str, int] = defaultdict(int)
    for row in rows:
        if row.seller == CLOUD:
            billed[row.month.name] += row.billed
    for month in scene.months:
        cents = billed[month.name] * SUPPORT_PERCENT // 100
        found.append(instalment(scene, "sup.cloud", sku, CLOUD, month, cents, said))
    return found


def _volumes(scene: Scene) -> Part:
    draw, count = scene.stream("volumes"), scene.settings.volumes
    sku = sold("volume", scene.prices.volume, details=json.dumps({"DiskType": "SSD"}))
    rows: list[Row] = []
    table: list[Cells] = []
    zombies = max(3, round(count * 0.3))
    teams = [slug(team.name) for team in scene.profile.teams]
    for number in range(count):
        orphan = number < zombies
        size = max(1, round(draw.between(3, 9) * (0.6 if orphan else 1) * max(0.5, scene.scale)))
        code = f"vol-{int(draw.unit() * 0xFFFFFF):06x}{number:02x}"
        thing = Thing(code, f"{'old' if orphan else 'work'}-{number + 1:02d}", "Volume")
        team = "" if orphan else teams[number % len(teams)]
        since = round(draw.between(380, 800)) if orphan else 0
        table.append((code, thing.name, size, "available" if orphan else "attached", since, team))
        line, tags = ("st.orphans", ()) if orphan else ("st.volumes", (("team", team),))
        rows += [daily(scene, line, sku, "data", thing, day, size, tags) for day in scene.days]
    rows += _snapshots(scene)
    head = ("volume", "name", "size_tb", "state", "days_without_attachment", "team")
    how = f"{zombies} volumes have not been attached for a year, addresses point nowhere; 95 % of both can go."
    shows = ("storage/volumes.csv", "network/addresses.csv")
    found = Worth("zombies", {"st.orphans": 0.95, "net.idle": 0.95}, how, shows)
    return Part(rows, {shows[0]: Table("Volumes", head, table)}, [found])


def _snapshots(scene: Scene) -> list[Row]:
    sku, size = sold("snapshot", scene.prices.snapshot), max(1, round(14 * scene.scale))
    thing = Thing("snp-nightly", "nightly-snapshots", "Snapshot")
    return [
        daily(scene, "st.snapshots", sku, "data", thing, day, size, _HELD) for day in scene.days
    ]


def _objects(scene: Scene) -> Part:
    prices = scene.prices
    hot = sold("hot", prices.hot, details=json.dumps({"StorageClass": "Hot"}))
    cool, archive = 1 - prices.cool / prices.hot, 1 - prices.archive / prices.hot
    less = _COLD[0][2] * cool + _COLD[1][2] * archive
    cold = min(0.92, scene.part["tiering"] / less)
    rows: list[Row] = []
    table: list[Cells] = []
    grown = [0.88 + 0.24 * n / 364 for n in range(len(scene.days))]
    for name, share in BUCKETS:
        thing, size, tags = (
            Thing(f"bkt-{name}", name, "Bucket"),
            760 * scene.scale * share,
            (("data", name),),
        )
        rows += [
            daily(scene, "st.datasets", hot, "data", thing, day, round(size * more), tags)
            for day, more in zip(scene.days, grown, strict=True)
        ]
        for part, bands in ((1 - cold, _WARM), (cold, _COLD)):
            for low, high, of, reads in bands:
                table.append((name, "hot", low, high, round(size * grown[-1] * part * of), reads))
    rows += _archive(scene)
    head = ("bucket", "class", "last_access_days_from", "to", "tb", "reads_a_month")
    how = f"{cold:.0%} was not read for 90 days: up to a year into the cool class, older into the archive."
    path = "storage/objects.csv"
    found = worth("tiering", "st.datasets", 0.95 * cold * less, how, path, "costs/price-book.csv")
    return Part(rows, {path: Table("Objects by age of last access", head, table)}, [found])


def _archive(scene: Scene) -> list[Row]:
    sku = sold("archive", scene.prices.archive, details=json.dumps({"StorageClass": "Archive"}))
    thing, size = Thing("bkt-audit", "audit-archive", "Bucket"), max(1, round(300 * scene.scale))
    return [daily(scene, "st.archive", sku, "data", thing, day, size, _HELD) for day in scene.days]


def _checkpoints(scene: Scene) -> Part:
    """Checkpoints of four runs: how many are kept, and how many are needed."""
    draw, part = scene.stream("checkpoints"), scene.part["checkpoint_retention"]
    hot = sold("hot", scene.prices.hot, details=json.dumps({"StorageClass": "Hot"}))
    rows: list[Row] = []
    table: list[Cells] = []
    kept, free = 0, 0
    for run in RUNS:
        each = max(1, round(draw.between(1.2, 2.6) * scene.scale))
        count, held = round(draw.between(38, 60)), run == RUNS[0]
        extra = 0 if held else min(count - 3, round(count * part / 0.75))
        tb = each * count
        kept, free = kept + tb, free + each * extra
        table.append((run, count, each, tb, count - extra, "yes" if held else "no"))
        thing = Thing(f"bkt-ckpt-{run}", f"checkpoints-{run}", "Bucket")
        tags = _HELD if held else (("run", run),)
        rows += [
            daily(scene, "st.checkpoints", hot, "data", thing, day, tb, tags) for day in scene.days
        ]
    head = ("run", "checkpoints", "tb_each", "tb", "needed", "held_for_audit")
    how = f"{free:,} of {kept:,} TB are checkpoints beyond what is needed of runs without a hold."
    path = "storage/checkpoints.csv"
    found = worth(
        "checkpoint_retention", "st.checkpoints", free / kept, how, path, "policies/retention.md"
    )
    return Part(rows, {path: Table("Checkpoints", head, table)}, [found])


def _network(scene: Scene) -> Part:
    draw, prices = scene.stream("network"), scene.prices
    skus = {
        "egress": sold("egress", prices.egress),
        "nat": sold("nat", prices.nat),
        "zones": sold("zones", prices.zones),
    }
    rows: list[Row] = []
    table: list[Cells] = []
    again = out = 0
    for day in scene.days:
        moved = _day_of_transfer(draw, scene.scale, scene.part["egress_fix"], of_day(scene, day))
        again, out = again + moved["again"], out + moved["egress"]
        table.append((f"{day}", moved["egress"], moved["again"], moved["nat"], moved["zones"]))
        rows += [
            daily(scene, f"net.{kind}", sku, "network", None, day, moved[kind])
            for kind, sku in skus.items()
            if moved[kind]
        ]
    head = (
        "day",
        "out_tb",
        "of_it_same_objects_as_the_day_before_tb",
        "nat_tb",
        "between_zones_tb",
    )
    how = (
        f"{again:,} of {out:,} TB sent out were sent the day before; a copy on our side keeps"
        f" {_COPIED:.0%} of that."
    )
    path = "network/transfer.csv"
    found = worth("egress_fix", "net.egress", _COPIED * again / max(1, out), how, path)
    return Part(rows, {path: Table("Transfer by day", head, table)}, [found])


def _addresses(scene: Scene) -> Part:
    sku, rows, table = sold("address", scene.prices.address), [], []
    for number in range(1, max(8, round(14 * scene.scale)) + 1):
        thing = Thing(f"ip-{number:03d}", f"address-{number:03d}", "Address")
        table.append((thing.id, "none", ""))
        rows += [daily(scene, "net.idle", sku, "network", thing, day, 1) for day in scene.days]
    head = ("address", "points_at", "owner")
    return Part(rows, {"network/addresses.csv": Table("Addresses", head, table)})


def _day_of_transfer(draw: Stream, scale: float, again: float, much: float) -> dict[str, int]:
    out = max(2, round(draw.between(3.0, 7.0) * max(0.6, scale) * much))
    return {
        "egress": out,
        "again": min(out, int(out * again / _COPIED + draw.unit())),
        "nat": round(draw.between(0.6, 1.9) * scale),
        "zones": round(draw.between(1.6, 4.4) * scale),
    }
