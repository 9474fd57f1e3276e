"""The servers as their monitor meets them."""

from __future__ import annotations

from typing import Any

from scenarios.company.profile import Profile
from scenarios.simulator.streams import Stream
from scenarios.worlds import reading
from scenarios.worlds.checks import is_count, is_line, is_list_of, is_name, is_one_of, is_text
from scenarios.worlds.episode import Episode as AnyEpisode
from scenarios.worlds.episode import Event, Read, Write, takes
from scenarios.worlds.front import ApiFaults, Incident, windows
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
from scenarios.worlds.gpu_idle_alerts.setting import TICK_MS, Setting
from scenarios.worlds.gpu_idle_alerts.world import IdleWorld
from scenarios.worlds.refusal import Refused
from scenarios.worlds.timeline import Timeline

MOST_FACTS, MOST_PANELS = 12, 600
FACT_LENGTH = 400
SERIES = reading.series(reading.table(__file__, "data.toml")["series"])


def is_fact(value: object) -> bool:
    """[source, subject, value], three strings."""
    return type(value) is list and len(value) == 3 and all(map(is_text(FACT_LENGTH), value))


def is_panel(value: object) -> bool:
    """[title, gpu, metric, unit, threshold]: four short strings and a number."""
    if type(value) is not list or len(value) != 5:
        return False
    *texts, threshold = value
    return all(map(is_text(80), texts)) and type(threshold) in (int, float)


class Episode(AnyEpisode):
    """One stretch of days of ticks of ten minutes. With `faults` off, gaps in readings stay."""

    reads_per_tick = writes_per_tick = 60
    over = "The days are over; there is nothing left to watch."
    series = SERIES
    config: Setting
    world: IdleWorld
    controls: Controls

    def __init__(
        self, profile: Profile, setting: Setting, family: str, seed: str, *, faults: bool = True
    ) -> None:
        kind, gpu = FAMILIES[family], profile.gpu_model
        fleet = build_fleet(setting.fleet, gpu, seed)
        plan = draw_plan(fleet, setting, kind, seed)
        timeline = Timeline([one.key for one in SERIES], every=3 * TICK_MS)
        world = IdleWorld(fleet, setting, plan, kind, gpu, seed, timeline)
        self.scrape = Scrape(world)
        self._inventory = views.inventory_of(fleet, gpu)
        self.truth = Truth(world, self.scrape)
        self.register = Register()
        self.board = Dashboard(world)
        proofs = Proofs(world, self.scrape)
        controls = Controls(world, self.truth, self.register, self.board, proofs)
        self.desks = [Desk(one, world, self.truth, self.register) for one in fleet.contacts]
        self.tally = Tally(world)
        api = _api_faults(setting, kind.api, seed)
        super().__init__(setting, world, controls, timeline, api, seed, faults=faults)
        self.shown = self
        self._due: list[Event] = []
        self._look()

    def advance(self, *, watched: bool) -> None:
        self.world.step()
        self._look()
        for desk in self.desks:
            desk.work()

    def _look(self) -> None:
        self.scrape.look()
        self.truth.look()
        self.board.look()
        self.tally.look()
        if self.timeline.due(self.world.now):
            self.timeline.sample(self.world.now, self._sample())

    def _sample(self) -> list[float]:
        world = self.world
        under = {unit for case in self.truth.open.values() for unit in case.members}
        alerted = {unit for alert in self.register.open() for unit in alert.units}
        given = sum(job is not None for job in world.job)
        working = sum(util > 0 for util in world.util)
        waiting = sum(map(len, world.waiting.values()))
        held = max(0, given - working)
        return [waiting, working, held, len(under), len(alerted), round(self.tally.wasted, 1)]

    def happened(self) -> list[Event]:
        """Those whose time has come; an owner's answer is known beforehand and told when due."""
        self._due += self.register.due(self.world.now)
        return self._due

    def facts(self, lost: list[Incident]) -> dict[str, Any]:
        raw = figures(self.world, self.truth, self.controls, self.tally)
        return {**raw, "lost_writes": [[one.at, one.subject, one.handled] for one in lost]}

    def _only(self, verb: str) -> None:
        if not self.config.actions:
            raise Refused("invalid", f"There is no call {verb!r} on these servers.")

    gpus = Read(lambda days: views.gpu_rows(days.world, days._inventory))
    samples = Read(lambda days: days.scrape.rows())
    processes = Read(lambda days: views.process_rows(days.world))
    jobs = Read(lambda days: views.job_rows(days.world))
    nodes = Read(lambda days: views.node_rows(days.world))
    logs = Read(lambda days, subject: views.log_rows(days.world, subject), subject=is_name)
    maintenance = Read(lambda days: views.window_rows(days.world))

    @takes()
    def contacts(self) -> object:
        """The teams and the hours of their desks."""
        self._only("contacts")
        return self.read("contacts", lambda: views.contact_rows(self.world))

    alerts = Read(lambda days: views.alert_rows(days.world, days.register))

    @takes(
        rule=is_name,
        gpus=is_list_of(is_name, 16),
        severity=is_one_of("page", "ticket"),
        team=is_name,
        text=is_line,
    )
    def alert(self, rule: str, gpus: list[str], severity: str, team: str, text: str) -> object:
        """Raise an alert."""
        act = lambda: self.controls.alert(rule, gpus, severity, team, text)  # noqa: E731
        return self.write("alert", f"{rule} {', '.join(gpus[:8])}", act)

    resolve = Write(Controls.resolve, alert=is_count)
    finding = Write(
        Controls.finding, alert=is_count, cause=is_name, evidence=is_list_of(is_fact, MOST_FACTS)
    )
    dashboard = Write(Controls.dashboard, "", panels=is_list_of(is_panel, MOST_PANELS))

    @takes(job=is_count, text=is_line)
    def warn(self, job: int, text: str) -> object:
        """Warn a job's owner."""
        self._only("warn")
        return self.write("warn", job, lambda: self.controls.warn(job, text))

    @takes(job=is_count)
    def cancel(self, job: int) -> object:
        """End a running job."""
        self._only("cancel")
        return self.write("cancel", job, lambda: self.controls.cancel(job))


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
