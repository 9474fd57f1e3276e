"""Jobs and nodes as parallel lists, one entry each; knows no rule of the cluster."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

from scenarios.simulator.slurm.queue import Queue
from scenarios.simulator.world.progress import saved
from scenarios.worlds.queue_autoscaler.workload import JobSpec


class JobState(IntEnum):
    """Where a job is. A held job was stopped and may not start again yet."""

    UNSEEN = 0
    PENDING = 1
    HELD = 2
    RUNNING = 3
    SAVING = 4
    DONE = 5


class NodeState(IntEnum):
    """Where a node is. A down node is still charged; a gone one is not."""

    STARTING = 0
    READY = 1
    DOWN = 2
    GONE = 3


class JobTable:
    """Every job of the episode; the index is the job's number. Times and work in ms.

    `done` is the work kept so far and `done_at` the instant it was counted up to,
    `rate` the speed in percent, `queued_at` the begin of the present wait, `waited`
    all earlier waits together, `version` grows whenever a planned event goes stale.
    """

    def __init__(self, specs: Sequence[JobSpec]) -> None:
        count = len(specs)
        self.spec = list(specs)
        self.state = [JobState.UNSEEN] * count
        self.done = [0] * count
        self.kept = [0] * count
        self.done_at = [0] * count
        self.rate = [100] * count
        self.version = [0] * count
        self.queued_at = [0] * count
        self.waited = [0] * count
        self.started_at = [-1] * count
        self.ended_at = [-1] * count
        self.nodes: list[tuple[int, ...]] = [()] * count
        self.lost = [0] * count
        self.stops = [0] * count

    def __len__(self) -> int:
        return len(self.spec)

    def work_done(self, job: int, now: int) -> int:
        """Work done by `now` in ms, whether or not it would survive a stop."""
        if self.state[job] != JobState.RUNNING:
            return self.done[job]
        return self.done[job] + max(0, now - self.done_at[job]) * self.rate[job] // 100

    def last_saved(self, job: int, now: int) -> int:
        """Work in ms that the newest checkpoint holds."""
        return max(self.kept[job], saved(self.work_done(job, now), self.spec[job].every))

    def total_wait(self, job: int, now: int) -> int:
        """All time in ms spent waiting: also after a stop, also unfinished waits."""
        waiting = self.state[job] in (JobState.PENDING, JobState.HELD)
        return self.waited[job] + (now - self.queued_at[job] if waiting else 0)


class NodeTable:
    """Every node ever asked for; the index is the node's number, in the queue's machine too.

    Times in ms, -1 = never. `alive` are the nodes that are not gone, by number.
    """

    def __init__(self, queue: Queue) -> None:
        self._queue = queue
        self.alive: list[int] = []
        self.name: list[str] = []
        self.pool: list[int] = []
        self.state: list[NodeState] = []
        self.jobs: list[set[int]] = []
        self.cordoned: list[bool] = []
        self.slow: list[bool] = []
        self.asked_at: list[int] = []
        self.ready_at: list[int] = []
        self.idle_since: list[int] = []
        self.gone_at: list[int] = []
        self.charged_until: list[int] = []
        """End of what is paid for: with the day or later; -1 while the node is there."""
        self.notice_at: list[int] = []
        self.down_at: list[int] = []
        self.slow_at: list[int] = []
        self.fenced_at: list[int] = []
        """When it was first cordoned, drained or given back."""

    def __len__(self) -> int:
        return len(self.name)

    def add(self, name: str, pool: int, now: int) -> int:
        """A node asked for at `now` ms; returns its number."""
        self.name.append(name)
        self.pool.append(pool)
        self.state.append(NodeState.STARTING)
        self.jobs.append(set())
        self.cordoned.append(False)
        self.slow.append(False)
        self.asked_at.append(now)
        for never in (
            self.ready_at,
            self.idle_since,
            self.gone_at,
            self.charged_until,
            self.notice_at,
            self.down_at,
            self.slow_at,
            self.fenced_at,
        ):
            never.append(-1)
        node = self._queue.add_node(pool)
        self.alive.append(node)
        return node

    def free(self, node: int) -> int:
        """GPUs of a ready node that no job holds; 0 of any other."""
        return self._queue.nodes.level[node] if self.state[node] == NodeState.READY else 0

    def turn(self, node: int, state: NodeState) -> None:
        """The node is in `state` from now on; new work starts only on ready ones."""
        self.state[node] = state
        self._serve(node)
        if state == NodeState.GONE:
            self.alive.remove(node)

    def cordon(self, node: int, cordoned: bool) -> None:
        """Whether new work is kept away from the node."""
        self.cordoned[node] = cordoned
        self._serve(node)

    def _serve(self, node: int) -> None:
        ready = self.state[node] == NodeState.READY
        self._queue.in_service(node, ready and not self.cordoned[node])
