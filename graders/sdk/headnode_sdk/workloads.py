"""Kueue's view of a shared cluster: workloads, flavours, room under quota, and admission."""

from __future__ import annotations

from typing import NamedTuple

from ._verbs import Verbs


class Workload(NamedTuple):
    """One unfinished workload. All its pods start and stop together."""

    id: int
    """What `admit`, `preempt` and `requeue` take."""
    name: str
    team: str
    queue: str
    """The ClusterQueue that its LocalQueue leads to."""
    kind: str
    """"deadline", "adhoc" or "long"."""
    priority_class: str
    priority: int
    state: str
    """"pending", "starting" (admitted, pods not ready yet), "running" or "saving"."""
    gpus: int
    min_gpus: int
    """Fewest GPUs it can be admitted with; it then runs slower in proportion."""
    flavors: list[str]
    """Flavours that it tolerates."""
    flavor: str
    """The one it is admitted to; empty while it is pending."""
    admitted_gpus: int
    nodes: list[str]
    submitted: int
    waited: int
    """Seconds spent pending so far, all waits together."""
    pending_since: int
    """Begin of the present wait; -1 while it is admitted."""
    admitted_at: int
    """-1 while it is pending."""
    ready: bool
    """The condition PodsReady."""
    estimate: int
    """The owner's guess of the run time on all its GPUs, in seconds."""
    progress: float
    """Share of its work that is done, 0 to 1."""
    checkpoint: int
    """Seconds of work between its own checkpoints; 0 if it cannot be saved."""
    deadline: int
    """-1 if it has none."""
    protected: bool
    """Whether it is against the rules to stop it."""


class Flavor(NamedTuple):
    """One ResourceFlavor with the nodes behind it."""

    name: str
    spot: bool
    region: str
    nodes: int
    """Nodes when all are there."""
    ready: int
    """Nodes that take new pods."""
    gpus: int
    """GPUs of those."""
    free: int
    price: float
    """Price of an hour of a node that holds a workload. An empty node costs nothing."""
    spent_today: float
    """Money spent since midnight."""


class Room(NamedTuple):
    """What one queue could still take of one flavour, in GPUs."""

    queue: str
    flavor: str
    own: int
    """Nominal quota that it does not use. Others may have borrowed it."""
    total: int
    """What it may take now, borrowing included, under all quotas and limits; below 0 by as much as
    limits are exceeded."""


class QuotaPlan(NamedTuple):
    """A nominal quota that the calendar asks for from a time of day on."""

    queue: str
    flavor: str
    begins: int
    """Seconds after midnight."""
    nominal: int


class Admission(NamedTuple):
    """Where the pods of a workload went."""

    workload: int
    flavor: str
    gpus: int
    nodes: list[str]


class WorkloadVerbs(Verbs):
    """Admission, and what it needs to know. `quotas`, `preempt` and `requeue` are the cluster's."""

    def workloads(self) -> list[Workload]:
        """Every workload that is not finished, oldest first."""
        return [Workload(*row) for row in self._read("workloads")]

    def flavors(self) -> dict[str, Flavor]:
        """The flavours by name."""
        return {row[0]: Flavor(*row) for row in self._read("flavors")}

    def room(self) -> dict[tuple[str, str], Room]:
        """Room by (queue, flavour) as things stand. An admission changes it: read it again."""
        return {(row[0], row[1]): Room(*row) for row in self._read("room")}

    def calendar(self) -> list[QuotaPlan]:
        """Nominal quotas by time of day; empty where they never change."""
        return [QuotaPlan(*row) for row in self._read("calendar")]

    def admit(self, workload: int, flavor: str, gpus: int = 0) -> Admission:
        """Admit a pending workload to a flavour, with all its GPUs or with as many as given.

        Checks that nodes have room (Conflict) and not that quota has. InvalidRequest for a number of GPUs
        that it cannot run with.
        """
        return Admission(**self._ask("admit", workload=workload, flavor=flavor, gpus=gpus))

    def set_quota(self, queue: str, flavor: str, nominal: int) -> None:
        """Change a nominal quota. Conflict if all of the flavour together exceed its nodes."""
        self._ask("set_quota", queue=queue, flavor=flavor, nominal=nominal)
