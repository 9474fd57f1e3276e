"""One workload under a controller's hand: its clock, its front door, and what both leave behind."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, TypeVar

from scenarios.simulator.streams import Stream
from scenarios.worlds.checks import Check, is_line
from scenarios.worlds.front import ApiFaults, Front, Incident
from scenarios.worlds.refusal import Refused
from scenarios.worlds.timeline import Series, Timeline

Methods = Mapping[str, Mapping[str, Check]]
Event = tuple[int, str, object]
"""(ms, kind, subject) of something that a controller is told of."""
F = TypeVar("F", bound=Callable[..., object])


def takes(**checks: Check) -> Callable[[F], F]:
    """Makes a method of an episode one of its calls, with the check of each parameter."""

    def offer(method: F) -> F:
        method.checks = checks  # type: ignore[attr-defined]
        return method

    return offer


class Call(ABC):
    """A call in the body of a class of episodes, with the check of each parameter.

    `label` is what the call is about, on the timeline and for repeats, with the parameters in
    braces; without one a read has its name and all parameters, a write its first parameter.
    """

    def __init__(
        self, act: Callable[..., object], label: str | None = None, /, **checks: Check
    ) -> None:
        self.act, self.label, self.checks = act, label, checks
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name
        if self.label is None:
            self.label = self.named()

    def __get__(self, episode: Episode | None, owner: type) -> Callable[..., object]:
        return self.act if episode is None else partial(self.answer, episode)

    def about(self, values: Sequence[object], named: Mapping[str, object]) -> tuple[str, list[Any]]:
        """The label with the parameters in it, and their values in the order of the checks."""
        if not self.checks:
            return str(self.label), []
        given = {**dict(zip(self.checks, values, strict=False)), **named}
        return str(self.label).format_map(given), [given[name] for name in self.checks]

    @abstractmethod
    def named(self) -> str:
        """The label of a call that was given none."""

    @abstractmethod
    def answer(self, episode: Episode, *values: object, **named: object) -> object:
        """What the episode answers. Raises Refused."""


class Read(Call):
    """`act` makes rows of what the episode shows (its world, mostly) and the parameters."""

    def named(self) -> str:
        return " ".join((self.name, *(f"{{{name}}}" for name in self.checks)))

    def answer(self, episode: Episode, *values: object, **named: object) -> object:
        what, given = self.about(values, named)
        return episode.read(what, lambda: self.act(episode.shown, *given))


class Write(Call):
    """`act` has the episode's controls do something."""

    def named(self) -> str:
        return f"{{{next(iter(self.checks))}}}"

    def answer(self, episode: Episode, *values: object, **named: object) -> object:
        subject, given = self.about(values, named)
        return episode.write(self.name, subject, lambda: self.act(episode.controls, *given))


class Episode(ABC):
    """The controller's calls in, plain answers out. Raises `Refused`. Time passes only in `tick`.

    A world's episode lists its calls in its body, in the order in which they are known: `Read`,
    `Write`, or a method under `takes`. With `faults` off the API never times out, lags or
    throttles; the cluster's own trouble stays. Its constructor brings the world to its beginning.

    `reads_per_tick` and `writes_per_tick` are what the API answers in one tick; `over` is its
    refusal after the end; `series` are the lines of the timeline that are shown; `methods` names
    every call and the check of each parameter.
    """

    reads_per_tick: ClassVar[int] = 40
    writes_per_tick: ClassVar[int] = 20
    over: ClassVar[str] = "The days are over; there is nothing left to control."
    methods: ClassVar[Methods] = {}
    series: Sequence[Series] = ()

    def __init_subclass__(cls) -> None:
        own = {name: one.checks for name, one in vars(cls).items() if hasattr(one, "checks")}
        cls.methods = {"tick": {}, **own, "log": {"text": is_line}}

    def __init__(
        self,
        config: Any,
        world: Any,
        controls: Any,
        timeline: Timeline,
        api: ApiFaults,
        seed: str,
        *,
        faults: bool,
    ) -> None:
        self.config, self.world, self.controls, self.timeline = config, world, controls, timeline
        self.shown: Any = world
        self.faults = faults
        self.chance = Stream(seed, "api")
        reads, writes = self.reads_per_tick, self.writes_per_tick
        self.front = Front(
            api,
            self.chance,
            timeline.mark,
            reads_per_tick=reads,
            writes_per_tick=writes,
            on=faults,
        )
        self._told = 0

    # -- what a world fills in -------------------------------------------------------

    @abstractmethod
    def advance(self, *, watched: bool) -> None:
        """Let one tick pass; unless it is `watched`, nobody wants to be woken before its end."""

    @abstractmethod
    def happened(self) -> Sequence[Event]:
        """All events so far, in the order in which the controller is told of them."""

    @abstractmethod
    def facts(self, lost: list[Incident]) -> dict[str, Any]:
        """Raw figures so far; `lost` are the writes that were lost."""

    # -- time ------------------------------------------------------------------------

    @property
    def complete(self) -> bool:
        """Whether the workload's span is over."""
        return bool(self.world.now >= self.config.length)

    @property
    def now(self) -> int:
        """Simulated time in s."""
        return int(self.world.now // 1000)

    def tick(self) -> dict[str, object]:
        """Let a step of time pass; answers the time in s, whether it is over, and what happened."""
        if self.complete:
            raise Refused("over", self.over)
        self.advance(watched=True)
        self.front.next_tick(self.world.now)
        return {"t": self.now, "done": self.complete, "events": self.news()}

    def run_out(self) -> None:
        """Let the rest pass with nobody in control."""
        while not self.complete:
            self.advance(watched=False)

    def news(self) -> list[list[object]]:
        """Events that the controller was not told of yet, their times in s."""
        events = self.happened()
        told, self._told = self._told, len(events)
        return [[at // 1000, kind, subject] for at, kind, subject in events[told:]]

    # -- the front door --------------------------------------------------------------

    def read(self, what: str, build: Callable[[], object]) -> object:
        """What `build` makes, with the time at which it was made. Raises Refused."""
        return self.front.read(self.world.now, what, build)

    def write(self, verb: str, subject: object, act: Callable[[], object]) -> object:
        """What `act` answers. Raises Refused, also for a write that did take effect."""
        return self.front.write(self.world.now, verb, str(subject), act)

    def log(self, text: str) -> None:
        """A line for the timeline."""
        self.timeline.log(self.world.now, text)

    # -- afterwards ------------------------------------------------------------------

    def figures(self) -> dict[str, Any]:
        """Raw figures so far; `ticks` counts the steps that the controller let pass."""
        raw = self.facts(self.front.incidents())
        return {**raw, "calls_refused_by_rate": self.front.limited, "ticks": self.front.ticks}

    def replay(self) -> dict[str, Any]:
        """What happened, to be drawn: see `Timeline.replay`."""
        return self.timeline.replay(self.series, self.world.now)
