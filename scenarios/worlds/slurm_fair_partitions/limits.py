"""QOS limits and the priority of waiting jobs, in Slurm's terms."""

from __future__ import annotations

from dataclasses import dataclass

from scenarios.simulator.slurm.fair_tree import fair_tree
from scenarios.simulator.slurm.priority import Factors, age_factor, priority, size_factor
from scenarios.simulator.slurm.shares import Standing, Tree
from scenarios.simulator.slurm.usage import Usage
from scenarios.worlds.slurm_fair_partitions.config import SCAVENGE, SERVE, ClusterConfig
from scenarios.worlds.slurm_fair_partitions.job import Job

NO_LIMIT = -1
BILLED = {"a100": 10.0, "t4": 2.0}
"""TRESBillingWeights of gres/gpu by partition: a T4 is charged a fifth of an A100."""
LIMITS = ("priority", "grp_gpus", "user_gpus", "user_jobs", "user_submit")


@dataclass(slots=True)
class Qos:
    """One QOS: Priority, GrpTRES and MaxTRESPU in A100 or T4 GPUs, MaxJobsPU, MaxSubmitPU."""

    name: str
    priority: int = 100
    grp_gpus: int = NO_LIMIT
    user_gpus: int = NO_LIMIT
    user_jobs: int = NO_LIMIT
    user_submit: int = NO_LIMIT


class Book:
    """Who holds how much under which QOS, and what that does to the next job.

    GPUs count under a team's QOS wherever they are; tasks of an array count one by one,
    as Slurm counts them.
    """

    def __init__(self, config: ClusterConfig) -> None:
        self.config = config
        self.qos = [Qos(name) for name in config.qos_names]
        self.number = {name: n for n, name in enumerate(config.qos_names)}
        self.serve = self.number[SERVE]
        self.scavenge = self.number.get(SCAVENGE, -1)
        users = sum(len(team.users) for team in config.teams)
        self.used = [0] * len(self.qos)
        self.user_used = [[0] * users for _ in self.qos]
        self.user_running = [[0] * users for _ in self.qos]
        self.user_submitted = [[0] * users for _ in self.qos]
        self.tree = Tree()
        self.tree.add("root", "", -1, 1)
        self.tree.add("root", "root", 0, 1)
        self.account: list[int] = []
        self.association: list[int] = []
        for team in config.teams:
            self.account.append(self.tree.add(team.name, "", 0, 1))
        for team, above in zip(config.teams, self.account, strict=True):
            for user in team.users:
                self.association.append(self.tree.add(team.name, user, above, 1))
        self.usage = Usage(self.tree, config.half_life / 1000, 900_000, second=1000)
        self.factor: list[float] = [1.0] * users
        self._gpus = config.training_gpus
        self._top = 100

    def submits(self, job: Job, change: int) -> None:
        """A job came into the queue (1) or left the system (-1)."""
        self.user_submitted[job.qos][job.spec.user] += change

    def may_submit(self, job: Job) -> bool:
        """Whether MaxSubmitJobsPerUser lets one more in."""
        most = self.qos[job.qos].user_submit
        return most == NO_LIMIT or self.user_submitted[job.qos][job.spec.user] < most

    def starts(self, job: Job, now: int) -> None:
        """A job begins to use what it asked for."""
        self._count(job, 1)
        if job.qos != self.scavenge:
            billed = BILLED[self.config.partitions[job.partition].gpu] * job.spec.gpus
            self.usage.started(job.id, self.association[job.spec.user], billed, now)

    def stops(self, job: Job, now: int) -> None:
        """A job gives its GPUs back."""
        self._count(job, -1)
        if job.qos != self.scavenge:
            self.usage.ended(job.id, now)

    def _count(self, job: Job, sign: int) -> None:
        user, gpus = job.spec.user, sign * job.spec.gpus
        self.used[job.qos] += gpus
        self.user_used[job.qos][user] += gpus
        self.user_running[job.qos][user] += sign

    def blocks(self, job: Job) -> str:
        """The reason squeue would give for a limit in the way of the job; empty if none is."""
        rule, user, gpus = self.qos[job.qos], job.spec.user, job.spec.gpus
        if rule.grp_gpus != NO_LIMIT and self.used[job.qos] + gpus > rule.grp_gpus:
            return "QOSGrpGRES"
        if rule.user_gpus != NO_LIMIT and self.user_used[job.qos][user] + gpus > rule.user_gpus:
            return "QOSMaxGRESPerUser"
        if rule.user_jobs != NO_LIMIT and self.user_running[job.qos][user] >= rule.user_jobs:
            return "QOSMaxJobsPerUserLimit"
        return ""

    def renew(self, now: int) -> None:
        """Bring usage and fair-share factors up to date, as every PriorityCalcPeriod does."""
        self.usage.advance(now)
        self._top = max(rule.priority for rule in self.qos) or 1
        standing = self.standing()
        # Rounded: the last digit of a power differs between platforms and would decide a rank.
        self.factor = [round(standing.fair_share[a] or 0.0, 9) for a in self.association]

    def standing(self) -> Standing:
        """What sshare shows now."""
        return fair_tree(self.tree, [round(each, 3) for each in self.usage.raw])

    def rank(self, job: Job, now: int) -> int:
        """The job's priority as sprio would sum it up."""
        config = self.config
        gpus = self._gpus
        factors = Factors(
            age=age_factor(now - job.queued_at, config.max_age),
            fair_share=self.factor[job.spec.user],
            job_size=size_factor(-(-job.spec.gpus // 4), gpus // 4, job.spec.gpus, gpus),
            qos=self.qos[job.qos].priority / self._top,
        )
        return priority(config.weights, factors)
