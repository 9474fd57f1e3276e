"""What an administrator can do to the cluster, and the rules that must not be broken."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scenarios.simulator.agenda import DAY, HOUR, MINUTE
from scenarios.worlds.refusal import Refused
from scenarios.worlds.slurm_fair_partitions.cluster import SharedCluster
from scenarios.worlds.slurm_fair_partitions.config import TRAINING
from scenarios.worlds.slurm_fair_partitions.fleet import Reservation
from scenarios.worlds.slurm_fair_partitions.job import Job, State
from scenarios.worlds.slurm_fair_partitions.ledger import IDLE_GRACE
from scenarios.worlds.slurm_fair_partitions.limits import LIMITS, NO_LIMIT
from scenarios.worlds.slurm_fair_partitions.paperwork import Report, faults_of

SETTLED = 6 * HOUR
"""A limit that is changed again within this time was changed for nothing."""
LONGEST_HOLD = 6 * HOUR
MOST_GPUS = 10_000


@dataclass(frozen=True, slots=True)
class BrokenRule:
    """A rule of the agreement that was broken, `at` in ms."""

    at: int
    rule: str
    subject: str


def is_limits(value: object) -> bool:
    """New limits of a QOS by name; whole numbers, -1 for none."""
    if type(value) is not dict or not value:
        return False
    return all(
        key in LIMITS and type(number) is int and NO_LIMIT <= number <= MOST_GPUS
        for key, number in value.items()
    )


def is_second(value: object) -> bool:
    """An instant or a duration in s, within a year."""
    return type(value) is int and 0 <= value <= 366 * DAY // 1000


class Controls:
    """The verbs. Each raises Refused when the state of the cluster does not allow it."""

    def __init__(self, cluster: SharedCluster) -> None:
        self.cluster = cluster
        self.broken: list[BrokenRule] = []
        self.changed_at: dict[tuple[str, str], int] = {}
        self.changes = self.reversals = self.requeues = 0
        self.reports: dict[int, Report] = {}

    # ---- what is meant ----

    def _job(self, number: int, *states: State) -> Job:
        job = self.cluster.jobs[number] if 0 <= number < len(self.cluster.jobs) else None
        if job is None or job.id not in self.cluster.present:
            raise Refused("not_found", f"There is no job {number} now.")
        if job.state not in states:
            words = " or ".join(state.name.lower() for state in states)
            raise Refused("conflict", f"Job {number} is {job.state.name.lower()}, not {words}.")
        return job

    def _partition(self, name: str) -> int:
        for number, shape in enumerate(self.cluster.config.partitions):
            if shape.name == name:
                return number
        raise Refused("not_found", f"There is no partition {name}.")

    def _team(self, name: str) -> int:
        for number, team in enumerate(self.cluster.config.teams):
            if team.name == name:
                return number
        raise Refused("not_found", f"There is no account {name}.")

    def _qos(self, name: str) -> int:
        if name not in self.cluster.book.number:
            raise Refused("not_found", f"There is no QOS {name}.")
        return self.cluster.book.number[name]

    def _break(self, rule: str, subject: str) -> None:
        self.broken.append(BrokenRule(self.cluster.now, rule, subject))
        self.cluster.timeline.mark(self.cluster.now, "rule", f"broken: {rule} ({subject})")

    def _changed(self, what: str, which: str, text: str) -> None:
        now, key = self.cluster.now, (what, which)
        self.changes += 1
        last = self.changed_at.get(key)
        if last is not None and now - last < SETTLED:
            self.reversals += 1
        self.changed_at[key] = now
        self._act(f"{what} {which}: {text}")
        for number in range(len(self.cluster.fleets)):
            self.cluster.scheduler.dirty[number] = True

    def _act(self, text: str) -> None:
        self.cluster.timeline.mark(self.cluster.now, "action", text)

    # ---- limits ----

    def modify_qos(self, qos: str, limits: Mapping[str, int]) -> dict[str, int]:
        """Set limits of a QOS; answers them all. A cap under the guarantee breaks a rule."""
        cluster, number = self.cluster, self._qos(qos)
        rule = cluster.book.qos[number]
        for name, value in sorted(limits.items()):
            if name == "priority" and value < 0:
                raise Refused("invalid", "The priority of a QOS is 0 or more.")
            if getattr(rule, name) == value:
                continue
            setattr(rule, name, value)
            self._changed(f"qos {qos}", name, "none" if value == NO_LIMIT else str(value))
        return {name: getattr(rule, name) for name in LIMITS}

    def set_shares(self, team: str, shares: int) -> int:
        """Set an account's RawShares."""
        tree, number = self.cluster.book.tree, self._team(team)
        if not 0 <= shares <= MOST_GPUS:
            raise Refused("invalid", f"Shares are from 0 to {MOST_GPUS}.")
        account = self.cluster.book.account[number]
        if tree.shares[account] != shares:
            tree.shares[account] = shares
            self._changed("shares", team, str(shares))
        return shares

    def modify_partition(
        self, partition: str, max_time: int, allow_qos: list[str]
    ) -> dict[str, object]:
        """Set MaxTime in seconds and AllowQos (none named: all) of a partition."""
        number = self._partition(partition)
        fleet, shape = self.cluster.fleets[number], self.cluster.config.partitions[number]
        if not 600 <= max_time <= shape.max_time // 1000:
            raise Refused("invalid", f"MaxTime is from 600 to {shape.max_time // 1000} seconds.")
        allowed = tuple(sorted({self._qos(name) for name in allow_qos}))
        if fleet.max_time != max_time * 1000:
            fleet.max_time = max_time * 1000
            self._changed(f"partition {partition}", "MaxTime", f"{max_time} s")
        if fleet.allow_qos != allowed:
            fleet.allow_qos = allowed
            self._changed(
                f"partition {partition}", "AllowQos", ",".join(sorted(allow_qos)) or "ALL"
            )
        return {"max_time": max_time, "allow_qos": sorted(set(allow_qos))}

    # ---- jobs ----

    def hold(self, job: int) -> None:
        """Keep a waiting job from starting."""
        found = self._job(job, State.PENDING)
        if not found.held:
            found.held, found.held_since = True, self.cluster.now
            self._act(f"hold {job}")

    def unhold(self, job: int) -> None:
        """Let a held job start again."""
        found = self._job(job, State.PENDING)
        if found.held:
            self.note_hold(found)
            found.held, found.held_since = False, -1
            self.cluster.scheduler.dirty[found.partition] = True
            self._act(f"release {job}")

    def note_hold(self, job: Job) -> None:
        """A hold of more than six hours breaks a rule."""
        if job.held and job.waiting and self.cluster.now - job.held_since > LONGEST_HOLD:
            self._break("held a job for more than 6 hours", f"job {job.id}")
            job.held_since = self.cluster.now

    def requeue(self, job: int) -> dict[str, int]:
        """Stop a running job and let it wait again; answers the GPU-seconds it lost."""
        found = self._job(job, State.RUNNING)
        if found.spec.protected:
            self._break("requeued a protected job", f"job {job}")
        lost = self.cluster.stop(found, "REQUEUED")
        self.requeues += 1
        self._act(f"requeue {job}")
        return {"lost": lost * found.spec.gpus // 1000}

    def cancel(self, job: int) -> None:
        """End a job for good. Only sessions idle for two hours may be ended by anyone but the owner."""
        found = self._job(job, State.RUNNING, State.PENDING)
        allowed = found.idle_for(self.cluster.now) >= IDLE_GRACE
        done = self.cluster.cancel(found)
        if not allowed:
            self._break("cancelled a job that was not an idle session", f"job {job}")
            self.cluster.ledger.denied(found, max(done, found.spec.work // 2))
        self._act(f"cancel {job}")

    def move(self, job: int, partition: str) -> None:
        """Send a waiting job to another partition, with the QOS that belongs there."""
        found, target = self._job(job, State.PENDING), self._partition(partition)
        cluster, shape = self.cluster, self.cluster.config.partitions[target]
        if found.partition == target:
            return
        away = shape.purpose == TRAINING and target != found.spec.home
        if away and not found.spec.portable:
            raise Refused("conflict", f"Job {job} needs data that only its own site has.")
        cluster.scheduler.dequeue(found)
        cluster.book.submits(found, -1)
        found.partition = target
        if found.qos != cluster.book.scavenge:
            found.qos = found.spec.team if shape.purpose == TRAINING else cluster.book.serve
        cluster.book.submits(found, 1)
        cluster.scheduler.enqueue(found, cluster.now)
        self._act(f"move {job} to {partition}")

    def set_job_qos(self, job: int, qos: str) -> None:
        """Give a waiting job another QOS: its team's, serve, or the scavenger's."""
        found, number = self._job(job, State.PENDING), self._qos(qos)
        book = self.cluster.book
        if number not in (found.spec.team, book.serve, book.scavenge):
            raise Refused("conflict", f"Job {job} has no association with QOS {qos}.")
        if number == book.scavenge and found.spec.protected:
            raise Refused("conflict", f"Job {job} is protected and cannot be made preemptible.")
        if number == book.scavenge and not found.spec.scavenge and not self._spent(found.spec.team):
            raise Refused("conflict", f"The team of job {job} has not spent 95 % of a budget.")
        if found.qos != number:
            self.cluster.scheduler.dequeue(found)
            book.submits(found, -1)
            found.qos = number
            book.submits(found, 1)
            self.cluster.scheduler.enqueue(found, self.cluster.now)
            self._act(f"qos of {job}: {qos}")

    def _spent(self, team: int) -> bool:
        """Whether a team has so little of its budget left that its work may be put last."""
        budget = self.cluster.config.teams[team].budget
        return bool(budget) and self.cluster.ledger.charged(team) >= 0.95 * budget

    def set_time_limit(self, job: int, seconds: int) -> None:
        """Shorten a job's TimeLimit; it is killed when it runs that long."""
        found = self._job(job, State.RUNNING, State.PENDING)
        if not 60 <= seconds <= found.limit // 1000:
            raise Refused(
                "invalid", f"The limit of job {job} can be set from 60 to {found.limit // 1000} s."
            )
        if found.limit == seconds * 1000:
            return
        found.limit = seconds * 1000
        self.cluster.shorten(found)
        self._act(f"limit of {job}: {seconds // 60} min")

    # ---- reservations ----

    def reserve(
        self, name: str, team: str, partition: str, nodes: int, start: int, duration: int
    ) -> dict[str, object]:
        """Keep whole nodes for an account from `start` for `duration` seconds.

        Takes nodes whose jobs must have ended by then; Conflict where there are too few.
        """
        cluster = self.cluster
        number, owner = self._partition(partition), self._team(team)
        begin, fleet = max(start * 1000, cluster.now), cluster.fleets[number]
        if any(kept.name == name for kept in cluster.scheduler.reservations):
            return {"name": name, "nodes": self._reserved_nodes(name)}
        if not 1 <= nodes <= fleet.shape.nodes or not 10 * MINUTE <= duration * 1000 <= 2 * DAY:
            raise Refused("invalid", "Reserve at least one node, for 10 minutes to 2 days.")
        if begin > cluster.now + 4 * DAY:
            raise Refused("invalid", "A reservation begins within the next four days.")
        end = begin + duration * 1000
        usable = [
            node for node in range(fleet.shape.nodes) if self._free_by(number, node, begin, end)
        ]
        if len(usable) < nodes:
            raise Refused(
                "conflict", f"Requested nodes are busy: {len(usable)} of {nodes} will be free."
            )
        mask = sum(1 << node for node in usable[-nodes:])
        cluster.add_reservation(Reservation(name, owner, number, mask, begin, end))
        self._act(f"reserve {nodes} nodes of {partition} for {team}")
        return {"name": name, "nodes": self._reserved_nodes(name)}

    def _reserved_nodes(self, name: str) -> list[str]:
        kept = next(each for each in self.cluster.scheduler.reservations if each.name == name)
        return self.cluster.fleets[kept.partition].node_names((kept.nodes, 0, 0))

    def _free_by(self, partition: int, node: int, begin: int, end: int) -> bool:
        scheduler = self.cluster.scheduler
        if node in self.cluster.fleets[partition].nodes.out:
            return False
        for kept in scheduler.reservations:
            overlap = kept.start < end and begin < kept.end
            if kept.partition == partition and overlap and kept.nodes >> node & 1:
                return False
        return all(
            job.began + job.limit <= begin
            for job in scheduler.running(partition)
            if (job.nodes[0] | job.nodes[1]) >> node & 1
        )

    def delete_reservation(self, name: str) -> None:
        """Give reserved nodes back to everybody."""
        scheduler = self.cluster.scheduler
        left = [kept for kept in scheduler.reservations if kept.name != name]
        if len(left) == len(scheduler.reservations):
            raise Refused("not_found", f"There is no reservation {name}.")
        scheduler.reservations = left
        for number in range(len(self.cluster.fleets)):
            scheduler.dirty[number] = True
        self._act(f"delete reservation {name}")

    # ---- paper ----

    def report(self, day: int, rows: list[list[object]]) -> None:
        """File a day's usage; a second report replaces the first. Due within a day."""
        now = self.cluster.now
        if not 1 <= day <= self.cluster.config.length // DAY or now < day * DAY:
            raise Refused("conflict", f"Day {day} is not over.")
        if now > (day + 1) * DAY:
            raise Refused("conflict", f"The books of day {day} are closed.")
        filed = Report(day, now)
        for team, partition, hours in rows:
            key = str(team), str(partition)
            filed.rows[key] = filed.rows.get(key, 0.0) + float(hours)  # type: ignore[arg-type]
        self.reports[day] = filed
        self._act(f"report of day {day}")

    def submit_template(self, purpose: str, text: str) -> dict[str, object]:
        """Publish a batch script for training or inference; refused ones name their faults."""
        cluster = self.cluster
        wrong = faults_of(cluster.config, purpose, text)
        if not wrong:
            cluster.templates.setdefault(purpose, cluster.now)
            self._act(f"template for {purpose} published")
        return {"accepted": not wrong, "faults": wrong}

    # ---- standing rules ----

    def watch(self) -> None:
        """Look for rules that are broken by what is left as it is; called at every tick."""
        cluster = self.cluster
        for job in cluster.present.values():
            self.note_hold(job)
        self._watch_promises()
        if cluster.now % DAY == 0:
            self._watch_caps()
            self._watch_budgets()

    def _watch_promises(self) -> None:
        cluster = self.cluster
        for promise in cluster.config.promises:
            due = promise.at + 30 * MINUTE
            if due - cluster.config.tick < cluster.now <= due:
                late = [
                    j for j in cluster.present.values() if j.waiting and j.spec.submit == promise.at
                ]
                if any(
                    j.spec.team == promise.team and j.spec.name.startswith("demo") for j in late
                ):
                    self._break("a promised window was not kept", promise.name)

    def _watch_caps(self) -> None:
        cluster = self.cluster
        for number, team in enumerate(cluster.config.teams):
            cap = cluster.book.qos[number].grp_gpus
            if cap != NO_LIMIT and cap < cluster.guaranteed[number]:
                self._break("a team's cap was below its guarantee at midnight", team.name)

    def _watch_budgets(self) -> None:
        cluster = self.cluster
        for number, team in enumerate(cluster.config.teams):
            if team.budget and cluster.ledger.charged(number) > team.budget * 1.01:
                self._break("a team was above its budget at midnight", team.name)
