"""The order in which Slurm looks at waiting jobs, and who may evict whom."""

from __future__ import annotations

from scenarios.simulator.slurm.classic import classic
from scenarios.simulator.slurm.fair_tree import fair_tree
from scenarios.simulator.slurm.priority import (
    Factors,
    age_factor,
    priority,
    size_factor,
)
from scenarios.simulator.slurm.settings import Partition, Qos, Settings
from scenarios.simulator.slurm.shares import Tree
from scenarios.simulator.slurm.usage import FairShare, Usage
from scenarios.simulator.trace import Workload

Key = tuple[bool, int, int, int, int, int]
"""(cannot evict, -tier, -priority, submit, job id, job): the smallest is looked at first."""


class Standing:
    """What the workload's names mean under the settings, and every job's place in the order.

    GPUs are the only trackable resource here: the TRES factor is a job's part of them all.
    """

    def __init__(
        self, settings: Settings, workload: Workload, nodes: int, per_node: int, second: int
    ) -> None:
        self.settings, self.workload, self.second = settings, workload, second
        self._size = (nodes, per_node)
        self._qos = [settings.qos.get(name, Qos()) for name in workload.qos]
        self._partition = [
            settings.partitions.get(name, Partition()) for name in workload.partition
        ]
        self._top_factor = max((p.factor for p in settings.partitions.values()), default=1) or 1
        self._top_qos = max((q.priority for q in settings.qos.values()), default=0) or 1
        self._top_association = max(settings.tree.priority) or 1
        self._low_tier = min((p.tier for p in settings.partitions.values()), default=1)
        self.association = _associations(settings.tree, workload)
        self.share = self._fair_share(settings)

    def _fair_share(self, settings: Settings) -> FairShare | None:
        if settings.fair_share == "none":
            return None
        tree, second = settings.tree, self.second
        usage = Usage(
            tree,
            settings.half_life,
            settings.calc_period * second,
            charge_remainder=settings.charge_remainder,
            second=second,
        )
        rule = classic if settings.fair_share == "classic" else fair_tree
        return FairShare(usage, lambda raw: rule(tree, raw).fair_share)

    def key(self, job: int, eligible: int, now: int) -> Key:
        """Place of a waiting job; `eligible` is since when its age counts."""
        work = self.workload
        return (
            not self.can_evict(job),
            -self._partition[job].tier,
            -self._priority(job, eligible, now),
            work.submit[job],
            work.job_id[job],
            job,
        )

    def _priority(self, job: int, eligible: int, now: int) -> int:
        settings, work, (nodes, per_node) = self.settings, self.workload, self._size
        procs = work.procs[job]
        factors = Factors(
            age=age_factor((now - eligible) / self.second, settings.max_age),
            association=self._association_priority(job) / self._top_association,
            fair_share=self._fair_share_of(job),
            job_size=size_factor(-(-procs // per_node), nodes, procs, nodes * per_node),
            partition=self._partition[job].factor / self._top_factor,
            qos=self._qos[job].priority / self._top_qos,
            tres=procs / (nodes * per_node),
        )
        return priority(settings.weights, factors, site=work.priority[job])

    def _association_priority(self, job: int) -> int:
        association = self.association[job]
        return self.settings.tree.priority[association] if association >= 0 else 0

    def _fair_share_of(self, job: int) -> float:
        association = self.association[job]
        if self.share is None or association < 0:
            return 0.0
        # Rounded, because the last digit of a power differs between platforms and would decide
        # where a priority is cut.
        return round(self.share.factor[association] or 0.0, 9)

    def can_evict(self, job: int) -> bool:
        """Whether there are jobs that `job` might evict."""
        if self.settings.preempt == "qos":
            return bool(self._qos[job].preempt)
        return self.settings.preempt == "partition" and self._partition[job].tier > self._low_tier

    def may_evict(self, job: int, other: int) -> bool:
        """Whether `job` may evict `other`."""
        if self.settings.preempt == "qos":
            return self.workload.qos[other] in self._qos[job].preempt
        return self._partition[other].tier < self._partition[job].tier

    def worth(self, job: int) -> tuple[int, int]:
        """Tier and QOS priority: of equal choices the least worth is evicted first."""
        return self._partition[job].tier, self._qos[job].priority


def _associations(tree: Tree, workload: Workload) -> list[int]:
    """Each job's association: of account and user, else of the account, else -1."""
    known = {pair: i for i, pair in enumerate(zip(tree.account, tree.user, strict=True))}
    return [
        known.get((account, user), known.get((account, ""), -1))
        for account, user in zip(workload.account, workload.user, strict=True)
    ]
