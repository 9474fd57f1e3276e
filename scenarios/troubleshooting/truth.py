"""The whole truth of one variant. Everything a candidate sees, and the key, follow from it and nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cached_property
from hashlib import sha256

from scenarios.company.profile import Profile
from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.calendar import STARTUP, Calendar, draw_calendar
from scenarios.troubleshooting.condition import Condition
from scenarios.troubleshooting.constraints import Constraint, draw_constraint
from scenarios.troubleshooting.draw import Drawn, draw_faults
from scenarios.troubleshooting.faults import Fault, Past
from scenarios.troubleshooting.hall import draw_plant
from scenarios.troubleshooting.herrings import Herring, draw_herrings
from scenarios.troubleshooting.jobs import Job, Training, draw_jobs, draw_training, labelled
from scenarios.troubleshooting.levels import Settings
from scenarios.troubleshooting.physics import STEPS
from scenarios.troubleshooting.plant import Plant
from scenarios.troubleshooting.stakes import Stakes, draw_stakes
from scenarios.troubleshooting.steps import Rhythm, Run, draw_jitter, healthy, rhythm, walk
from scenarios.troubleshooting.traces import Mark, Trace


@dataclass(frozen=True, slots=True)
class Cause:
    """One cause with what it cost. Hours of all causes add up to the gap.

    `hours` is its part of the gap (shared fairly where causes overlap), `alone` what putting right
    this one alone gives back, `last` what it gives back once all others are put right. The three
    agree unless the cause overlaps with those named in `overlaps`.
    """

    fault: Fault
    hours: float
    alone: float
    last: float
    part: float
    overlaps: tuple[str, ...]

    @property
    def key(self) -> str:
        return self.fault.key

    @property
    def seconds(self) -> float:
        """Seconds per step over the whole run that make up `hours`."""
        return self.hours * 3_600 / STEPS


@dataclass(frozen=True, eq=False)
class Incident:
    """The truth. Times are ms since 1970, UTC.

    `run` is the slow run step by step and `baseline` the run to compare with; `condition` holds all
    effects of causes and herrings. `hours_without` has the hours of the steps for every set of causes
    (sorted keys) put right before the run; `stakes` is None but for senior, `constraint` for junior.
    """

    settings: Settings
    seed: str
    plant: Plant
    calendar: Calendar
    training: Training
    condition: Condition
    run: Run
    baseline: Run
    jobs: tuple[Job, ...]
    causes: tuple[Cause, ...]
    herrings: tuple[Herring, ...]
    hours_without: Mapping[tuple[str, ...], float]
    stakes: Stakes | None
    constraint: Constraint | None = None

    @property
    def past(self) -> Past:
        return Past(
            self.plant,
            self.calendar,
            self.training,
            self.run,
            self.slow,
            self.before,
            self.jobs,
            self.seed,
        )

    @cached_property
    def slow(self) -> Job:
        """The slow job as Slurm accounts for it; its elapsed time is the run's and the start-up's."""
        return next(job for job in self.jobs if job.role == "slow")

    @cached_property
    def before(self) -> Job:
        """The job of the run to compare with."""
        return next(job for job in self.jobs if job.role == "baseline")

    @property
    def rhythm(self) -> Rhythm:
        """Components on the window's grid (s per step), as if the job ran all the time."""
        return rhythm(self.condition, self.training.nodes)

    @property
    def gap_hours(self) -> float:
        """Hours that the slow run's steps took longer than they would have in health."""
        return sum(cause.hours for cause in self.causes)

    def traces(self) -> Iterator[Trace]:
        """What every cause and herring left behind, sorted by time."""
        return iter(self._traces)

    @cached_property
    def _traces(self) -> tuple[Trace, ...]:
        past = self.past
        found = [t for cause in self.causes for t in cause.fault.traces(past)]
        found += [t for herring in self.herrings for t in herring.traces(past)]
        found.sort(key=lambda t: (t.at_ms, t.kind, t.host, t.tag))
        return tuple(_numbered(found, Stream(self.seed, "tickets")))

    def job_on(self, node: str, gpu: int, at_ms: int) -> Job | None:
        """The job that has this GPU of a node at a moment."""
        jobs = self._by_gpu.get((node, gpu), ())
        return next((job for job in jobs if job.runs_at(at_ms)), None)

    def jobs_of(self, node: str) -> Sequence[Job]:
        """Every job that has had GPUs of a node, in the accounts' order."""
        return self._by_node.get(node, ())

    @cached_property
    def _by_node(self) -> Mapping[str, Sequence[Job]]:
        found: dict[str, list[Job]] = {}
        for job in self.jobs:
            for node, _ in job.gpus:
                found.setdefault(node, []).append(job)
        return found

    @cached_property
    def _by_gpu(self) -> Mapping[tuple[str, int], Sequence[Job]]:
        found: dict[tuple[str, int], list[Job]] = {}
        for job in self.jobs:
            for node, indices in job.gpus:
                for index in indices:
                    found.setdefault((node, index), []).append(job)
        return found

    def marks(self) -> Iterator[tuple[str, Mark]]:
        """(key of cause or herring, evidence in a metric)."""
        past = self.past
        for cause in self.causes:
            for mark in cause.fault.marks(past):
                yield cause.key, mark
        for herring in self.herrings:
            for mark in herring.marks(past):
                yield herring.key, mark

    def digest(self) -> str:
        """SHA-256 over the whole truth: the same for the same profile, settings and seed."""
        told = [self.plant, self.calendar, self.training, self.jobs, self.causes, self.herrings]
        more = [
            self.stakes,
            self.constraint,
            self.run.starts.tolist(),
            list(self.traces()),
            list(self.marks()),
        ]
        text = json.dumps([_plain(part) for part in told + more], sort_keys=True)
        return sha256(text.encode()).hexdigest()


