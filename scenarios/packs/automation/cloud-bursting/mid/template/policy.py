"""What should happen in the next five minutes. Knows no API: it can be tried with made-up jobs."""

from __future__ import annotations

from dataclasses import dataclass, field

from headnode_sdk import Cloud, CloudRun, Job

THRESHOLD_GPU_HOURS = 0.0  # rule 3 of the brief names it


@dataclass
class Plan:
    """What to do, and why. Quotes are not in it: asking for one is a call that can fail."""

    cancel: list[tuple[str, str]] = field(default_factory=list)
    submit: list[tuple[int, str, str]] = field(default_factory=list)
    publish: list[tuple[int, str, int]] = field(default_factory=list)
    reason: str = ""


def decide(
    now: int, jobs: list[Job], clouds: dict[str, Cloud], runs: dict[str, list[CloudRun]]
) -> Plan:
    """Decide from what is known now. As it stands it only counts: the decisions are yours."""
    held = [job for job in jobs if job.state == "submitted"]
    gpu_hours = sum(job.gpus * job.limit / 3600 for job in held)
    spot, away = clouds["primary"].price, clouds["kestrel"].price
    return Plan(reason=f"{gpu_hours:.0f} GPU-h are held, kestrel costs {away / spot:.0%} of spot")
