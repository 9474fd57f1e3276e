"""Days of jobs: who submits what, when, and how badly; drawn from a family and a seed."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import IntEnum
from math import cos, pi

from scenarios.simulator.agenda import DAY, HOUR, MINUTE, SECOND
from scenarios.simulator.streams import Stream
from scenarios.worlds import reading
from scenarios.worlds.slurm_fair_partitions.config import ClusterConfig, Team


class Kind(IntEnum):
    """What a job is to its owner."""

    TRAIN = 0
    SWEEP = 1
    SESSION = 2
    INFER = 3
    DEMO = 4


@dataclass(frozen=True, slots=True)
class JobSpec:
    """One job as its owner means it: times in ms, `every` = checkpoint interval or 0.

    `limit` is what the owner asks for, `tight` what a template would have suggested. `work` is
    the run time where the job belongs; a session works for `active` of it and idles then.
    `home` is the training partition that has its data. `slip` and `care` are the owner's luck,
    0 to 1: a small slip sends the job to the wrong partition, a small care heeds a template.
    """

    submit: int
    user: int
    team: int
    kind: Kind
    name: str
    gpus: int
    work: int
    limit: int
    tight: int
    every: int = 0
    active: int = 0
    protected: bool = False
    portable: bool = True
    disguised: bool = False
    scavenge: bool = False
    home: int = 0
    slip: float = 1.0
    care: float = 1.0


@dataclass(frozen=True, slots=True)
class Family:
    """A kind of quarter: loads as shares of the GPUs, how uneven demand is, who misbehaves."""

    load: float = 0.74
    serving: float = 0.45
    unevenness: float = 0.8
    night: float = 0.35
    floods: float = 0.6
    flood_tasks: int = 45
    sessions: float = 4.0
    oversized: float = 0.25
    disguised: float = 0.0
    hostile: bool = False
    failing: bool = False


FAMILIES = {
    name: Family(**row) for name, row in reading.table(__file__, "data.toml")["families"].items()
}

SIZES = ((1, 0.34), (2, 0.20), (4, 0.26), (8, 0.15), (16, 0.05))
NAMES = ("train-{}", "ft-{}", "pretrain-{}", "eval-{}", "distill-{}")
INFER_NAMES = ("infer-{}", "score-{}", "rerank-{}")
AT_HOME = 0.75
LONGEST = 20 * HOUR
LONGEST_INFERENCE = 2 * HOUR
HALF_HOUR = 30 * MINUTE


def _upwards(value: float, step: int) -> int:
    return -(-int(value) // step) * step


class Drawing:
    """Draws the jobs of one workload; each kind of work has streams of its own."""

    def __init__(self, family: Family, config: ClusterConfig, seed: str) -> None:
        self.family, self.config, self.seed = family, config, seed
        self.first_user: list[int] = []
        count = 0
        for team in config.teams:
            self.first_user.append(count)
            count += len(team.users)

    def jobs(self) -> list[JobSpec]:
        """Every job in order of submission."""
        made: list[JobSpec] = []
        for number, team in enumerate(self.config.teams):
            made.extend(self._training(number, team))
            made.extend(self._sessions(number, team))
            made.extend(self._serving(number, team))
        made.extend(self._floods())
        made.extend(self._demos())
        return sorted(made, key=lambda job: (job.submit, job.team, job.user, job.name))

    # ---- when ----

    def _phases(self, stream: Stream) -> list[float]:
        """A team's own rhythm: one factor for each hour, changing every one to three days."""
        hours = self.config.length // HOUR
        uneven = self.family.unevenness
        factors: list[float] = []
        high = stream.chance(0.5)
        while len(factors) < hours:
            level = 1.0 + uneven * stream.between(0.6, 1.3) if high else 1.0 - 0.8 * uneven
            factors.extend([max(0.06, level)] * int(stream.between(22, 66)))
            high = not high
        return factors[:hours]

    def _table(self, stream: Stream, night: float, phases: bool) -> list[float]:
        """Cumulative arrivals by hour of the workload, ending at 1."""
        hours = self.config.length // HOUR
        rhythm = self._phases(stream) if phases else [1.0] * hours
        total, table = 0.0, []
        for hour in range(hours):
            daily = 1.0 + night * cos(2 * pi * (hour % 24 - 14.0) / 24.0)
            total += rhythm[hour] * daily
            table.append(total)
        return [value / total for value in table]

    def _instant(self, stream: Stream, table: list[float]) -> int:
        hour = min(bisect_left(table, stream.unit()), len(table) - 1)
        return int((hour + stream.unit()) * HOUR) // SECOND * SECOND

    def _home(self, stream: Stream, team: Team) -> int:
        """Most of a team's work has its data at the team's own site."""
        here = stream.chance(AT_HOME)
        sites = self.config.inference
        return team.home if here else (team.home + 1) % sites

    def _user(self, stream: Stream, team: int) -> int:
        """Some people work more than others: each half as much as the one before."""
        count = len(self.config.teams[team].users)
        place = stream.pick([(n, 0.62**n) for n in range(count)])
        return self.first_user[team] + place

    # ---- what ----

    def _training(self, number: int, team: Team) -> Iterable[JobSpec]:
        config, family = self.config, self.family
        shapes = Stream(self.seed, f"training {team.name}")
        times = Stream(self.seed, f"arrivals {team.name}")
        table = self._table(times, family.night, phases=True)
        weights = sum(each.weight for each in config.teams)
        capacity = config.training_gpus * config.length
        wanted = family.load * capacity * team.weight / weights
        count = 0
        while wanted > 0:
            count += 1
            job = self._train(shapes, number, team, count)
            wanted -= job.gpus * job.work
            yield replace(job, submit=self._instant(times, table))

    def _train(self, stream: Stream, number: int, team: Team, count: int) -> JobSpec:
        gpus = min(stream.pick(SIZES), 1 << (max(4, team.guaranteed).bit_length() - 1))
        work = int(stream.lognormal(2.2 if gpus < 8 else 3.0, 0.8) * HOUR)
        work = min(LONGEST, max(12 * MINUTE, work)) // SECOND * SECOND
        tight = _upwards(work * stream.between(1.15, 1.6), HALF_HOUR)
        big = stream.chance(self.family.oversized)
        wide = _upwards(
            work * (stream.between(3, 9) if big else stream.between(1.2, 2.2)), HALF_HOUR
        )
        saves = stream.chance(0.78)
        protected = team.contract or stream.chance(0.06)
        disguised = gpus <= 2 and stream.chance(0.10 * self.family.disguised)
        name = INFER_NAMES[0] if disguised else NAMES[int(stream.unit() * len(NAMES))]
        return JobSpec(
            submit=0,
            user=self._user(stream, number),
            team=number,
            kind=Kind.TRAIN,
            name=name.format(count),
            gpus=gpus,
            work=work,
            limit=min(2 * DAY, max(wide, tight)),
            tight=min(2 * DAY, tight),
            every=stream.pick(((20, 1.0), (30, 1.5), (60, 1.0))) * MINUTE if saves else 0,
            protected=protected,
            portable=stream.chance(0.7),
            disguised=disguised,
            home=self._home(stream, team),
            scavenge=self._may_be_evicted(gpus, saves and not protected, stream),
            slip=stream.unit() if gpus <= 4 else 1.0,
            care=stream.unit(),
        )

    def _may_be_evicted(self, gpus: int, willing: bool, stream: Stream) -> bool:
        return self.config.scavenge and gpus <= 4 and willing and stream.chance(0.14)

    def _sessions(self, number: int, team: Team) -> Iterable[JobSpec]:
        stream = Stream(self.seed, f"sessions {team.name}")
        table = self._table(stream, 0.9, phases=False)
        weights = sum(each.weight for each in self.config.teams)
        days = self.config.length / DAY
        scale = self.config.training_gpus / 48
        count = round(self.family.sessions * scale * days * team.weight / weights)
        for each in range(0 if team.contract else count):
            active = int(stream.between(0.5, 3.0) * HOUR)
            limit = stream.pick(((8, 1.0), (12, 1.0), (24, 1.5))) * HOUR
            forgotten = stream.chance(0.7)
            yield JobSpec(
                submit=self._instant(stream, table),
                user=self._user(stream, number),
                team=number,
                kind=Kind.SESSION,
                name=f"jupyter-{each + 1}",
                gpus=stream.pick(((1, 0.75), (2, 0.25))),
                work=limit if forgotten else active,
                limit=limit,
                tight=limit,
                active=active,
                home=team.home,
            )

    def _serving(self, number: int, team: Team) -> Iterable[JobSpec]:
        if not team.serves:
            return
        config = self.config
        stream = Stream(self.seed, f"serving {team.name}")
        table = self._table(stream, min(0.8, 0.4 + self.family.night / 2), phases=False)
        gpus_here = config.partitions[config.inference].gpus
        parts = sum(each.serves for each in config.teams)
        wanted = self.family.serving * gpus_here * config.length * team.serves / parts
        count = 0
        while wanted > 0:
            count += 1
            gpus = stream.pick(((1, 0.86), (2, 0.14)))
            work = int(stream.lognormal(38.0, 0.6) * MINUTE)
            work = min(LONGEST_INFERENCE, max(4 * MINUTE, work)) // SECOND * SECOND
            limit = min(4 * HOUR, _upwards(work * stream.between(1.3, 2.5), 10 * MINUTE))
            wanted -= gpus * work
            yield JobSpec(
                submit=self._instant(stream, table),
                user=self._user(stream, number),
                team=number,
                kind=Kind.INFER,
                name=INFER_NAMES[int(stream.unit() * len(INFER_NAMES))].format(count),
                gpus=gpus,
                work=work,
                limit=limit,
                tight=limit,
                home=team.home,
                slip=stream.unit(),
                care=stream.unit(),
            )

    def _floods(self) -> Iterable[JobSpec]:
        """Arrays of many small tasks; most come from the team that asks for most anyway."""
        config, family = self.config, self.family
        stream = Stream(self.seed, "floods")
        hungry = max(range(len(config.teams)), key=lambda n: config.teams[n].weight)
        scale = config.training_gpus / 48
        for number in range(round(family.floods * config.length / DAY)):
            team = hungry if stream.chance(0.7) else int(stream.unit() * len(config.teams))
            if config.teams[team].contract:
                team = hungry
            user = self.first_user[team] if family.hostile else self._user(stream, team)
            begin = int(stream.between(0.03, 0.93) * config.length) // SECOND * SECOND
            tasks = round(family.flood_tasks * scale * stream.between(0.6, 1.4))
            minutes = stream.between(25, 70)
            for task in range(tasks):
                work = int(stream.lognormal(minutes, 0.35) * MINUTE) // SECOND * SECOND
                yield JobSpec(
                    submit=begin,
                    user=user,
                    team=team,
                    kind=Kind.SWEEP,
                    name=f"sweep-{number + 1}_{task}",
                    gpus=1,
                    work=work,
                    limit=3 * HOUR,
                    tight=2 * HOUR,
                    home=config.teams[team].home,
                    scavenge=config.scavenge and number % 2 == 0,
                    care=stream.unit(),
                )

    def _demos(self) -> Iterable[JobSpec]:
        """The job that a promise was made for arrives when the promised time begins."""
        for number, promise in enumerate(self.config.promises):
            shape = self.config.partitions[promise.partition]
            yield JobSpec(
                submit=promise.at,
                user=self.first_user[promise.team],
                team=promise.team,
                kind=Kind.DEMO,
                name=f"demo-{number + 1}",
                gpus=promise.nodes * shape.per_node,
                work=promise.length - HOUR,
                limit=promise.length,
                tight=promise.length,
                protected=True,
                portable=False,
                home=promise.partition,
            )
