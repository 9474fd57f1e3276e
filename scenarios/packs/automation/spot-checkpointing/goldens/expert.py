"""Keeps each run on the cheapest zone that lasts, and resumes only from what was proven good."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import NamedTuple, TypeVar

import headnode_sdk
from headnode_sdk import ApiError, ApiTimeout, Checkpoint, Cluster, Conflict, Node, NotFound
from headnode_sdk import Training, Zone

T = TypeVar("T")
HOUR = 3600
GUESSED_PACE = 3.6
"""Seconds for a step before the first one was seen."""
TRIES = 3
WRITE_GBPS = 0.5
"""Of one node, from the environment's table."""
SNAPSHOT_GBPS = 4.0
MEAN_LOSS_HOURS = 10.0
"""How long a gang lasts between stops without notice, guessed low."""
MEAN_LIFE_HOURS = 4.0
"""The same where a notice is too short for a save."""
NOTICE_SECONDS = 110
THROTTLED = 0.6
"""Share of the gang's best clock below which a busy node is throttled."""
KEEP = 2
DRY_FOR = 25 * 60
WORTH_MOVING = 1.3
"""How many times dearer than the best zone a zone must be before a healthy run leaves it."""
SETTLED = 45 * 60
OVERHEAD = 1.1
FIRM_SLACK = 2.5 * HOUR
RELAXED_SLACK = 7 * HOUR
DIVERGED = 1.5
"""Nats above the lowest loss seen."""


class Base(NamedTuple):
    """Where a run lives: a zone, on spot or (`firm`) on demand, since a time."""

    zone: Zone
    firm: bool
    since: int

    @property
    def pool(self) -> str:
        return self.zone.ondemand_pool if self.firm else self.zone.spot_pool


class View(NamedTuple):
    """One picture of everything."""

    runs: list[Training]
    nodes: dict[str, Node]
    checkpoints: list[Checkpoint]
    zones: dict[str, Zone]


