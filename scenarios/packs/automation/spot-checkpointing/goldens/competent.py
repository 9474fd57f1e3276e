"""Saves often, answers notices, verifies before it resumes, leaves a dry zone."""

from __future__ import annotations

import headnode_sdk
from headnode_sdk import ApiError, Checkpoint, Cluster, Node, Training, Zone

SAVE_SECONDS = 20 * 60
KEEP = 5
PATIENCE = 3
"""Rounds in which a zone gave nothing before another is tried."""
MARGIN = 1.15
DIVERGED = 4.0
"""Training loss in nats that no healthy step after the first few has."""


class Supervisor:
    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.zone: dict[str, str] = {}
        self.refused: dict[str, int] = {}
        self.proven: dict[str, int] = {}
        self.broken: set[str] = set()
        self.launched: dict[str, str] = {}
        self.pace: dict[str, float] = {}

    def step(self) -> None:
        cluster = self.cluster
        runs = cluster.trainings()
        for run in runs.values():
            self.answer_notice(run)
        for event in cluster.events:
            if event.kind in ("join_timeout", "node_down"):
                self.drop_node(event.node)
        saved, nodes, zones = cluster.checkpoints(), cluster.nodes(), cluster.zones()
        taken = {name for run in runs.values() for name in run.nodes}
        for run in runs.values():
            mine = [c for c in saved if c.training == run.name and c.state == "stored"]
            if run.state == "stopped":
                self.bring_up(run, mine, nodes, zones, taken)
            elif run.state == "training" and run.loss > DIVERGED:
                cluster.log(f"{run.name} diverged: loss {run.loss}")
                self.broken.add(run.resumed_from)
                cluster.stop(run.name)
            elif run.state == "training":
                self.keep(run, mine)
        if all(run.state in ("training", "saving", "finished") for run in runs.values()):
            for node in nodes:
                if node.name not in taken:
                    cluster.release(node.name)

    def answer_notice(self, run: Training) -> None:
        noticed = {event.node for event in self.cluster.events if event.kind == "spot_notice"}
        if run.state == "training" and noticed.intersection(run.nodes):
            try:
                self.cluster.save(run.name, "sync")
            except ApiError as error:
                self.cluster.log(f"could not save on notice: {error}")

    def drop_node(self, name: str) -> None:
        try:
            self.cluster.release(name)
        except ApiError as error:
            self.cluster.log(f"could not release {name}: {error}")

    def keep(self, run: Training, saved: list[Checkpoint]) -> None:
        """Cadence, proof of the last resume, and room in the store."""
        self.pace[run.name] = min(run.step_time, self.pace.get(run.name, run.step_time))
        every = round(SAVE_SECONDS / run.step_time)
        if run.mode != "async" or abs(every - run.every) > every / 4:
            self.cluster.set_cadence(run.name, every, "async")
        source = next((c for c in saved if c.name == run.resumed_from), None)
        if source is not None and self.proven.get(run.name) != run.stopped_at:
            lost = max(0, run.stop_step - source.step)
            self.cluster.record_resume(run.name, source.name, source.step, lost)
            self.proven[run.name] = run.stopped_at
        for old in [c for c in saved if c.name != run.resumed_from][:-KEEP]:
            self.cluster.delete_checkpoint(old.name)

    def bring_up(
        self,
        run: Training,
        saved: list[Checkpoint],
        nodes: list[Node],
        zones: dict[str, Zone],
        taken: set[str],
    ) -> None:
        if run.reason == "load failed":
            self.broken.add(self.launched.get(run.name, ""))
        zone = self.choose_zone(run, zones)
        firm = self.must_hurry(run)
        pool = zone.ondemand_pool if firm else zone.spot_pool
        size = min(4, run.max_nodes)
        mine = [n for n in nodes if n.pool == pool and n.name not in taken and n.reclaim_at < 0]
        ready = [n.name for n in mine if n.state == "ready"]
        source = self.newest_good(run, saved)
        if len(ready) >= size:
            if source is not None:
                self.launched[run.name] = source
                self.cluster.launch(run.name, ready[:size], source)
                taken.update(ready[:size])
            return
        held = [n for n in nodes if n.pool == pool]
        most = self.cluster.pools()[pool].max
        answer = self.cluster.scale(pool, min(most, len(held) + size - len(mine)))
        if not answer.launched and answer.size < answer.asked:
            self.refused[zone.name] = self.refused.get(zone.name, 0) + 1
        else:
            self.refused[zone.name] = 0

    def choose_zone(self, run: Training, zones: dict[str, Zone]) -> Zone:
        """Stay, or go to the cheapest other zone of the region when this one gives nothing."""
        here = self.zone.get(run.name)
        if here is not None and self.refused.get(here, 0) >= PATIENCE and len(zones) > 1:
            self.refused[here] = 0
            region = zones[here].region
            others = [z for z in zones.values() if z.name != here and z.region == region]
            self.zone[run.name] = min(others, key=lambda z: z.spot_price).name
            for node in self.cluster.nodes():
                if node.zone == here and node.free:
                    self.drop_node(node.name)
        elif here is None:
            self.zone[run.name] = min(zones.values(), key=lambda z: z.spot_price).name
        return zones[self.zone[run.name]]

    def must_hurry(self, run: Training) -> bool:
        left = run.deadline - self.cluster.now
        return (run.steps - run.step) * self.pace.get(run.name, 3.6) * MARGIN > left

    def newest_good(self, run: Training, saved: list[Checkpoint]) -> str | None:
        """The newest one that is proven good; None while the verifier still reads."""
        whole = [
            c
            for c in saved
            if c.gb >= run.checkpoint_gb
            and c.name not in self.broken
            and c.checked != "bad"
            and c.loss < DIVERGED
        ]
        if not whole:
            return ""
        newest = max(whole, key=lambda c: (c.step, c.begun_at))
        if not newest.checked:
            self.cluster.verify(newest.name)
        return newest.name if newest.checked == "good" else None


def control(cluster: Cluster) -> None:
    supervisor = Supervisor(cluster)
    while cluster.tick():
        try:
            supervisor.step()
        except ApiError as error:
            cluster.log(f"skipped the rest of this round: {error}")


if __name__ == "__main__":
    control(headnode_sdk.connect())
