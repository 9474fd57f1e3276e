"""True observations that explain nothing: each coincides with the slow run or stands beside a real cause."""

from __future__ import annotations

import tomllib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import ClassVar, Self

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.condition import ALWAYS, Effect
from scenarios.troubleshooting.faults.base import Fault, Past, Scene, spoken
from scenarios.troubleshooting.jobs import Neighbour
from scenarios.troubleshooting.shapes import Shape
from scenarios.troubleshooting.traces import Mark, Trace, Value

TIES = ("time", "place")


@dataclass(frozen=True, slots=True)
class Harmless:
    """What the key says about a herring: what it is, why it is harmless, how to put it aside."""

    title: str
    why: str
    test: str


@dataclass(frozen=True)
class Herring(ABC):
    """One herring. `tie`: `time` if it falls within half an hour of the first step, `place` if it stands
    where a real cause stands. Not drawn beside the causes in `excludes`, whose sign it resembles.
    """

    key: ClassVar[str]
    tie: ClassVar[str]
    excludes: ClassVar[tuple[str, ...]]

    host: str
    at_ms: int

    def __init_subclass__(cls, *, key: str, tie: str, excludes: tuple[str, ...] = ()) -> None:
        cls.key, cls.tie, cls.excludes = key, tie, excludes

    @classmethod
    @abstractmethod
    def strike(cls, scene: Scene, faults: Sequence[Fault], draw: Stream) -> Self | None:
        """The herring for this story, or None where it finds no place."""

    @abstractmethod
    def traces(self, past: Past) -> Iterator[Trace]: ...

    def marks(self, past: Past) -> Iterator[Mark]:
        """Where metrics show it; often nowhere."""
        return iter(())

    def effects(self) -> tuple[Effect, ...]:
        """Departures that cost no time."""
        return ()

    def neighbours(self) -> tuple[Neighbour, ...]:
        """Jobs of others that it tells of."""
        return ()

    def words(self) -> Harmless:
        facts = {item.name: spoken(getattr(self, item.name)) for item in fields(self)}
        texts = _texts()[self.key]
        return Harmless(
            **{name: " ".join(text.format(**facts).split()) for name, text in texts.items()}
        )

    def trace(self, kind: str, at_ms: int, host: str, **values: Value) -> Trace:
        return Trace(kind, at_ms, host, self.key, values)

    def effect(self, subject: str, name: str, value: float, shape: Shape = ALWAYS) -> Effect:
        return Effect(self.key, subject, name, value, shape)

    def mark(self, past: Past, metric: str, shows: str, **labels: str | int) -> Mark:
        found = {name: str(value) for name, value in labels.items()}
        return Mark(metric, found, past.first_ms, past.end_ms, shows)


def stricken_nodes(scene: Scene, faults: Sequence[Fault]) -> list[str]:
    """GPU nodes of the job on which a cause stands; all of them for a cause of the whole job."""
    own = [node.name for node in scene.training.nodes]
    found = {place.split("/")[0] for fault in faults for place in fault.places()}
    if "job" in found:
        return own
    return [name for name in own if name in found]


def stricken_hosts(scene: Scene, faults: Sequence[Fault]) -> list[str]:
    """Machines with a BMC and an operating system on which a cause stands: nodes and storage servers."""
    storage = scene.plant.storage
    servers = (*storage.oss, storage.mds, storage.nfs_server)
    found = {place.split("/")[0] for fault in faults for place in fault.places()}
    hosts = stricken_nodes(scene, faults) + [name for name in servers if name in found]
    return hosts or [storage.oss[0]] if "lustre" in found else hosts


def one_of(draw: Stream, names: Sequence[str]) -> str:
    return draw.pick([(name, 1.0) for name in names])


@cache
def _texts() -> dict[str, dict[str, str]]:
    return tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))
