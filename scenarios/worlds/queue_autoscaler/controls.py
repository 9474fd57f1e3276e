"""What a controller can do to the elastic cluster when nothing goes wrong on the way."""

from __future__ import annotations

from dataclasses import dataclass, field

from scenarios.simulator.agenda import MINUTE
from scenarios.worlds.queue_autoscaler.config import PoolConfig
from scenarios.worlds.queue_autoscaler.tables import JobState, NodeState
from scenarios.worlds.queue_autoscaler.world import ElasticWorld
from scenarios.worlds.refusal import Refused

SHORT_LIFE = 30 * MINUTE
"""A healthy node given back sooner than this after coming up was a wrong decision."""


@dataclass
class Controls:
    """The verbs, and the count of what each use of them says about the controller.

    Every verb raises `Refused` with a code (invalid, not_found, conflict) and a sentence.
    """

    world: ElasticWorld
    short_lived: int = 0
    broken_rules: list[str] = field(default_factory=list)
    launches: int = 0

    def pool(self, name: str) -> tuple[int, PoolConfig]:
        """The pool's number and shape."""
        for number, shape in enumerate(self.world.config.pools):
            if shape.name == name:
                return number, shape
        names = ", ".join(shape.name for shape in self.world.config.pools)
        raise Refused("not_found", f"There is no pool {name[:60]!r}; the pools are: {names}.")

    def node(self, name: str) -> int:
        """The number of a node that is not gone."""
        for node in self.world.nodes.alive:
            if self.world.nodes.name[node] == name:
                return node
        raise Refused("not_found", f"There is no node {name[:60]!r} now; it may have been removed.")

    def members(self, pool: int) -> list[int]:
        """Nodes of the pool that are not gone."""
        return [n for n in self.world.nodes.alive if self.world.nodes.pool[n] == pool]

    def room(self, name: str, size: int, share: float = 1.0) -> int:
        """How many nodes a scale-up to `size` would start, given the provider's `share`."""
        number, _ = self.pool(name)
        return int(max(0, size - len(self.members(number))) * share)

    def scale(self, name: str, size: int, share: float = 1.0) -> dict[str, object]:
        """Bring a pool to `size` nodes: start what is missing, give back what is empty.

        `share` is the part of the missing nodes that the provider has, 0 to 1.
        """
        number, shape = self.pool(name)
        if not shape.least <= size <= shape.most:
            bounds = f"{shape.least} to {shape.most}"
            raise Refused("invalid", f"Pool {name} takes {bounds} nodes, not {size}.")
        before = len(self.members(number))
        launched = self.room(name, size, share)
        for _ in range(launched):
            self.world.launch(number)
        removed = [self._give_back(n) for n in self._removable(number)[: max(0, before - size)]]
        self.launches += launched
        self._note_scale(name, before, launched, len(removed))
        after = len(self.members(number))
        return {
            "pool": name,
            "asked": size,
            "size": after,
            "launched": launched,
            "removed": removed,
        }

    def _note_scale(self, name: str, before: int, launched: int, removed: int) -> None:
        if launched or removed:
            after = before + launched - removed
            self.world.record.mark(self.world.now, "action", f"{name}: {before} to {after} nodes")

    def _removable(self, pool: int) -> list[int]:
        """Nodes that could go at once: down, then cordoned and empty, then idle, then starting."""
        nodes = self.world.nodes

        def rank(node: int) -> int:
            if nodes.state[node] == NodeState.DOWN:
                return 0
            if nodes.state[node] == NodeState.STARTING:
                return 3
            return 1 if nodes.cordoned[node] else 2

        empty = [n for n in self.members(pool) if not nodes.jobs[n]]
        return sorted(empty, key=lambda n: (rank(n), -n))

    def _give_back(self, node: int) -> str:
        nodes, now = self.world.nodes, self.world.now
        troubled = nodes.state[node] == NodeState.DOWN or nodes.slow[node]
        young = nodes.ready_at[node] < 0 or now - nodes.ready_at[node] < SHORT_LIFE
        if young and not troubled and nodes.notice_at[node] < 0:
            self.short_lived += 1
        self._fence(node)
        least = nodes.asked_at[node] + self.world.config.least_charge
        self.world.remove(node, max(now, least))
        return nodes.name[node]

    def _fence(self, node: int) -> None:
        if self.world.nodes.fenced_at[node] < 0:
            self.world.nodes.fenced_at[node] = self.world.now

    def release(self, name: str) -> dict[str, object]:
        """Give one empty node back."""
        node = self.node(name)
        pool = self.world.nodes.pool[node]
        shape = self.world.config.pools[pool]
        if self.world.nodes.jobs[node]:
            raise Refused("conflict", f"{name} still holds jobs; drain it first.")
        down = self.world.nodes.state[node] == NodeState.DOWN
        if not down and len(self.members(pool)) <= shape.least:
            raise Refused("conflict", f"Pool {shape.name} keeps at least {shape.least} nodes.")
        self.world.record.mark(self.world.now, "action", f"release {name}")
        self._give_back(node)
        return {"node": name}

    def cordon(self, name: str) -> dict[str, object]:
        """Let no new job start on the node."""
        node = self.node(name)
        self.world.nodes.cordon(node, True)
        self._fence(node)
        self.world.record.mark(self.world.now, "action", f"cordon {name}")
        return {"node": name}

    def uncordon(self, name: str) -> dict[str, object]:
        """Let jobs start on the node again."""
        node = self.node(name)
        self.world.nodes.cordon(node, False)
        self.world.record.mark(self.world.now, "action", f"uncordon {name}")
        self.world.place()
        return {"node": name}

    def drain(self, name: str) -> dict[str, object]:
        """Cordon the node and checkpoint away every job that can be saved; the rest finish."""
        node = self.node(name)
        self.cordon(name)
        jobs = self.world.jobs
        saving, staying = [], []
        for job in sorted(self.world.nodes.jobs[node]):
            spec = jobs.spec[job]
            if jobs.state[job] == JobState.RUNNING and spec.every and not spec.protected:
                self.world.save_job(job)
                saving.append(job)
            elif jobs.state[job] == JobState.SAVING:
                saving.append(job)
            else:
                staying.append(job)
        return {"node": name, "saving": saving, "staying": staying}

    def preempt(self, job: int) -> dict[str, object]:
        """Stop a running job so that it waits again; saved first where it can be."""
        jobs = self.world.jobs
        if not 0 <= job < len(jobs) or jobs.state[job] == JobState.UNSEEN:
            raise Refused("not_found", f"There is no job {job}.")
        if jobs.state[job] != JobState.RUNNING:
            raise Refused("conflict", f"Job {job} is not running.")
        if jobs.spec[job].protected:
            self.broken_rules.append(f"preempted protected job {job}")
        self.world.record.mark(self.world.now, "action", f"preempt job {job}")
        saved = bool(jobs.spec[job].every)
        if saved:
            self.world.save_job(job)
        else:
            self.world.stop_job(job)
            self.world.place()
        return {"job": job, "saved": saved}
