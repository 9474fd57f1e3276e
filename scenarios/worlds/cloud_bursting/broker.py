"""What a broker can do: place, cancel, publish, collect. Each method answers plain data or refuses."""

from __future__ import annotations

from scenarios.worlds.cloud_bursting.rules import Estimate, Ledger, charged_gpus
from scenarios.worlds.cloud_bursting.shape import PRIMARY
from scenarios.worlds.cloud_bursting.tables import CANCELLED, PREEMPTED, Run, RunState
from scenarios.worlds.cloud_bursting.transcript import lines, width
from scenarios.worlds.cloud_bursting.world import BurstWorld
from scenarios.worlds.refusal import Refused

STATES = ("queued", "starting", "running", "interrupted", "completed")
"""The one vocabulary in which users are told where their jobs are."""


class Broker:
    """The verbs behind the API's front door."""

    def __init__(self, world: BurstWorld) -> None:
        self.world = world
        self.ledger = Ledger(world)
        self._by_key: dict[tuple[int, str], Run] = {}
        self._by_name: dict[tuple[int, str], Run] = {}

    # -- who is meant ----------------------------------------------------------------

    def cloud(self, name: str) -> int:
        """A cloud's number, -1 for the primary. Raises Refused for an unknown one."""
        number = self.world.config.number(name)
        if number < -1:
            known = ", ".join([PRIMARY, *(shape.name for shape in self.world.config.remotes)])
            raise Refused("not_found", f"There is no cloud {name[:40]!r}; there is {known}.")
        return number

    def remote(self, name: str) -> int:
        """A remote cloud's number."""
        number = self.cloud(name)
        if number < 0:
            raise Refused("invalid", f"{PRIMARY} gives no quotes: its nodes are paid for already.")
        return number

    def answering(self, number: int) -> None:
        """Raises Refused while the cloud is out."""
        if number >= 0 and self.world.market.out(number, self.world.now):
            name = self.world.config.remotes[number].name
            raise Refused("unavailable", f"{name} does not answer (503); nothing was done.")

    def job(self, number: int) -> int:
        """The job's number. Raises Refused for one that was not submitted yet."""
        if not 0 <= number < self.world.jobs.seen:
            raise Refused("not_found", f"There is no job {number}.")
        return number

    def run(self, cloud: str, name: str) -> Run:
        """A run by its cloud and the cloud's name for it."""
        number = self.cloud(cloud)
        self.answering(number)
        run = self._by_name.get((number, name))
        if run is None:
            raise Refused("not_found", f"{cloud} knows no run {name[:40]!r}.")
        return run

    # -- verbs -----------------------------------------------------------------------

    def quote(self, cloud: str, job: int) -> Estimate:
        """What the job would cost in a remote cloud at its present prices."""
        number = self.remote(cloud)
        self.answering(number)
        return self.ledger.quote(self.job(job), number)

    def place(self, job: int, cloud: str, key: str) -> dict[str, object]:
        """Start a run of the job, once for each key. Refuses where there is no room."""
        number = self.cloud(cloud)
        self.answering(number)
        self.job(job)
        known = self._by_key.get((number, key))
        if known is not None:
            if known.job != job:
                raise Refused("conflict", f"The key {key!r} was used for job {known.job}.")
            return self._placed(known, cloud)
        gpus = self._admit_primary(job) if number < 0 else self._admit_remote(job, number)
        alone = self.ledger.check_twice(job)
        right = number >= 0 and self.ledger.book(job, number) and alone
        run = self.world.new_run(job, number, key, gpus)
        run.right, run.illegal = right, number >= 0 and not right
        self._by_key[number, key] = self._by_name[number, run.name] = run
        if number >= 0:
            self.world.sketch.mark(self.world.now, "action", f"job {job} placed in {cloud}")
        return self._placed(run, cloud)

    def _placed(self, run: Run, cloud: str) -> dict[str, object]:
        return {"id": run.name, "cloud": cloud, "key": run.key}

    def _admit_primary(self, job: int) -> int:
        most = self.world.config.most_pending
        if len(self.world.queue.waiting) >= most:
            raise Refused(
                "conflict",
                f"Job submit limit reached (QOSMaxSubmitJobPerUserLimit): {most} are pending.",
            )
        return self.world.jobs.spec[job].gpus

    def _admit_remote(self, job: int, number: int) -> int:
        world = self.world
        gpus, used = charged_gpus(world, job, number), world.used(number)
        name, quota = world.config.remotes[number].name, world.config.quotas[number]
        if used + gpus > quota:
            raise Refused("conflict", f"QuotaExceeded: {used} of {quota} GPUs in use in {name}.")
        if used + gpus > world.market.room(number, world.now):
            raise Refused("conflict", f"InsufficientCapacity: {name} has no {gpus} GPUs now.")
        return gpus

    def cancel(self, cloud: str, name: str) -> dict[str, object]:
        """End a run wherever it is; its work is saved first if it can be."""
        run = self.run(cloud, name)
        if run.state == RunState.ENDED:
            raise Refused("conflict", f"{name} has ended.")
        spec = self.world.jobs.spec[run.job]
        running = run.state == RunState.RUNNING
        others = [other for other in self.world.jobs.live_runs(run.job) if other is not run]
        if running and spec.protected and not others and self.world.jobs.done_at[run.job] < 0:
            self.ledger.break_rule(run.job, "protected")
        self.world.sketch.mark(self.world.now, "action", f"cancel {name} in {cloud}")
        self.world.stop(run, CANCELLED, saved=True)
        self.world.start_pending()
        return {"id": name, "saved": running and bool(spec.every)}

    def publish(self, job: int, status: str, since: int) -> None:
        """Tell the job's owner its state, since an instant in s; -1 means from now."""
        world = self.world
        world.jobs.published[self.job(job)] = status
        world.jobs.published_since[job] = world.now if since < 0 else since * 1000

    def logs(self, cloud: str, name: str, offset: int) -> dict[str, object]:
        """Copy the run's log from `offset` on into the job's one log, and answer it."""
        run = self.run(cloud, name)
        self._still_there(run, cloud)
        step = width(run, self.world.config)
        if offset < 0 or offset % step:
            raise Refused("invalid", f"{offset} is not the beginning of a line: use `next`.")
        first, last = offset // step, run.lines(self.world.now)
        if first > last:
            raise Refused("invalid", f"The log of {name} ends before {offset}.")
        run.read |= (1 << last) - (1 << first)
        over = run.state >= RunState.EXITED
        return {"lines": lines(run, first, last), "next": last * step, "complete": over}

    def _still_there(self, run: Run, cloud: str) -> None:
        if run.cloud < 0 or run.state != RunState.ENDED:
            return
        kept = self.world.config.remotes[run.cloud].log_kept
        if run.end == PREEMPTED or self.world.now > run.ended + kept:
            raise Refused("not_found", f"The log of {run.name} is gone with its instance.")
