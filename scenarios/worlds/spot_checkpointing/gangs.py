"""Runs on their gangs of nodes: joining, training, diverging, stopping, finishing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from scenarios.simulator.agenda import SECOND
from scenarios.simulator.streams import Stream
from scenarios.worlds.front import within
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

if TYPE_CHECKING:
    from scenarios.worlds.spot_checkpointing.world import SpotWorld


class Gangs:
    """What happens to the runs; every plan on the agenda carries the run's version."""

    def __init__(self, world: SpotWorld) -> None:
        self.world = world

    # -- coming up -------------------------------------------------------------------

    def launch(self, number: int, nodes: Sequence[int], checkpoint: Checkpoint | None) -> None:
        """Start the run on free nodes of one zone, from a checkpoint or from the beginning."""
        world, run = self.world, self.world.trainings[number]
        run.attempt += 1
        run.state, run.loading, run.launched_at = JOINING, checkpoint, world.now
        run.nodes = list(nodes)
        run.version += 1
        self._hold(number, "joining")
        stream = Stream(world.seed, f"join {run.config.name} {run.attempt}")
        due = int(stream.between(world.config.join_low, world.config.join_high))
        if checkpoint is not None:
            due += self._load_time(checkpoint, len(nodes))
        if any(world.machines.nodes[n].mute for n in nodes):
            timeout = world.now + world.config.join_timeout
            world.agenda.add(timeout, Kind.JOIN_TIMEOUT, number, run.version)
        else:
            world.agenda.add(world.now + due, Kind.JOINED, number, run.version)

    def _load_time(self, checkpoint: Checkpoint, nodes: int) -> int:
        store = self.world.config.stores[checkpoint.region]
        slow = within(self.world.now, self.world.trouble.slow_store)
        return int(checkpoint.gb / (store.read * nodes) * SECOND) * (2 if slow else 1)

    def _hold(self, number: int, phase: str) -> None:
        for node in self.world.trainings[number].nodes:
            self.world.machines.nodes[node].training = number
            self.world.machines.phase(node, phase)

    def join_timeout(self, number: int, version: int) -> None:
        run = self.world.trainings[number]
        if version != run.version:
            return
        for node in [self.world.machines.nodes[n] for n in run.nodes]:
            if node.mute:
                node.timeout_at = self.world.now
                self.world.event("join_timeout", node.name, wakes=True)
        self.stop(number, "join timeout")

    def joined(self, number: int, version: int) -> None:
        run, world = self.world.trainings[number], self.world
        if version != run.version:
            return
        source = run.loading
        if source is not None and (source.gone or not (source.whole or source.silent)):
            world.record.failed_loads.append((world.now, source.name))
            world.event("load_failed", source.name, wakes=True)
            self.stop(number, "load failed")
            return
        step = 0 if source is None else source.step
        self._note_resume(run, source, step)
        run.resumed_from = "" if source is None else source.name
        run.unsound_at = -1 if source is None or (source.whole and source.sound) else step
        run.state, run.step0, run.since = RUNNING, step, world.now
        run.loading = None
        self._hold(number, "training")
        world.event("joined", run.config.name, wakes=False)
        self._plan(number)

    def _note_resume(self, run: Training, source: Checkpoint | None, step: int) -> None:
        now, wrong = self.world.now, ""
        if source is None:
            best = self.world.saving.best(run)
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

    def _pace(self, run: Training) -> int:
        slow = [node for n in run.nodes if (node := self.world.machines.nodes[n]).slow]
        for node in slow:
            node.used_slow = True
        pace = run.config.step_time(len(run.nodes))
        return pace * self.world.config.slow_percent // 100 if slow else pace

    def _plan(self, number: int) -> None:
        """Put the run's next save, spikes and end on the agenda at its present pace."""
        run, agenda, now = self.world.trainings[number], self.world.agenda, self.world.now
        run.step_ms = self._pace(run)
        run.version += 1

        def when(step: int) -> int:
            return max(now, run.since + (step - run.step0) * run.step_ms)

        agenda.add(when(run.config.steps), Kind.FINISHED, number, run.version)
        if run.every:
            target = (run.step0 // run.every + 1) * run.every
            if target < run.config.steps:
                agenda.add(when(target), Kind.SAVE_DUE, number, run.version)
        for spike in run.spikes_left:
            if spike > run.step0:
                agenda.add(when(spike), Kind.DIVERGED, number, run.version)

    def change_pace(self, number: int) -> None:
        """The gang became slower, or its cadence another: plan anew, keeping what is done."""
        run = self.world.trainings[number]
        if run.state == RUNNING:
            done = run.step(self.world.now)
            run.since += (done - run.step0) * run.step_ms
            run.step0 = done
            self._plan(number)

    def pause(self, number: int) -> None:
        """The gang stands still while it saves."""
        run = self.world.trainings[number]
        run.step0, run.since = run.step(self.world.now), self.world.now
        run.state = SAVING
        run.version += 1
        self._hold(number, "saving")

    def go_on(self, number: int, version: int) -> None:
        """The stall of a save is over."""
        run = self.world.trainings[number]
        if version == run.version and run.state == SAVING:
            run.state, run.since = RUNNING, self.world.now
            self._hold(number, "training")
            self._plan(number)

    def save_due(self, number: int, version: int) -> None:
        run, world = self.world.trainings[number], self.world
        if version != run.version:
            return
        if run.upload is not None:
            run.skipped_saves += 1
        elif world.saving.begin(number, run.mode, manual=False):
            return
        again = world.now + run.every * run.step_ms
        world.agenda.add(again, Kind.SAVE_DUE, number, run.version)

    def diverged(self, number: int, version: int) -> None:
        run = self.world.trainings[number]
        if version == run.version and run.spikes_left:
            step = run.step(self.world.now)
            run.spikes_left = [spike for spike in run.spikes_left if spike > step]
            if run.unsound_at < 0:
                run.unsound_at = step
            text = f"the loss of {run.config.name} diverged at step {step:,}"
            self.world.record.timeline.mark(self.world.now, "fault", text)

    # -- ending ----------------------------------------------------------------------

    def finished(self, number: int, version: int) -> None:
        run = self.world.trainings[number]
        if version != run.version:
            return
        self._let_go(number)
        run.state, run.step0, run.finished_at = DONE, run.config.steps, self.world.now
        run.stop_step, run.stopped_at, run.reason = run.step0, self.world.now, "finished"
        run.version += 1
        self.world.event("finished", run.config.name, wakes=True)

    def lose(self, node: int) -> None:
        """The node leaves; a gang on it stops."""
        number = self.world.machines.nodes[node].training
        if number >= 0:
            self.stop(number, "node lost")

    def stop(self, number: int, reason: str) -> None:
        """The run stops at once; what it was writing stays incomplete."""
        run, now = self.world.trainings[number], self.world.now
        if run.state in (RUNNING, SAVING):
            run.step0 = run.stop_step = run.step(now)
            run.stopped_at, run.forced = now, self._interrupted(run)
        self.world.saving.interrupt(run)
        self._let_go(number)
        run.state, run.loading, run.reason = STOPPED, None, reason
        run.version += 1
        self.world.event("stopped", run.config.name, wakes=reason != "stopped")

    def _interrupted(self, run: Training) -> bool:
        """Whether the cloud took or called back a node of the gang since it was launched."""
        held = [self.world.machines.nodes[n] for n in run.nodes]
        return any(max(node.down_at, node.notice_at) >= run.launched_at for node in held)

    def _let_go(self, number: int) -> None:
        run, machines = self.world.trainings[number], self.world.machines
        for node in run.nodes:
            machines.phase(node, "idle")
            machines.nodes[node].training = -1
        run.nodes = []
