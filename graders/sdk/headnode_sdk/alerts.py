"""What a monitor of GPUs reads and says: samples, processes, logs, alerts, findings, panels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ._verbs import Verbs


class Gpu(NamedTuple):
    """One GPU of the inventory, or one MIG slice of a GPU."""

    name: str
    """Server and index, for example "gpu-01/2"; a slice adds its first memory slice: "gpu-09/0/4"."""
    node: str
    slot: int
    uuid: str
    model: str
    memory: int
    """MiB in all."""
    power_limit: int
    """Watts; for a slice the limit of the whole GPU."""
    max_temperature: int
    """Highest operating temperature in degrees Celsius."""
    job: int
    """The job that the scheduler gave it to; below 0 if it is free."""
    since: int
    """When that job got it, or when it became free."""
    profile: str
    """A slice's MIG profile; "mig" for a GPU that is cut into slices; else ""."""
    parent: str
    """The GPU that a slice belongs to; else ""."""

    @property
    def takes_jobs(self) -> bool:
        """Whether the scheduler gives it out: not so for a GPU that is cut into slices."""
        return self.profile != "mig"


class Sample(NamedTuple):
    """One GPU's readings over the ten minutes that ended at `at`. None: the device has no such value."""

    gpu: str
    at: int
    """The exporter's own time. It stands still when the exporter does."""
    util: int | None
    """Percent of time in which some kernel was resident, mean of the ten minutes."""
    memory: int
    """MiB in use."""
    temperature: int | None
    """Degrees Celsius."""
    power: int | None
    """Watts, mean of the ten minutes."""
    sm_clock: int | None
    """MHz."""
    xid: int
    """Number of the last Xid error since the driver was loaded; 0 if there was none."""


class Process(NamedTuple):
    """One process that has a GPU open."""

    pid: int
    gpu: str
    job: int
    user: str
    command: str
    memory: int
    """MiB of GPU memory."""
    started: int
    state: str
    """As `ps` writes it: "R" running, "S" sleeping, "D" uninterruptible."""


class Window(NamedTuple):
    """GPUs that are set aside for a while. The end may still move."""

    id: int
    kind: str
    """"maintenance", "reservation" or "contract"."""
    node: str
    gpus: list[str]
    start: int
    end: int
    note: str

    def covers(self, gpu: str, at: int) -> bool:
        """Whether the GPU is set aside at that time."""
        return self.start <= at < self.end and gpu in self.gpus


class Contact(NamedTuple):
    """One team: when its desk works, from Monday to Friday, and what it agreed to."""

    team: str
    zone: str
    opens: int
    """Hour of the day."""
    closes: int
    cancel: bool
    """Whether its jobs may be cancelled by a program, after a warning."""


class Alert(NamedTuple):
    """One alert that is not resolved."""

    id: int
    rule: str
    gpus: list[str]
    severity: str
    """"page" or "ticket"."""
    team: str
    raised: int
    handled: bool
    """Whether a person has dealt with it."""
    cause: str
    """As the newest finding has it; "" without a finding."""


class Evidence(NamedTuple):
    """One fact that supports a cause; it has to be true when it is filed."""

    source: str
    """What kind of fact: see the API reference for the sources there are."""
    subject: str
    """What it is about: a GPU, a job's number, a server or a window's number."""
    value: str
    """What was seen: a line, a number, a state."""


class Panel(NamedTuple):
    """One panel of the dashboard."""

    title: str
    gpu: str
    metric: str
    """"util", "memory", "temperature" or "power"."""
    unit: str
    """"%", "MiB", "C" or "W"."""
    threshold: float
    """The line drawn in the panel."""


class AlertVerbs(Verbs):
    """Reads and writes of a monitor of GPUs."""

    def gpus(self) -> list[Gpu]:
        """The inventory, with the job that each GPU was given to."""
        return [Gpu(*row) for row in self._read("gpus")]

    def samples(self) -> list[Sample]:
        """The newest scrape of every exporter.

        A server whose exporter is silent is missing, one whose exporter hangs repeats itself.
        """
        return [Sample(*row) for row in self._read("samples")]

    def processes(self) -> list[Process]:
        """Processes that have a GPU open."""
        return [Process(*row) for row in self._read("processes")]

    def logs(self, subject: int | str) -> list[str]:
        """Beginning and end of a job's output, or the GPU messages of a server's kernel.

        Raises NotFound if there is no such job or server.
        """
        lines: list[str] = self._read("logs", subject=str(subject))
        return lines

    def maintenance(self) -> list[Window]:
        """Windows that are announced, going on, or lately over."""
        return [Window(*row) for row in self._read("maintenance")]

    def contacts(self) -> list[Contact]:
        """The teams and the hours of their desks."""
        return [Contact(*row) for row in self._read("contacts")]

    def alerts(self) -> list[Alert]:
        """Every alert that is not resolved."""
        return [Alert(*row) for row in self._read("alerts")]

    def alert(
        self,
        rule: str,
        gpus: Sequence[str],
        text: str,
        severity: str = "ticket",
        team: str = "ops",
    ) -> int:
        """Raise one alert about one or more GPUs; answers its number.

        Raises Conflict while an alert of the same rule is open for one of them.
        """
        answer = self._ask(
            "alert", rule=rule, gpus=list(gpus), severity=severity, team=team, text=text[:400]
        )
        return int(answer["id"])

    def resolve(self, alert: int) -> None:
        """Close an alert. Closing it twice does no harm."""
        self._ask("resolve", alert=alert)

    def finding(self, alert: int, cause: str, evidence: Iterable[Evidence]) -> None:
        """Document what caused an alert and what shows it. A later finding replaces this one."""
        facts = [[one.source, str(one.subject), str(one.value)] for one in evidence]
        self._ask("finding", alert=alert, cause=cause, evidence=facts)

    def dashboard(self, panels: Iterable[Panel]) -> None:
        """Show these panels instead of those before."""
        self._ask("dashboard", panels=[list(panel) for panel in panels])

    def warn(self, job: int, text: str) -> None:
        """Tell a job's owner that it will be cancelled, and why."""
        self._ask("warn", job=job, text=text[:400])
