"""The `[slurm]` table of a cluster file, read and checked; words as in slurm.conf."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Literal, cast, get_args

from scenarios.simulator.slurm.priority import Weights
from scenarios.simulator.slurm.shares import Tree

FairShareRule = Literal["none", "classic", "fair-tree"]
PreemptRule = Literal["none", "qos", "partition"]
NO_WEIGHTS = Weights()


@dataclass(frozen=True)
class Qos:
    """A quality of service: its own priority and the names of those it may evict."""

    priority: int = 0
    preempt: tuple[str, ...] = ()


@dataclass(frozen=True)
class Partition:
    """A partition over all nodes: its tier decides first, its factor is part of a priority."""

    tier: int = 1
    factor: int = 1


@dataclass(frozen=True)
class Settings:
    """How this Slurm is set up; times in seconds. Without a table it is first come, first served
    with backfill, which is what Slurm does with no weights set."""

    bf_interval: int = 30
    bf_phase: int = 25
    """When in each interval the pass runs. A real beat cannot be known from outside: any phase
    gives the recorded run 1 within its tolerance, 24 to 26 also every node."""
    bf_max_job_test: int = 500
    """Waiting jobs looked at in one pass, best first (the default of 22.05)."""
    calc_period: int = 300
    half_life: int = 604_800
    max_age: int = 604_800
    requeue_hold: int = 120
    """How long an evicted job waits before it may start again (seen on 22.05.8)."""
    fair_share: FairShareRule = "none"
    preempt: PreemptRule = "none"
    charge_remainder: bool = True
    weights: Weights = NO_WEIGHTS
    qos: Mapping[str, Qos] = field(default_factory=dict)
    partitions: Mapping[str, Partition] = field(default_factory=dict)
    tree: Tree = field(default_factory=lambda: _rooted())

    @property
    def changes_with_time(self) -> bool:
        """Whether the order of waiting jobs can change though nothing starts, ends or arrives."""
        return self.weights.age > 0 or self.weights.fair_share > 0


def _rooted() -> Tree:
    tree = Tree()
    tree.add("root", "", -1, 1)
    return tree


def read_settings(cluster: Mapping[str, object]) -> Settings:
    """Settings of a parsed cluster file; ValueError names the entry that is wrong."""
    table = _table(cluster.get("slurm", {}), "slurm")
    plain = {f.name for f in fields(Settings)} - {"tree"}
    _refuse_unknown(table, plain | {"associations"}, "slurm")
    values: dict[str, object] = {}
    for name, value in table.items():
        values[name] = _READERS[name](value) if name in _READERS else _whole(value, f"slurm.{name}")
    if "associations" in values:
        values["tree"] = values.pop("associations")
    for name in ("bf_interval", "bf_max_job_test", "calc_period", "max_age"):
        if name in values and cast(int, values[name]) < 1:
            raise ValueError(f"slurm.{name} is {values[name]}; it should be 1 or more.")
    return Settings(**values)  # type: ignore[arg-type]


def _table(value: object, name: str) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        raise ValueError(f"{name} should be a table.")
    return value


def _refuse_unknown(table: Mapping[str, object], known: set[str], name: str) -> None:
    for key in table:
        if key not in known:
            raise ValueError(f"{name} has no entry {key}; it knows {', '.join(sorted(known))}.")


def _whole(value: object, name: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError(f"{name} is {value!r}; it should be a whole number of 0 or more.")
    return value


def _fair_share(value: object) -> object:
    if value not in get_args(FairShareRule):
        raise ValueError(f"slurm.fair_share is {value!r}; it is none, classic or fair-tree.")
    return value


def _preempt(value: object) -> object:
    if value not in get_args(PreemptRule):
        raise ValueError(f"slurm.preempt is {value!r}; it is none, qos or partition.")
    return value


def _truth(value: object) -> object:
    if not isinstance(value, bool):
        raise ValueError(f"slurm.charge_remainder is {value!r}; it is true or false.")
    return value


def _weights(value: object) -> object:
    table = _table(value, "slurm.weights")
    _refuse_unknown(table, set(Weights._fields), "slurm.weights")
    return Weights(**{key: _whole(each, f"slurm.weights.{key}") for key, each in table.items()})


def _qos(value: object) -> object:
    found: dict[str, Qos] = {}
    table = _table(value, "slurm.qos")
    for name, entry in table.items():
        row = _table(entry, f"slurm.qos.{name}")
        _refuse_unknown(row, {"priority", "preempt"}, f"slurm.qos.{name}")
        names = row.get("preempt", [])
        if not isinstance(names, list) or any(each not in table for each in names):
            raise ValueError(f"slurm.qos.{name}.preempt should be a list of names under slurm.qos.")
        priority = _whole(row.get("priority", 0), f"slurm.qos.{name}.priority")
        found[name] = Qos(priority, tuple(names))
    return found


def _partitions(value: object) -> object:
    found: dict[str, Partition] = {}
    for name, entry in _table(value, "slurm.partitions").items():
        row = _table(entry, f"slurm.partitions.{name}")
        _refuse_unknown(row, {"tier", "factor"}, f"slurm.partitions.{name}")
        found[name] = Partition(
            **{key: _whole(each, f"slurm.partitions.{name}.{key}") for key, each in row.items()}
        )
    return found


def _associations(value: object) -> object:
    """Rows of account, parent (an earlier row's account, or root), shares, priority; user for a user."""
    if not isinstance(value, list):
        raise ValueError("slurm.associations should be an array of tables.")
    tree, accounts = _rooted(), {"root": 0}
    for number, entry in enumerate(value, 1):
        name = f"slurm.associations, entry {number}"
        row = _table(entry, name)
        _refuse_unknown(row, {"account", "user", "parent", "shares", "priority"}, name)
        account, user = str(row.get("account", "")), str(row.get("user", ""))
        above = account if user else str(row.get("parent", "root"))
        if not account:
            raise ValueError(f"{name} names no account.")
        if above not in accounts:
            raise ValueError(f"{name}: account {above} stands in no earlier entry.")
        shares = row.get("shares", 1)
        own = None if shares == "parent" else _whole(shares, f"{name}, shares")
        standing = _whole(row.get("priority", 0), f"{name}, priority")
        index = tree.add(account, user, accounts[above], own, standing)
        if not user:
            accounts[account] = index
    return tree


_READERS = {
    "fair_share": _fair_share,
    "preempt": _preempt,
    "charge_remainder": _truth,
    "weights": _weights,
    "qos": _qos,
    "partitions": _partitions,
    "associations": _associations,
}
