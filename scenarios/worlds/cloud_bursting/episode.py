"""A period as its broker meets it: several clouds behind one API with limits, delays and faults."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scenarios.simulator.streams import Stream
from scenarios.worlds.cloud_bursting import facts, views
from scenarios.worlds.cloud_bursting.broker import Broker
from scenarios.worlds.cloud_bursting.shape import TICK, BurstConfig
from scenarios.worlds.cloud_bursting.sketch import SERIES
from scenarios.worlds.cloud_bursting.watch import Watch
from scenarios.worlds.cloud_bursting.workload import JobSpec
from scenarios.worlds.cloud_bursting.world import BurstWorld
from scenarios.worlds.front import Front
from scenarios.worlds.refusal import Refused

READS, WRITES = 60, 40
"""Calls that a tick of five minutes allows."""


class Episode:
    """One period: the broker's calls in, plain answers out. Raises `Refused`.

    With `faults` off the API never times out, lags or throttles; clouds still fail, fill up and
    take instances away.
    """

    def __init__(
        self, config: BurstConfig, specs: list[JobSpec], seed: str, *, faults: bool = True
    ) -> None:
        self.config = config
        self.world = BurstWorld(config, specs, seed)
        self.broker = Broker(self.world)
        self.watch = Watch(self.world, self.broker)
        self.front = Front(
            config.faults, Stream(seed, "api"), self.world.sketch.mark,
            reads_per_tick=READS, writes_per_tick=WRITES, on=faults,
        )  # fmt: skip
        self._told = 0
        self.world.advance(0)
        self._sample()

    @property
    def complete(self) -> bool:
        """Whether the period is over."""
        return self.world.now >= self.config.length

    @property
    def now(self) -> int:
        """Seconds since the period began."""
        return self.world.now // 1000

    # -- time ------------------------------------------------------------------------

    def tick(self) -> dict[str, object]:
        """Let five minutes pass; answers the time in s, whether it is over, and what was submitted."""
        if self.complete:
            raise Refused("over", "The period is over; there is nothing left to broker.")
        self._pass()
        self.front.next_tick(self.world.now)
        fresh = self.world.events[self._told :]
        self._told += len(fresh)
        news = [[at // 1000, kind, subject] for at, kind, subject in fresh]
        return {"t": self.now, "done": self.complete, "events": news}

    def run_out(self) -> None:
        """Let the rest of the period pass with nobody in control."""
        while not self.complete:
            self._pass()
            self.front.thaw(self.world.now)

    def _pass(self) -> None:
        self.watch.look()
        self.world.advance(self.world.now + TICK)
        self._sample()

    def _sample(self) -> None:
        world, market = self.world, self.world.market
        waiting, pending = [0, 0, 0], 0
        for job in range(world.jobs.seen):
            if world.jobs.true_state[job] in ("queued", "interrupted"):
                spec = world.jobs.spec[job]
                waiting[spec.priority] += 1
                pending += spec.gpus * spec.limit
        now, remotes = world.now, len(self.config.remotes)
        gpus = [world.used(number) if number < remotes else 0 for number in range(2)]
        prices = [market.price(number, now) if number < remotes else 0.0 for number in range(2)]
        row = [
            *waiting, round(pending / 3_600_000, 1), self.config.threshold_gpu_hours,
            sum(run.gpus for run in world.running.values()), *gpus,
            round(0.7 * market.price(-1, now), 4), *prices,
            round(world.compute_usd + world.transfer_usd, 2),
        ]  # fmt: skip
        world.sketch.timeline.sample(now, row)

    # -- reads -----------------------------------------------------------------------

    def _read(self, what: str, build: Callable[[], object]) -> object:
        return self.front.read(self.world.now, what, build)

    def jobs(self) -> object:
        """Jobs of the submission queue whose published state is not final."""
        return self._read("jobs", lambda: views.job_rows(self.world))

    def clouds(self) -> object:
        """Prices, room and software of every cloud."""
        return self._read("clouds", lambda: views.cloud_rows(self.world))

    def budgets(self) -> object:
        """What was booked and spent against each limit."""
        return self._read("budgets", lambda: views.budget_rows(self.world, self.broker.ledger))

    def runs(self, cloud: str) -> object:
        """A cloud's own list of our runs."""
        number = self.broker.cloud(cloud)

        def rows() -> list[list[object]]:
            self.broker.answering(number)
            return views.run_rows(self.world, number)

        return self._read(f"runs of {cloud}", rows)

    def quote(self, cloud: str, job: int) -> object:
        """What a burst of the job would cost."""

        def row() -> list[object]:
            return views.quote_row(cloud, job, self.broker.quote(cloud, job))

        return self._read(f"quote of {cloud} for job {job}", row)

    def run_log(self, cloud: str, run: str, offset: int) -> object:
        """A run's log from `offset` on, copied into its job's one log."""
        what = f"log of {run} in {cloud} from {offset}"
        return self._read(what, lambda: self.broker.logs(cloud, run, offset))

    # -- writes ----------------------------------------------------------------------

    def submit(self, job: int, cloud: str, key: str) -> object:
        """Start a run of the job in a cloud, once for each key."""
        act = lambda: self.broker.place(job, cloud, key)  # noqa: E731
        return self.front.write(self.world.now, "submit", f"job {job}", act)

    def cancel_run(self, cloud: str, run: str) -> object:
        """End a run."""
        act = lambda: self.broker.cancel(cloud, run)  # noqa: E731
        return self.front.write(self.world.now, "cancel", f"{run} in {cloud}", act)

    def publish(self, job: int, status: str, since: int) -> object:
        """Tell a job's owner where it is."""
        act = lambda: self.broker.publish(job, status, since)  # noqa: E731
        return self.front.write(self.world.now, "publish", f"job {job}", act)

    def log(self, text: str) -> object:
        """A line for the timeline."""
        self.world.sketch.timeline.log(self.world.now, text)
        return None

    # -- afterwards ------------------------------------------------------------------

    def figures(self) -> dict[str, Any]:
        """Raw figures of the period so far (see `facts.figures`)."""
        lost = self.front.incidents(TICK // 1000)
        raw = facts.figures(self.world, self.broker, self.watch, lost)
        raw["calls_refused_by_rate"] = self.front.limited
        return {**raw, "ticks": self.front.ticks}

    def replay(self) -> dict[str, Any]:
        """What happened, to be drawn."""
        names = {shape.name for shape in self.config.remotes}
        absent = {"kestrel", "plover"} - names
        shown = [one for one in SERIES if one.key.rsplit("_", 1)[-1] not in absent]
        return self.world.sketch.timeline.replay(shown, self.world.now)
