"""The primary cluster's own scheduler: strict priority, EASY backfill, gangs on whole nodes."""

from __future__ import annotations

from bisect import insort

from scenarios.worlds.cloud_bursting.shape import BurstConfig
from scenarios.worlds.cloud_bursting.tables import JobTable, Run


class Primary:
    """Nodes, free GPUs and the queue. Decides what starts where; the world starts it.

    The first run in the queue that does not fit reserves the nodes that would be free for it
    soonest by the owners' limits; a later one starts there only if its limit ends before.
    """

    def __init__(self, config: BurstConfig, jobs: JobTable) -> None:
        self._jobs = jobs
        self._per_node = config.gpus_per_node
        self.free = [config.gpus_per_node] * config.nodes
        self.up = [True] * config.nodes
        self.held: list[set[int]] = [set() for _ in range(config.nodes)]
        self.queue: list[tuple[tuple[int, int, int], Run]] = []
        self.running: dict[int, Run] = {}

    def enqueue(self, run: Run) -> None:
        """Put a run where its priority and its job's time of submission belong."""
        spec = self._jobs.spec[run.job]
        run.queue_key = (spec.priority, spec.submit, run.number)
        insort(self.queue, (run.queue_key, run), key=lambda row: row[0])

    def dequeue(self, run: Run) -> None:
        """Take a run out of the queue."""
        self.queue = [row for row in self.queue if row[1] is not run]

    def take(self, run: Run, places: tuple[int, ...]) -> None:
        """The run holds its nodes from now on."""
        for node in places:
            self.free[node] -= min(run.gpus, self._per_node)
            self.held[node].add(run.number)
        run.nodes = places
        self.running[run.number] = run

    def give(self, run: Run) -> None:
        """The run holds nothing any more."""
        for node in run.nodes:
            if self.up[node]:
                self.free[node] += min(run.gpus, self._per_node)
            self.held[node].discard(run.number)
        run.nodes = ()
        self.running.pop(run.number, None)

    def set_up(self, node: int, up: bool) -> None:
        """A node without work goes down or comes back."""
        self.up[node] = up
        self.free[node] = self._per_node if up else 0

    def next_start(self, now: int) -> tuple[Run, tuple[int, ...]] | None:
        """The first run that can start at `now` and where, or None."""
        if not self.queue or not any(self.free):
            return None
        shadow: dict[int, int] | None = None
        hopeless: set[int] = set()
        for _, run in self.queue:
            if run.gpus in hopeless:
                continue
            places = self._fit(run, now, shadow or {})
            if places:
                return run, places
            if shadow is None:
                shadow = self._reserve(run)
                hopeless.add(run.gpus)
            elif not self._fit(run, now, {}):
                hopeless.add(run.gpus)
        return None

    def _fit(self, run: Run, now: int, shadow: dict[int, int]) -> tuple[int, ...]:
        need, size = max(1, run.gpus // self._per_node), min(run.gpus, self._per_node)
        end = now + self._jobs.spec[run.job].limit
        fitting = [
            (free, node)
            for node, free in enumerate(self.free)
            if free >= size and (node not in shadow or end <= shadow[node])
        ]
        if len(fitting) < need:
            return ()
        return tuple(node for _, node in sorted(fitting)[:need])

    def _reserve(self, run: Run) -> dict[int, int]:
        """Node -> instant from which the blocked run holds it."""
        need, size = max(1, run.gpus // self._per_node), min(run.gpus, self._per_node)
        soonest = sorted((self._free_at(n, size), n) for n, up in enumerate(self.up) if up)[:need]
        return {node: soonest[-1][0] for _, node in soonest}

    def _free_at(self, node: int, gpus: int) -> int:
        """Instant in ms at which `gpus` are free on the node if every run used its limit."""
        free = self.free[node]
        if free >= gpus:
            return 0
        held = [self.running[number] for number in self.held[node]]
        ends = sorted((r.begun + self._jobs.spec[r.job].limit, r.number, r.gpus) for r in held)
        for end, _, size in ends:
            free += min(size, self._per_node)
            if free >= gpus:
                return end
        return ends[-1][0] if ends else 0
