"""The pools of a month: own nodes that can be used, and GPUs that are rented."""

from __future__ import annotations

from dataclasses import dataclass

from scenarios.scaling.content import rows
from scenarios.scaling.demand import Market
from scenarios.scaling.estate import Standing
from scenarios.scaling.plan import Plan, Rented
from scenarios.scaling.policies import Held
from scenarios.scaling.pools import Pool
from scenarios.scaling.scene import Rent, Scene, Work
from scenarios.scaling.speeds import speed

PACKED = 1.08
"""Nodes under small jobs over the fewest, where they are packed: the newest are not yet moved."""
KEPT_APART, FEW = 0.05, 4
"""Part of the nodes that a large job cannot have where it is placed by topology, as the rule says; so few nodes
hang below one leaf anyhow."""
COMMITTED = {row["kind"]: row["months"] for row in rows("rents") if "months" in row}
"""Months for which a commitment is paid, used or not."""


def own_pools(
    scene: Scene, standing: tuple[Standing, ...], pools: dict[str, Pool], held: Held
) -> None:
    """Bring the own pools to what stands there in a month."""
    there: dict[str, tuple[int, int]] = {}
    power: dict[str, float] = {}
    for site, place in enumerate(standing):
        for group in place.groups:
            kind = group.kind
            if not kind.gpus:
                continue
            name = f"{place.place.site.name}/{kind.gpu}/{kind.gpus}"
            used, paid = there.get(name, (0, 0))
            there[name] = (used + group.used, paid + group.there)
            power[name] = power.get(name, 0.0) + group.used * kind.power_kw
            if name not in pools:
                fast = speed(kind.gpu, scene.profile.gpu)
                pools[name] = Pool(name, site, kind.gpus, fast)
    for name, pool in pools.items():
        if pool.kind != "own":
            continue
        pool.standing = there.get(name, (0, 0))[0]
        pool.nodes = max(0, pool.standing - len(pool.away))
        pool.node_kw = power.get(name, 0.0)
        pool.spread = PACKED if held.pack else scene.spread
        pool.spare = (
            max(1, round(KEPT_APART * pool.nodes)) if held.topology and pool.nodes > FEW else 0
        )


@dataclass(frozen=True, slots=True)
class Lease:
    """A row of the plan that can be rented. first, last: months in which its GPUs are there; paid: last
    month in which it is paid, within the year.
    """

    row: Rented
    rent: Rent
    classes: frozenset[str]
    first: int
    last: int
    paid: int
    gpus: int = 0
    """Those of the row that the provider gives: what it has at most, less those of rows before."""


def leases(scene: Scene, plan: Plan) -> tuple[Lease, ...]:
    """Rows that name a kind of rent, a region and months that there are; checks names the others."""
    index = {month.name: month.index for month in scene.months}
    found: list[Lease] = []
    taken: dict[tuple[str, str], list[int]] = {}
    for row in plan.cloud:
        rent = rent_of(scene, row)
        if rent is None or row.start not in index or row.gpus < 1:
            continue
        first = index[row.start]
        last = index.get(row.end, len(index) - 1 if row.end > row.start else first)
        if last < first:
            continue
        paid = (
            min(len(index) - 1, first + COMMITTED[row.kind] - 1) if row.kind in COMMITTED else last
        )
        paid = max(last, paid)
        had = taken.setdefault((rent.kind, rent.region), [0] * len(index))
        gpus = max(0, min(int(row.gpus), rent.most - max(had[first : paid + 1])))
        for month in range(first, paid + 1):
            had[month] += gpus
        found.append(Lease(row, rent, may_go(scene, row, rent), first, last, paid, gpus))
    return tuple(found)


def rent_of(scene: Scene, row: Rented) -> Rent | None:
    """The offer that the row names; the first region of the kind where it names none."""
    for one in scene.rents:
        if one.kind == row.kind and row.region in ("", one.region):
            return one
    return None


def may_go(scene: Scene, row: Rented, rent: Rent) -> frozenset[str]:
    """Classes whose work can go there: the row and the rules on data allow."""
    return frozenset(
        one.job_class
        for one in scene.work
        if (not row.classes or one.job_class in row.classes) and lawful(one, rent.region)
    )


def lawful(one: Work, region: str) -> bool:
    """Whether data of the class may be in a cloud region."""
    return one.may_burst and (not one.regions or region in one.regions)


def cloud_pools(
    scene: Scene, rented: tuple[Lease, ...], month: int, pools: dict[str, Pool], market: Market
) -> None:
    """Bring the rented pools to those of a month."""
    for number, lease in enumerate(rented):
        name = f"cloud/{number}"
        if name not in pools:
            per_node = max(1, min(lease.gpus, scene.profile.gpus_per_node))
            pools[name] = Pool(
                name,
                -1,
                per_node,
                1.0,
                kind=lease.rent.kind,
                usd=lease.rent.usd * (market.spot if lease.rent.kind == "spot" else 1.0),
                region=lease.rent.region,
                row=lease.row.id,
                classes=lease.classes,
            )
        pool = pools[name]
        there = lease.first <= month <= lease.last
        pool.nodes = lease.gpus // pool.per_node if there else 0
        pool.standing = pool.nodes
