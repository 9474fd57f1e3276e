"""What the cluster should look like next. Knows no API: it can be tried with made-up jobs."""

from __future__ import annotations

from dataclasses import dataclass, field

from headnode_sdk import Job, Node, Pool


@dataclass
class Plan:
    """What to do in this minute, and why."""

    sizes: dict[str, int] = field(default_factory=dict)
    drain: list[str] = field(default_factory=list)
    release: list[str] = field(default_factory=list)
    reason: str = ""


def decide(now: int, jobs: list[Job], nodes: list[Node], pools: dict[str, Pool]) -> Plan:
    """Decide from what is known now. As it stands it only counts: the decisions are yours."""
    waiting = [job for job in jobs if job.state == "pending"]
    gpus = sum(job.gpus for job in waiting)
    idle = sum(node.idle for node in nodes)
    return Plan(reason=f"{len(waiting)} jobs wait for {gpus} GPUs, {idle} nodes are idle")
