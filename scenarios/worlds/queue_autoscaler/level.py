"""What a level of a pack may set of an elastic cluster, read from its table and checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from scenarios.worlds.queue_autoscaler.config import Tenant


@dataclass(frozen=True, slots=True)
class PoolTerms:
    """One pool as a level wants it, whatever the company's size and prices.

    `share` is its part of the cluster's nodes, the last pool takes what is left; `price` a factor
    on the profile's price of its kind, `start_min` the bounds of the start-up time in minutes,
    `start_failures` a probability, `reclaim_hours` the mean life of a spot node. A pool begins
    with `start` of its nodes, a part of its largest size, and never less than `least` nodes.
    """

    name: str
    prefix: str
    spot: bool
    share: float
    price: float = 1.0
    start_min: tuple[int, int] = (8, 15)
    start_failures: float = 0.04
    reclaim_hours: float = 14.0
    zone: str = ""
    start: float = 0.0
    least: int = 0


@dataclass(frozen=True, slots=True)
class Setting:
    """What a level of a pack decides; an ordinary day of two pools has nothing to decide.

    `load`, `timeouts` and `node_trouble` are factors on what a family of days asks for, on how
    often calls time out or succeed in part, and on how often machines fail. `budget_share` is the day's
    budget as a part of what every node would cost all day, 0 for none. `bound` names zones with
    the share of jobs whose data lies there and nowhere else.
    """

    pools: tuple[PoolTerms, ...] = ()
    tenants: tuple[Tenant, ...] = ()
    bound: tuple[tuple[str, float], ...] = ()
    budget_share: float = 0.0
    load: float = 1.0
    timeouts: float = 1.0
    node_trouble: float = 1.0
    stale_reads: bool = True
    throttling: bool = True
    slow_nodes: bool = True


_KINDS = {"str": str, "bool": bool, "int": int, "float": (int, float), "tuple[int, int]": list}


def _row(where: str, table: Mapping[str, Any], kind: type[Any]) -> dict[str, Any]:
    """The table's values if they are fields of `kind`, of the right type and not negative."""
    known = {one.name: str(one.type) for one in fields(kind)}
    for key, value in table.items():
        if key not in known:
            raise ValueError(f"{where} has no setting {key}.")
        wanted = _KINDS.get(known[key], list)
        right = isinstance(value, wanted) and isinstance(value, bool) == (wanted is bool)  # type: ignore[arg-type]
        if not right or (not isinstance(value, str | list) and value < 0):
            raise ValueError(f"{where}: {key} has the wrong kind of value.")
    return {key: tuple(v) if isinstance(v, list) else v for key, v in table.items()}


def read_setting(table: Mapping[str, Any]) -> Setting:
    """A level's `[levels.X.settings]`. Raises ValueError for a key or a value that cannot be."""
    plain = {k: v for k, v in table.items() if k not in ("pools", "tenants", "bound")}
    values = _row("The world elastic", plain, Setting)
    pools = [_row("A pool of the world elastic", row, PoolTerms) for row in table.get("pools", [])]
    tenants = [
        _row("A tenant of the world elastic", row, Tenant) for row in table.get("tenants", [])
    ]
    try:
        values["pools"] = tuple(PoolTerms(**row) for row in pools)
        values["tenants"] = tuple(Tenant(**row) for row in tenants)
    except TypeError as error:
        raise ValueError(f"The world elastic: a pool or a tenant is not whole ({error}).") from None
    bound = table.get("bound", {})
    values["bound"] = tuple((str(zone), float(share)) for zone, share in bound.items())
    return _consistent(Setting(**values))


def _consistent(setting: Setting) -> Setting:
    firm = {pool.zone for pool in setting.pools if not pool.spot}
    if setting.pools and not firm:
        raise ValueError("The world elastic: at least one pool must not be spot.")
    for zone, _ in setting.bound:
        if zone not in firm:
            raise ValueError(f"The world elastic: {zone} needs a pool that is not spot.")
    if len({pool.name for pool in setting.pools}) < len(setting.pools):
        raise ValueError("The world elastic: two pools have the same name.")
    for tenant in setting.tenants:
        if len(tenant.promise_min) != 3:
            raise ValueError(f"The world elastic: {tenant.name} needs three promises, 0 for none.")
    return setting
