"""What the exporters look at: a window with its jobs, its run, its condition, and what is told of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from scenarios.troubleshooting.calendar import CELL, HOUR, MINUTE, Calendar
from scenarios.troubleshooting.columns import Span
from scenarios.troubleshooting.condition import Condition
from scenarios.troubleshooting.exchanges import exchanged
from scenarios.troubleshooting.faults import Fault
from scenarios.troubleshooting.herrings import Herring
from scenarios.troubleshooting.jobs import Job
from scenarios.troubleshooting.plant import Node, Plant
from scenarios.troubleshooting.shapes import Array
from scenarios.troubleshooting.signals.noise import Noise
from scenarios.troubleshooting.signals.timeline import Timeline, make_timeline
from scenarios.troubleshooting.steps import Run
from scenarios.troubleshooting.traces import Trace
from scenarios.troubleshooting.truth import Incident

Kind = TypeVar("Kind", bound=Fault | Herring)


@dataclass(frozen=True, eq=False)
class Stage:
    """One window of one run. `run` is the training's steps and `job` its line in the accounts, on `nodes`.

    `hosts` are the nodes whose exporters are told of, `stories` the causes and herrings that hold
    in this window (none in the run to compare with). `exchanged` targets are rebuilt throughout.
    """

    seed: str
    plant: Plant
    calendar: Calendar
    condition: Condition
    run: Run
    job: Job
    nodes: tuple[Node, ...]
    hosts: tuple[Node, ...]
    jobs: tuple[Job, ...]
    stories: tuple[Fault | Herring, ...]
    traces: tuple[Trace, ...]
    exchanged: frozenset[str] = frozenset()

    @cached_property
    def noise(self) -> Noise:
        return Noise(self.seed, str(self.calendar.window_start))

    @cached_property
    def timeline(self) -> Timeline:
        return make_timeline(self.run, self.calendar)

    @property
    def cells(self) -> int:
        return self.calendar.cells

    def told(self, kind: type[Kind]) -> Kind | None:
        """The story of this kind, if it is one of this incident's."""
        if kind not in self._told:
            self._told[kind] = next((s for s in self.stories if isinstance(s, kind)), None)
        found: Kind | None = self._told[kind]
        return found

    @cached_property
    def _told(self) -> dict[type[object], Any]:
        return {}

    def over(self, subject: str, name: str) -> Array:
        """The condition's field on the grid, healthy throughout where nothing says otherwise."""
        values = self.condition.over(subject, name)
        return np.full(self.cells, self.condition.healthy(name)) if values is None else values

    def departs(self, subject: str, name: str) -> bool:
        return self.condition.over(subject, name) is not None

    def times(self, every_s: int = 15) -> NDArray[np.int64]:
        """When something with this interval is scraped, ms UTC."""
        count = (self.calendar.window_end - self.calendar.window_start) // (every_s * 1_000)
        return self.calendar.window_start + np.arange(count, dtype=np.int64) * (every_s * 1_000)

    def span(self, from_ms: int, to_ms: int, every_s: int = 15) -> Span:
        """Numbers of the samples from an instant until before another."""
        every, first = every_s * 1_000, self.calendar.window_start
        count = (self.calendar.window_end - first) // every
        start, end = (-(-(at - first) // every) for at in (from_ms, to_ms))
        return min(max(start, 0), count), min(max(end, 0), count)

    def gaps(self, host: str, every_s: int = 15) -> tuple[Span, ...]:
        """Samples that are missing because the host's exporters did not answer."""
        silent = self.condition.over(host, "unscraped")
        if silent is None:
            return ()
        missing = np.flatnonzero(silent[:: every_s * 1_000 // CELL] > 0)
        return ((int(missing[0]), int(missing[-1]) + 1),) if len(missing) else ()

    @cached_property
    def by_node(self) -> dict[str, list[Job]]:
        """Jobs with GPUs on a node during the window, the training's own apart, by start."""
        found: dict[str, list[Job]] = {node.name: [] for node in self.plant.nodes}
        for job in self.jobs:
            if (
                job.start_ms is None
                or job.id == self.job.id
                or job.start_ms >= self.calendar.window_end
            ):
                continue
            if (job.end_ms or self.calendar.window_end) > self.calendar.window_start:
                for name, _ in job.gpus:
                    found[name].append(job)
        return found

    @cached_property
    def own(self) -> frozenset[str]:
        """Names of the training's nodes."""
        return frozenset(node.name for node in self.nodes)

    def rank(self, node: str, index: int) -> int:
        names = [n.name for n in self.nodes]
        return names.index(node) * len(self.nodes[0].gpus) + index


@lru_cache(maxsize=1)
def slow_stage(incident: Incident) -> Stage:
    """The window in which the slow run lies, all nodes."""
    return Stage(
        seed=incident.seed,
        plant=incident.plant,
        calendar=incident.calendar,
        condition=incident.condition,
        run=incident.run,
        job=incident.slow,
        nodes=incident.training.nodes,
        hosts=incident.plant.nodes,
        jobs=tuple(job for job in incident.jobs if job.role != "baseline"),
        stories=(*(cause.fault for cause in incident.causes), *incident.herrings),
        traces=tuple(incident.traces()),
        exchanged=exchanged(incident),
    )


def baseline_stage(incident: Incident) -> Stage:
    """The run to compare with, from a quarter of an hour before it to as long after, its own nodes."""
    job, first = incident.before, incident.calendar.baseline_start
    start = (first - 15 * MINUTE) // MINUTE * MINUTE
    length = -(-(incident.baseline.end_ms + 15 * MINUTE - start) // HOUR) * HOUR
    calendar = replace(
        incident.calendar, window_start=start, window_end=start + length, job_start=first
    )
    return Stage(
        seed=incident.seed,
        plant=incident.plant,
        calendar=calendar,
        condition=Condition(incident.plant, calendar, ()),
        run=incident.baseline,
        job=job,
        nodes=incident.training.before,
        hosts=incident.training.before,
        jobs=(job,),
        stories=(),
        traces=(),
        exchanged=exchanged(incident),
    )
