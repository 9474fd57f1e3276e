"""What a controller can do to runs, nodes and checkpoints when nothing goes wrong on the way."""

from __future__ import annotations

from dataclasses import dataclass

from scenarios.simulator.agenda import MINUTE
from scenarios.worlds.refusal import Refused
from scenarios.worlds.spot_checkpointing.config import ONDEMAND, SPOT, ZoneConfig
from scenarios.worlds.spot_checkpointing.tables import (
    JOINING,
    RUNNING,
    STOPPED,
    WRITING,
    Checkpoint,
    NodeState,
    Resume,
    Training,
)
from scenarios.worlds.spot_checkpointing.world import SpotWorld

PROVE_WITHIN = 15 * MINUTE
"""How long after a resume its proof may be filed."""
CHECKS_AT_ONCE = 4
"""Checkpoints the verifier reads at the same time."""


@dataclass
class Controls:
    """The verbs. Each raises `Refused` (invalid, not_found, conflict) with a sentence."""

    world: SpotWorld

    # -- finding things --------------------------------------------------------------

    def pool(self, name: str) -> tuple[int, ZoneConfig, bool]:
        """Zone number, zone and whether the pool is spot."""
        for number, zone in enumerate(self.world.config.zones):
            for kind in (SPOT, ONDEMAND):
                if name == f"{kind}-{zone.name}":
                    return number, zone, kind == SPOT
        names = ", ".join(pool_names(self.world))
        raise Refused("not_found", f"There is no pool {name[:60]!r}; the pools are: {names}.")

    def node(self, name: str) -> int:
        """The number of a node that is not gone."""
        nodes = self.world.machines.nodes
        for number in self.world.machines.alive:
            if nodes[number].name == name:
                return number
        raise Refused("not_found", f"There is no node {name[:60]!r} now; it may have been removed.")

    def training(self, name: str) -> Training:
        """The run of that name."""
        runs = {run.config.name: run for run in self.world.trainings}
        if name not in runs:
            known = ", ".join(runs)
            raise Refused("not_found", f"There is no training {name[:60]!r}; there is {known}.")
        return runs[name]

    def written(self, name: str) -> tuple[int, Checkpoint]:
        """A checkpoint that is there and complete, or as complete as it will ever be."""
        saving = self.world.saving
        index = next((one for one in saving.present if saving.all[one].name == name), -1)
        if index < 0:
            gone = f"There is no checkpoint {name[:60]!r}; it may have been deleted."
            raise Refused("not_found", gone)
        if saving.all[index].state == WRITING:
            raise Refused("conflict", f"{name} is still being written.")
        return index, saving.all[index]

    # -- nodes -----------------------------------------------------------------------

    def scale(self, name: str, size: int, share: float = 1.0) -> dict[str, object]:
        """Bring a pool to `size` nodes: start what is missing, give back what is in no gang.

        `share` is the part of the missing nodes that the provider has, 0 to 1.
        """
        number, zone, spot = self.pool(name)
        most = zone.spot_most if spot else zone.ondemand_most
        if not 0 <= size <= most:
            raise Refused("invalid", f"Pool {name} takes 0 to {most} nodes, not {size}.")
        machines = self.world.machines
        before = len(machines.members(number, spot))
        launched = int(max(0, size - before) * share)
        for _ in range(launched):
            machines.launch(number, spot)
        spare = self._removable(number, spot)[: max(0, before - size)]
        removed = [self.world.give_back(node) for node in spare]
        after = len(machines.members(number, spot))
        if launched or removed:
            self._mark(f"{name}: {before} to {after} nodes")
        return {
            "pool": name,
            "asked": size,
            "size": after,
            "launched": launched,
            "removed": removed,
        }

    def _removable(self, zone: int, spot: bool) -> list[int]:
        """Nodes outside gangs: down, then noticed, then idle, then starting; newest first."""
        machines = self.world.machines

        def rank(number: int) -> int:
            node = machines.nodes[number]
            if node.state == NodeState.READY:
                return 1 if node.notice_at >= 0 else 2
            return 0 if node.state == NodeState.DOWN else 3

        free = [n for n in machines.members(zone, spot) if machines.run_on(n) is None]
        return sorted(free, key=lambda n: (rank(n), -n))

    def release(self, name: str) -> dict[str, object]:
        """Give one node back that is in no gang."""
        number = self.node(name)
        if (run := self.world.machines.run_on(number)) is not None:
            held = f"{name} is in the gang of {run.config.name}"
            raise Refused("conflict", f"{held}; stop that first.")
        self.world.give_back(number)
        return {"node": name}

    # -- runs ------------------------------------------------------------------------

    def launch(self, name: str, nodes: list[str], checkpoint: str) -> dict[str, object]:
        """Start a stopped run on a gang, from a checkpoint or, with an empty name, from step 0."""
        run = self.training(name)
        if run.state != STOPPED:
            raise Refused("conflict", f"{name} is {run.state}; only a stopped run can be launched.")
        least, most = run.config.least, run.config.most
        if not least <= len(set(nodes)) == len(nodes) <= most:
            wanted = f"{least}" if least == most else f"{least} to {most}"
            raise Refused("invalid", f"{name} takes {wanted} different nodes.")
        gang = [self.node(node) for node in nodes]
        region = self._one_zone(gang)
        source = self._loadable(checkpoint, run, region) if checkpoint else None
        self.world.gangs.launch(run, gang, source)
        self._mark(f"launch {name} on {len(gang)} nodes from {checkpoint or 'the beginning'}")
        return {"training": name, "checkpoint": checkpoint, "nodes": nodes}

    def _one_zone(self, gang: list[int]) -> str:
        """The region of a gang whose nodes are free, up and in one zone."""
        machines = self.world.machines
        found = [machines.nodes[n] for n in gang]
        for number, node in zip(gang, found, strict=True):
            if node.state != NodeState.READY:
                state = node.state.name.lower()
                raise Refused("conflict", f"{node.name} is {state}; a gang takes ready nodes.")
            if machines.run_on(number) is not None:
                raise Refused("conflict", f"{node.name} is already in a gang.")
        if len({node.zone for node in found}) != 1:
            raise Refused("conflict", "A gang must lie in one zone: its nodes share a fabric.")
        return self.world.config.zones[found[0].zone].region

    def _loadable(self, name: str, run: Training, region: str) -> Checkpoint:
        _, made = self.written(name)
        if made.training != run.number:
            raise Refused("conflict", f"{name} is not a checkpoint of {run.config.name}.")
        if made.region != region:
            raise Refused("conflict", f"{name} lies in {made.region}; the gang is in {region}.")
        return made

    def stop(self, name: str) -> dict[str, object]:
        """Stop a run at once, without saving; its nodes are free again."""
        run = self.training(name)
        if run.state != JOINING and not run.trains:
            raise Refused("conflict", f"{name} is {run.state}.")
        self.world.gangs.stop(run, "stopped")
        return {"training": name, "step": run.stop_step}

    def set_cadence(self, name: str, every: int, mode: str) -> dict[str, object]:
        """Save every so many steps (0: never), sync or async, from now on."""
        run = self.training(name)
        if every and not 10 <= every <= run.config.steps:
            raise Refused("invalid", f"every is 0 or from 10 to {run.config.steps} steps.")
        if (every, mode) != (run.every, run.mode):
            run.every, run.mode = every, mode
            self.world.gangs.change_pace(run)
        return {"training": name, "every": every, "mode": mode}

    # -- checkpoints -----------------------------------------------------------------

    def save(self, name: str, mode: str) -> dict[str, object]:
        """Begin a save now."""
        run = self.training(name)
        if run.state != RUNNING:
            raise Refused("conflict", f"{name} is {run.state}; only a training run can be saved.")
        if run.upload is not None:
            raise Refused("conflict", f"{run.upload.name} is still being written.")
        made = self.world.gangs.save(run, mode, manual=True)
        if made is None:
            raise Refused("conflict", "The store is at its hard limit; delete something first.")
        return {"checkpoint": made.name}

    def verify(self, name: str) -> dict[str, object]:
        """Begin to read a checkpoint back and compare it with its checksums."""
        saving, (index, made) = self.world.saving, self.written(name)
        if made.checked:
            return {"checkpoint": name, "seconds": 0}
        busy = sum(saving.all[i].checked == "checking" for i in saving.present)
        if busy >= CHECKS_AT_ONCE:
            raise Refused("conflict", f"The verifier reads {CHECKS_AT_ONCE} checkpoints already.")
        return {"checkpoint": name, "seconds": saving.verify(index) // 1000}

    def replicate(self, name: str, region: str) -> dict[str, object]:
        """Begin to copy a checkpoint to another region's store."""
        saving, stores = self.world.saving, self.world.config.stores
        if region not in stores:
            known = ", ".join(stores)
            raise Refused("not_found", f"There is no region {region[:60]!r}; there is {known}.")
        index, made = self.written(name)
        twin = f"{name}@{region}"
        if made.region == region or any(saving.all[i].name == twin for i in saving.present):
            raise Refused("conflict", f"{name} is in {region} already, or on its way there.")
        if not saving.copy(index, region):
            raise Refused("conflict", f"The store of {region} is at its hard limit.")
        self._mark(f"copy {name} to {region}")
        return {"checkpoint": twin}

    def delete(self, name: str) -> dict[str, object]:
        """Remove a checkpoint."""
        index, made = self.written(name)
        if any(run.loading is made for run in self.world.trainings):
            raise Refused("conflict", f"{name} is being loaded.")
        self.world.saving.delete(index)
        return {"checkpoint": name}

    def record_resume(self, name: str, checkpoint: str, step: int, lost_steps: int) -> object:
        """File the proof of the newest resume; the first filing counts."""
        run = self.training(name)
        last = run.resumes[-1] if run.resumes else None
        if last is None or not last.checkpoint:
            raise Refused("conflict", f"{name} has not resumed from a checkpoint.")
        if last.proven is None:
            last.proven = self._proves(last, checkpoint, step, lost_steps)
            self._mark(f"{name}: resumed from step {step:,}, {lost_steps:,} steps to repeat")
        return {"training": name, "resumed_at": last.at // 1000}

    def _proves(self, last: Resume, checkpoint: str, step: int, lost: int) -> bool:
        true = (checkpoint, step, lost) == (last.checkpoint, last.step, last.lost)
        if not true:
            self.world.record.rule(self.world.now, "filed a proof of resume that is not true")
        return true and self.world.now - last.at <= PROVE_WITHIN

    def _mark(self, text: str) -> None:
        self.world.record.timeline.mark(self.world.now, "action", text)


def pool_names(world: SpotWorld) -> list[str]:
    """The pools in the order they are shown."""
    return [f"{kind}-{zone.name}" for zone in world.config.zones for kind in (SPOT, ONDEMAND)]
