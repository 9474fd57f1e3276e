"""What every part of the world shares: the clock, the fleet, the sums, and what is written down."""

from __future__ import annotations

from dataclasses import dataclass, field

from scenarios.simulator.agenda import HOUR, MINUTE, Agenda
from scenarios.worlds import reading
from scenarios.worlds.mig_sharing.fleet import Fleet, Gpu, Node
from scenarios.worlds.mig_sharing.isolation import Isolation
from scenarios.worlds.mig_sharing.meter import Ledger, Meter
from scenarios.worlds.mig_sharing.planned import SliceEvent
from scenarios.worlds.mig_sharing.settings import Config
from scenarios.worlds.timeline import Timeline

SERIES = reading.series(reading.table(__file__, "data.toml")["series"])


@dataclass
class Core:
    """`now` in ms; `happenings` are (ms, kind, subject) as the controller is told of them."""

    config: Config
    seed: str
    now: int = 0
    agenda: Agenda = field(default_factory=Agenda)
    meter: Meter = field(default_factory=Meter)
    happenings: list[tuple[int, str, str]] = field(default_factory=list)
    broken_rules: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.fleet = Fleet(self.config)
        self.isolation = Isolation(self.fleet, self.config.level.tenants)
        self.timeline = Timeline([one.key for one in SERIES])
        self.ledger = Ledger(len(self.config.level.tenants), self.config.length // HOUR)
        for gpu in self.fleet.gpus:
            self.timeline.row(gpu.name)
            self.draw_layout(gpu)

    def plan(self, at: int, kind: SliceEvent, subject: int, version: int = 0) -> None:
        """Something happens at `at` ms unless its subject changes before."""
        self.agenda.add(at, kind, subject, version)

    def tell(self, kind: str, subject: str, text: str = "") -> None:
        """An event that the controller is told of; with a text it is marked as a fault."""
        self.happenings.append((self.now, kind, subject))
        if text:
            self.timeline.mark(self.now, "fault", text)

    def act(self, text: str) -> None:
        """Something that the controller did, on the timeline."""
        self.timeline.mark(self.now, "action", text)

    def broken(self, text: str) -> None:
        """A rule was broken just now."""
        minutes = self.now // MINUTE
        self.broken_rules.append(f"{minutes // 60:02d}:{minutes % 60:02d} {text}")
        self.timeline.mark(self.now, "rule", text)

    def node_of(self, gpu: Gpu) -> Node:
        """The machine a GPU is in."""
        return self.fleet.nodes[gpu.node]

    def draw_layout(self, gpu: Gpu) -> None:
        """From now on the chart shows the GPU with its present instances."""
        self.timeline.end(gpu.name, "mig", self.now)
        if gpu.mig and gpu.layout:
            self.timeline.begin(gpu.name, "mig", self.now, self.layout_text(gpu), "mig")

    def layout_text(self, gpu: Gpu) -> str:
        """A layout in a few words: 2 x 1g.10gb, 1 x 2g.20gb."""
        kinds = [kind for _, kind in gpu.layout]
        names = self.config.card.names
        return ", ".join(f"{kinds.count(k)} x {names[k]}" for k in sorted(set(kinds)))
