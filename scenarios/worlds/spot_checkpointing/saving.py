"""Checkpoints: written, interrupted, verified, copied between regions, deleted."""

from __future__ import annotations

from hashlib import blake2b
from math import exp

from scenarios.simulator.agenda import SECOND
from scenarios.simulator.streams import Stream
from scenarios.worlds.front import within
from scenarios.worlds.spot_checkpointing.machines import Machines
from scenarios.worlds.spot_checkpointing.state import SpotState
from scenarios.worlds.spot_checkpointing.tables import (
    STOPPED,
    STORED,
    WRITING,
    Checkpoint,
    Kind,
    Training,
)

SLOW_STORE = 3
"""How many times longer a write takes while the store is slow."""
ASYNC_SHARE = 2
"""An upload in the background takes this many times longer: it shares the link with the gang."""


class Saving:
    """Every checkpoint there has been, and the stores they lie in."""

    def __init__(self, world: SpotState, machines: Machines) -> None:
        self.world, self.machines = world, machines
        self.all: list[Checkpoint] = []
        self.present: list[int] = []
        self.used = dict.fromkeys(world.config.stores, 0)

    # -- writing ---------------------------------------------------------------------

    def write_ms(self, run: Training) -> int:
        """ms for a full write by the run's present gang."""
        store = self.world.config.stores[self.region(run)]
        slow = within(self.world.now, self.world.trouble.slow_store)
        rate = store.write * len(run.nodes)
        return int(run.config.checkpoint_gb / rate * SECOND) * (SLOW_STORE if slow else 1)

    def region(self, run: Training) -> str:
        """Where the run's gang writes."""
        zone = self.machines.nodes[run.nodes[0]].zone
        return self.world.config.zones[zone].region

    def snapshot_ms(self, run: Training) -> int:
        """ms to copy the state from GPU to host memory."""
        rate = self.world.config.snapshot_gbps * len(run.nodes)
        return int(run.config.checkpoint_gb / rate * SECOND)

    def begin(self, run: Training, mode: str, *, manual: bool) -> int | None:
        """Begin a save of a training run: for how many ms the gang stands still; None without room."""
        world = self.world
        region, size = self.region(run), run.config.checkpoint_gb
        if self.used[region] + size > world.config.stores[region].limit_gb:
            world.event("save_failed", f"{run.config.name}: the store is full", wakes=False)
            return None
        stall = done = self.write_ms(run)
        if mode == "async":
            stall = self.snapshot_ms(run)
            done = stall + done * ASYNC_SHARE
        self._add(self._made(run, region, done, manual))
        return stall

    def _add(self, made: Checkpoint) -> None:
        """The checkpoint takes its room from now on and is written after a while."""
        self.all.append(made)
        self.present.append(len(self.all) - 1)
        self.used[made.region] += made.gb
        self.world.agenda.add(self.world.now + made.lasts, Kind.SAVED, len(self.all) - 1)

    def _made(self, run: Training, region: str, lasts: int, manual: bool) -> Checkpoint:
        now, step = self.world.now, run.pace.at(self.world.now)
        run.saves += 1
        made = Checkpoint(
            f"{run.config.name}-{step:06d}-r{run.attempt:02d}",
            run.number,
            step,
            region,
            run.config.checkpoint_gb,
            now,
            self.loss(run),
            lasts,
            sound=run.unsound_at < 0,
            manual=manual,
        )
        if any(made.name == self.all[i].name for i in self.present):
            made.name += f".{run.saves}"
        run.upload = made
        fate = Stream(self.world.seed, f"save {run.config.name} {run.saves}")
        if not fate.chance(self.world.trouble.stale_pointer):
            run.latest = made.name
        return made

    def saved(self, index: int, version: int) -> None:
        made, world = self.all[index], self.world
        if made.state != WRITING or made.gone:
            return
        run, trouble = world.trainings[made.training], world.trouble
        self._store(made, made.gb)
        if run.upload is made:
            run.upload = None
        if "@" in made.name:
            world.event("copied", made.name, wakes=run.state == STOPPED)
            return
        fate = Stream(world.seed, f"written {made.name}")
        failed, corrupt = fate.chance(trouble.failed_save), fate.chance(trouble.corrupt)
        torn = failed and fate.chance(0.5)
        made.whole = not (torn or corrupt)
        made.silent = fate.chance(trouble.silent) and corrupt and not torn
        made.detail = _damage(made, fate)
        world.event("save_failed" if failed else "saved", made.name, wakes=made.manual)

    def _store(self, made: Checkpoint, gb: int) -> None:
        made.state, made.ended_at, made.stored_gb = STORED, self.world.now, gb
        self.used[made.region] += gb - made.gb

    def interrupt(self, run: Training) -> None:
        """The run stopped; what it was writing stays incomplete, at the size it had reached."""
        made, run.upload = run.upload, None
        if made is None or made.state != WRITING or made.gone:
            return
        share = min(0.97, (self.world.now - made.begun_at) / made.lasts)
        made.whole = False
        made.detail = "the save was cut short: the manifest is incomplete"
        self._store(made, int(made.gb * share))

    # -- reading back ----------------------------------------------------------------

    def verify(self, index: int) -> int:
        """Begin to read the checkpoint back; returns the ms that takes."""
        made = self.all[index]
        made.checked = "checking"
        took = int(made.stored_gb / self.world.config.stores[made.region].check * SECOND) + SECOND
        self.world.agenda.add(self.world.now + took, Kind.CHECKED, index)
        return took

    def verified(self, index: int, version: int) -> None:
        made = self.all[index]
        if made.gone:
            return
        made.checked = "good" if made.whole else "bad"
        stopped = self.world.trainings[made.training].state == STOPPED
        self.world.event("checked", made.name, wakes=stopped)

    # -- moving and removing ---------------------------------------------------------

    def copy(self, index: int, region: str) -> bool:
        """Begin a copy to another region, paid at once; False if there is no room for it."""
        world, source = self.world, self.all[index]
        if self.used[region] + source.stored_gb > world.config.stores[region].limit_gb:
            return False
        store = world.config.stores[source.region]
        lasts = int(source.stored_gb / store.copy * SECOND) + SECOND
        made = Checkpoint(
            f"{source.name}@{region}",
            source.training,
            source.step,
            region,
            source.stored_gb,
            world.now,
            source.loss,
            lasts,
            source.whole,
            source.silent,
            source.sound,
            detail=source.detail,
        )
        self._add(made)
        world.record.transfer_usd += made.gb * store.transfer
        return True

    def delete(self, index: int) -> None:
        """Remove a stored checkpoint."""
        made = self.all[index]
        made.gone = True
        self.present.remove(index)
        self.used[made.region] -= made.stored_gb

    # -- what is known ---------------------------------------------------------------

    def best(self, run: Training) -> Checkpoint | None:
        """The good checkpoint with the highest step, wherever it lies."""
        mine = [self.all[i] for i in self.present if self.all[i].training == run.number]
        good = [made for made in mine if made.good]
        return max(good, key=lambda made: made.step) if good else None

    def loss(self, run: Training) -> float:
        """The trainer's smoothed loss in nats: falls with the steps, jumps when weights are lost."""
        step = run.pace.at(self.world.now)
        noise = blake2b(f"{run.config.name} {step // 50}".encode(), digest_size=2).digest()
        shape = 0.92 + 1.25 * exp(-step / (0.2 * run.config.steps))
        jump = 3.4 if run.unsound_at >= 0 else 0.0
        return round(shape + jump + (int.from_bytes(noise, "big") / 65_536 - 0.5) * 0.05, 4)


def _damage(made: Checkpoint, fate: Stream) -> str:
    """What the verifier will say about a checkpoint that is not whole."""
    if made.whole:
        return ""
    shards = 1 + int(fate.unit() * 3)
    if made.silent:
        return f"{shards} of 32 shards do not match their checksum"
    return f"{shards} of 32 shards are missing"
