"""What the existing script does, kept alive when a call fails: the zero of every measure."""

from __future__ import annotations

import headnode_sdk
from headnode_sdk import ApiError, Cluster, Training

EVERY = 600
KEEP = 10
DIVERGED = 4.0


class Script:
    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.back: dict[str, int] = {}
        self.due = 0
        self.restarted = False

    def step(self) -> None:
        zone = next(iter(self.cluster.zones().values()))
        runs = [run for run in self.cluster.trainings().values() if run.state != "finished"]
        nodes = [node for node in self.cluster.nodes() if node.pool == zone.spot_pool]
        pool = self.cluster.pools()[zone.spot_pool]
        up = [node for node in nodes if node.state != "down"]
        wanted = sum(self.gang(run) for run in runs)
        if not runs:
            self.cluster.scale(pool.name, 0)
        elif len(up) < wanted:
            self.cluster.scale(pool.name, min(pool.max, pool.size + wanted - len(up)))
        free = [node.name for node in nodes if node.idle]
        for run in runs:
            if run.state == "training" and run.loss > DIVERGED:
                self.cluster.stop(run.name)
            if run.state == "stopped" and run.reason == "join timeout" and not self.restarted:
                self.restarted = True
                self.cluster.log("the nodes do not find each other, starting new ones")
                for name in free:
                    self.cluster.release(name)
                return
            size = self.gang(run)
            if run.state == "stopped" and len(free) >= size:
                self.restarted = False
                self.launch(run, free[:size])
                free = free[size:]
        self.tidy()

    @staticmethod
    def gang(run: Training) -> int:
        return min(4, run.max_nodes)

    def launch(self, run: Training, nodes: list[str]) -> None:
        """Resume from `latest`, or from one before it each time that did not go well."""
        saved = [c.name for c in self.cluster.checkpoints() if c.training == run.name]
        back = self.back.get(run.name, 0)
        self.back[run.name] = back + 1 if run.reason in ("load failed", "stopped") else 0
        name = run.latest if run.latest in saved else ""
        if self.back[run.name]:
            older = saved[: max(0, len(saved) - self.back[run.name])]
            name = older[-1] if older else ""
        self.cluster.launch(run.name, nodes, name)

    def tidy(self) -> None:
        for run in self.cluster.trainings():
            saved = [c for c in self.cluster.checkpoints() if c.training == run]
            if len(saved) > KEEP:
                self.cluster.delete_checkpoint(saved[0].name)


def control(cluster: Cluster) -> None:
    script = Script(cluster)
    while cluster.tick():
        if cluster.now >= script.due:
            script.due = cluster.now + EVERY
            try:
                script.step()
            except ApiError as error:
                cluster.log(f"gave up this round: {error}")


if __name__ == "__main__":
    control(headnode_sdk.connect())
