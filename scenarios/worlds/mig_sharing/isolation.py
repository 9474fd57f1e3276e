"""Who stands on which GPU and node, and where that is against the rules of isolation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from scenarios.worlds.mig_sharing.fleet import Fleet, Gpu, Node
from scenarios.worlds.mig_sharing.settings import NODE, NONE, Tenant


class Isolation:
    """Keeps `Gpu.shared` true to what stands where; `changed` is told of every GPU it changes for.

    `here` counts by GPU, and `near` by node, what each tenant has there: replicas and gangs' GPUs.
    """

    def __init__(self, fleet: Fleet, tenants: tuple[Tenant, ...]) -> None:
        self._fleet = fleet
        self.needed = any(one.isolation != NONE for one in tenants)
        self._kept = {n for n, one in enumerate(tenants) if one.isolation != NONE}
        self._alone = {n for n, one in enumerate(tenants) if one.isolation == NODE}
        self.here: list[Counter[int]] = [Counter() for _ in fleet.gpus]
        self.near: list[Counter[int]] = [Counter() for _ in fleet.nodes]
        self.changed: list[Callable[[Gpu], None]] = []

    def come(self, gpu: Gpu, tenant: int) -> None:
        """A replica, or a part of a gang, of the tenant is on the GPU from now on."""
        new = tenant not in self.here[gpu.number]
        self.here[gpu.number][tenant] += 1
        self.near[gpu.node][tenant] += 1
        if new and self.needed:
            self._judge(gpu.node)

    def go(self, gpu: Gpu, tenant: int) -> None:
        """One of the tenant's on the GPU is gone."""
        for count in (self.here[gpu.number], self.near[gpu.node]):
            count[tenant] -= 1
            if not count[tenant]:
                del count[tenant]
        if self.needed and tenant not in self.here[gpu.number]:
            self._judge(gpu.node)

    def crowded(self, node: Node) -> bool:
        """Whether a tenant that must have its nodes alone has company on this one."""
        near = self.near[node.number].keys()
        return len(near) > 1 and not near.isdisjoint(self._alone)

    def mixed(self, gpu: Gpu) -> bool:
        """Whether a tenant that must have its GPUs alone has company on this one."""
        here = self.here[gpu.number].keys()
        return len(here) > 1 and not here.isdisjoint(self._kept)

    def keeps_out(self, gpu: Gpu, tenant: int) -> bool:
        """Whether the tenant may not join those on the GPU and on its node."""
        if not self.needed:
            return False
        others = self.near[gpu.node].keys() - {tenant}
        beside = bool(self.here[gpu.number].keys() - {tenant})
        return beside or bool(others and (tenant in self._alone or others & self._alone))

    def _judge(self, number: int) -> None:
        node = self._fleet.nodes[number]
        crowded = self.crowded(node)
        for gpu in self._fleet.of(node):
            shared = crowded or self.mixed(gpu)
            if gpu.shared != shared:
                gpu.shared = shared
                for tell in self.changed:
                    tell(gpu)
