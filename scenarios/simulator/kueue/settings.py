"""The [kueue] table of a cluster file: queues, cohorts and rules for whole workloads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from scenarios.simulator.kueue.case import policy_of, refuse_doubles
from scenarios.simulator.kueue.reading import Field
from scenarios.simulator.kueue.tree import NodeSpec, Quota
from scenarios.simulator.kueue.workloads import Policy, Preemption

GROUPINGS = ("account", "partition", "user", "qos")
KEYS = ("queue_by", "strict", "fair_sharing", "keep_progress", "cohorts", "queues")
NODE_KEYS = ("name", "nominal", "borrowing_limit", "lending_limit", "fair_weight")
COHORT_KEYS = (*NODE_KEYS, "parent")
QUEUE_KEYS = (*NODE_KEYS, "cohort", "within", "reclaim", "borrow_within", "threshold")
COLUMN = 0
"""The one quota column of a simulation: processors (or GPUs) of the trace."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How jobs become workloads. Without `specs` the queues follow from the trace.

    `queue_by` names the column of the trace that is the queue's name; `strict` lets the
    head of a queue block it; an evicted job loses what it did unless `keep_progress`.
    """

    queue_by: str = "account"
    strict: bool = False
    fair_sharing: bool = False
    keep_progress: bool = False
    specs: list[NodeSpec] = field(default_factory=list)
    rules: dict[str, Preemption] = field(default_factory=dict)


def read_settings(cluster: Mapping[str, object]) -> Settings:
    """The settings of a parsed cluster file; ValueError naming the entry at fault."""
    if "kueue" not in cluster:
        return Settings()
    table = Field(cluster["kueue"], "kueue")
    _check_keys(table, KEYS)
    queues = table.items("queues")
    specs = [_spec(item, COHORT_KEYS, "parent", False) for item in table.items("cohorts")]
    known = {spec.name for spec in specs}
    specs += [_spec(item, QUEUE_KEYS, "cohort", True) for item in queues]
    refuse_doubles((s.name for s in specs if s.queue), "[[kueue.queues]] names")
    refuse_doubles((s.name for s in specs if not s.queue), "[[kueue.cohorts]] names")
    implied = dict.fromkeys(s.parent for s in specs if s.parent is not None)
    specs += [NodeSpec(name, None, queue=False) for name in implied if name not in known]
    grouping = table.at("queue_by").text() if table.has("queue_by") else "account"
    if grouping not in GROUPINGS:
        table.at("queue_by").refuse(f"one of {', '.join(GROUPINGS)}")
    if known and not queues:
        raise ValueError("kueue has cohorts but no queue: add [[kueue.queues]].")
    rules = {item.at("name").text(): _rules(item) for item in queues}
    strict, fair = _truth(table, "strict"), _truth(table, "fair_sharing")
    return Settings(grouping, strict, fair, _truth(table, "keep_progress"), specs, rules)


def default_specs(names: Iterable[str], capacity: int) -> list[NodeSpec]:
    """A queue per name in one cohort, the processors split evenly, borrowing without limit."""
    queues = sorted(set(names))
    share, rest = divmod(capacity, max(1, len(queues)))
    specs = [NodeSpec("all", None, queue=False)]
    for place, name in enumerate(queues):
        quota = Quota(share + (place < rest))
        specs.append(NodeSpec(name, "all", queue=True, quotas={COLUMN: quota}))
    return specs


DEFAULT_RULES = Preemption(within=Policy.LOWER, reclaim=Policy.ANY)
"""Of queues that follow from the trace: what is one's own can be had back at once."""


def _check_keys(item: Field, keys: tuple[str, ...]) -> None:
    for key, _ in item.pairs():
        if key not in keys:
            raise ValueError(f"{item.path} has no entry {key}; it has {', '.join(keys)}.")


def _truth(item: Field, key: str) -> bool:
    return item.at(key).truth() if item.has(key) else False


def _amount(item: Field, key: str) -> int | None:
    if not item.has(key):
        return None
    amount = item.at(key).whole()
    if amount < 0:
        item.at(key).refuse("at least 0")
    return amount


def _spec(item: Field, keys: tuple[str, ...], above: str, queue: bool) -> NodeSpec:
    _check_keys(item, keys)
    nominal = _amount(item, "nominal") or 0
    quota = Quota(nominal, _amount(item, "borrowing_limit"), _amount(item, "lending_limit"))
    parent = item.at(above).text() if item.has(above) else None
    weight = item.at("fair_weight").weight() if item.has("fair_weight") else 1
    return NodeSpec(item.at("name").text(), parent, queue, {COLUMN: quota}, weight)


def _rules(item: Field) -> Preemption:
    threshold = item.at("threshold").whole() if item.has("threshold") else None
    return Preemption(
        policy_of(item, "within"),
        policy_of(item, "reclaim"),
        _truth(item, "borrow_within"),
        threshold,
    )
