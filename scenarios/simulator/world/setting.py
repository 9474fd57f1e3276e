"""What a world is made of: pools, fault rates, checkpoints, windows, prices; no behaviour."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

T = TypeVar("T")

NOTICE_S: Mapping[str, int] = {"aws": 120, "azure": 30, "google": 30}
"""Seconds between a spot notice and the loss of the node, as each cloud documents it.

AWS: interruption notice. Azure: the least a Preempt event gives. Google: best effort.
"""


@dataclass(frozen=True, slots=True)
class PoolSetting:
    """One pool of identical nodes, `nodes` of them up at the start.

    `least` and `most` bound what an autoscaler or a controller may ask for (`most` 0 means
    `nodes`), `price` is USD for a node-hour from the request to the end of the node,
    `spot` names a cloud of NOTICE_S or is empty. A spot node is there for `reclaim_hours` in
    the mean before the notice (0: never reclaimed) and never longer than `longest_hours` (0: no such rule).
    A new node is ready `delay_low_s` to `delay_high_s` after the request, or with
    probability `start_failure` never.
    """

    name: str
    nodes: int = 0
    least: int = 0
    most: int = 0
    price: float = 0.0
    spot: str = ""
    reclaim_hours: float = 0.0
    longest_hours: float = 0.0
    delay_low_s: float = 120.0
    delay_high_s: float = 300.0
    start_failure: float = 0.0

    @property
    def elastic(self) -> bool:
        """Whether the number of nodes may change: only where `most` is given."""
        return self.most > 0

    @property
    def slots(self) -> int:
        """The most nodes there can be at once."""
        return max(self.most, self.nodes)


@dataclass(frozen=True, slots=True)
class FailureSetting:
    """Memoryless faults: mean hours between two of one node or one GPU (0: never).

    Repairs are log-normal: median in seconds, `repair_sigma` of the logarithm. A broken
    GPU ends the job on it at once; its node takes no more work and is repaired once empty.
    """

    node_hours: float = 0.0
    node_repair_s: float = 14_400.0
    gpu_hours: float = 0.0
    gpu_repair_s: float = 7_200.0
    repair_sigma: float = 0.5


@dataclass(frozen=True, slots=True)
class CheckpointSetting:
    """A job saves after every `every_s` of progress (0: never), which takes `save_s`.

    With either above 0 it also saves on notice, where the notice is long enough. After an
    interruption it needs `recovery_s` on the machine before it makes progress.
    """

    every_s: float = 0.0
    save_s: float = 0.0
    recovery_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Window:
    """Maintenance of a whole pool: from `first_s` for `length_s`, again every `every_s` (0: once).

    `drain_s` before it begins the nodes take no new work; what still runs then is saved
    and interrupted.
    """

    pool: str
    first_s: float
    length_s: float
    every_s: float = 0.0
    drain_s: float = 3_600.0


@dataclass(frozen=True, slots=True)
class AutoscalerSetting:
    """The defaults of the Kubernetes cluster autoscaler, times in seconds.

    `evict`: whether a node in use below `threshold` may be drained when its jobs fit
    elsewhere; otherwise only empty nodes are given back, as for jobs marked unsafe to evict.
    A node that has not come `register_s` after the request is given up, in any pool.
    `removal_failure`: with what probability a provider refuses to take a node back.
    """

    scan_s: float = 10.0
    unneeded_s: float = 600.0
    unready_s: float = 1_200.0
    after_add_s: float = 600.0
    after_failure_s: float = 180.0
    threshold: float = 0.5
    most_new: int = 1_000
    most_empty: int = 10
    register_s: float = 900.0
    backoff_s: float = 300.0
    backoff_most_s: float = 1_800.0
    backoff_reset_s: float = 10_800.0
    recheck_s: float = 300.0
    unready_share: float = 0.45
    unready_count: int = 3
    removal_failure: float = 0.0
    evict: bool = False


@dataclass(frozen=True, slots=True)
class PowerSetting:
    """Watts of a node that is on, and what each busy GPU adds; `pue` multiplies both.

    `price` is USD for a kWh, 0 where the node's price holds it.
    """

    node_w: float = 1_200.0
    gpu_w: float = 600.0
    pue: float = 1.3
    price: float = 0.0


@dataclass(frozen=True, slots=True)
class Setting:
    """A whole world. `sample_s` apart are the points of the time series (0: none).

    `after_last_s` after the last submission the world stands still, whatever still waits.
    """

    gpus_per_node: int
    pools: tuple[PoolSetting, ...]
    failures: FailureSetting = field(default_factory=FailureSetting)
    checkpoint: CheckpointSetting = field(default_factory=CheckpointSetting)
    windows: tuple[Window, ...] = ()
    autoscaler: AutoscalerSetting | None = None
    power: PowerSetting = field(default_factory=PowerSetting)
    sample_s: float = 3_600.0
    after_last_s: float = 366 * 86_400.0

    def __post_init__(self) -> None:
        """ValueError names the first thing that cannot be."""
        if self.gpus_per_node < 1:
            raise ValueError(f"gpus_per_node is {self.gpus_per_node}; it must be at least 1.")
        names = [pool.name for pool in self.pools]
        if not names or len(set(names)) != len(names):
            raise ValueError("A world needs at least one pool, each with a name of its own.")
        for pool in self.pools:
            _check_pool(pool)
        for window in self.windows:
            _check_window(window, names)
        if self.autoscaler is not None and self.autoscaler.scan_s <= 0:
            raise ValueError("scan_s must be more than 0.")


def _check_window(window: Window, names: list[str]) -> None:
    if window.pool not in names:
        raise ValueError(f"A maintenance window names the pool {window.pool!r}: no such pool.")
    if window.length_s <= 0 or 0 < window.every_s < window.length_s + window.drain_s:
        raise ValueError(f"The windows of pool {window.pool!r} overlap or have no length.")


def _check_pool(pool: PoolSetting) -> None:
    if pool.spot and pool.spot not in NOTICE_S:
        known = ", ".join(NOTICE_S)
        raise ValueError(f"Pool {pool.name!r}: spot is {pool.spot!r}; it is one of {known}.")
    if not 0 <= pool.least <= pool.slots or pool.nodes < 0 or not pool.slots:
        raise ValueError(f"Pool {pool.name!r}: at least {pool.least}, at most {pool.slots} nodes.")
    if not 0 <= pool.delay_low_s <= pool.delay_high_s or not 0 <= pool.start_failure < 1:
        raise ValueError(
            f"Pool {pool.name!r}: delays must ascend and start_failure lie from 0 to under 1."
        )


def read_setting(table: object) -> Setting:
    """The [world] table of a cluster file; ValueError names the key that is wrong.

    Keys are the fields of Setting; pools and windows are arrays of tables.
    """
    values = _checked("world", table, Setting)
    parts: dict[str, type[Any]] = {
        "failures": FailureSetting,
        "checkpoint": CheckpointSetting,
        "autoscaler": AutoscalerSetting,
        "power": PowerSetting,
    }
    for key, kind in parts.items():
        if key in values:
            values[key] = _read(f"world.{key}", values[key], kind)
    for key, wanted in (("gpus_per_node", "int"), ("sample_s", "float"), ("after_last_s", "float")):
        if key in values:
            values[key] = _typed(f"world.{key}", values[key], wanted)
    for key, each in (("pools", PoolSetting), ("windows", Window)):
        if key in values:
            rows = values[key]
            if not isinstance(rows, list):
                raise ValueError(f"world.{key} must be an array of tables, [[world.{key}]].")
            values[key] = tuple(_read(f"world.{key}", row, each) for row in rows)
    return _build("world", values, Setting)


def _read(where: str, table: object, kind: type[T]) -> T:
    values = _checked(where, table, kind)
    for item in fields(kind):  # type: ignore[arg-type]
        value = values.get(item.name)
        if value is not None:
            values[item.name] = _typed(f"{where}.{item.name}", value, str(item.type))
    return _build(where, values, kind)


def _checked(where: str, table: object, kind: type[Any]) -> dict[str, Any]:
    if not isinstance(table, dict):
        raise ValueError(f"{where} must be a table.")
    known = [item.name for item in fields(kind)]
    odd = [key for key in table if key not in known]
    if odd:
        raise ValueError(f"{where} has no key {odd[0]}; it has {', '.join(known)}.")
    return dict(table)


def _typed(where: str, value: object, wanted: str) -> object:
    kinds: dict[str, tuple[type, ...]] = {
        "int": (int,),
        "float": (int, float),
        "str": (str,),
        "bool": (bool,),
    }
    if not isinstance(value, kinds[wanted]) or (wanted != "bool" and isinstance(value, bool)):
        raise ValueError(f"{where} is {value!r}; it must be of type {wanted}.")
    if isinstance(value, (int, float)) and value < 0:
        raise ValueError(f"{where} is {value}; it must not be negative.")
    return float(value) if wanted == "float" and isinstance(value, int) else value


def _build(where: str, values: dict[str, Any], kind: type[T]) -> T:
    try:
        return kind(**values)
    except TypeError as error:
        missing = str(error).rpartition(": ")[2]
        raise ValueError(f"{where} lacks {missing}.") from None
