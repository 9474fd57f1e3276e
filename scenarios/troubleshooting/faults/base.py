"""What every cause can do: strike somewhere, change the condition, leave traces, be put into words."""

from __future__ import annotations

import tomllib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import ClassVar, Self, cast

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.calendar import MINUTE, Calendar
from scenarios.troubleshooting.condition import ALWAYS, Effect
from scenarios.troubleshooting.hall import UNIT
from scenarios.troubleshooting.jobs import Job, Neighbour, Training
from scenarios.troubleshooting.plant import Node, Plant
from scenarios.troubleshooting.shapes import Shape
from scenarios.troubleshooting.steps import Run
from scenarios.troubleshooting.traces import Mark, Trace, Value

LEVELS = ("junior", "mid", "senior")
COMPONENTS = ("compute", "communication", "data", "checkpoint")


@dataclass(frozen=True, slots=True)
class Words:
    """What the key says about a cause, in sentences for an interviewer."""

    title: str
    story: str
    confused_with: str
    test: str
    mitigation: str
    fix: str
    risk: str


@dataclass(slots=True)
class Scene:
    """Where faults may strike. Places are given out once: no two causes share a node, port or spare.

    `end_guess` is about when the slow run will end (ms UTC), known before it has been walked.
    """

    plant: Plant
    calendar: Calendar
    training: Training
    end_guess: int
    taken: set[str] = field(default_factory=set)

    def node(self, draw: Stream) -> Node:
        """A node of the slow job that carries no fault yet."""
        free = [node for node in self.training.nodes if node.name not in self.taken]
        return self._take(free, draw)

    def nodes(self, draw: Stream, count: int) -> tuple[Node, ...]:
        """One to `count` nodes of the slow job without a fault, in order."""
        found = [self.node(draw)]
        while len(found) < count and any(n.name not in self.taken for n in self.training.nodes):
            found.append(self.node(draw))
        return tuple(sorted(found, key=lambda node: node.index))

    def spares(self, draw: Stream, count: int) -> tuple[Node, ...]:
        """One to `count` whole nodes for a neighbour: outside the slow job, on the same leaves."""
        own = {node.name for node in self.training.nodes}
        found: list[Node] = []
        for _ in range(count):
            near = self.plant.nodes[:UNIT]
            free = [n for n in near if n.name not in own and n.name not in self.taken]
            if found and len(free) < 2:
                break
            found.append(self._take(free, draw))
        return tuple(sorted(found, key=lambda node: node.index))

    def rack(self, draw: Stream) -> str:
        """A rack with at least two nodes of the slow job and none that carries a fault."""
        count: dict[str, int] = {}
        for node in self.training.nodes:
            count[node.rack] = count.get(node.rack, 0) + (-99 if node.name in self.taken else 1)
        racks = [rack for rack, nodes in count.items() if nodes >= 2]
        if not racks:
            raise NoRoom("no rack holds two free nodes of the job")
        rack = draw.pick([(rack, 1.0) for rack in racks])
        self.taken.update(self.plant.rack(rack).nodes)
        return rack

    def _take(self, free: Sequence[Node], draw: Stream) -> Node:
        if not free:
            raise NoRoom("every node is taken")
        node = draw.pick([(node, 1.0) for node in free])
        self.taken.add(node.name)
        return node


class NoRoom(Exception):
    """The fault finds no place beside those already drawn; the draw takes another."""


@dataclass(frozen=True, slots=True)
class Past:
    """The finished story, for writing traces: who ran when, under which job ids.

    `slow` and `baseline` are the two jobs, `run` the slow run's steps; `neighbours` those of the
    fault or herring that is being asked, in order of start.
    """

    plant: Plant
    calendar: Calendar
    training: Training
    run: Run
    slow: Job
    baseline: Job
    jobs: tuple[Job, ...]
    seed: str

    @property
    def first_ms(self) -> int:
        return self.run.first_ms

    @property
    def end_ms(self) -> int:
        return self.run.end_ms

    def neighbours(self, tag: str) -> tuple[Job, ...]:
        return tuple(job for job in self.jobs if job.tag == tag)

    def draw(self, cause: str) -> Stream:
        """A stream for what traces still have to draw (numbers, seconds, people)."""
        return Stream(self.seed, f"trace {cause}")


