"""Looks at the cluster once a tick: work kept waiting without need, and tenants side by side."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from scenarios.simulator.agenda import MINUTE
from scenarios.worlds.mig_sharing.fleet import Gpu, GpuState
from scenarios.worlds.mig_sharing.gangs import Gang, GangState
from scenarios.worlds.mig_sharing.kinds import COMPUTE, fits
from scenarios.worlds.mig_sharing.serving import Service
from scenarios.worlds.mig_sharing.settings import CRITICAL
from scenarios.worlds.mig_sharing.world import SliceWorld

HALF_HOUR = 30 * MINUTE
SHORT = 10 * MINUTE
"""How long a service may be short of a replica while a fitting instance is free."""
GANG_WAITS = 20 * MINUTE
"""How long a gang may wait while enough whole GPUs are idle."""
LEEWAY = 4 * MINUTE
"""How long something may be left undone that has only just become possible."""
IDLE_LAYOUT = 40 * MINUTE
"""How long empty GPUs may keep a layout that nobody uses while a gang waits for as many."""


@dataclass
class Watch:
    """Notes, by half hour, what a controller left undone; `breach_ms` of replicas out of bounds."""

    world: SliceWorld
    missed: dict[str, set[int]] = field(
        default_factory=lambda: {"service": set(), "gang": set(), "layout": set()}
    )
    _ticks: dict[str, int] = field(default_factory=lambda: {"service": 0, "gang": 0, "layout": 0})
    breach_ms: int = 0
    ready_ms: int = 0
    _breached: dict[tuple[int, str], bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._ready: list[Gpu] = []

    def look(self, tick: int) -> None:
        """Judge the tick of `tick` ms that has just passed."""
        window = self.world.now // HALF_HOUR
        self._ready = self._open()
        for what, found in (
            ("service", self._service_missed),
            ("gang", self._gang_missed),
            ("layout", self._layout_missed),
        ):
            self._ticks[what] = self._ticks[what] + 1 if found() else 0
            if self._ticks[what] * tick > LEEWAY:
                self.missed[what].add(window)
        self._isolation(tick)
        self.world.trials.look()

    # -- left undone -----------------------------------------------------------------

    def _open(self) -> list[Gpu]:
        fleet = self.world.core.fleet
        return [
            gpu
            for gpu in fleet.gpus
            if gpu.state == GpuState.READY
            and fleet.usable(gpu)
            and fleet.nodes[gpu.node].maintained_at < 0
        ]

    def _service_missed(self) -> bool:
        now, serving = self.world.now, self.world.serving
        short = {
            (one.spec.tenant, one.spec.kind)
            for one in serving.alive.values()
            if one.placed < one.wanted and now - one.short_since > SHORT
        }
        if not short:
            return False
        keeps_out = self.world.core.isolation.keeps_out
        free = [(gpu, kind) for gpu in self._ready for _, kind in gpu.free()]
        return any(
            fits(kind, wanted) and not keeps_out(gpu, tenant)
            for tenant, wanted in short
            for gpu, kind in free
        )

    def _gang_missed(self) -> bool:
        """Whether the gang submitted first could have been started on idle GPUs for a while."""
        gang = self._first(GANG_WAITS)
        return gang is not None and gang.spec.gpus <= self._idle(gang)

    def _layout_missed(self) -> bool:
        """Whether unused partitioned GPUs, with the idle whole ones, would hold that gang."""
        gang, now = self._first(IDLE_LAYOUT), self.world.now
        if gang is None:
            return False
        idle, keeps_out = self._idle(gang), self.world.core.isolation.keeps_out
        unused = sum(
            gpu.mig and gpu.empty and now - gpu.empty_since > IDLE_LAYOUT
            for gpu in self._ready
            if not keeps_out(gpu, gang.spec.tenant)
        )
        return idle < gang.spec.gpus <= idle + unused

    def _idle(self, gang: Gang) -> int:
        """Most whole GPUs that the gang could be started on, well connected."""
        core, tenant = self.world.core, gang.spec.tenant
        whole = [gpu for gpu in self._ready if gpu.whole]
        return core.fleet.room(g for g in whole if not core.isolation.keeps_out(g, tenant))

    def _first(self, longer: int) -> Gang | None:
        """The pending gang that was submitted first, if it waits longer than that."""
        for number in sorted(self.world.training.waiting):
            gang = self.world.training.gangs[number]
            if gang.state == GangState.PENDING:
                return gang if self.world.now - gang.queued_at > longer else None
        return None

    # -- isolation -------------------------------------------------------------------

    def _isolation(self, tick: int) -> None:
        world = self.world
        replicas = world.serving.replicas.values()
        self.ready_ms += sum(replica.ready for replica in replicas) * tick
        fleet, isolation = world.core.fleet, world.core.isolation
        if not isolation.needed:
            return
        for node in fleet.nodes:
            near = isolation.near[node.number]
            self._note((node.number, "node"), isolation.crowded(node), node.name, near)
            for gpu in fleet.of(node):
                here = isolation.here[gpu.number]
                self._note((gpu.number, "gpu"), isolation.mixed(gpu), gpu.name, here)
                if gpu.shared:
                    self.breach_ms += len(gpu.held) * tick

    def _note(self, key: tuple[int, str], breach: bool, name: str, who: Iterable[int]) -> None:
        if breach and not self._breached.get(key, False):
            tenants = self.world.config.level.tenants
            names = " and ".join(tenants[t].name for t in sorted(who))
            self.world.core.broken(f"{names} share {name}")
        self._breached[key] = breach


def sample(world: SliceWorld) -> list[float]:
    """The state now, in the order of `core.SERIES`."""
    meter, fleet = world.core.meter, world.core.fleet
    missing = [a - b for a, b in zip(meter.asked, meter.served, strict=True)]
    up = [gpu for gpu in fleet.gpus if fleet.nodes[gpu.node].up and gpu.state == GpuState.READY]
    pending = world.training.waiting.values()
    alive = world.serving.alive.values()
    return [
        sum(_compute(one) * one.wanted for one in alive),
        sum(_compute(one) * min(one.kept, one.wanted) for one in alive),
        missing[CRITICAL],
        sum(missing) - missing[CRITICAL],
        meter.training,
        sum(gpu.mig for gpu in up),
        sum(gpu.whole for gpu in up),
        len(fleet.gpus) - len(up),
        len(pending),
        sum(gang.spec.gpus for gang in pending),
    ]


def _compute(service: Service) -> int:
    return COMPUTE[service.spec.kind]
