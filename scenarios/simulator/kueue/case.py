"""One quota case from JSON: the tree, what is admitted, the newcomer; and its answer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from scenarios.simulator.kueue.classic import classic_victims
from scenarios.simulator.kueue.fair import DEFAULT_STRATEGIES, Strategy, fair_victims
from scenarios.simulator.kueue.reading import Field
from scenarios.simulator.kueue.tree import Amounts, NodeSpec, Quota, QuotaTree
from scenarios.simulator.kueue.workloads import Contest, Eviction, Policy, Preemption, Workload


@dataclass(slots=True)
class _Columns:
    """Numbers (flavour, resource) pairs as they turn up; `resource_of[column]` likewise."""

    numbers: dict[tuple[str, str], int] = field(default_factory=dict)
    resources: list[str] = field(default_factory=list)
    resource_of: list[int] = field(default_factory=list)

    def number(self, flavor: str, resource: str) -> int:
        """The column of a pair, a new one when it was not seen before."""
        if (flavor, resource) not in self.numbers:
            self.numbers[flavor, resource] = len(self.numbers)
            if resource not in self.resources:
                self.resources.append(resource)
            self.resource_of.append(self.resources.index(resource))
        return self.numbers[flavor, resource]


@dataclass(frozen=True, slots=True)
class Case:
    """One question: who is evicted for the newcomer of `contest`?"""

    id: str
    contest: Contest
    resource_of: list[int]
    strategies: tuple[Strategy, ...]
    """Empty for classic preemption."""

    def evictions(self) -> list[Eviction]:
        """The victims; those whose eviction is under way already are not named again."""
        if self.contest.fits():
            return []
        if self.strategies:
            chosen = fair_victims(self.contest, self.resource_of, self.strategies)
        else:
            chosen = classic_victims(self.contest)
        return [eviction for eviction in chosen if not eviction.workload.evicted]

    def answer(self) -> dict[str, object]:
        """{"id", "evicted": [{"workload", "reason"}]} as plain data, by name."""
        chosen = sorted(self.evictions(), key=lambda eviction: eviction.workload.name)
        rows = [{"workload": e.workload.name, "reason": str(e.reason)} for e in chosen]
        return {"id": self.id, "evicted": rows}


def read_case(data: object) -> Case:
    """Read one object of the case format; ValueError naming the field at fault.

    Fair sharing applies where "fair_sharing" is true or "strategies" are named; without
    either it applies to a case that gives no per-resource "assignment".
    """
    case = Field(data, "")
    if not isinstance(data, dict):
        raise ValueError("A case must be one JSON object.")
    name, columns = case.at("id").text(), _Columns()
    specs = _specs(case, columns)
    queues = {spec.name: node for node, spec in enumerate(specs) if spec.queue}
    rules = {queues[q.at("name").text()]: _preemption(q) for q in case.items("cluster_queues")}
    admitted = [_admitted(item, queues, columns) for item in case.items("admitted")]
    refuse_doubles((w.name for w in admitted), "admitted names the workload")
    newcomer, short = _newcomer(case, queues, columns)
    tree = QuotaTree(specs, len(columns.numbers))
    for workload in admitted:
        tree.add(workload.queue, workload.amounts)
    contest = Contest(tree, rules, admitted, newcomer, short)
    return Case(name, contest, columns.resource_of, _strategies(case))


def refuse_doubles(names: Iterable[str], start: str) -> None:
    """Raise ValueError where a name comes twice; `start` begins the sentence."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ValueError(f"{start} {name} twice.")
        seen.add(name)


def _specs(case: Field, columns: _Columns) -> list[NodeSpec]:
    cohorts = [_spec(item, columns, queue=False) for item in case.items("cohorts")]
    queues = [_spec(item, columns, queue=True) for item in case.at("cluster_queues").elements()]
    refuse_doubles((spec.name for spec in cohorts), "cohorts name")
    refuse_doubles((spec.name for spec in queues), "cluster_queues name")
    known = dict.fromkeys(spec.name for spec in cohorts)
    implied = dict.fromkeys(s.parent for s in (*cohorts, *queues) if s.parent is not None)
    extra = [NodeSpec(name, None, queue=False) for name in implied if name not in known]
    return [*cohorts, *extra, *queues]


def _spec(item: Field, columns: _Columns, queue: bool) -> NodeSpec:
    above = "cohort" if queue else "parent"
    quotas: dict[int, Quota] = {}
    for group in item.items("groups"):
        for flavor in group.elements():
            name = flavor.at("flavor").text()
            for resource, amounts in flavor.at("resources").pairs():
                column = columns.number(name, resource)
                if column in quotas:
                    raise ValueError(f"{amounts.path} is given twice for the flavour {name}.")
                quotas[column] = _quota(amounts, resource)
    return NodeSpec(
        item.at("name").text(),
        item.at(above).text() if item.has(above) else None,
        queue,
        quotas,
        item.at("fair_weight").weight() if item.has("fair_weight") else 1,
    )


def _quota(amounts: Field, resource: str) -> Quota:
    def limit(key: str) -> int | None:
        return amounts.at(key).quantity(resource) if amounts.has(key) else None

    return Quota(
        amounts.at("nominal").quantity(resource), limit("borrowing_limit"), limit("lending_limit")
    )


