"""What a controller can do to workloads and quotas when nothing goes wrong on the way."""

from __future__ import annotations

from dataclasses import dataclass

from scenarios.simulator.agenda import SECOND
from scenarios.worlds.cluster_priorities.config import GPUS
from scenarios.worlds.cluster_priorities.tables import PENDING, RUNNING, SAVING, Work
from scenarios.worlds.cluster_priorities.watch import SAFE_WITHIN
from scenarios.worlds.cluster_priorities.world import CohortWorld
from scenarios.worlds.refusal import Refused


@dataclass
class Controls:
    """The verbs. Each raises `Refused` (invalid, not_found, conflict) with a sentence."""

    world: CohortWorld

    def work(self, number: int) -> Work:
        """A workload that was sent and is not finished."""
        found = self.world.open.get(number)
        if found is None:
            raise Refused("not_found", f"There is no unfinished workload {number}.")
        return found

    def flavor(self, name: str) -> int:
        """The number of a flavour."""
        names = [flavor.name for flavor in self.world.config.flavors]
        if name not in names:
            raise Refused(
                "not_found", f"There is no flavour {name[:40]!r}; there is: {', '.join(names)}."
            )
        return names.index(name)

    def queue(self, name: str) -> int:
        """The number of a ClusterQueue."""
        names = [queue.name for queue in self.world.config.queues]
        if name not in names:
            raise Refused(
                "not_found", f"There is no queue {name[:40]!r}; there is: {', '.join(names)}."
            )
        return names.index(name)

    def admit(self, number: int, flavor_name: str, gpus: int) -> dict[str, object]:
        """Admit a waiting workload to a flavour with all its GPUs (0) or some of them."""
        work, flavor = self.work(number), self.flavor(flavor_name)
        name, request = work.request.name, work.request
        team = self.world.config.teams[request.team]
        queue = self.world.config.queues[team.queue]
        if work.state != PENDING:
            raise Refused(
                "conflict", f"{name} is {work.state}; only a pending workload is admitted."
            )
        if flavor not in team.flavors or flavor not in queue.quotas:
            raise Refused("conflict", f"{name} does not run on {flavor_name}.")
        wanted = gpus or request.gpus
        if not request.least <= wanted <= request.gpus or (wanted > GPUS and wanted % GPUS):
            bounds = (
                f"{request.gpus}"
                if request.least == request.gpus
                else (f"{request.least} to {request.gpus}")
            )
            raise Refused("invalid", f"{name} takes {bounds} GPUs; above {GPUS} whole nodes.")
        places = self.world.places(flavor, wanted)
        if places is None:
            raise Refused(
                "conflict", f"No room on {flavor_name} nodes for {wanted} GPUs of {name}."
            )
        self.world.admit(work, flavor, places)
        self.world.watch.admitted(work)
        self._mark(f"admit {name} to {flavor_name}")
        nodes = [self.world.nodes[node].name for node, _ in places]
        return {"workload": number, "flavor": flavor_name, "gpus": wanted, "nodes": nodes}

    def preempt(self, number: int) -> dict[str, object]:
        """Save a workload if it can be saved, then let it wait again."""
        work = self._held(number)
        if work.state == SAVING:
            return {"saved": True}
        self._stopped(work, "preempt")
        if work.state != RUNNING:
            self.world.drop(work)
            return {"saved": True}
        if not work.request.checkpoint:
            self.world.drop(work)
            return {"saved": False}
        self.world.watch.saved_in_time(work)
        self.world.save(work)
        return {"saved": True}

    def requeue(self, number: int) -> dict[str, object]:
        """Stop a workload at once; answers the GPU-seconds of work that were lost."""
        work = self._held(number)
        self._stopped(work, "requeue")
        self.world.watch.dropped(work, SAFE_WITHIN)
        return {"lost": self.world.drop(work) // SECOND}

    def _held(self, number: int) -> Work:
        work = self.work(number)
        if not work.holds:
            raise Refused("conflict", f"{work.request.name} is {work.state}; it holds nothing.")
        return work

    def _stopped(self, work: Work, verb: str) -> None:
        self.world.watch.stopped(work)
        self.world.watch.answered(work)
        self._mark(f"{verb} {work.request.name}")

    def set_quota(self, queue_name: str, flavor_name: str, nominal: int) -> dict[str, object]:
        """Change a nominal quota; all of a flavour together may not exceed its nodes."""
        world, queue, flavor = self.world, self.queue(queue_name), self.flavor(flavor_name)
        if not world.config.calendar:
            raise Refused("invalid", "Quotas are fixed on this cluster.")
        if (queue, flavor) not in world.nominal:
            raise Refused("conflict", f"{queue_name} has no quota of {flavor_name}.")
        capacity = world.config.flavors[flavor].capacity
        others = sum(n for (q, f), n in world.nominal.items() if f == flavor and q != queue)
        if not 0 <= nominal <= capacity:
            raise Refused("invalid", f"A quota of {flavor_name} is 0 to {capacity} GPUs.")
        if others + nominal > capacity:
            raise Refused(
                "conflict",
                f"{flavor_name} has {capacity} GPUs and {others} are other queues'; lower those first.",
            )
        if world.nominal[queue, flavor] != nominal:
            world.set_nominal(queue, flavor, nominal)
            self._mark(f"{queue_name} has {nominal} GPUs of {flavor_name}")
        return {"queue": queue_name, "flavor": flavor_name, "nominal": nominal}

    def _mark(self, text: str) -> None:
        self.world.record.timeline.mark(self.world.now, "action", text)
