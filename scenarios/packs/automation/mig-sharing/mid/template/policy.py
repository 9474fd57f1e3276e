"""What should stand where next. Knows no API: it can be tried with made-up GPUs and services."""

from __future__ import annotations

from dataclasses import dataclass, field

from headnode_sdk import Job, MigGpu, Node, Service


@dataclass
class Plan:
    """What to do in these two minutes, and why."""

    place: list[tuple[str, str]] = field(default_factory=list)
    evict: list[tuple[str, str]] = field(default_factory=list)
    layouts: dict[str, list[str]] = field(default_factory=dict)
    start: dict[int, list[str]] = field(default_factory=dict)
    reason: str = ""


def decide(
    now: int, gpus: list[MigGpu], services: list[Service], jobs: list[Job], nodes: list[Node]
) -> Plan:
    """Decide from what is known now. As it stands it only fills exact fits: the rest is yours."""
    free = [one for gpu in gpus if gpu.state == "ready" for one in gpu.instances if one.free]
    plan, short = Plan(), 0
    for service in services:
        for _ in range(service.missing):
            fitting = [one for one in free if one.profile == service.profile]
            if not fitting:
                short += 1
                continue
            free.remove(fitting[0])
            plan.place.append((service.name, fitting[0].name))
    waiting = sum(job.state == "pending" for job in jobs)
    plan.reason = f"{short} replicas without a place, {waiting} jobs wait"
    return plan