@dataclass(frozen=True)
class Fault(ABC):
    """One cause. `seconds` per step are those it costs in full, as its parameters really give them.

    Class: `key` names it everywhere, `number` is its entry in the domain handbook's catalogue (3.1;
    0 for one of the "also usable"), `group` says with which others its seconds do not simply add
    up, `component` where the timers show it, `low` to `high` what may be asked of it (s per step).
    They stand in the head of the class, `low` and `high` as `costs`.
    """

    key: ClassVar[str]
    number: ClassVar[int]
    group: ClassVar[str]
    component: ClassVar[str]
    low: ClassVar[float]
    high: ClassVar[float]
    levels: ClassVar[tuple[str, ...]]

    seconds: float

    def __init_subclass__(
        cls,
        *,
        key: str,
        number: int,
        group: str,
        component: str,
        costs: tuple[float, float],
        levels: tuple[str, ...] = LEVELS,
    ) -> None:
        cls.key, cls.number, cls.group, cls.component = key, number, group, component
        (cls.low, cls.high), cls.levels = costs, levels

    @classmethod
    @abstractmethod
    def strike(cls, scene: Scene, seconds: float, draw: Stream) -> Self:
        """The fault at a place of the scene, as near to `seconds` per step as its nature allows.

        Raises NoRoom.
        """

    @abstractmethod
    def effects(self) -> tuple[Effect, ...]:
        """Departures from health; nothing else makes the run slower."""

    @abstractmethod
    def places(self) -> tuple[str, ...]:
        """Names of what it strikes, most telling first: node, `node/gpuN`, `node/mlx5_N`, leaf, OST."""

    @abstractmethod
    def traces(self, past: Past) -> Iterator[Trace]:
        """What was written down, in any order. Tickets have no `id` yet: the incident numbers them by time."""

    @abstractmethod
    def marks(self, past: Past) -> Iterator[Mark]:
        """Where metrics show it."""

    def facts(self) -> dict[str, object]:
        """What the words of this cause may name: its fields, sequences as "a, b and c"."""
        found = {name.name: spoken(getattr(self, name.name)) for name in fields(self)}
        if "rise_ms" in found:
            found["rise_min"] = cast(int, found["rise_ms"]) // MINUTE
        return found

    def words(self) -> Words:
        """Its sentences in the key, from `words.toml`."""
        facts = self.facts()
        texts = _texts()[self.key]
        return Words(
            **{name: " ".join(text.format(**facts).split()) for name, text in texts.items()}
        )

    def neighbours(self) -> tuple[Neighbour, ...]:
        """Jobs of others that the fault is about."""
        return ()

    def trace(self, kind: str, at_ms: int, host: str, **fields: Value) -> Trace:
        return Trace(kind, at_ms, host, self.key, fields)

    def effect(self, subject: str, name: str, value: float, shape: Shape = ALWAYS) -> Effect:
        return Effect(self.key, subject, name, value, shape)

    def mark(self, past: Past, metric: str, shows: str, **labels: str | int) -> Mark:
        """Evidence over the whole slow run in the series that carry these labels."""
        found = {name: str(value) for name, value in labels.items()}
        return Mark(metric, found, past.first_ms, past.end_ms, shows)


def spoken(value: object) -> object:
    """Several names or numbers as one would say them."""
    if not isinstance(value, tuple):
        return value
    names = [str(v) for v in value]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


@cache
def _texts() -> dict[str, dict[str, str]]:
    return tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))


def during(past: Past, draw: Stream, every_min: float, most: int = 40) -> list[int]:
    """Instants within the slow run, about `every_min` minutes apart, at most so many (ms UTC)."""
    found: list[int] = []
    at = past.first_ms + draw.between(2, 9) * MINUTE
    while at < past.end_ms and len(found) < most:
        found.append(int(at))
        at += draw.between(0.5, 1.5) * every_min * MINUTE
    return found
