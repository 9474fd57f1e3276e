"""Gangs on whole GPUs: all start together, all stop together; knows no controller rule."""

from __future__ import annotations

from collections.abc import Sequence

from scenarios.worlds.mig_sharing.core import Core
from scenarios.worlds.mig_sharing.demand import GangSpec
from scenarios.worlds.mig_sharing.fleet import Gpu
from scenarios.worlds.mig_sharing.gangs import Gang, GangState, speed
from scenarios.worlds.mig_sharing.planned import SliceEvent

WHOLE_GPU = -1
"""What the ledger calls a card that is not partitioned."""


class Training:
    """Every gang of the day."""

    def __init__(self, core: Core, specs: list[GangSpec]) -> None:
        self.core = core
        self.gangs = [Gang(n, spec) for n, spec in enumerate(specs)]
        self.running: dict[int, Gang] = {}
        self.waiting: dict[int, Gang] = {}
        for gang in self.gangs:
            core.plan(gang.spec.submit, SliceEvent.GANG_SUBMIT, gang.number)
        core.isolation.changed.append(self._judge)

    def submit(self, number: int, version: int) -> None:
        """A gang joins the queue."""
        gang = self.gangs[number]
        gang.queued_at = self.core.now
        gang.state = GangState.PENDING
        self.waiting[number] = gang

    def eligible(self, number: int, version: int) -> None:
        """A stopped gang may start again."""
        gang = self.gangs[number]
        if gang.version == version:
            gang.state = GangState.PENDING

    def nodes(self, gang: Gang) -> list[int]:
        """Numbers of the nodes that the gang runs on."""
        return sorted({self.core.fleet.gpus[gpu].node for gpu in gang.gpus})

    def start(self, gang: Gang, gpus: Sequence[int]) -> int:
        """All of the gang begins on these GPUs; answers its speed in percent."""
        core = self.core
        gang.gpus = tuple(gpus)
        gang.waited += core.now - gang.queued_at
        if gang.first_wait < 0:
            gang.first_wait = core.now - gang.spec.submit
        gang.state, gang.started_at, gang.charged_from = GangState.RUNNING, core.now, core.now
        gang.pace.since = core.now + core.config.gang_start
        for number in gang.gpus:
            gpu = core.fleet.gpus[number]
            gpu.gang = gang.number
            label = f"job {gang.number} {core.config.level.tenants[gang.spec.tenant].name}"
            core.timeline.begin(gpu.name, gang.number, core.now, label, "training")
        del self.waiting[gang.number]
        self.running[gang.number] = gang
        gang.rate = 0
        self.pace(gang)
        for number in gang.gpus:
            core.isolation.come(core.fleet.gpus[number], gang.spec.tenant)
        self._keep_apart(gang)
        return gang.rate

    def _judge(self, gpu: Gpu) -> None:
        if gpu.gang >= 0:
            self._keep_apart(self.gangs[gpu.gang])

    def _keep_apart(self, gang: Gang) -> None:
        """One GPU on which the rules are broken is enough for the whole gang not to count."""
        core = self.core
        astray = any(core.fleet.gpus[number].shared for number in gang.gpus)
        if astray == gang.astray:
            return
        core.meter.touch(core.now)
        self._meter(gang, -1)
        if astray:
            gang.stray(core.now)
        else:
            gang.back(core.now)
        self._meter(gang, 1)

    def _meter(self, gang: Gang, sign: int) -> None:
        self.core.meter.train(len(gang.gpus), gang.rate, sign, not gang.astray)

    def pace(self, gang: Gang) -> None:
        """Plan the gang's end anew at the speed its nodes allow now."""
        core, pace = self.core, gang.pace
        core.meter.touch(core.now)
        if gang.rate:
            self._meter(gang, -1)
        pace.settle(core.now)
        least = -(-gang.spec.gpus // core.config.gpus_per_node)
        pace.units = gang.rate = speed(core.fleet.locality(gang.gpus), least)
        self._meter(gang, 1)
        gang.version += 1
        core.plan(pace.when(gang.spec.work), SliceEvent.GANG_END, gang.number, gang.version)

    def _leave(self, gang: Gang) -> None:
        """The gang gives its GPUs back; its state and its work are brought up to date after this."""
        core = self.core
        core.meter.touch(core.now)
        self._meter(gang, -1)
        self._charge(gang)
        gang.back(core.now)
        gang.pace.halt(core.now)
        left = [core.fleet.gpus[number] for number in gang.gpus]
        for gpu in left:
            gpu.gang, gpu.empty_since = -1, core.now
            core.timeline.end(gpu.name, gang.number, core.now)
        gang.gpus, gang.rate = (), 0
        gang.version += 1
        del self.running[gang.number]
        for gpu in left:
            core.isolation.go(gpu, gang.spec.tenant)

    def _charge(self, gang: Gang) -> None:
        count, now = len(gang.gpus), self.core.now
        self.core.ledger.charge(gang.spec.tenant, WHOLE_GPU, gang.charged_from, now, count)
        gang.charged_from = now

    def ends(self, number: int, version: int) -> None:
        """The gang's work is done."""
        gang = self.gangs[number]
        if gang.version == version:
            self._leave(gang)
            gang.state = GangState.DONE
            self.core.tell("gang_done", str(number))

    def save(self, gang: Gang) -> None:
        """Begin a checkpoint, after which the gang gives up its GPUs and waits again."""
        core = self.core
        gang.pace.halt(core.now)
        gang.state = GangState.SAVING
        gang.version += 1
        core.plan(core.now + core.config.save, SliceEvent.GANG_SAVED, gang.number, gang.version)

    def saved(self, number: int, version: int) -> None:
        """The checkpoint is written."""
        gang = self.gangs[number]
        if gang.version == version:
            self.stop(gang, gang.pace.done)

    def stop(self, gang: Gang, kept: int | None = None) -> None:
        """Take a gang off its GPUs; what its newest checkpoint (or `kept` ms) lacks is lost."""
        core = self.core
        done = gang.pace.at(core.now)
        kept = gang.last_saved(core.now) if kept is None else kept
        gang.lost += done - kept
        self._leave(gang)
        gang.fall_back(kept)
        gang.state, gang.queued_at = GangState.HELD, core.now
        self.waiting[gang.number] = gang
        due = core.now + core.config.hold
        core.plan(due, SliceEvent.GANG_ELIGIBLE, gang.number, gang.version)
        core.tell("gang_stopped", str(gang.number))

    def settle(self) -> None:
        """Charge what is running up to now, as if it began anew at this instant."""
        for gang in self.running.values():
            self._charge(gang)
