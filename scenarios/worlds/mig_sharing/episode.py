"""The cluster as its controller meets it: an API with limits, delays and faults."""

from __future__ import annotations

from typing import Any

from scenarios.simulator.streams import Stream
from scenarios.worlds.front import Front
from scenarios.worlds.mig_sharing.controls import Controls
from scenarios.worlds.mig_sharing.core import SERIES
from scenarios.worlds.mig_sharing.demand import GangSpec, ServiceSpec
from scenarios.worlds.mig_sharing.facts import figures
from scenarios.worlds.mig_sharing.settings import Config
from scenarios.worlds.mig_sharing.views import Views
from scenarios.worlds.mig_sharing.watch import Watch, sample
from scenarios.worlds.mig_sharing.world import SliceWorld
from scenarios.worlds.refusal import Refused


class Episode:
    """One day: the controller's calls in, plain answers out. Raises `Refused`.

    With `faults` off the API never times out, lags or throttles; the cluster's own trouble stays.
    """

    def __init__(
        self,
        config: Config,
        services: list[ServiceSpec],
        gangs: list[GangSpec],
        seed: str,
        *,
        faults: bool = True,
    ) -> None:
        self.config = config
        self.world = SliceWorld(config, services, gangs, seed)
        self.controls = Controls(self.world)
        self.watch = Watch(self.world)
        self._views = Views(self.world)
        self.front = Front(
            config.api,
            Stream(seed, "api"),
            self.world.core.timeline.mark,
            reads_per_tick=config.reads_per_tick,
            writes_per_tick=config.writes_per_tick,
            on=faults,
        )
        self._told = 0
        self.world.advance(0)
        self._sample()

    @property
    def complete(self) -> bool:
        """Whether the day is over."""
        return self.world.now >= self.config.length

    @property
    def now(self) -> int:
        """Simulated time in s."""
        return self.world.now // 1000

    def tick(self) -> dict[str, object]:
        """Let one tick pass; answers the time in s, whether it is over, and what happened."""
        if self.complete:
            raise Refused("over", "The day is over; there is nothing left to control.")
        self._advance()
        self.front.next_tick(self.world.now)
        told, happened = self._told, self.world.core.happenings
        self._told = len(happened)
        news = [[at // 1000, kind, subject] for at, kind, subject in happened[told:]]
        return {"t": self.now, "done": self.complete, "events": news}

    def run_out(self) -> None:
        """Let the rest of the day pass with nobody in control."""
        while not self.complete:
            self._advance()

    def _advance(self) -> None:
        self.world.advance(self.world.now + self.config.tick)
        self.front.thaw(self.world.now)
        self._views.keep_up()
        self.watch.look(self.config.tick)
        self._sample()

    def _sample(self) -> None:
        if self.world.core.timeline.due(self.world.now):
            self.world.core.timeline.sample(self.world.now, sample(self.world))

    # -- reads -----------------------------------------------------------------------

    def mig_gpus(self) -> object:
        """GPUs with their instances."""
        return self.front.read(self.world.now, "mig_gpus", self._views.gpu_rows)

    def services(self) -> object:
        """Services with what they want and have."""
        return self.front.read(self.world.now, "services", self._views.service_rows)

    def jobs(self) -> object:
        """Training jobs that are not done."""
        return self.front.read(self.world.now, "jobs", self._views.job_rows)

    def nodes(self) -> object:
        """Nodes."""
        return self.front.read(self.world.now, "nodes", self._views.node_rows)

    def tenants(self) -> object:
        """Tenants and how far they are kept apart."""
        return self.front.read(self.world.now, "tenants", self._views.tenant_rows)

    # -- writes ----------------------------------------------------------------------

    def set_layout(self, gpu: str, profiles: list[str]) -> object:
        """Partition an empty GPU anew."""
        act = self.controls.set_layout
        return self.front.write(self.world.now, "set_layout", gpu, lambda: act(gpu, profiles))

    def place(self, service: str, instance: str) -> object:
        """Start a replica on an instance."""
        act = self.controls.place
        return self.front.write(self.world.now, "place", service, lambda: act(service, instance))

    def evict(self, service: str, instance: str) -> object:
        """End a replica."""
        act = self.controls.evict
        return self.front.write(self.world.now, "evict", service, lambda: act(service, instance))

    def start_gang(self, job: int, gpus: list[str]) -> object:
        """Start a training job on whole GPUs."""
        act = self.controls.start_gang
        return self.front.write(self.world.now, "start_gang", str(job), lambda: act(job, gpus))

    def preempt(self, job: int) -> object:
        """Stop a training job."""
        act = self.controls.preempt
        return self.front.write(self.world.now, "preempt", str(job), lambda: act(job))

    def cordon(self, node: str) -> object:
        """Nothing new on the node."""
        act = self.controls.cordon
        return self.front.write(self.world.now, "cordon", node, lambda: act(node, True))

    def uncordon(self, node: str) -> object:
        """New work on the node again."""
        act = self.controls.cordon
        return self.front.write(self.world.now, "uncordon", node, lambda: act(node, False))

    def bill(self, tenant: str, hour: int, seconds: dict[str, float]) -> object:
        """File a tenant's bill for an hour."""
        act, subject = self.controls.bill, f"{tenant} {hour}"
        return self.front.write(self.world.now, "bill", subject, lambda: act(tenant, hour, seconds))

    def log(self, text: str) -> object:
        """A line for the timeline."""
        self.world.core.timeline.log(self.world.now, text)
        return None

    # -- afterwards ------------------------------------------------------------------

    def figures(self) -> dict[str, Any]:
        """Raw figures of the day so far, API use included."""
        lost = self.front.incidents(self.config.tick // 1000)
        raw = figures(self.world, self.controls, self.watch, lost)
        return {**raw, "calls_refused_by_rate": self.front.limited, "ticks": self.front.ticks}

    def replay(self) -> dict[str, Any]:
        """What happened, to be drawn."""
        return self.world.core.timeline.replay(SERIES, self.world.now)
