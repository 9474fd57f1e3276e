"""Services and their replicas: wanted, placed, ready, gone; knows no controller rule."""

from __future__ import annotations

from dataclasses import dataclass

from scenarios.simulator.streams import Stream
from scenarios.worlds.mig_sharing.core import Core
from scenarios.worlds.mig_sharing.demand import ServiceSpec
from scenarios.worlds.mig_sharing.fleet import Gpu, Replica
from scenarios.worlds.mig_sharing.planned import SliceEvent


@dataclass(slots=True)
class Service:
    """One service now: replicas wanted, placed and ready. `short_since` in ms, -1 if served.

    `kept` are the ready ones on GPUs where the rules of isolation are kept: only those count as served.
    """

    number: int
    spec: ServiceSpec
    step: int = 0
    alive: bool = False
    wanted: int = 0
    placed: int = 0
    ready: int = 0
    kept: int = 0
    short_since: int = -1


class Serving:
    """Every service and replica of the day."""

    def __init__(self, core: Core, specs: list[ServiceSpec]) -> None:
        self.core = core
        self.services = [Service(n, spec) for n, spec in enumerate(specs)]
        self.by_name = {service.spec.name: service for service in self.services}
        self.alive: dict[int, Service] = {}
        self.replicas: dict[int, Replica] = {}
        self._placed = 0
        self._chance = Stream(core.seed, "victims")
        for service in self.services:
            core.plan(service.spec.steps[0][0], SliceEvent.WANTED, service.number)
        core.isolation.changed.append(self._judge)

    def change(
        self, service: Service, placed: int = 0, ready: int = 0, kept: int = 0, wanted: int = -1
    ) -> None:
        """Change a service's counts; the sums follow."""
        core, spec = self.core, service.spec
        core.meter.touch(core.now)
        core.meter.count(spec.slo, spec.kind, service.wanted, service.kept, -1)
        service.placed += placed
        service.ready += ready
        service.kept += kept
        service.wanted = service.wanted if wanted < 0 else wanted
        core.meter.count(spec.slo, spec.kind, service.wanted, service.kept, 1)
        if service.ready >= service.wanted:
            service.short_since = -1
        elif service.short_since < 0:
            service.short_since = core.now

    def next_step(self, number: int, version: int) -> None:
        """Another number of replicas is wanted, or the service ends."""
        service = self.services[number]
        steps = service.spec.steps
        if service.step == len(steps) - 1:
            self._end(service)
            return
        service.alive = True
        self.alive[number] = service
        self.change(service, wanted=steps[service.step][1])
        service.step += 1
        self.core.plan(steps[service.step][0], SliceEvent.WANTED, number)

    def _end(self, service: Service) -> None:
        mine = [r for r in self.replicas.values() if r.service == service.number]
        for replica in mine:
            self.drop(replica)
        self.change(service, wanted=0)
        service.alive = False
        del self.alive[service.number]
        self.core.tell("service_gone", service.spec.name)

    # -- isolation -------------------------------------------------------------------

    def _judge(self, gpu: Gpu) -> None:
        """The GPU's replicas count as serving from now on, or no longer."""
        for start in sorted(gpu.held):
            replica = gpu.held[start]
            if replica.ready:
                self.change(self.services[replica.service], kept=-1 if gpu.shared else 1)

    def _kept(self, replica: Replica) -> int:
        return int(replica.ready and not self.core.fleet.gpus[replica.gpu].shared)

    # -- replicas --------------------------------------------------------------------

    def put(self, service: Service, gpu: Gpu, start: int, kind: int) -> Replica:
        """Start a replica on a free instance; it is ready once its model is loaded."""
        core = self.core
        ready_at = core.now + service.spec.load
        replica = Replica(self._placed, service.number, gpu.number, start, kind, ready_at)
        self._placed += 1
        self.replicas[replica.number] = replica
        gpu.held[start] = replica
        self.change(service, placed=1)
        core.isolation.come(gpu, service.spec.tenant)
        core.plan(ready_at, SliceEvent.REPLICA_READY, replica.number)
        return replica

    def becomes_ready(self, number: int, version: int) -> None:
        """The model is loaded: the replica serves from now on."""
        replica = self.replicas.get(number)
        if replica is not None and replica.version == version:
            replica.ready = True
            self.change(self.services[replica.service], ready=1, kept=self._kept(replica))

    def _charge(self, replica: Replica) -> None:
        if replica.ready:
            spec = self.services[replica.service].spec
            self.core.ledger.charge(spec.tenant, spec.kind, replica.ready_at, self.core.now)

    def drop(self, replica: Replica) -> None:
        """The replica ends; its instance is free."""
        gpu, service = self.core.fleet.gpus[replica.gpu], self.services[replica.service]
        self._charge(replica)
        del self.replicas[replica.number], gpu.held[replica.start]
        if gpu.empty:
            gpu.empty_since = self.core.now
        self.change(service, placed=-1, ready=-int(replica.ready), kept=-self._kept(replica))
        self.core.isolation.go(gpu, service.spec.tenant)

    def restart(self, replica: Replica) -> None:
        """Its process died and loads the model again where it is."""
        core, service = self.core, self.services[replica.service]
        self._charge(replica)
        self.change(service, ready=-int(replica.ready), kept=-self._kept(replica))
        replica.ready, replica.version = False, replica.version + 1
        replica.ready_at = core.now + service.spec.load
        core.plan(replica.ready_at, SliceEvent.REPLICA_READY, replica.number, replica.version)
        name = f"{core.fleet.gpus[replica.gpu].name}/{replica.start}"
        core.tell("replica_restarted", name)

    def restart_one(self, gpu: Gpu) -> None:
        """An error that is contained in one instance hits one of those in use."""
        held = [gpu.held[at] for at in sorted(gpu.held)]
        pick = self._chance.unit()
        if held:
            self.restart(held[int(pick * len(held))])

    def clear(self, gpu: Gpu) -> None:
        """Everything on the GPU ends at once."""
        for start in sorted(gpu.held):
            self.drop(gpu.held[start])

    def settle(self) -> None:
        """Charge what is running up to now, as if everything began anew at this instant."""
        for replica in self.replicas.values():
            self._charge(replica)
            if replica.ready:
                replica.ready_at = self.core.now
