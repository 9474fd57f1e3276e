"""Runs on their gangs of nodes: joining, training, diverging, stopping, finishing."""

from __future__ import annotations

from collections.abc import Sequence

from scenarios.simulator.agenda import SECOND
from scenarios.simulator.streams import Stream
from scenarios.simulator.world import progress
from scenarios.worlds.front import within
from scenarios.worlds.spot_checkpointing.machines import Machines
from scenarios.worlds.spot_checkpointing.saving import Saving
from scenarios.worlds.spot_checkpointing.state import SpotState
from scenarios.worlds.spot_checkpointing.tables import (
    DONE,
    JOINING,
    RUNNING,
    SAVING,
    STOPPED,
    Checkpoint,
    Kind,
    Resume,
    Training,
)


class Gangs:
    """What happens to the runs; every plan on the agenda carries the run's version."""

    def __init__(self, world: SpotState, machines: Machines, saving: Saving) -> None:
        self.world, self.machines, self.saving = world, machines, saving

    def of(self, number: int, version: int) -> Training | None:
        """The run that a plan is about, unless it has changed since the plan was made."""
        run = self.world.trainings[number]
        return run if run.version == version else None

    # -- coming up -------------------------------------------------------------------

    def launch(self, run: Training, nodes: Sequence[int], checkpoint: Checkpoint | None) -> None:
        """Start the run on free nodes of one zone, from a checkpoint or from the beginning."""
        world, machine = self.world, self.world.machine
        run.attempt += 1
        run.state, run.loading, run.launched_at = JOINING, checkpoint, world.now
        machine.take_at(run.number, tuple((node, machine.per_node) for node in nodes))
        run.version += 1
        self._phase(run, "joining")
        stream = Stream(world.seed, f"join {run.config.name} {run.attempt}")
        due = int(stream.between(world.config.join_low, world.config.join_high))
        if checkpoint is not None:
            due += self._load_time(checkpoint, len(nodes))
        if any(self.machines.nodes[n].mute for n in nodes):
            timeout = world.now + world.config.join_timeout
            world.agenda.add(timeout, Kind.JOIN_TIMEOUT, run.number, run.version)
        else:
            world.agenda.add(world.now + due, Kind.JOINED, run.number, run.version)

    def _load_time(self, checkpoint: Checkpoint, nodes: int) -> int:
        store = self.world.config.stores[checkpoint.region]
        slow = within(self.world.now, self.world.trouble.slow_store)
        return int(checkpoint.gb / (store.read * nodes) * SECOND) * (2 if slow else 1)

    def _phase(self, run: Training, phase: str) -> None:
        for node in run.nodes:
            self.machines.phase(node, phase)

    def join_timeout(self, number: int, version: int) -> None:
        if (run := self.of(number, version)) is None:
            return
        for node in [self.machines.nodes[n] for n in run.nodes]:
            if node.mute:
                node.timeout_at = self.world.now
                self.world.event("join_timeout", node.name, wakes=True)
        self.stop(run, "join timeout")

    def joined(self, number: int, version: int) -> None:
        world = self.world
        if (run := self.of(number, version)) is None:
            return
        source = run.loading
        if source is not None and (source.gone or not (source.whole or source.silent)):
            world.record.failed_loads.append((world.now, source.name))
            world.event("load_failed", source.name, wakes=True)
            self.stop(run, "load failed")
            return
        step = 0 if source is None else source.step
        self._note_resume(run, source, step)
        run.resumed_from = "" if source is None else source.name
        run.unsound_at = -1 if source is None or (source.whole and source.sound) else step
        run.pace.done, run.loading = step, None
        world.event("joined", run.config.name, wakes=False)
        self._run(run)

    def _note_resume(self, run: Training, source: Checkpoint | None, step: int) -> None:
        now, wrong = self.world.now, ""
        if source is None:
            best = self.saving.best(run)
            wrong = "began again though there was a good checkpoint" if best is not None else ""
        elif not source.whole:
            wrong = "resumed from a corrupt checkpoint"
        elif not source.sound:
            wrong = "resumed from a diverged state"
        lost = max(0, run.stop_step - step)
        name = "" if source is None else source.name
        down = now - run.stopped_at
        run.resumes.append(Resume(now, down, name, step, lost, None, wrong, run.forced))
        gpus = run.config.nodes * self.world.config.gpus_per_node
        run.lost_gpu_ms += lost * run.config.step_ms * gpus

    # -- going on --------------------------------------------------------------------

    def _step_ms(self, run: Training) -> int:
        """ms for a step of the gang as it is: as slow as its slowest node."""
        slow = [node for n in run.nodes if (node := self.machines.nodes[n]).slow]
        for node in slow:
            node.used_slow = True
        pace = run.config.step_time(len(run.nodes))
        return pace * self.world.config.slow_percent // 100 if slow else pace

    def _run(self, run: Training) -> None:
        """Steps are made from now on."""
        run.state, run.pace.since = RUNNING, self.world.now
        self._phase(run, "training")
        self._plan(run)

    def _plan(self, run: Training) -> None:
        """Put the run's next save, spikes and end on the agenda at its present pace."""
        agenda, pace = self.world.agenda, run.pace
        pace.units, pace.span = 1, self._step_ms(run)
        run.version += 1

        def plan(step: int, kind: Kind) -> None:
            agenda.add(max(self.world.now, pace.when(step)), kind, run.number, run.version)

        plan(run.config.steps, Kind.FINISHED)
        if run.every:
            target = progress.saved(pace.done, run.every) + run.every
            if target < run.config.steps:
                plan(target, Kind.SAVE_DUE)
        for spike in run.spikes_left:
            if spike > pace.done:
                plan(spike, Kind.DIVERGED)

    def change_pace(self, run: Training) -> None:
        """The gang became slower, or its cadence another: plan anew, keeping what is done."""
        if run.state == RUNNING:
            run.pace.settle(self.world.now)
            self._plan(run)

    def save(self, run: Training, mode: str, *, manual: bool) -> Checkpoint | None:
        """Begin a save, for which the gang stands still; None if the store has no room for it."""
        stall = self.saving.begin(run, mode, manual=manual)
        if stall is None:
            return None
        run.pace.halt(self.world.now)
        run.state = SAVING
        run.version += 1
        self._phase(run, "saving")
        self.world.agenda.add(self.world.now + stall, Kind.STALL_OVER, run.number, run.version)
        return run.upload

    def go_on(self, number: int, version: int) -> None:
        """The stall of a save is over."""
        run = self.of(number, version)
        if run is not None and run.state == SAVING:
            self._run(run)

    def save_due(self, number: int, version: int) -> None:
        world = self.world
        if (run := self.of(number, version)) is None:
            return
        if run.upload is not None:
            run.skipped_saves += 1
        elif self.save(run, run.mode, manual=False):
            return
        again = world.now + run.every * run.step_ms
        world.agenda.add(again, Kind.SAVE_DUE, number, run.version)

    def diverged(self, number: int, version: int) -> None:
        run = self.of(number, version)
        if run is not None and run.spikes_left:
            step = run.pace.at(self.world.now)
            run.spikes_left = [spike for spike in run.spikes_left if spike > step]
            if run.unsound_at < 0:
                run.unsound_at = step
            text = f"the loss of {run.config.name} diverged at step {step:,}"
            self.world.record.timeline.mark(self.world.now, "fault", text)

    # -- ending ----------------------------------------------------------------------

    def finished(self, number: int, version: int) -> None:
        if (run := self.of(number, version)) is None:
            return
        self._end(run, DONE, "finished")
        run.finished_at = run.stopped_at = self.world.now
        run.stop_step = run.config.steps
        self.world.event("finished", run.config.name, wakes=True)

    def lose(self, node: int) -> None:
        """The node leaves; a gang on it stops."""
        if (run := self.machines.run_on(node)) is not None:
            self.stop(run, "node lost")

    def stop(self, run: Training, reason: str) -> None:
        """The run stops at once; what it was writing stays incomplete."""
        if run.trains:
            run.stop_step, run.stopped_at = run.pace.at(self.world.now), self.world.now
            run.forced = self._interrupted(run)
        self.saving.interrupt(run)
        self._end(run, STOPPED, reason)
        self.world.event("stopped", run.config.name, wakes=reason != "stopped")

    def _interrupted(self, run: Training) -> bool:
        """Whether the cloud took or called back a node of the gang since it was launched."""
        held = [self.machines.nodes[n] for n in run.nodes]
        return any(max(node.down_at, node.notice_at) >= run.launched_at for node in held)

    def _end(self, run: Training, state: str, reason: str) -> None:
        """The gang's nodes are free again."""
        run.pace.halt(self.world.now)
        self._phase(run, "idle")
        self.world.machine.give(run.number, 0)
        run.state, run.loading, run.reason = state, None, reason
        run.version += 1
