"""An hour of four nodes that get too hot: what the practice room's program is played on.

Small on purpose and unlike every exercise: its calls, its figures and its faults are its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scenarios.company.profile import Profile
from scenarios.simulator.agenda import MINUTE
from scenarios.simulator.streams import Stream
from scenarios.worlds.checks import is_name
from scenarios.worlds.contract import Figures, World
from scenarios.worlds.episode import Episode, Event, Read, Write
from scenarios.worlds.front import ApiFaults, Incident
from scenarios.worlds.refusal import Refused
from scenarios.worlds.timeline import Series, Timeline

SERVING, DRAINED = "serving", "drained"
TOO_HOT = 85.0
NAMES = ("linnet01", "linnet02", "linnet03", "linnet04")
SERIES = (
    Series("hottest", "Hottest node in service", "°C", "temperature"),
    Series("serving", "Nodes in service", "nodes", "nodes"),
)


@dataclass(frozen=True, slots=True)
class Setting:
    """Nothing to set. `length` in ms."""

    length: int = 60 * MINUTE


class Hall:
    """The nodes: `temperature` in °C by name; `pull` towards which each is drawn while it works."""

    def __init__(self, seed: str) -> None:
        self.now = 0
        stream = Stream(seed, "heat")
        self.state = dict.fromkeys(NAMES, SERVING)
        self.temperature = {name: round(stream.between(48, 62), 1) for name in NAMES}
        hot = stream.pick([(name, 1.0) for name in NAMES])
        self.pull = {
            name: stream.between(96, 104) if name == hot else stream.between(66, 90)
            for name in NAMES
        }
        self.hot_minutes = 0
        self.served = 0

    def step(self) -> None:
        """One minute: a node in service goes a tenth of its way to its pull, a drained one cools to 35 °C."""
        self.now += MINUTE
        for name, at in self.temperature.items():
            aim = self.pull[name] if self.state[name] == SERVING else 35.0
            self.temperature[name] = round(at + (aim - at) / 10, 1)
        serving = self.serving()
        self.served += len(serving)
        self.hot_minutes += sum(self.temperature[name] > TOO_HOT for name in serving)

    def serving(self) -> list[str]:
        return [name for name, state in self.state.items() if state == SERVING]

    def rows(self) -> list[list[object]]:
        return [[name, self.temperature[name], self.state[name]] for name in NAMES]


class Controls:
    """What a program may do to a node."""

    def __init__(self, hall: Hall, timeline: Timeline) -> None:
        self.hall, self.timeline = hall, timeline

    def drain(self, node: str) -> None:
        """Take it out of service."""
        self._bring(node, DRAINED, "drained")

    def resume(self, node: str) -> None:
        """Put it back."""
        self._bring(node, SERVING, "resumed")

    def _bring(self, node: str, state: str, done: str) -> None:
        if node not in self.hall.state:
            raise Refused("not_found", f"There is no node {node!r}.")
        if self.hall.state[node] == state:
            raise Refused("conflict", f"{node} is {state} already.")
        self.hall.state[node] = state
        self.timeline.mark(self.hall.now, "action", f"{node} {done}")
        if state == SERVING:
            self.timeline.begin(node, node, self.hall.now, "in service", "job")
        else:
            self.timeline.end(node, node, self.hall.now)


class WarmHour(Episode):
    """Sixty ticks of a minute. Its API never fails."""

    over = "The hour is over; there is nothing left to control."
    series = SERIES
    world: Hall

    def __init__(
        self, profile: Profile, setting: Setting, family: str, seed: str, *, faults: bool = True
    ) -> None:
        hall, timeline = Hall(seed), Timeline([one.key for one in SERIES], every=MINUTE)
        controls = Controls(hall, timeline)
        for name in NAMES:
            timeline.begin(name, name, 0, "in service", "job")
        super().__init__(
            setting, hall, controls, timeline, ApiFaults(0.0, 0.0), seed, faults=faults
        )
        self._sample()

    def _sample(self) -> None:
        serving = self.world.serving()
        hottest = max((self.world.temperature[name] for name in serving), default=0.0)
        self.timeline.sample(self.world.now, [hottest, len(serving)])

    def advance(self, *, watched: bool) -> None:
        self.world.step()
        self._sample()

    def happened(self) -> list[Event]:
        return []

    def facts(self, lost: list[Incident]) -> dict[str, Any]:
        return {"minutes_hot": self.world.hot_minutes, "node_minutes_served": self.world.served}

    nodes = Read(lambda hall: hall.rows())
    drain = Write(Controls.drain, node=is_name)
    resume = Write(Controls.resume, node=is_name)


def _setting(table: Mapping[str, Any]) -> Setting:
    if table:
        raise ValueError("The practice world has no settings.")
    return Setting()


def _hot(hours: Sequence[Figures]) -> float:
    return sum(float(hour["minutes_hot"]) for hour in hours) / len(hours)


def _account(figures: Figures) -> str:
    return f"nodes in service were too hot for {figures['minutes_hot']} minutes."


WORLD: World[Setting] = World(
    name="practice",
    span="hour",
    families=("warm",),
    methods=WarmHour.methods,
    series=SERIES,
    measures={"hot": _hot},
    settings=_setting,
    open=WarmHour,
    words=lambda profile, setting: {},
    documents={},
    summary=dict,
    account=_account,
)
