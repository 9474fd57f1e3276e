"""Whether a fact in a finding is so, and whether the facts show the cause."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from scenarios.worlds.gpu_idle_alerts import load
from scenarios.worlds.gpu_idle_alerts.logs import job_lines, node_lines
from scenarios.worlds.gpu_idle_alerts.register import Fact, Finding
from scenarios.worlds.gpu_idle_alerts.rules import Case
from scenarios.worlds.gpu_idle_alerts.scrape import Scrape
from scenarios.worlds.gpu_idle_alerts.setting import DAY, TICK_S
from scenarios.worlds.gpu_idle_alerts.world import IdleWorld, bus_id, load_pid

SOURCES = ("log", "process", "job", "node", "util", "memory", "power", "last_sample", "window")
NEEDED: dict[str, frozenset[str]] = {
    "crashed_job": frozenset({"log", "process"}),
    "idle_process": frozenset({"process", "memory"}),
    "slow_input": frozenset({"log", "process"}),
    "zombie_process": frozenset({"job", "process"}),
    "gpu_lost": frozenset({"log", "last_sample"}),
    "hung_collective": frozenset({"power", "util"}),
    "forgotten_drain": frozenset({"node", "window"}),
    "over_request": frozenset({"log", "process"}),
}
"""Facts without which a finding does not show its cause; more are welcome while they are true."""
OF_GPU = frozenset({"process", "util", "memory", "power", "last_sample"})


def shown(world: IdleWorld, case: Case, finding: Finding) -> bool:
    """Whether all facts were true and those about the case itself show the finding's cause."""
    about = {fact[0] for fact in finding.facts if _concerns(world, case, fact)}
    return not finding.untrue and NEEDED[finding.cause] <= about


def _concerns(world: IdleWorld, case: Case, fact: Fact) -> bool:
    """Whether a true fact is about the case's own GPUs, job or server."""
    source, subject, value = fact
    units, server = world.fleet.units, world.fleet.servers[case.server].name
    if source in OF_GPU:
        return subject in {units[unit].name for unit in case.members}
    if source == "window":
        return any(
            window.id == int(subject) and window.kind == "maintenance"
            for window in world.plan.windows
            if window.server == case.server
        )
    if source == "node":
        return subject == server
    if source == "log" and case.job < 0:
        # a kernel's log tells of all GPUs of its server; the line has to name this one
        mine = {bus_id(units[unit].index) for unit in case.members}
        return subject == server and any(bus in value for bus in mine)
    return subject == str(case.job)


@dataclass
class Proofs:
    """Checks facts against the servers as they are at this moment."""

    world: IdleWorld
    scrape: Scrape
    _checks: dict[str, Callable[[str, str], bool]] = field(init=False)

    def __post_init__(self) -> None:
        self._numbers = {unit.name: unit.number for unit in self.world.fleet.units}
        self._nodes = {server.name: n for n, server in enumerate(self.world.fleet.servers)}
        self._checks = {
            "log": self._log,
            "process": self._process,
            "job": self._job,
            "node": self._node,
            "util": self._util,
            "memory": self._memory,
            "power": self._power,
            "last_sample": self._last_sample,
            "window": self._window,
        }

    def holds(self, source: str, subject: str, value: str) -> bool:
        """Whether the fact is true now; never raises."""
        check = self._checks.get(source)
        try:
            return check is not None and check(subject, value)
        except ValueError:
            return False

    def _log(self, subject: str, value: str) -> bool:
        """An exact line of the job's or node's log, one that tells something."""
        if subject in self._nodes:
            return (value, True) in node_lines(self.world, self._nodes[subject])
        number = int(subject)
        job = self.world.jobs.get(number) or self.world.ended.get(number)
        return job is not None and (value, True) in job_lines(self.world, job)

    def _process(self, subject: str, value: str) -> bool:
        """The number of a process on the GPU, or "none"."""
        unit = self._numbers.get(subject, -1)
        if unit < 0:
            return False
        job = self.world.job[unit]
        if job is None or not load.has_process(self.world.phase[unit]):
            return value == "none"
        return int(value) == load_pid(job, self.world.place[unit])

    def _job(self, subject: str, value: str) -> bool:
        job = self.world.jobs.get(int(subject))
        return (job.state if job is not None else "gone") == value

    def _node(self, subject: str, value: str) -> bool:
        server = self._nodes.get(subject, -1)
        return server >= 0 and value == "cordoned" and self.world.drained[server]

    def _util(self, subject: str, value: str) -> bool:
        """Mean of the last 24 hours, or of the time since the job came, within 3 points."""
        unit = self._numbers.get(subject, -1)
        if unit < 0:
            return False
        held = max(1, min(DAY, self.world.tick - max(0, self.world.judged[unit])))
        means = self.world.mean(unit), self.world.mean(unit, held), float(self.world.util[unit])
        return any(abs(float(value) - mean) <= 3 for mean in means)

    def _memory(self, subject: str, value: str) -> bool:
        return self._near(subject, value, 3, 0.1)

    def _power(self, subject: str, value: str) -> bool:
        return self._near(subject, value, 5, 0.25)

    def _near(self, subject: str, value: str, column: int, share: float) -> bool:
        unit = self._numbers.get(subject, -1)
        if unit < 0:
            return False
        seen = self.scrape.reading(self.world.fleet.units[unit])[column]
        return isinstance(seen, int) and abs(float(value) - seen) <= max(20.0, share * seen)

    def _last_sample(self, subject: str, value: str) -> bool:
        """When the GPU last reported, within an hour; in s."""
        unit = self._numbers.get(subject, -1)
        lost = self.world.lost_at[unit] if unit >= 0 else -1
        return lost >= 0 and abs(float(value) - lost * TICK_S) <= 6 * 3600

    def _window(self, subject: str, value: str) -> bool:
        """The number of a window and "ended"."""
        for window in self.world.plan.windows:
            if window.id == int(subject):
                return value == "ended" and window.end <= self.world.tick
        return False
