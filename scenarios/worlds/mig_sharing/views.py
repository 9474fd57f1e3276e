"""What a controller sees of the cluster: plain rows, built only when asked for. Times in s."""

from __future__ import annotations

from typing import Any

from scenarios.worlds.mig_sharing.fleet import Gpu, GpuState
from scenarios.worlds.mig_sharing.gangs import GangState
from scenarios.worlds.mig_sharing.settings import CLASSES
from scenarios.worlds.mig_sharing.world import SliceWorld

GPU_STATES = {
    GpuState.READY: "ready",
    GpuState.CHANGING: "changing",
    GpuState.FAILED: "failed",
    GpuState.FAULTY: "faulty",
    GpuState.LOST: "lost",
}
GANG_STATES = {
    GangState.PENDING: "pending",
    GangState.HELD: "held",
    GangState.RUNNING: "running",
    GangState.SAVING: "saving",
}
Row = list[Any]


class Views:
    """The reads. A node whose device plugin hangs is shown as it was when that began."""

    def __init__(self, world: SliceWorld) -> None:
        self.world = world
        self._old: dict[int, tuple[int, list[Row]]] = {}

    def gpu_rows(self) -> list[Row]:
        """Every GPU in the field order of the SDK's MigGpu."""
        rows: list[Row] = []
        for node in self.world.core.fleet.nodes:
            if node.hung_since >= 0 and node.number in self._old:
                rows += self._old[node.number][1]
            else:
                rows += [self._gpu(gpu, -1) for gpu in self.world.core.fleet.of(node)]
        return rows

    def keep_up(self) -> None:
        """Once a tick: take down what a node showed when its plugin began to hang."""
        for node in self.world.core.fleet.nodes:
            since = node.hung_since
            if since >= 0 and self._old.get(node.number, (-1,))[0] != since:
                gpus = self.world.core.fleet.of(node)
                self._old[node.number] = since, [self._gpu(gpu, since // 1000) for gpu in gpus]

    def _gpu(self, gpu: Gpu, stale_since: int) -> Row:
        down = not self.world.core.fleet.nodes[gpu.node].up
        return [
            gpu.name,
            self.world.core.fleet.nodes[gpu.node].name,
            "down" if down else GPU_STATES[gpu.state],
            gpu.mig,
            gpu.gang,
            gpu.xid,
            stale_since,
            self._instances(gpu),
        ]

    def _instances(self, gpu: Gpu) -> list[Row]:
        """Rows [name, profile, service, ready, ready_at] in order of memory slices."""
        names, services = self.world.config.card.names, self.world.serving.services
        rows: list[Row] = []
        for start, kind in gpu.layout:
            replica = gpu.held.get(start)
            name = f"{gpu.name}/{start}"
            if replica is None:
                rows.append([name, names[kind], "", False, -1])
            else:
                service = services[replica.service].spec.name
                at = replica.ready_at // 1000
                rows.append([name, names[kind], service, replica.ready, at])
        return rows

    def service_rows(self) -> list[Row]:
        """Every service that is there now, in the field order of the SDK's Service."""
        config = self.world.config
        rows: list[Row] = []
        for number in sorted(self.world.serving.alive):
            one = self.world.serving.alive[number]
            spec = one.spec
            rows.append(
                [
                    spec.name,
                    config.level.tenants[spec.tenant].name,
                    CLASSES[spec.slo],
                    config.card.names[spec.kind],
                    one.wanted,
                    one.ready,
                    one.placed - one.ready,
                    one.short_since // 1000 if one.short_since >= 0 else -1,
                ]
            )
        return rows

    def job_rows(self) -> list[Row]:
        """Every unfinished gang, by number, in the field order of the SDK's Job."""
        world = self.world
        rows: list[Row] = []
        for gang in world.training.gangs:
            if gang.state not in GANG_STATES:
                continue
            spec, nodes = gang.spec, world.core.fleet.nodes
            tenant = world.config.level.tenants[spec.tenant].name
            rows.append(
                [
                    gang.number,
                    "high" if spec.protected else "normal",
                    spec.gpus,
                    GANG_STATES[gang.state],
                    spec.submit // 1000,
                    gang.total_wait(world.now) // 1000,
                    gang.started_at // 1000 if gang.started_at >= 0 else -1,
                    spec.limit // 1000,
                    False,
                    spec.every // 1000,
                    spec.protected,
                    [nodes[n].name for n in world.training.nodes(gang)],
                    f"train-{gang.number:03d}",
                    tenant,
                ]
            )
        return rows

    def node_rows(self) -> list[Row]:
        """Every node in the field order of the SDK's Node, its free GPUs being whole and idle."""
        fleet = self.world.core.fleet
        rows: list[Row] = []
        for node in fleet.nodes:
            at = node.maintained_at
            rows.append(
                [
                    node.name,
                    "gpu",
                    "ready" if node.up else "down",
                    self.world.config.gpus_per_node,
                    sum(gpu.whole for gpu in fleet.of(node)) if node.up else 0,
                    node.cordoned,
                    0,
                    at // 1000 if at >= 0 and node.up else -1,
                    self.world.config.product,
                    "",
                    node.rdma,
                ]
            )
        return rows

    def tenant_rows(self) -> list[Row]:
        """Every tenant in the field order of the SDK's Tenant."""
        return [[one.name, one.isolation] for one in self.world.config.level.tenants]
