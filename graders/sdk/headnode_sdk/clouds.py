"""Several clouds behind one interface: prices, quotes, runs and the verbs that move jobs between them."""

from __future__ import annotations

from typing import NamedTuple

from ._verbs import Verbs


class Cloud(NamedTuple):
    """One cloud as the price and capacity feed shows it."""

    name: str
    region: str
    price: float
    """Spot price of one `unit`, in the currency of the documents."""
    unit: str
    """"gpu_hour", or "node_hour": whole nodes only, each at `price`."""
    priced_at: int
    """When the price was taken; an old one may be wrong by now."""
    room: int
    """GPUs that the cloud can give you in all at present; for the primary, GPUs on nodes that are up."""
    used: int
    """GPUs that you hold there."""
    waiting: int
    """Runs that have no GPUs yet: pending at the primary, on their way elsewhere."""
    limit: int
    """GPUs of your quota; for the primary, how many runs may be pending there."""
    egress_gb: float
    """Price of a GB that leaves this cloud."""
    driver: int
    """NVIDIA driver branch of its image, for example 580: comparable with a job's `driver`."""
    clock: int
    """The present time by the cloud's own clock."""


class Quote(NamedTuple):
    """What a job is expected to cost in a cloud, by its owner's limit, in the currency of the documents."""

    cloud: str
    job: int
    usd: float
    """`compute` and `transfer` together."""
    compute: float
    transfer: float
    hours: float
    """The job's limit in hours."""
    expires: int
    """The quote holds up to this second."""


class CloudRun(NamedTuple):
    """One run of a job, in the words and by the clock of its cloud."""

    id: str
    key: str
    """What you gave to `submit`. The cloud knows nothing else about the job."""
    state: str
    gpus: int
    changed: int
    """Since when it is in this state, by the cloud's own clock."""
    exit_code: int
    """0 if its work came to a good end, -1 if not or not yet."""
    cost: float
    """Money charged so far; 0 at the primary."""


class Placement(NamedTuple):
    """What `submit` answers. The same key gives the same run again."""

    id: str
    cloud: str
    key: str


class LogPage(NamedTuple):
    """Part of a run's log."""

    lines: list[str]
    next: int
    """The offset to ask for next time."""
    complete: bool
    """Whether the run is over, so that there will be no more lines."""


class Budget(NamedTuple):
    """One limit on bursts, money: `booked` sums the estimates of bursts, `spent` what was charged."""

    name: str
    limit: float
    booked: float
    spent: float


class CloudVerbs(Verbs):
    """Quotes and runs in several clouds."""

    def clouds(self) -> dict[str, Cloud]:
        """Every cloud by name, the primary first."""
        return {row[0]: Cloud(*row) for row in self._read("clouds")}

    def budgets(self) -> dict[str, Budget]:
        """Limits on bursts by name: "day", and the teams that have one."""
        return {row[0]: Budget(*row) for row in self._read("budgets")}

    def runs(self, cloud: str) -> list[CloudRun]:
        """Your runs in a cloud, ended ones for some hours as well."""
        return [CloudRun(*row) for row in self._read("runs", cloud=cloud)]

    def quote(self, cloud: str, job: int) -> Quote:
        """What the job is expected to cost in a remote cloud, transfers included."""
        return Quote(*self._read("quote", cloud=cloud, job=job))

    def run_log(self, cloud: str, run: str, offset: int = 0) -> LogPage:
        """Copy a run's log from `offset` on into the job's one log, and read it.

        Raises NotFound once the log is gone with its instance.
        """
        return LogPage(**self._read("run_log", cloud=cloud, run=run, offset=offset))

    def submit(self, job: int, cloud: str, key: str) -> Placement:
        """Start a run of the job in a cloud: once for each key, however often it is asked for.

        Raises Conflict where there is no room.
        """
        return Placement(**self._ask("submit", job=job, cloud=cloud, key=key))

    def cancel_run(self, cloud: str, run: str) -> bool:
        """End a run. True if it was running and its work was saved. Raises Conflict if it has ended."""
        return bool(self._ask("cancel_run", cloud=cloud, run=run)["saved"])

    def publish(self, job: int, status: str, since: int = -1) -> None:
        """Tell the job's owner where it is.

        `status` is "queued", "starting", "running", "interrupted" or "completed"; `since` is in
        seconds since the beginning, -1 for now.
        """
        self._ask("publish", job=job, status=status, since=since)
