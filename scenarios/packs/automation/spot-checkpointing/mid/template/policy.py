"""What should be done next. Knows no API: it can be tried with made-up runs and nodes."""

from __future__ import annotations

from dataclasses import dataclass, field

from headnode_sdk import Checkpoint, Node, Training, Zone


@dataclass
class Plan:
    """What to do in this round, and why."""

    sizes: dict[str, int] = field(default_factory=dict)
    release: list[str] = field(default_factory=list)
    launch: dict[str, tuple[list[str], str]] = field(default_factory=dict)
    """Run -> (its gang, the checkpoint to resume from)."""
    reason: str = ""


def decide(
    now: int,
    runs: dict[str, Training],
    zones: dict[str, Zone],
    nodes: list[Node],
    checkpoints: list[Checkpoint],
) -> Plan:
    """Decide from what is known now. As it stands it only starts the run once: the rest is yours."""
    plan = Plan()
    run = next(iter(runs.values()))
    zone = next(iter(zones.values()))
    ready = [node.name for node in nodes if node.idle and node.zone == zone.name]
    if run.state == "stopped" and not run.step:
        plan.sizes[zone.spot_pool] = run.min_nodes
        if len(ready) >= run.min_nodes:
            plan.launch[run.name] = (ready[: run.min_nodes], "")
    return plan
