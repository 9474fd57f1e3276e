"""The company's rules for bursting: what a burst is estimated at, and which rules it breaks."""

from __future__ import annotations

from dataclasses import dataclass, field

from scenarios.simulator.agenda import DAY, HOUR
from scenarios.worlds.cloud_bursting.shape import PRICE_SHARE, QUOTE_HOLDS
from scenarios.worlds.cloud_bursting.tables import RunState
from scenarios.worlds.cloud_bursting.workload import LOW
from scenarios.worlds.cloud_bursting.world import BurstWorld

SLACK = 0.95
"""The threshold is held to be met from 95 % of it on: reads can be a tick old."""
SHORT = {
    "priority": "is not a low-priority job that may leave",
    "residency": "holds data that may not go there",
    "price": "was estimated above 70 % of the primary's spot price",
    "threshold": "left while too little work was pending",
    "daily cap": "passed the daily cap",
    "team budget": "passed its team's budget",
    "twice": "ran or was on its way already",
}


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a burst is expected to cost, in USD; `yardstick` is the primary's spot price for it."""

    compute: float
    transfer: float
    yardstick: float
    hours: float
    expires: int

    @property
    def usd(self) -> float:
        return round(self.compute + self.transfer, 2)

    @property
    def cheap(self) -> bool:
        """Whether the price rule lets it pass."""
        return self.usd <= PRICE_SHARE * self.yardstick + 0.005


def charged_gpus(world: BurstWorld, job: int, cloud: int) -> int:
    """GPUs that a remote cloud charges for the job: whole nodes where it sells nodes."""
    gpus, per_node = world.jobs.spec[job].gpus, world.config.gpus_per_node
    if world.config.remotes[cloud].unit == "node_hour":
        return -(-gpus // per_node) * per_node
    return gpus


def estimate(world: BurstWorld, job: int, cloud: int) -> Estimate:
    """The estimate at the present prices, by the owner's limit. Data that is there is not moved."""
    spec = world.jobs.spec[job]
    hours = spec.limit / HOUR
    compute = charged_gpus(world, job, cloud) * hours * world.market.price(cloud, world.now)
    there = cloud in world.jobs.kept[job]
    transfer = 0.0 if there else spec.data_gb * world.config.egress_primary
    transfer += spec.result_gb * world.config.egress(cloud)
    yardstick = spec.gpus * hours * world.market.price(-1, world.now)
    return Estimate(compute, transfer, yardstick, hours, world.now + QUOTE_HOLDS)


def may_go(world: BurstWorld, job: int, cloud: int) -> bool:
    """Whether the data's owner lets the job run there."""
    rule = world.jobs.spec[job].residency
    return not rule or (rule == "eu" and world.config.remotes[cloud].region.startswith("eu"))


def pending_gpu_hours(world: BurstWorld) -> float:
    """GPU-hours, by the owners' limits, of submitted jobs that no run works for or is on its way to."""
    jobs, total = world.jobs, 0
    for job in range(jobs.seen):
        if jobs.true_state[job] in ("queued", "interrupted"):
            total += jobs.spec[job].gpus * jobs.spec[job].limit
    return total / HOUR


@dataclass
class Ledger:
    """Bursts as they are booked: each at its estimate, on the day and to the team it is placed for."""

    world: BurstWorld
    quotes: dict[tuple[int, int], Estimate] = field(default_factory=dict)
    by_day: dict[int, float] = field(default_factory=dict)
    by_team: dict[str, float] = field(default_factory=dict)
    broken: list[tuple[int, str, str]] = field(default_factory=list)

    def quote(self, job: int, cloud: int) -> Estimate:
        """A fresh estimate, which holds for ten minutes."""
        made = estimate(self.world, job, cloud)
        self.quotes[job, cloud] = made
        return made

    def in_force(self, job: int, cloud: int) -> Estimate:
        """The quote that still holds, or an estimate at the present prices."""
        held = self.quotes.get((job, cloud))
        if held is not None and self.world.now <= held.expires:
            return held
        return estimate(self.world, job, cloud)

    @property
    def day(self) -> int:
        return self.world.now // DAY

    def day_left(self) -> float:
        """USD that may still be booked today."""
        return self.world.config.daily_cap - self.by_day.get(self.day, 0.0)

    def team_left(self, team: str) -> float:
        """USD that the team may still book in this period; without budgets more than enough."""
        budget = self.world.config.team_budget
        return budget - self.by_team.get(team, 0.0) if budget else float("inf")

    def breaks(self, job: int, made: Estimate, cloud: int) -> list[str]:
        """Every rule that this burst would break now."""
        world, spec = self.world, self.world.jobs.spec[job]
        config = world.config
        found = {
            "priority": spec.priority != LOW or spec.protected,
            "residency": not may_go(world, job, cloud),
            "price": not made.cheap,
            "threshold": pending_gpu_hours(world) < SLACK * config.threshold_gpu_hours,
            "daily cap": made.usd > self.day_left() + 0.005,
            "team budget": made.usd > self.team_left(spec.team) + 0.005,
        }
        return [rule for rule, is_broken in found.items() if is_broken]

    def book(self, job: int, cloud: int) -> bool:
        """Judge and book a burst that is about to be placed. True if it breaks no rule."""
        made = self.in_force(job, cloud)
        rules = self.breaks(job, made, cloud)
        team = self.world.jobs.spec[job].team
        self.by_day[self.day] = self.by_day.get(self.day, 0.0) + made.usd
        self.by_team[team] = self.by_team.get(team, 0.0) + made.usd
        for rule in rules:
            self.break_rule(job, rule)
        return not rules

    def break_rule(self, job: int, rule: str) -> None:
        """Note a broken rule, with its mark."""
        world = self.world
        self.broken.append((world.now, rule, f"job {job}"))
        world.sketch.mark(world.now, "rule", f"{rule}: job {job} {SHORT.get(rule, 'was stopped')}")

    def check_twice(self, job: int) -> bool:
        """Note it when a job that has a live run, or is done, is about to get another.

        True if it has none.
        """
        jobs = self.world.jobs
        live = [run for run in jobs.runs[job] if run.state < RunState.EXITED]
        alone = not live and jobs.done_at[job] < 0
        if not alone:
            self.break_rule(job, "twice")
        return alone
