"""The spot training cluster itself: what happens by itself, moment by moment; no controller rule."""

from __future__ import annotations

from collections.abc import Callable

from scenarios.simulator.agenda import MINUTE
from scenarios.worlds.spot_checkpointing.config import ClusterConfig, Trouble
from scenarios.worlds.spot_checkpointing.gangs import Gangs
from scenarios.worlds.spot_checkpointing.machines import Machines
from scenarios.worlds.spot_checkpointing.saving import Saving
from scenarios.worlds.spot_checkpointing.state import SpotState
from scenarios.worlds.spot_checkpointing.tables import DONE, Kind, NodeState, Training

SAMPLE_EVERY = 5 * MINUTE
SAFE_WITHIN = 5 * MINUTE
"""A reclaim may cost no more than this much work if its notice was answered."""
FULL_FOR = 60 * MINUTE


class SpotWorld(SpotState):
    """One workload. Same configuration, trouble, seed and actions: same history.

    What happens to the n-th node of a pool and to the n-th save of a run is drawn from the
    seed and n, so two controllers that do as much meet the same fate.
    """

    def __init__(self, config: ClusterConfig, trouble: Trouble, seed: str) -> None:
        super().__init__(config, trouble, seed)
        self.machines = Machines(self)
        self.saving = Saving(self, self.machines)
        self.gangs = Gangs(self, self.machines, self.saving)
        self._over_quota_since: dict[str, int] = {}
        self._handlers = self._handler_table()
        for index, wave in enumerate(trouble.waves):
            self.agenda.add(wave.at, Kind.WAVE, index)
        for run in self.trainings:
            self.agenda.add(run.config.deadline, Kind.DEADLINE, run.number)
        self.agenda.add(0, Kind.SAMPLE, 0)

    def _handler_table(self) -> dict[int, Callable[[int, int], None]]:
        machines, gangs, saving = self.machines, self.gangs, self.saving
        return {
            Kind.FINISHED: gangs.finished,
            Kind.SAVE_DUE: gangs.save_due,
            Kind.STALL_OVER: gangs.go_on,
            Kind.SAVED: saving.saved,
            Kind.CHECKED: saving.verified,
            Kind.JOINED: gangs.joined,
            Kind.JOIN_TIMEOUT: gangs.join_timeout,
            Kind.DIVERGED: gangs.diverged,
            Kind.NODE_DOWN: self.node_down,
            Kind.NODE_SLOW: self.node_slow,
            Kind.WAVE: machines.wave,
            Kind.NOTICE: machines.notice,
            Kind.RECLAIM: self._reclaim,
            Kind.START_FAILED: machines.start_failed,
            Kind.NODE_READY: machines.ready,
            Kind.DEADLINE: self._deadline,
            Kind.SAMPLE: self._sample,
        }

    # -- time ------------------------------------------------------------------------

    def advance(self, until: int, *, wake: bool) -> None:
        """Let everything due by `until` ms happen, or all up to the first event that wakes."""
        self.woken = False
        while (event := self.agenda.take(until)) is not None:
            self.now = event[0]
            self._handlers[event[1]](event[3], event[4])
            if wake and self.woken and self.agenda.next_time() != self.now:
                return
        self.now = until

    # -- nodes that leave or limp, and their gangs -------------------------------------

    def _reclaim(self, number: int, version: int) -> None:
        node = self.machines.nodes[number]
        self._judge_notices(node.name)
        if node.state != NodeState.GONE:
            self.event("reclaimed", node.name, wakes=True)
            self.gangs.lose(number)
            self.machines.remove(number, self.now)

    def node_down(self, number: int, version: int) -> None:
        node = self.machines.nodes[number]
        if node.state != NodeState.READY:
            return
        node.state, node.down_at = NodeState.DOWN, self.now
        self.event("node_down", node.name, wakes=True)
        self.gangs.lose(number)
        self.machine.take_out(number)
        self.machines.phase(number, "down")

    def node_slow(self, number: int, version: int) -> None:
        node = self.machines.nodes[number]
        if node.state == NodeState.READY:
            node.slow, node.slow_at = True, self.now
            if (run := self.machines.run_on(number)) is not None:
                self.gangs.change_pace(run)

    def give_back(self, number: int) -> str:
        """The controller returns a node; it costs at least the shortest charge."""
        node = self.machines.nodes[number]
        self.gangs.lose(number)
        least = node.asked_at + self.config.least_charge
        self.machines.remove(number, max(self.now, least))
        return node.name

    # -- what is noted ---------------------------------------------------------------

    def _judge_notices(self, node: str) -> None:
        """The two minutes are up: was the work of the gang that held `node` safe?"""
        for notice in self.record.notices:
            if notice.node != node or notice.handled is not None:
                continue
            run = self.trainings[notice.training]
            best = self.saving.best(run)
            allowed = SAFE_WITHIN // max(1, run.step_ms) + 1
            safe = best is not None and best.step >= notice.step - allowed
            notice.handled = safe or run.state == DONE

    def valid(self, run: Training) -> int:
        """Steps that would be there if the run had to go on elsewhere now."""
        if run.unsound_at < 0 and (run.trains or run.state == DONE):
            return run.pace.at(self.now)
        best = self.saving.best(run)
        return best.step if best is not None else 0

    def on_time_pct(self, run: Training) -> float:
        """Share of the run's steps that were there at its deadline."""
        reached = self.valid(run) if run.valid_at_deadline < 0 else run.valid_at_deadline
        return 100 * reached / run.config.steps

    def _deadline(self, number: int, version: int) -> None:
        run = self.trainings[number]
        run.valid_at_deadline = self.valid(run)
        if run.state != DONE:
            self.record.rule(self.now, f"{run.config.name} missed its deadline")

    def spend(self) -> float:
        """USD so far: nodes and data moved between regions."""
        return self.machines.spend() + self.record.transfer_usd

    def _sample(self, subject: int, version: int) -> None:
        self.agenda.add(self.now + SAMPLE_EVERY, Kind.SAMPLE, 0)
        self._look_at_stores()
        if self.config.budget and self.spend() > self.config.budget:
            self.record.rule(
                self.now, f"spent more than the budget of {self.config.budget:,.0f} USD"
            )
        self.record.timeline.sample(self.now, self._values())

    def _look_at_stores(self) -> None:
        bare = any(run.state != DONE and self.saving.best(run) is None for run in self.trainings)
        full = any(self.saving.used[name] > s.quota_gb for name, s in self.config.stores.items())
        self.record.store_ms += SAMPLE_EVERY * (bare or full)
        for region, store in self.config.stores.items():
            over = self.saving.used[region] - store.quota_gb
            if over <= 0:
                self._over_quota_since.pop(region, None)
                continue
            self.record.over_quota_gb_ms += over * SAMPLE_EVERY
            since = self._over_quota_since.setdefault(region, self.now)
            if self.now - since >= FULL_FOR:
                self.record.rule(self.now, f"the store {region} was over its quota for an hour")

    def _values(self) -> tuple[float, ...]:
        machines, config, runs = self.machines, self.config, self.trainings
        alive = [machines.nodes[number] for number in machines.alive]
        ready = [node for node in alive if node.state == NodeState.READY]
        spot = sum(node.spot for node in ready)
        shares = [run.pace.at(self.now) / run.config.steps for run in runs]
        pace = [min(1.0, self.now / run.config.deadline) for run in runs]
        done = sum(share * run.config.steps for share, run in zip(shares, runs, strict=True))
        whole = sum(run.config.steps for run in runs)
        paid = [self.paths[node.zone][node.spot].at(self.now) for node in ready]
        return (
            round(100 * sum(shares) / len(runs), 3),
            round(100 * sum(self._held(run) for run in runs) / len(runs), 3),
            round(100 * sum(pace) / len(runs), 3),
            spot,
            len(ready) - spot,
            sum(node.state == NodeState.STARTING for node in alive),
            sum(len(run.nodes) for run in runs if run.trains) * config.gpus_per_node,
            len(alive) * config.gpus_per_node,
            round(self.spend(), 2),
            round(config.ondemand_cost * done / whole, 2),
            min(path.at(self.now) for _, path in self.paths),
            round(sum(paid) / len(paid), 4) if paid else 0.0,
            sum(self.saving.used.values()),
            sum(store.quota_gb for store in config.stores.values()),
            self.saving.loss(runs[0]),
        )

    def _held(self, run: Training) -> float:
        """The part of the run's steps that a good checkpoint holds."""
        if run.state == DONE:
            return 1.0
        best = self.saving.best(run)
        return 0.0 if best is None else best.step / run.config.steps