MOST_GPUS = 240


def make_incident(profile: Profile, settings: Settings, seed: int) -> Incident:
    """The truth of one variant. A pure function of its arguments; takes well under a second.

    Of a fleet with more than MOST_GPUS a part is shown: nobody reads the logs of more in the time, and a
    variant is built in about as long as the usual one.
    """
    profile = profile.in_part(MOST_GPUS)
    cause = f"slow-training {settings.level} {seed}"
    plant = draw_plant(profile, cause)
    calendar = draw_calendar(settings.window_hours, cause)
    training = draw_training(plant, cause)
    drawn = draw_faults(plant, calendar, training, settings, cause)
    herrings = draw_herrings(drawn.scene, drawn.faults, settings, cause)
    effects = [e for fault in drawn.faults for e in fault.effects()]
    effects += [e for herring in herrings for e in herring.effects()]
    baseline = _baseline(calendar, cause)
    neighbours = [n for fault in drawn.faults for n in fault.neighbours()]
    neighbours += [n for herring in herrings for n in herring.neighbours()]
    jobs = draw_jobs(
        plant, calendar, training, (drawn.run.end_ms, baseline.end_ms), neighbours, cause
    )
    causes = _causes(drawn)
    bound = [found.fault for found in causes]
    return Incident(
        settings=settings,
        seed=cause,
        plant=plant,
        calendar=calendar,
        training=training,
        condition=Condition(plant, calendar, effects),
        run=drawn.run,
        baseline=baseline,
        jobs=labelled(jobs, cause) if settings.fleet else jobs,
        causes=causes,
        herrings=herrings,
        hours_without=drawn.hours_without,
        stakes=draw_stakes(calendar, cause) if settings.stakes else None,
        constraint=draw_constraint(calendar, bound, cause) if settings.constraint else None,
    )


def _numbered(traces: list[Trace], draw: Stream) -> Iterator[Trace]:
    """Change tickets get their numbers in the order in which they were filed."""
    number = int(draw.between(2_000, 7_000))
    for trace in traces:
        if trace.kind == "ticket.change":
            number += int(draw.between(2, 15))
            trace = replace(trace, fields={**trace.fields, "id": f"CHG-{number}"})
        yield trace


def _baseline(calendar: Calendar, seed: str) -> Run:
    jitter = draw_jitter(int(Stream(seed, "baseline jitter").between(0, 2**40)))
    first = calendar.baseline_start + STARTUP
    return walk(healthy(calendar, first), first, jitter)


def _causes(drawn: Drawn) -> tuple[Cause, ...]:
    """Largest first."""
    table, every = drawn.hours_without, tuple(sorted(drawn.hours))
    found = []
    for fault in drawn.faults:
        others = tuple(key for key in every if key != fault.key)
        found.append(
            Cause(
                fault=fault,
                hours=drawn.hours[fault.key],
                alone=table[()] - table[(fault.key,)],
                last=table[others] - table[every],
                part=drawn.hours[fault.key] / drawn.gap,
                overlaps=tuple(
                    f.key for f in drawn.faults if f is not fault and f.group == fault.group
                ),
            )
        )
    return tuple(sorted(found, key=lambda cause: -cause.hours))


def _plain(value: object) -> object:
    """Dataclasses, tuples and mappings as JSON can hold them."""
    if is_dataclass(value) and not isinstance(value, type):
        own = {item.name: _plain(getattr(value, item.name)) for item in fields(value)}
        return {"": getattr(value, "key", type(value).__name__), **own}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in value]
    return value
