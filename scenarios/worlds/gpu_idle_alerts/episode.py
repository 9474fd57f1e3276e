"""The servers as their monitor meets them: an API with limits, delays and faults."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scenarios.company.profile import Profile
from scenarios.simulator.streams import Stream
from scenarios.worlds.contract import Series
from scenarios.worlds.front import ApiFaults, Front, windows
from scenarios.worlds.gpu_idle_alerts import views
from scenarios.worlds.gpu_idle_alerts.controls import Controls
from scenarios.worlds.gpu_idle_alerts.desk import Desk
from scenarios.worlds.gpu_idle_alerts.facts import Tally, figures
from scenarios.worlds.gpu_idle_alerts.families import FAMILIES
from scenarios.worlds.gpu_idle_alerts.fleet import build_fleet
from scenarios.worlds.gpu_idle_alerts.plan import draw_plan
from scenarios.worlds.gpu_idle_alerts.proofs import Proofs
from scenarios.worlds.gpu_idle_alerts.register import Dashboard, Register
from scenarios.worlds.gpu_idle_alerts.rules import Truth
from scenarios.worlds.gpu_idle_alerts.scrape import Scrape
from scenarios.worlds.gpu_idle_alerts.setting import TICK_MS, TICK_S, Setting
from scenarios.worlds.gpu_idle_alerts.world import IdleWorld
from scenarios.worlds.refusal import Refused
from scenarios.worlds.timeline import Timeline

CALLS = 60
"""Reads, and writes, that are answered in one tick of ten minutes."""
SERIES = (
    Series("waiting", "Jobs waiting", "jobs", "queue"),
    Series("working", "GPUs at work", "GPUs", "gpus"),
    Series("held", "GPUs given out and idle", "GPUs", "gpus"),
    Series("under_rule", "GPUs under a house rule", "GPUs", "rules"),
    Series("alerted", "GPUs with an open alert", "GPUs", "rules"),
    Series("wasted", "GPU-hours wasted so far", "GPU-h", "waste"),
)


class Episode:
    """One stretch of days: the monitor's calls in, plain answers out. Raises `Refused`.

    With `faults` off the API never times out, lags or throttles; the servers' own trouble and
    the gaps in their readings stay.
    """

    def __init__(
        self, profile: Profile, setting: Setting, family: str, seed: str, *, faults: bool = True
    ) -> None:
        kind, gpu = FAMILIES[family], profile.gpu_model
        fleet = build_fleet(setting.fleet, gpu, seed)
        plan = draw_plan(fleet, setting, kind, seed)
        self.setting = setting
        self.timeline = Timeline([one.key for one in SERIES], every=3 * TICK_MS)
        self.world = IdleWorld(fleet, setting, plan, kind, gpu, seed, self.timeline)
        self.scrape = Scrape(self.world)
        self._inventory = views.inventory_of(fleet, gpu)
        self.truth = Truth(self.world, self.scrape)
        self.register = Register()
        self.board = Dashboard(self.world)
        proofs = Proofs(self.world, self.scrape)
        self.controls = Controls(self.world, self.truth, self.register, self.board, proofs)
        self.desks = [Desk(one, self.world, self.truth, self.register) for one in fleet.contacts]
        self.tally = Tally(self.world)
        rates = _api_faults(setting, kind.api, seed)
        self.front = Front(
            rates, Stream(seed, "api"), self.timeline.mark,
            reads_per_tick=CALLS, writes_per_tick=CALLS, on=faults,
        )  # fmt: skip
        self._told = 0
        self._look()

    @property
    def complete(self) -> bool:
        """Whether the days are over."""
        return self.world.tick >= self.setting.ticks

    @property
    def now(self) -> int:
        """Simulated time in s."""
        return self.world.tick * TICK_S

    # -- time ------------------------------------------------------------------------

    def tick(self) -> dict[str, object]:
        """Let ten minutes pass; answers the time in s, whether it is over, and what happened."""
        if self.complete:
            raise Refused("over", "The days are over; there is nothing left to watch.")
        self._advance()
        self.front.next_tick(self.world.now_ms)
        return {"t": self.now, "done": self.complete, "events": self._news()}

    def run_out(self) -> None:
        """Let the rest of the days pass with nobody watching."""
        while not self.complete:
            self._advance()

    def _advance(self) -> None:
        self.world.step()
        self._look()
        for desk in self.desks:
            desk.work()

    def _look(self) -> None:
        self.scrape.look()
        self.truth.look()
        self.board.look()
        self.tally.look()
        if self.timeline.due(self.world.now_ms):
            self.timeline.sample(self.world.now_ms, self._sample())

    def _sample(self) -> list[float]:
        world = self.world
        under = {unit for case in self.truth.open.values() for unit in case.members}
        alerted = {unit for alert in self.register.open() for unit in alert.units}
        given = sum(job is not None for job in world.job)
        working = sum(util > 0 for util in world.util)
        waiting = sum(map(len, world.waiting.values()))
        held = max(0, given - working)
        return [waiting, working, held, len(under), len(alerted), round(self.tally.wasted, 1)]

    def _news(self) -> list[list[object]]:
        """Events whose time has come; an owner's answer is known beforehand and told when due."""
        due = [event for event in self.register.events if event[0] <= self.now]
        self.register.events = [event for event in self.register.events if event[0] > self.now]
        return [list(event) for event in sorted(due)]

    # -- reads -----------------------------------------------------------------------

    def _read(self, what: str, build: Callable[[], object]) -> object:
        return self.front.read(self.world.now_ms, what, build)

    def gpus(self) -> object:
        """The inventory."""
        return self._read("gpus", lambda: views.gpu_rows(self.world, self._inventory))

    def samples(self) -> object:
        """The newest scrape of every exporter."""
        return self._read("samples", self.scrape.rows)

    def processes(self) -> object:
        """Processes that have a GPU open."""
        return self._read("processes", lambda: views.process_rows(self.world))

    def jobs(self) -> object:
        """Jobs on the servers and in the queues."""
        return self._read("jobs", lambda: views.job_rows(self.world))

    def nodes(self) -> object:
        """The servers."""
        return self._read("nodes", lambda: views.node_rows(self.world))

    def logs(self, subject: str) -> object:
        """The end of a job's output, or a server's kernel messages."""
        return self._read(f"logs {subject}", lambda: views.log_rows(self.world, subject))

    def maintenance(self) -> object:
        """Windows in which GPUs are set aside."""
        return self._read("maintenance", lambda: views.window_rows(self.world))

    def contacts(self) -> object:
        """The teams and the hours of their desks."""
        self._only("contacts")
        return self._read("contacts", lambda: views.contact_rows(self.world))

    def alerts(self) -> object:
        """Alerts that are not resolved."""
        return self._read("alerts", lambda: views.alert_rows(self.world, self.register))

    # -- writes ----------------------------------------------------------------------

    def _write(self, verb: str, subject: object, act: Callable[[], object]) -> object:
        return self.front.write(self.world.now_ms, verb, str(subject), act)

    def _only(self, verb: str) -> None:
        if not self.setting.actions:
            raise Refused("invalid", f"There is no call {verb!r} on these servers.")

    def alert(self, rule: str, gpus: list[str], severity: str, team: str, text: str) -> object:
        """Raise an alert."""
        subject = f"{rule} {', '.join(gpus[:8])}"
        act = lambda: self.controls.alert(rule, gpus, severity, team, text)  # noqa: E731
        return self._write("alert", subject, act)

    def resolve(self, alert: int) -> object:
        """Close an alert."""
        return self._write("resolve", alert, lambda: self.controls.resolve(alert))

    def finding(self, alert: int, cause: str, evidence: list[list[str]]) -> object:
        """File a cause with its evidence."""
        act = lambda: self.controls.finding(alert, cause, evidence)  # noqa: E731
        return self._write("finding", alert, act)

    def dashboard(self, panels: list[list[object]]) -> object:
        """Show these panels."""
        return self._write("dashboard", "", lambda: self.controls.dashboard(panels))

    def warn(self, job: int, text: str) -> object:
        """Warn a job's owner."""
        self._only("warn")
        return self._write("warn", job, lambda: self.controls.warn(job, text))

    def cancel(self, job: int) -> object:
        """End a running job."""
        self._only("cancel")
        return self._write("cancel", job, lambda: self.controls.cancel(job))

    def log(self, text: str) -> object:
        """A line for the timeline."""
        self.timeline.log(self.world.now_ms, text)
        return None

    # -- afterwards ------------------------------------------------------------------

    def figures(self) -> dict[str, Any]:
        """Raw figures so far (see `facts.figures`), API use included."""
        raw = figures(self.world, self.truth, self.controls, self.tally)
        lost = self.front.incidents(TICK_S)
        return {
            **raw,
            "lost_writes": [[one.at, one.subject, one.handled] for one in lost],
            "calls_refused_by_rate": self.front.limited,
            "ticks": self.front.ticks,
        }

    def replay(self) -> dict[str, Any]:
        """The days to be drawn (see `Timeline.replay`)."""
        return self.timeline.replay(SERIES, self.world.now_ms)


def _api_faults(setting: Setting, scale: float, seed: str) -> ApiFaults:
    """Failed calls: throttled and stale spells of 10 to 40 minutes, more on bad days."""
    stream, rate = Stream(seed, "trouble"), setting.trouble * scale
    length = setting.ticks * TICK_MS
    return ApiFaults(
        write_timeout=min(0.08, 0.03 * rate),
        read_timeout=min(0.02, 0.006 * rate),
        throttled=windows(stream, int(4 * rate), 10, 40, length),
        stale=windows(stream, int(8 * rate), 10, 60, length),
    )
