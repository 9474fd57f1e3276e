"""What a controller can do to the cluster when nothing goes wrong on the way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scenarios.simulator.agenda import HOUR, MINUTE
from scenarios.worlds.mig_sharing.fleet import Gpu, GpuState, Node
from scenarios.worlds.mig_sharing.gangs import Gang, GangState
from scenarios.worlds.mig_sharing.kinds import WHOLE, Placement, fits, places
from scenarios.worlds.mig_sharing.serving import Service
from scenarios.worlds.mig_sharing.training import WHOLE_GPU
from scenarios.worlds.mig_sharing.world import SliceWorld
from scenarios.worlds.refusal import Refused

SOON = 30 * MINUTE
"""What is undone sooner than this after it was done was a wrong decision."""
MENU: tuple[list[int], ...] = ([0] * 7, [0, 0, 2, 3], [])
"""The configurations that a mig-parted file may be limited to, by kinds of instance."""


class Controls:
    """The verbs, with a count of what each use of them says about the controller.

    Every verb raises `Refused` with a code (invalid, not_found, conflict) and a sentence.
    """

    def __init__(self, world: SliceWorld) -> None:
        self.world = world
        self.core = world.core
        self.flaps = self.cuts = self.short_gangs = 0
        self.layouts = self.moves = 0

    # -- finding what is named -------------------------------------------------------

    def gpu(self, name: str) -> Gpu:
        """The GPU of that name, node and index."""
        if name not in self.core.fleet.by_name:
            raise Refused("not_found", f"There is no GPU {name[:40]!r}; GPUs are called n01/0.")
        return self.core.fleet.by_name[name]

    def node(self, name: str) -> Node:
        """The node of that name."""
        if name not in self.core.fleet.node_by_name:
            raise Refused("not_found", f"There is no node {name[:40]!r}.")
        return self.core.fleet.node_by_name[name]

    def service(self, name: str) -> Service:
        """The service of that name, if it is there now."""
        service = self.world.serving.by_name.get(name)
        if service is None or not service.alive:
            raise Refused("not_found", f"There is no service {name[:60]!r} now.")
        return service

    def instance(self, name: str) -> tuple[Gpu, int]:
        """GPU and first memory slice of an instance called like n01/3/4."""
        gpu, _, start = name.rpartition("/")
        found = self.gpu(gpu)
        if not (start.isascii() and start.isdigit()) or len(start) > 2:
            raise Refused("not_found", f"There is no instance {name[:40]!r}.")
        return found, int(start)

    def gang(self, number: int) -> Gang:
        """The training job of that number, if it has been submitted."""
        gangs = self.world.training.gangs
        if not 0 <= number < len(gangs) or gangs[number].state == GangState.UNSEEN:
            raise Refused("not_found", f"There is no job {number}.")
        return gangs[number]

    # -- layouts ---------------------------------------------------------------------

    def set_layout(self, name: str, profiles: Sequence[str]) -> dict[str, object]:
        """Partition a GPU anew; no profile at all turns MIG off."""
        gpu, places = self.gpu(name), self._places(name, profiles)
        answer: dict[str, object] = {"gpu": name, "profiles": list(profiles)}
        if gpu.state == GpuState.CHANGING:
            if gpu.wanted == places:
                return answer
            raise Refused("conflict", f"{name} is being reconfigured.")
        if gpu.state == GpuState.READY and gpu.layout == places and gpu.mig == bool(places):
            return answer
        if gpu.state == GpuState.LOST or not self.core.node_of(gpu).up:
            raise Refused("conflict", f"{name} does not answer: its node is down or it is lost.")
        if not gpu.empty:
            raise Refused("conflict", f"{name}: in use by another client. Empty it first.")
        healthy = gpu.state == GpuState.READY and gpu.settled_at >= 0
        if healthy and self.core.now - gpu.settled_at < SOON:
            self.flaps += 1
        self.layouts += 1
        self.core.act(f"{name}: {', '.join(profiles) or 'MIG off'}")
        self.world.change_layout(gpu, places)
        return answer

    def _places(self, name: str, profiles: Sequence[str]) -> tuple[Placement, ...]:
        card = self.core.config.card
        for one in profiles:
            if one not in card.names:
                known = ", ".join(card.names)
                raise Refused("invalid", f"There is no profile {one[:20]!r}; there are {known}.")
        kinds = sorted(card.names.index(profile) for profile in profiles)
        if self.core.config.level.menu and kinds not in MENU:
            raise Refused("invalid", "The mig-parted file has no such configuration.")
        if (found := places(card, kinds)) is None:
            listed = ", ".join(profiles)
            raise Refused("invalid", f"{name}: insufficient resources for {listed}.")
        return found

    # -- services --------------------------------------------------------------------

    def place(self, service_name: str, instance: str) -> dict[str, object]:
        """Start one replica of a service on a free instance."""
        service = self.service(service_name)
        gpu, start = self.instance(instance)
        kind = gpu.kind_at(start)
        if kind is None or gpu.state != GpuState.READY:
            raise Refused("conflict", f"{instance}: there is no such instance now.")
        if start in gpu.held:
            raise Refused("conflict", f"{instance} holds a replica already.")
        if not self.core.fleet.usable(gpu):
            raise Refused("conflict", f"{instance}: its node is down or cordoned.")
        if not fits(kind, service.spec.kind):
            names = self.core.config.card.names
            asks = f"{service_name} asks for {names[service.spec.kind]}"
            raise Refused("conflict", f"{instance} is {names[kind]}; {asks}.")
        replica = self.world.serving.put(service, gpu, start, kind)
        return {"instance": instance, "ready_at": replica.ready_at // 1000}

    def evict(self, service_name: str, instance: str) -> dict[str, object]:
        """End the service's replica on an instance at once."""
        gpu, start = self.instance(instance)
        replica = gpu.held.get(start)
        if replica is None:
            raise Refused("not_found", f"{instance} holds no replica.")
        service = self.world.serving.services[replica.service]
        if service.spec.name != service_name:
            raise Refused("conflict", f"{instance} holds {service.spec.name}.")
        if replica.ready and service.ready <= service.wanted and not self._excuse(gpu):
            self.cuts += 1
            self.core.act(f"{service_name} cut short on {instance}")
        self.moves += 1
        self.world.serving.drop(replica)
        return {"instance": instance}

    def _excuse(self, gpu: Gpu) -> bool:
        """A node about to be maintained must be emptied, replaced or not."""
        return self.core.node_of(gpu).maintained_at >= 0

    # -- training --------------------------------------------------------------------

    def start_gang(self, number: int, gpus: Sequence[str]) -> dict[str, object]:
        """Start a waiting job on whole GPUs, on all of them or on none."""
        gang = self.gang(number)
        if gang.state != GangState.PENDING:
            raise Refused("conflict", f"Job {number} is not waiting to be started.")
        if len(gpus) != gang.spec.gpus or len(set(gpus)) != len(gpus):
            raise Refused("invalid", f"Job {number} needs {gang.spec.gpus} different GPUs.")
        chosen = [self.gpu(name) for name in gpus]
        for gpu in chosen:
            if not gpu.whole or not self.core.fleet.usable(gpu):
                raise Refused("conflict", f"{gpu.name} is not free as a whole; nothing started.")
        rate = self.world.training.start(gang, sorted(gpu.number for gpu in chosen))
        nodes = [self.core.fleet.nodes[n].name for n in self.world.training.nodes(gang)]
        self.core.act(f"start job {number} on {', '.join(nodes)}")
        return {"job": number, "nodes": nodes, "speed": rate}

    def preempt(self, number: int) -> dict[str, object]:
        """Stop a running job so that it waits again; saved first where it can be."""
        gang = self.gang(number)
        if gang.state != GangState.RUNNING:
            raise Refused("conflict", f"Job {number} is not running.")
        if gang.spec.protected:
            self.core.broken(f"preempted protected job {number}")
        if self.core.now - gang.started_at < SOON and gang.rate > 50:
            self.short_gangs += 1
        self.core.act(f"preempt job {number}")
        if gang.spec.every:
            self.world.training.save(gang)
        else:
            self.world.training.stop(gang)
        return {"job": number, "saved": bool(gang.spec.every)}

    # -- nodes and books -------------------------------------------------------------

    def cordon(self, name: str, shut: bool) -> dict[str, object]:
        """Let nothing new start on the node, or let it again."""
        node = self.node(name)
        if node.cordoned != shut:
            node.cordoned = shut
            self.core.act(f"{'cordon' if shut else 'uncordon'} {name}")
        return {"node": name}

    def bill(self, tenant: str, hour: int, seconds: Mapping[str, float]) -> dict[str, object]:
        """File what a tenant used in an hour that is over, by profile; a later bill replaces it."""
        names = [one.name for one in self.core.config.level.tenants]
        if tenant not in names:
            raise Refused("not_found", f"There is no tenant {tenant[:40]!r}.")
        if not 0 <= hour < self.core.ledger.hours or (hour + 1) * HOUR > self.core.now:
            raise Refused("conflict", f"Hour {hour} is not over.")
        if self.core.now > (hour + 1) * HOUR + self.core.config.closing:
            raise Refused("conflict", f"The books of hour {hour} are closed.")
        lines = {self._line(what): float(amount) for what, amount in seconds.items()}
        self.core.ledger.filed[names.index(tenant), hour] = lines
        return {"tenant": tenant, "hour": hour}

    def _line(self, what: str) -> int:
        names = self.core.config.card.names
        if what != WHOLE and what not in names:
            known = ", ".join((*names, WHOLE))
            raise Refused("invalid", f"A bill has lines {known}, not {what[:20]!r}.")
        return WHOLE_GPU if what == WHOLE else names.index(what)
