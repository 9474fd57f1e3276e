"""What should be done next. Knows no API: it can be tried with made-up workloads."""

from __future__ import annotations

from dataclasses import dataclass, field

from headnode_sdk import Flavor, Room, Workload


@dataclass
class Plan:
    """What to do in this round."""

    admit: list[tuple[int, str]] = field(default_factory=list)
    """(workload, flavour)"""
    preempt: list[int] = field(default_factory=list)


def decide(
    works: list[Workload], flavors: dict[str, Flavor], room: dict[tuple[str, str], Room]
) -> Plan:
    """Decide from what is known now. As it stands it admits one workload a round: the rest is yours."""
    plan = Plan()
    for work in works:
        for name in work.flavors:
            fits = flavors[name].free >= work.gpus and room[work.queue, name].total >= work.gpus
            if work.state == "pending" and fits:
                plan.admit.append((work.id, name))
                return plan
    return plan