class Supervisor:
    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.bases: dict[str, Base] = {}
        self.dry: dict[str, int] = {}
        self.pace: dict[str, float] = {}
        self.largest: dict[str, int] = {}
        self.hot: dict[str, int] = {}
        self.unfit: set[str] = set()
        self.lowest: dict[str, float] = {}
        self.handing_over: dict[str, str] = {}
        self.proven: dict[str, tuple[str, int]] = {}

    def attempt(self, act: Callable[..., T], *what: object) -> T | None:
        """One write that may be repeated safely; what still fails is seen again next tick."""
        for _ in range(TRIES):
            try:
                return act(*what)
            except ApiTimeout:
                continue
            except (Conflict, NotFound):
                return None
            except ApiError as error:
                self.cluster.log(f"will try again: {error}")
                return None
        return None

    def read(self, ask: Callable[[], T]) -> T:
        for _ in range(TRIES - 1):
            try:
                return ask()
            except ApiTimeout:
                continue
        return ask()

    def look(self) -> View:
        cluster = self.cluster
        return View(
            list(self.read(cluster.trainings).values()),
            {node.name: node for node in self.read(cluster.nodes)},
            self.read(cluster.checkpoints),
            self.read(cluster.zones),
        )

    def step(self) -> None:
        view = self.look()
        if not self.largest:
            self.largest = {pool.name: pool.max for pool in self.read(self.cluster.pools).values()}
        for event in self.cluster.events:
            if event.kind == "join_timeout":
                self.unfit.add(event.node)
        self.find_throttled(view)
        open_runs = [run for run in view.runs if run.state != "finished"]
        open_runs.sort(key=lambda run: (self.slack(run), run.name))
        taken: set[str] = {name for run in open_runs for name in run.nodes}
        wanted: dict[str, int] = {}
        for run in open_runs:
            self.choose_base(run, view)
            if run.state == "training":
                self.watch(run, view, taken)
            if run.state == "stopped":
                self.bring_up(run, view, taken)
            self.prove(run, view)
            self.want(run, view, wanted)
        self.tend_checkpoints(view)
        self.size_pools(view, wanted, taken)

    def slack(self, run: Training) -> float:
        """Seconds to spare before the deadline if the rest goes as fast as on the usual gang."""
        pace = self.pace.get(run.name, GUESSED_PACE)
        return run.deadline - self.cluster.now - (run.steps - run.step) * pace * OVERHEAD

    def good(self, node: Node) -> bool:
        return node.state != "down" and node.reclaim_at < 0 and node.name not in self.unfit

    def is_dry(self, pool: str) -> bool:
        return self.dry.get(pool, 0) > self.cluster.now

    def merit(self, zone: Zone) -> float:
        """Price of a node-hour, raised for a zone whose nodes do not last."""
        return zone.spot_price * (1 + 0.5 / zone.score)

    def choose_base(self, run: Training, view: View) -> None:
        base, now = self.bases.get(run.name), self.cluster.now
        wet = [zone for zone in view.zones.values() if not self.is_dry(zone.spot_pool)]
        best = min(wet, key=self.merit, default=None)
        slack = self.slack(run)
        if base is not None:
            base = self.bases[run.name] = base._replace(zone=view.zones[base.zone.name])
            if base.firm and slack < RELAXED_SLACK:
                return
        standing = run.state == "stopped" and (base is None or self.is_dry(base.pool))
        if slack < FIRM_SLACK or (best is None and standing and not self.enough_near(run, view)):
            # an hour on demand costs less than an hour of four nodes' work undone
            zone = base.zone if base else min(view.zones.values(), key=lambda z: z.ondemand_price)
            self.settle(run, zone, True)
        elif best is None:
            return
        elif base is None or base.firm:
            self.settle(run, best, False)
        elif self.is_dry(base.pool) and run.state == "stopped":
            if not self.enough_near(run, view):
                self.settle(run, best, False)
        elif now - base.since > SETTLED and self.merit(base.zone) > WORTH_MOVING * self.merit(best):
            self.settle(run, best, False)

    def settle(self, run: Training, zone: Zone, firm: bool) -> None:
        base = self.bases.get(run.name)
        if base is None or (base.zone.name, base.firm) != (zone.name, firm):
            kind = "on demand" if firm else f"spot at {zone.spot_price:.2f} USD"
            self.cluster.log(f"{run.name} goes to {zone.name}, {kind}")
            self.bases[run.name] = Base(zone, firm, self.cluster.now)

    def enough_near(self, run: Training, view: View) -> bool:
        """Whether so many of the run's nodes are left that two on-demand ones make it whole."""
        base = self.bases.get(run.name)
        return base is not None and 2 * len(self.near(run, base.zone, view)) >= run.min_nodes

    def near(self, run: Training, zone: Zone, view: View) -> list[Node]:
        """Good nodes of the zone that the run holds or could hold."""
        return [
            node
            for node in view.nodes.values()
            if node.zone == zone.name and self.good(node) and (node.free or node.name in run.nodes)
        ]

    def size(self, run: Training) -> int:
        """Nodes the run should have."""
        if run.min_nodes == run.max_nodes:
            return run.max_nodes
        hurried = self.slack(run) < 2 * FIRM_SLACK
        return run.max_nodes if hurried else (run.min_nodes + run.max_nodes + 1) // 2

    def watch(self, run: Training, view: View, taken: set[str]) -> None:
        # a throttled node slows the whole gang, and is replaced: the best pace is the true one
        pace = self.pace[run.name] = min(run.step_time, self.pace.get(run.name, run.step_time))
        lowest = self.lowest[run.name] = min(self.lowest.get(run.name, 99.0), run.loss)
        if run.loss > lowest + DIVERGED:
            self.cluster.log(f"{run.name} diverged at step {run.step}: loss {run.loss}")
            self.attempt(self.cluster.stop, run.name)
            return
        stall = run.checkpoint_gb / SNAPSHOT_GBPS / len(run.nodes)
        write = run.checkpoint_gb / (WRITE_GBPS * len(run.nodes))
        lasts = MEAN_LOSS_HOURS if write < NOTICE_SECONDS else MEAN_LIFE_HOURS
        every = round(sqrt(2 * stall * lasts * HOUR) / pace)
        # a gang that changed size or speed is not worth a new cadence for a few steps
        if run.mode != "async" or not 0.8 * every <= run.every <= 1.25 * every:
            self.attempt(self.cluster.set_cadence, run.name, every, "async")
        if self.answer_notice(run, view):
            return
        self.hand_over(run, view, taken)

    def answer_notice(self, run: Training, view: View) -> bool:
        gang = [view.nodes[name] for name in run.nodes if name in view.nodes]
        ends = [node.reclaim_at for node in gang if node.reclaim_at >= 0]
        if not ends:
            return False
        left = min(ends) - self.cluster.now
        write = run.checkpoint_gb / (WRITE_GBPS * len(run.nodes))
        newest = max((c.step for c in view.checkpoints if c.training == run.name), default=0)
        if write < left and run.step - newest > 60 / run.step_time:
            self.attempt(self.cluster.save, run.name, "sync")
        return True

    def hand_over(self, run: Training, view: View, taken: set[str]) -> None:
        """Move a healthy run to better nodes that are up already: save, stop, launch there."""
        saved = self.handing_over.get(run.name)
        if saved is not None:
            made = next((c for c in view.checkpoints if c.name == saved), None)
            if made is None or made.state == "stored":
                del self.handing_over[run.name]
                if made is not None:
                    self.attempt(self.cluster.stop, run.name)
                    taken.difference_update(run.nodes)
            return
        if not self.better_gang(run, view, taken):
            return
        name = self.attempt(self.cluster.save, run.name, "sync")
        if name is not None:
            self.handing_over[run.name] = name

    def better_gang(self, run: Training, view: View, taken: set[str]) -> bool:
        gang = self.pick(run, view, taken)
        if gang is None or set(gang) == set(run.nodes):
            return False
        base = self.bases[run.name]
        here = [view.nodes[n] for n in run.nodes if n in view.nodes]
        elsewhere = any(node.zone != base.zone.name for node in here)
        broken = any(n in self.unfit for n in run.nodes)
        mixed = [node.name for node in here if node.pool != base.pool]
        grown = len(gang) > len(run.nodes)
        return elsewhere or broken or grown or bool(mixed and not set(mixed) & set(gang))

    def pick(self, run: Training, view: View, taken: set[str]) -> list[str] | None:
        """The gang to launch now, its own nodes and the base's pool first; None if too few."""
        base = self.bases[run.name]
        ready = [
            node
            for node in self.near(run, base.zone, view)
            if node.state == "ready" and (node.name not in taken or node.name in run.nodes)
        ]
        ready.sort(key=lambda node: (node.pool != base.pool, node.name not in run.nodes, node.name))
        size = self.size(run)
        least = size if run.state == "training" else max(run.min_nodes, size - 1)
        return [node.name for node in ready[:size]] if len(ready) >= least else None

    def bring_up(self, run: Training, view: View, taken: set[str]) -> None:
        self.handing_over.pop(run.name, None)
        base = self.bases[run.name]
        source = self.source(run, view, base.zone.region)
        gang = self.pick(run, view, taken)
        if source is None or gang is None:
            return
        self.attempt(self.cluster.launch, run.name, gang, source)
        taken.update(gang)

    def source(self, run: Training, view: View, region: str) -> str | None:
        """The newest checkpoint that was proven good; empty for step 0, None while one is awaited."""
        mine = [c for c in view.checkpoints if c.training == run.name and self.sane(c, run)]
        mine.sort(key=lambda c: (-c.step, -c.begun_at))
        for made in mine:
            if made.checked == "bad" or made.state == "writing" or "@" in made.name:
                continue
            if made.checked != "good":
                if not made.checked:
                    self.attempt(self.cluster.verify, made.name)
                return None
            return self.in_region(made, mine, region)
        return "" if not mine or all(c.checked == "bad" for c in mine) else None

    def sane(self, made: Checkpoint, run: Training) -> bool:
        whole = made.state == "writing" or made.gb >= run.checkpoint_gb
        return whole and made.loss < self.lowest.get(run.name, 99.0) + DIVERGED

    def in_region(self, made: Checkpoint, all_of: list[Checkpoint], region: str) -> str | None:
        if made.region == region:
            return made.name
        twin = next((c for c in all_of if c.name == f"{made.name}@{region}"), None)
        if twin is None:
            self.attempt(self.cluster.replicate, made.name, region)
        return twin.name if twin is not None and twin.state == "stored" else None

    def prove(self, run: Training, view: View) -> None:
        """File where the run came back from, once for each time it did."""
        if run.state not in ("training", "saving") or not run.resumed_from:
            return
        made = next((c for c in view.checkpoints if c.name == run.resumed_from), None)
        key = (run.resumed_from, run.stopped_at)
        if made is None or self.proven.get(run.name) == key:
            return
        lost = max(0, run.stop_step - made.step)
        self.attempt(self.cluster.record_resume, run.name, made.name, made.step, lost)
        self.proven[run.name] = key

    def find_throttled(self, view: View) -> None:
        readings = self.read(self.cluster.metrics).nodes
        for run in view.runs:
            if run.state not in ("training", "saving"):
                continue
            mine = [readings[name] for name in run.nodes if name in readings]
            best = max((reading.sm_clock for reading in mine), default=0)
            for reading in mine:
                hot = reading.sm_clock < THROTTLED * best and reading.gpu_util > 50
                self.hot[reading.node] = self.hot.get(reading.node, 0) + 1 if hot else 0
                if self.hot[reading.node] == 2:
                    self.unfit.add(reading.node)
                    self.cluster.log(f"{reading.node} is throttled at {reading.sm_clock} MHz")

    def want(self, run: Training, view: View, wanted: dict[str, int]) -> None:
        """Add the run's nodes to what each pool should hold."""
        base, size = self.bases[run.name], self.size(run)
        short = self.is_dry(base.pool) and not base.firm
        if not short:
            wanted[base.pool] = wanted.get(base.pool, 0) + size
        else:
            there = min(size, sum(n.pool == base.pool for n in self.near(run, base.zone, view)))
            wanted[base.pool] = wanted.get(base.pool, 0) + there
            if run.state == "stopped" and 2 * there >= run.min_nodes:
                firm = base.zone.ondemand_pool
                wanted[firm] = wanted.get(firm, 0) + max(run.min_nodes, size - 1) - there

    def size_pools(self, view: View, wanted: dict[str, int], taken: set[str]) -> None:
        for zone in view.zones.values():
            for pool in (zone.spot_pool, zone.ondemand_pool):
                mine = [node for node in view.nodes.values() if node.pool == pool]
                good = [node for node in mine if self.good(node)]
                missing = wanted.get(pool, 0) - len(good)
                if missing > 0:
                    self.grow(pool, len(mine) + missing)
                spare = -missing
                for node in mine:
                    if node.name in taken:
                        continue
                    if not self.good(node):
                        self.attempt(self.cluster.release, node.name)
                    elif spare > 0 and node.state != "starting" or spare > 0 and not wanted.get(pool):
                        self.attempt(self.cluster.release, node.name)
                        spare -= 1

    def grow(self, pool: str, size: int) -> None:
        try:
            answer = self.cluster.scale(pool, min(self.largest[pool], size))
        except ApiError as error:
            self.cluster.log(f"{pool}: {error}")
            return
        if not answer.launched and answer.size < answer.asked:
            self.dry[pool] = self.cluster.now + DRY_FOR

    def tend_checkpoints(self, view: View) -> None:
        """Prove what is new, remove what is broken, keep the newest few that are good."""
        for run in view.runs:
            mine = [c for c in view.checkpoints if c.training == run.name and c.state == "stored"]
            mine.sort(key=lambda c: (-c.step, -c.begun_at))
            keep = KEEP if run.state != "finished" else 1
            for made in mine:
                if made.checked == "bad" or not self.sane(made, run):
                    self.drop(run, made)
                elif not made.checked and "@" not in made.name:
                    self.attempt(self.cluster.verify, made.name)
                elif made.checked == "good" or "@" in made.name:
                    keep -= made.checked == "good"
                    if keep < 0 and made.name != run.resumed_from:
                        self.drop(run, made)

    def drop(self, run: Training, made: Checkpoint) -> None:
        if not (run.state == "joining" and made.name == run.resumed_from):
            self.attempt(self.cluster.delete_checkpoint, made.name)


def control(cluster: Cluster) -> None:
    supervisor = Supervisor(cluster)
    while cluster.tick():
        try:
            supervisor.step()
        except ApiError as error:
            cluster.log(f"no picture this time: {error}")


if __name__ == "__main__":
    control(headnode_sdk.connect())
