"""Does everything well and never uses spot: what the saving has to be weighed against."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import headnode_sdk
from headnode_sdk import ApiError, ApiTimeout, Checkpoint, Cluster, Node, Training

T = TypeVar("T")
SAVE_SECONDS = 20 * 60
KEEP = 3
TRIES = 3
THROTTLED = 0.6
"""Share of the gang's best clock below which a busy node is throttled."""
DIVERGED = 1.5
"""Nats above the lowest loss seen."""


class Supervisor:
    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.unfit: set[str] = set()
        self.hot: dict[str, int] = {}
        self.lowest: dict[str, float] = {}
        self.proven: dict[str, tuple[str, int]] = {}
        self.leaving: dict[str, str] = {}
        self.pace: dict[str, float] = {}

    def attempt(self, act: Callable[..., T], *what: object) -> T | None:
        for _ in range(TRIES):
            try:
                return act(*what)
            except ApiTimeout:
                continue
            except ApiError as error:
                self.cluster.log(error)
                return None
        return None

    def step(self) -> None:
        runs = list(self.cluster.trainings().values())
        nodes, saved = self.cluster.nodes(), self.cluster.checkpoints()
        self.unfit |= {e.node for e in self.cluster.events if e.kind == "join_timeout"}
        self.find_throttled(runs)
        home = next(iter(self.cluster.zones().values())).ondemand_pool
        taken = {name for run in runs for name in run.nodes}
        wanted = 0
        for run in runs:
            mine = [c for c in saved if c.training == run.name]
            if run.state == "finished":
                continue
            wanted += self.size(run)
            self.watch(run, mine, nodes, taken)
            if run.state == "stopped":
                self.bring_up(run, mine, nodes, taken)
            self.prove(run, mine)
            self.tend(run, mine)
        self.fill(home, nodes, taken, wanted)

    def find_throttled(self, runs: list[Training]) -> None:
        readings = self.cluster.metrics().nodes
        for run in runs:
            mine = [readings[name] for name in run.nodes if name in readings]
            best = max((one.sm_clock for one in mine), default=0)
            for one in mine if run.state == "training" else []:
                hot = one.sm_clock < THROTTLED * best and one.gpu_util > 50
                self.hot[one.node] = self.hot.get(one.node, 0) + 1 if hot else 0
                if self.hot[one.node] == 2:
                    self.unfit.add(one.node)

    @staticmethod
    def size(run: Training) -> int:
        return min(4, run.max_nodes)

    def good(self, node: Node) -> bool:
        return node.state != "down" and node.name not in self.unfit

    def spare(self, nodes: list[Node], taken: set[str]) -> list[str]:
        return [n.name for n in nodes if n.idle and self.good(n) and n.name not in taken]

    def watch(
        self, run: Training, saved: list[Checkpoint], nodes: list[Node], taken: set[str]
    ) -> None:
        """Cadence, a loss that leaps, and the way out of a gang with an unfit node."""
        if run.state != "training":
            return
        pace = self.pace[run.name] = min(run.step_time, self.pace.get(run.name, run.step_time))
        self.lowest[run.name] = min(run.loss, self.lowest.get(run.name, 99.0))
        every = round(SAVE_SECONDS / pace)
        if (run.every, run.mode) != (every, "async"):
            self.attempt(self.cluster.set_cadence, run.name, every, "async")
        if run.loss > self.lowest[run.name] + DIVERGED:
            self.attempt(self.cluster.stop, run.name)
        elif self.unfit.intersection(run.nodes) and self.spare(nodes, taken):
            self.leave(run, saved)

    def leave(self, run: Training, saved: list[Checkpoint]) -> None:
        name = self.leaving.get(run.name)
        made = next((c for c in saved if c.name == name), None)
        if made is not None and made.state == "writing":
            return
        if made is not None:
            self.attempt(self.cluster.stop, run.name)
            del self.leaving[run.name]
            return
        begun = self.attempt(self.cluster.save, run.name, "sync")
        if begun is not None:
            self.leaving[run.name] = begun

    def bring_up(
        self, run: Training, saved: list[Checkpoint], nodes: list[Node], taken: set[str]
    ) -> None:
        gang = self.spare(nodes, taken)[: self.size(run)]
        source = self.source(run, saved)
        if source is not None and len(gang) == self.size(run):
            taken.update(gang)
            self.attempt(self.cluster.launch, run.name, gang, source)

    def sound(self, run: Training, made: Checkpoint) -> bool:
        whole = made.state == "writing" or made.gb >= run.checkpoint_gb
        return whole and made.loss < self.lowest.get(run.name, 99.0) + DIVERGED

    def source(self, run: Training, saved: list[Checkpoint]) -> str | None:
        """The newest proven checkpoint; empty for step 0, None while the verifier still reads."""
        fit = [c for c in saved if self.sound(run, c) and c.checked != "bad"]
        fit = [c for c in fit if c.state == "stored"]
        if not fit:
            return ""
        newest = max(fit, key=lambda c: (c.step, c.begun_at))
        return newest.name if newest.checked == "good" else None

    def prove(self, run: Training, saved: list[Checkpoint]) -> None:
        key = (run.resumed_from, run.stopped_at)
        made = next((c for c in saved if c.name == run.resumed_from), None)
        if run.state in ("training", "saving") and made and self.proven.get(run.name) != key:
            lost = max(0, run.stop_step - made.step)
            self.attempt(self.cluster.record_resume, run.name, made.name, made.step, lost)
            self.proven[run.name] = key

    def tend(self, run: Training, saved: list[Checkpoint]) -> None:
        stored = [c for c in saved if c.state == "stored"]
        stored.sort(key=lambda c: (-c.step, -c.begun_at))
        keep = KEEP
        for made in stored:
            if made.checked == "bad" or not self.sound(run, made):
                self.attempt(self.cluster.delete_checkpoint, made.name)
            elif not made.checked:
                self.attempt(self.cluster.verify, made.name)
            elif made.checked == "good":
                keep -= 1
                if keep < 0 and made.name != run.resumed_from:
                    self.attempt(self.cluster.delete_checkpoint, made.name)

    def fill(self, home: str, nodes: list[Node], taken: set[str], wanted: int) -> None:
        """As many good nodes as the gangs take; the others go back."""
        good = [n for n in nodes if self.good(n)]
        for node in nodes:
            if node.name not in taken and not self.good(node):
                self.attempt(self.cluster.release, node.name)
        extra = [n for n in good if n.name not in taken and n.state == "ready"]
        for node in extra[: max(0, len(good) - wanted)]:
            self.attempt(self.cluster.release, node.name)
        if len(good) < wanted:
            held = sum(n.name in taken or self.good(n) for n in nodes)
            most = self.cluster.pools()[home].max
            self.attempt(self.cluster.scale, home, min(most, held + wanted - len(good)))


def control(cluster: Cluster) -> None:
    supervisor = Supervisor(cluster)
    while cluster.tick():
        try:
            supervisor.step()
        except ApiError as error:
            cluster.log(f"skipped the rest of this round: {error}")


if __name__ == "__main__":
    control(headnode_sdk.connect())
