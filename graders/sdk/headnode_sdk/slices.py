"""GPUs cut into MIG instances, the services on them, gangs on whole GPUs, and who pays for what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ._verbs import Verbs


def size_of(profile: str) -> tuple[int, int]:
    """(compute slices, memory in GB) of a profile: "2g.20gb" has (2, 20).

    Seven compute slices and eight of the smallest profile's memory make a GPU; whatever stays
    within both can stand on it together. Raises ValueError for what is no profile.
    """
    compute, _, memory = profile.removesuffix("gb").partition("g.")
    return int(compute), int(memory)


def fits(profile: str, wanted: str) -> bool:
    """Whether a replica that asks for `wanted` runs on an instance of `profile`."""
    have, need = size_of(profile), size_of(wanted)
    return have[0] >= need[0] and have[1] >= need[1]


class MigInstance(NamedTuple):
    """One MIG instance, and the replica on it."""

    name: str
    """GPU and first memory slice, for example "n01/3/4"."""
    profile: str
    """For example "2g.20gb"."""
    service: str
    """Whose replica stands here; "" if it is free."""
    ready: bool
    """Whether the replica has loaded its model and serves."""
    ready_at: int
    """When it became or will become ready; below 0 if the instance is free."""

    @property
    def free(self) -> bool:
        """No replica here."""
        return not self.service


class MigGpu(NamedTuple):
    """One GPU and how it is laid out."""

    name: str
    """Node and index, for example "n01/3"."""
    node: str
    state: str
    """"ready", "changing", "failed" (MIG on, no instances), "faulty", "lost" or "down" (its node)."""
    mig: bool
    """Whether MIG is on."""
    job: int
    """The training job on the whole GPU; below 0 without."""
    xid: int
    """The last Xid since its last reset; 0 if there was none."""
    stale_since: int
    """Since when its node's device plugin has been silent; below 0 if this row is fresh."""
    instances: list[MigInstance]

    @property
    def whole(self) -> bool:
        """Not partitioned and without a job: training can start here."""
        return self.state == "ready" and not self.mig and self.job < 0

    @property
    def empty(self) -> bool:
        """Nothing stands on it, so that its layout may be changed."""
        return self.job < 0 and all(instance.free for instance in self.instances)


class Service(NamedTuple):
    """One inference service."""

    name: str
    tenant: str
    slo: str
    """"critical", "standard" or "batch"."""
    profile: str
    """The smallest instance a replica runs on."""
    wanted: int
    """Replicas its autoscaler asks for now."""
    ready: int
    starting: int
    short_since: int
    """Since when fewer are ready than wanted; below 0 if it has all."""

    @property
    def missing(self) -> int:
        """Replicas still to be placed."""
        return max(0, self.wanted - self.ready - self.starting)

    @property
    def surplus(self) -> int:
        """Replicas more than wanted."""
        return max(0, self.ready + self.starting - self.wanted)


class Tenant(NamedTuple):
    """Who services and jobs belong to."""

    name: str
    isolation: str
    """"none", "gpu" (shares no GPU with others) or "node" (shares no node)."""


class GangStart(NamedTuple):
    """What became of a gang's start."""

    job: int
    nodes: list[str]
    speed: int
    """Percent of the speed it would have inside one node."""


class SliceVerbs(Verbs):
    """GPUs cut into MIG instances, and what stands on them."""

    def mig_gpus(self) -> list[MigGpu]:
        """Every GPU with its instances, in order of node and index."""
        return [
            MigGpu._make([*row[:-1], [MigInstance(*one) for one in row[-1]]])
            for row in self._read("mig_gpus")
        ]

    def services(self) -> list[Service]:
        """Every service that is there now."""
        return [Service(*row) for row in self._read("services")]

    def tenants(self) -> list[Tenant]:
        """Every tenant, and how far it must be kept from the others."""
        return [Tenant(*row) for row in self._read("tenants")]

    def set_layout(self, gpu: str, profiles: Sequence[str]) -> None:
        """Partition an empty GPU anew; no profile at all turns MIG off.

        It takes one to two minutes, in which the GPU is "changing". Raises Conflict while
        anything stands on it, InvalidRequest where the profiles do not fit together.
        """
        self._ask("set_layout", gpu=gpu, profiles=list(profiles))

    def place(self, service: str, instance: str) -> int:
        """Start one replica on a free instance, large enough; answers when it will be ready.

        Raises Conflict where the instance is in use, too small or gone.
        """
        return int(self._ask("place", service=service, instance=instance)["ready_at"])

    def evict(self, service: str, instance: str) -> None:
        """End the service's replica on an instance at once. Raises Conflict if it is another's."""
        self._ask("evict", service=service, instance=instance)

    def start_gang(self, job: int, gpus: Sequence[str]) -> GangStart:
        """Start a waiting training job on whole GPUs, on all of them or on none."""
        return GangStart(**self._ask("start_gang", job=job, gpus=list(gpus)))

    def bill(self, tenant: str, hour: int, seconds: Mapping[str, float]) -> None:
        """File what a tenant used in an hour that is over: MIG-seconds by profile.

        A later bill for the same hour replaces the earlier one.
        """
        self._ask("bill", tenant=tenant, hour=hour, seconds=dict(seconds))