def policy_of(item: Field, key: str) -> Policy:
    """The preemption policy under a key, Never where it is absent."""
    if not item.has(key):
        return Policy.NEVER
    chosen = item.at(key)
    try:
        return Policy(chosen.text())
    except ValueError:
        chosen.refuse(f"one of {', '.join(Policy)}")


def _preemption(queue: Field) -> Preemption:
    if not queue.has("preemption"):
        return Preemption()
    rules = queue.at("preemption")
    borrow, threshold = Policy.NEVER, None
    if rules.has("BorrowWithinCohort"):
        inner = rules.at("BorrowWithinCohort")
        borrow = policy_of(inner, "Policy")
        if borrow not in (Policy.NEVER, Policy.LOWER):
            inner.at("Policy").refuse("Never or LowerPriority")
        if inner.has("MaxPriorityThreshold"):
            threshold = inner.at("MaxPriorityThreshold").whole()
    within, reclaim = (
        policy_of(rules, "WithinClusterQueue"),
        policy_of(rules, "ReclaimWithinCohort"),
    )
    return Preemption(within, reclaim, borrow is Policy.LOWER, threshold)


def _queue(item: Field, queues: dict[str, int]) -> int:
    if item.text() not in queues:
        raise ValueError(f"{item.path} names {item.value}, which is no cluster queue.")
    return queues[item.text()]


def _optional_instant(item: Field, key: str) -> int:
    return item.at(key).instant() if item.has(key) else 0


def _priority(item: Field) -> int:
    return item.at("priority").whole() if item.has("priority") else 0


def _admitted(item: Field, queues: dict[str, int], columns: _Columns) -> Workload:
    place = item.at("admitted_to")
    return Workload(
        item.at("name").text(),
        _queue(place.at("cq"), queues),
        _priority(item),
        _assigned(item, place, columns),
        _optional_instant(item, "creation"),
        _optional_instant(place, "at"),
        item.at("already_evicted").truth() if item.has("already_evicted") else False,
    )


def _assigned(item: Field, place: Field, columns: _Columns) -> Amounts:
    """What an admitted workload uses: its assignment, or its requests in one flavour."""
    amounts: Amounts = {}
    if place.has("assign"):
        for resource, pair in place.at("assign").pairs():
            parts = pair.elements()
            if len(parts) != 2:
                pair.refuse("a flavour and a quantity")
            amounts[columns.number(parts[0].text(), resource)] = parts[1].quantity(resource)
        return amounts
    flavor = place.at("flavor").text() if place.has("flavor") else "default"
    for _, requests, count in _podsets(item):
        for resource, asked in requests:
            column = columns.number(flavor, resource)
            amounts[column] = amounts.get(column, 0) + count * asked.quantity(resource)
    return amounts


def _podsets(item: Field) -> list[tuple[str, list[tuple[str, Field]], int]]:
    """(name, requests of one pod, pods) of each pod set; a plain workload is one of one."""
    if not item.has("podsets"):
        return [("main", item.at("requests").pairs(), 1)]
    sets = []
    for podset in item.items("podsets"):
        count = podset.at("count").whole() if podset.has("count") else 1
        if count < 0:
            podset.at("count").refuse("at least 0")
        sets.append((podset.at("name").text(), podset.at("requests").pairs(), count))
    return sets


def _newcomer(
    case: Field, queues: dict[str, int], columns: _Columns
) -> tuple[Workload, tuple[int, ...]]:
    incoming, short = case.at("incoming"), set()
    amounts: Amounts = {}
    for podset, requests, count in _podsets(incoming):
        for resource, asked in requests:
            flavor, fits = _assignment(case, podset, resource)
            column = columns.number(flavor, resource)
            amounts[column] = amounts.get(column, 0) + count * asked.quantity(resource)
            if not fits:
                short.add(column)
    queue = _queue(case.at("target_cq"), queues)
    created = _optional_instant(incoming, "creation")
    name = incoming.at("name").text()
    workload = Workload(name, queue, _priority(incoming), amounts, created)
    return workload, tuple(sorted(short))


def _assignment(case: Field, podset: str, resource: str) -> tuple[str, bool]:
    """The flavour for one resource of a pod set, and whether it fits without eviction."""
    chosen = case.at("assignment") if case.has("assignment") else None
    if case.has("assignment_per_podset") and case.at("assignment_per_podset").has(podset):
        chosen = case.at("assignment_per_podset").at(podset)
    if chosen is None:
        named = case.has("assignmentFlavor")
        return (case.at("assignmentFlavor").text() if named else "default"), False
    mode = chosen.at(resource).at("mode")
    if mode.text() not in ("Fit", "Preempt"):
        mode.refuse("Fit or Preempt")
    return chosen.at(resource).at("flavor").text(), mode.text() == "Fit"


def _strategies(case: Field) -> tuple[Strategy, ...]:
    if case.has("strategies"):
        return _named_strategies(case.at("strategies")) or DEFAULT_STRATEGIES
    fair = not (case.has("assignment") or case.has("assignment_per_podset"))
    if case.has("fair_sharing"):
        fair = case.at("fair_sharing").truth()
    return DEFAULT_STRATEGIES if fair else ()


def _named_strategies(listed: Field) -> tuple[Strategy, ...]:
    chosen: list[Strategy] = []
    for item in listed.elements():
        try:
            chosen.append(Strategy(item.text()))
        except ValueError:
            item.refuse(f"one of {', '.join(Strategy)}")
    return tuple(chosen)
