"""What a controller sees of the cluster: plain rows, built only when asked for. Times in s."""

from __future__ import annotations

from typing import Any

from scenarios.worlds.mig_sharing.fleet import Gpu, GpuState, Node
from scenarios.worlds.mig_sharing.gangs import Gang, GangState
from scenarios.worlds.mig_sharing.serving import Service
from scenarios.worlds.mig_sharing.settings import CLASSES
from scenarios.worlds.mig_sharing.world import SliceWorld

GPU_STATES = tuple(state.name.lower() for state in GpuState)
GANG_STATES = (GangState.PENDING, GangState.HELD, GangState.RUNNING, GangState.SAVING)
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
            replica, name = gpu.held.get(start), f"{gpu.name}/{start}"
            if replica is None:
                rows.append([name, names[kind], "", False, -1])
            else:
                service, at = services[replica.service].spec.name, replica.ready_at // 1000
                rows.append([name, names[kind], service, replica.ready, at])
        return rows

    def service_rows(self) -> list[Row]:
        """Every service that is there now, in the field order of the SDK's Service."""
        return [self._service(one) for _, one in sorted(self.world.serving.alive.items())]

    def _service(self, one: Service) -> Row:
        config, spec = self.world.config, one.spec
        tenant, asked = config.level.tenants[spec.tenant].name, config.card.names[spec.kind]
        short = one.short_since // 1000 if one.short_since >= 0 else -1
        head = [spec.name, tenant, CLASSES[spec.slo], asked]
        return [*head, one.wanted, one.ready, one.placed - one.ready, short]

    def job_rows(self) -> list[Row]:
        """Every unfinished gang, by number, in the field order of the SDK's Job."""
        return [self._job(gang) for gang in self.world.training.gangs if gang.state in GANG_STATES]

    def _job(self, gang: Gang) -> Row:
        world, spec, started = self.world, gang.spec, gang.started_at
        nodes = [world.core.fleet.nodes[number].name for number in world.training.nodes(gang)]
        priority, state = "high" if spec.protected else "normal", gang.state.name.lower()
        waited = gang.total_wait(world.now) // 1000
        times = [spec.submit // 1000, waited, started // 1000 if started >= 0 else -1]
        head = [gang.number, priority, spec.gpus, state, *times, spec.limit // 1000, False]
        tail = [spec.every // 1000, spec.protected, nodes, f"train-{gang.number:03d}"]
        return [*head, *tail, world.config.level.tenants[spec.tenant].name]

    def node_rows(self) -> list[Row]:
        """Every node in the field order of the SDK's Node, its free GPUs being whole and idle."""
        return [self._node(node) for node in self.world.core.fleet.nodes]

    def _node(self, node: Node) -> Row:
        config, gpus = self.world.config, self.world.core.fleet.of(node)
        state, free = ("ready", sum(gpu.whole for gpu in gpus)) if node.up else ("down", 0)
        reclaim = node.maintained_at // 1000 if node.up and node.maintained_at >= 0 else -1
        head = [node.name, "gpu", state, config.gpus_per_node, free, node.cordoned, 0, reclaim]
        return [*head, config.product, "", node.rdma]

    def tenant_rows(self) -> list[Row]:
        """Every tenant in the field order of the SDK's Tenant."""
        return [[one.name, one.isolation] for one in self.world.config.level.tenants]
