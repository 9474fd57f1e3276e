"""What should be changed next. Knows no API: it can be tried with made-up jobs and teams."""

from __future__ import annotations

from dataclasses import dataclass, field

from headnode_sdk import Job, Quota, Team


@dataclass
class Wish:
    """What to do in this quarter of an hour, and why."""

    shares: dict[str, int] = field(default_factory=dict)
    limits: dict[str, dict[str, int]] = field(default_factory=dict)
    moves: dict[int, str] = field(default_factory=dict)
    cancel: list[int] = field(default_factory=list)
    requeue: list[int] = field(default_factory=list)
    reason: str = ""


def decide(now: int, jobs: list[Job], quotas: list[Quota], teams: list[Team]) -> Wish:
    """Decide from what is known now. As it stands it only counts: the decisions are yours."""
    waiting = [job for job in jobs if job.state == "pending"]
    below = [quota.queue for quota in quotas if quota.headroom > 0]
    return Wish(reason=f"{len(waiting)} jobs wait; below their guarantee: {', '.join(below)}")
