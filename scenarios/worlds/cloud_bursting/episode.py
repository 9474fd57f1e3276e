"""A period as its broker meets it: several clouds behind one API."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scenarios.worlds.checks import is_count, is_name, is_one_of
from scenarios.worlds.cloud_bursting import facts, views
from scenarios.worlds.cloud_bursting.broker import STATES, Broker
from scenarios.worlds.cloud_bursting.shape import TICK, BurstConfig
from scenarios.worlds.cloud_bursting.sketch import SERIES
from scenarios.worlds.cloud_bursting.watch import Watch
from scenarios.worlds.cloud_bursting.workload import JobSpec
from scenarios.worlds.cloud_bursting.world import BurstWorld
from scenarios.worlds.episode import Episode as AnyEpisode
from scenarios.worlds.episode import Event, Read, Write, takes
from scenarios.worlds.front import Incident


class Episode(AnyEpisode):
    """One period of ticks of five minutes.

    With `faults` off clouds still fail, fill up and take instances away.
    """

    reads_per_tick, writes_per_tick = 60, 40
    over = "The period is over; there is nothing left to broker."
    config: BurstConfig
    world: BurstWorld

    def __init__(
        self, config: BurstConfig, specs: list[JobSpec], seed: str, *, faults: bool = True
    ) -> None:
        world = BurstWorld(config, specs, seed)
        self.broker = Broker(world)
        timeline = world.sketch.timeline
        super().__init__(config, world, self.broker, timeline, config.faults, seed, faults=faults)
        absent = {"kestrel", "plover"} - {shape.name for shape in config.remotes}
        self.series = [one for one in SERIES if one.key.rsplit("_", 1)[-1] not in absent]
        self.watch = Watch(world, self.broker)
        world.advance(0)
        self._sample()

    def advance(self, *, watched: bool) -> None:
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
            *waiting,
            round(pending / 3_600_000, 1),
            self.config.threshold_gpu_hours,
            sum(run.gpus for run in world.running.values()),
            *gpus,
            round(0.7 * market.price(-1, now), 4),
            *prices,
            round(world.compute_usd + world.transfer_usd, 2),
        ]
        world.sketch.timeline.sample(now, row)

    def happened(self) -> Sequence[Event]:
        return self.world.events

    def facts(self, lost: list[Incident]) -> dict[str, Any]:
        return facts.figures(self.world, self.broker, self.watch, lost)

    jobs = Read(views.job_rows)
    clouds = Read(views.cloud_rows)

    @takes()
    def budgets(self) -> object:
        """What was booked and spent against each limit."""
        return self.read("budgets", lambda: views.budget_rows(self.world, self.broker.ledger))

    @takes(cloud=is_name)
    def runs(self, cloud: str) -> object:
        """A cloud's own list of our runs."""
        number = self.broker.cloud(cloud)

        def rows() -> list[list[object]]:
            self.broker.answering(number)
            return views.run_rows(self.world, number)

        return self.read(f"runs of {cloud}", rows)

    @takes(cloud=is_name, job=is_count)
    def quote(self, cloud: str, job: int) -> object:
        """What a burst of the job would cost."""

        def row() -> list[object]:
            return views.quote_row(cloud, job, self.broker.quote(cloud, job))

        return self.read(f"quote of {cloud} for job {job}", row)

    @takes(cloud=is_name, run=is_name, offset=is_count)
    def run_log(self, cloud: str, run: str, offset: int) -> object:
        """A run's log from `offset` on, copied into its job's one log."""
        what = f"log of {run} in {cloud} from {offset}"
        return self.read(what, lambda: self.broker.logs(cloud, run, offset))

    submit = Write(Broker.place, "job {job}", job=is_count, cloud=is_name, key=is_name)

    @takes(cloud=is_name, run=is_name)
    def cancel_run(self, cloud: str, run: str) -> object:
        """End a run."""
        return self.write("cancel", f"{run} in {cloud}", lambda: self.broker.cancel(cloud, run))

    publish = Write(
        Broker.publish, "job {job}", job=is_count, status=is_one_of(*STATES), since=is_count
    )
