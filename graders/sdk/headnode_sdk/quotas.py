"""Teams that share a cluster: guarantees, quotas, Slurm's limits, and the verbs of an administrator."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ._verbs import Verbs


class Quota(NamedTuple):
    """What one team or queue holds of one kind of GPU, in GPUs. -1 stands for no limit."""

    queue: str
    flavor: str
    nominal: int
    """What it is guaranteed."""
    used: int
    borrowed: int
    """How much of `used` is above `nominal`."""
    borrow_limit: int
    """How far above `nominal` it may go."""
    lend_limit: int

    @property
    def headroom(self) -> int:
        """GPUs of the guarantee that are not in use."""
        return max(0, self.nominal - self.used)


class Team(NamedTuple):
    """One team's part in the agreement."""

    name: str
    guaranteed: int
    """GPUs."""
    shares: int
    users: list[str]
    budget: float
    """GPU-hours for the whole span; 0 if it has none."""
    charged: float
    """GPU-hours used so far that count against the budget; 0 where there is none."""
    contract: bool
    """Whether it is an outside tenant with a contract."""


class Qos(NamedTuple):
    """One QOS with its limits; -1 stands for no limit."""

    name: str
    priority: int
    grp_gpus: int
    """GrpTRES=gres/gpu: GPUs that all its jobs may hold together."""
    user_gpus: int
    """MaxTRESPerUser=gres/gpu."""
    user_jobs: int
    """MaxJobsPerUser: running at once."""
    user_submit: int
    """MaxSubmitJobsPerUser: in the queue and running."""
    used: int
    """GPUs that its jobs hold now."""


class Partition(NamedTuple):
    """One partition. `gpus` counts nodes that are up."""

    name: str
    purpose: str
    """"training" or "inference"."""
    site: str
    gpu_model: str
    nodes: int
    gpus: int
    free: int
    max_time: int
    """Seconds."""
    allow_qos: list[str]
    """Empty if every QOS may submit here."""


class Share(NamedTuple):
    """One line of sshare; `user` is empty for an account."""

    account: str
    user: str
    raw_shares: int
    raw_usage: int
    effective_usage: float
    fair_share: float
    """Between 0 and 1; -1 for an account."""


class Activity(NamedTuple):
    """What one running job does with its GPUs."""

    job: int
    gpu_util: int
    """Percent, mean of the last hour."""
    idle: int
    """Seconds since any of its GPUs last did anything."""


class Reservation(NamedTuple):
    """Nodes kept for one team; `team` is empty when nobody answers for it any more."""

    name: str
    team: str
    partition: str
    nodes: list[str]
    start: int
    end: int


class Promise(NamedTuple):
    """A window in which whole nodes were promised to a team."""

    name: str
    team: str
    partition: str
    nodes: int
    start: int
    end: int


class JobRun(NamedTuple):
    """One run of one job, as sacct --duplicates lists it: a requeued job has several."""

    job: int
    user: str
    team: str
    partition: str
    qos: str
    gpus: int
    start: int
    end: int
    """-1 while it runs."""
    state: str


class TemplateAnswer(NamedTuple):
    """Whether a template was published, and what is wrong with it if it was not."""

    accepted: bool
    faults: list[str]


class QuotaReads(Verbs):
    """Reads of who may have what, and has it."""

    def quotas(self) -> list[Quota]:
        """What every team or queue is guaranteed and holds."""
        return [Quota(*row) for row in self._read("quotas")]

    def teams(self) -> list[Team]:
        """The agreement as it stands today."""
        return [Team(*row) for row in self._read("teams")]

    def qos(self) -> dict[str, Qos]:
        """Every QOS by name."""
        return {row[0]: Qos(*row) for row in self._read("qos")}

    def partitions(self) -> dict[str, Partition]:
        """Every partition by name."""
        return {row[0]: Partition(*row) for row in self._read("partitions")}

    def shares(self) -> list[Share]:
        """Shares, usage and fair-share factors, as sshare -a shows them."""
        return [Share(*row) for row in self._read("shares")]

    def activity(self) -> list[Activity]:
        """What running jobs do with their GPUs, by job. Very young jobs are missing."""
        return [Activity(*row) for row in self._read("activity")]

    def reservations(self) -> list[Reservation]:
        """Reservations that are not over."""
        return [Reservation(*row) for row in self._read("reservations")]

    def promises(self) -> list[Promise]:
        """Promised windows that are not over."""
        return [Promise(*row) for row in self._read("promises")]

    def accounting(self, start: int, end: int) -> list[JobRun]:
        """Every run that overlaps the window, whole: cut it to the window yourself.

        Raises InvalidRequest for a window of more than two days.
        """
        return [JobRun(*row) for row in self._read("accounting", start=start, end=end)]


class SlurmVerbs(Verbs):
    """What scontrol and sacctmgr do."""

    def modify_qos(self, qos: str, **limits: int) -> dict[str, int]:
        """Set `priority`, `grp_gpus`, `user_gpus`, `user_jobs` or `user_submit`; -1 lifts a limit.

        Answers all limits of the QOS as they are now. Running jobs are never stopped.
        """
        answer: dict[str, int] = self._ask("modify_qos", qos=qos, limits=limits)
        return answer

    def set_shares(self, team: str, shares: int) -> None:
        """Set the RawShares of a team's account."""
        self._ask("set_shares", team=team, shares=shares)

    def modify_partition(
        self, partition: str, max_time: int, allow_qos: Iterable[str] = ()
    ) -> None:
        """Set MaxTime in seconds and AllowQos of a partition; no name means all QOS."""
        allowed = list(allow_qos)
        self._ask("modify_partition", partition=partition, max_time=max_time, allow_qos=allowed)

    def hold(self, job: int) -> None:
        """Keep a pending job from starting. Raises Conflict if it runs."""
        self._ask("hold", job=job)

    def unhold(self, job: int) -> None:
        """Let a held job start again: scontrol release."""
        self._ask("unhold", job=job)

    def move(self, job: int, partition: str) -> None:
        """Send a pending job to another partition, under the QOS that belongs there."""
        self._ask("move", job=job, partition=partition)

    def set_job_qos(self, job: int, qos: str) -> None:
        """Give a pending job another QOS that its owner may use."""
        self._ask("set_job_qos", job=job, qos=qos)

    def set_time_limit(self, job: int, seconds: int) -> None:
        """Shorten a job's time limit. It is killed when it has run for that long."""
        self._ask("set_time_limit", job=job, seconds=seconds)

    def reserve(
        self, name: str, team: str, partition: str, nodes: int, start: int, duration: int
    ) -> list[str]:
        """Keep whole nodes for a team; answers their names. Repeating it changes nothing.

        Raises Conflict when too few nodes will be free of jobs by `start`.
        """
        answer = self._ask(
            "reserve",
            name=name,
            team=team,
            partition=partition,
            nodes=nodes,
            start=start,
            duration=duration,
        )
        return list(answer["nodes"])

    def delete_reservation(self, name: str) -> None:
        """Give reserved nodes back to everybody."""
        self._ask("delete_reservation", name=name)

    def report(self, day: int, rows: Iterable[tuple[str, str, float]]) -> None:
        """File the usage of a day (1 is the first): rows of team, partition, GPU-hours.

        Raises Conflict before the day is over, and a day after that.
        """
        self._ask("report", day=day, rows=[list(row) for row in rows])

    def submit_template(self, purpose: str, text: str) -> TemplateAnswer:
        """Publish a batch script for "training" or "inference"; a wrong one is not published."""
        return TemplateAnswer(**self._ask("submit_template", purpose=purpose, text=text))
