"""Jobs with the fate each of them carries, drawn queue by queue from a family and a seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from scenarios.simulator.streams import Stream
from scenarios.worlds import reading
from scenarios.worlds.gpu_idle_alerts.families import Family
from scenarios.worlds.gpu_idle_alerts.fleet import TEAMS
from scenarios.worlds.gpu_idle_alerts.setting import HOUR, TICK_S

CAUSES = (
    "crashed_job",
    "idle_process",
    "slow_input",
    "zombie_process",
    "gpu_lost",
    "hung_collective",
    "forgotten_drain",
    "over_request",
)
"""What a finding may name."""
FIRST_ID = 4101
CORES = 12
"""Processor cores that a job gets with each GPU."""
_DATA = reading.table(__file__, "data.toml")
PEOPLE: Mapping[str, Sequence[str]] = _DATA["people"]
TITLES: Mapping[str, Sequence[str]] = _DATA["titles"]


@dataclass(slots=True, eq=False)
class Job:
    """One job. `fate` says how it behaves, `turn` after how many ticks it goes wrong.

    `level`, `every` and `hour` shape its load; `reaction` is what its owner does when warned;
    times in ticks, -1 for never.
    """

    id: int
    name: str
    user: str
    team: str
    pool: str
    size: int
    kind: str
    fate: str
    priority: str
    duration: int
    limit: int
    turn: int
    level: int
    every: int
    hour: int
    reaction: str
    text: int
    memory: float
    checkpoint: int
    submitted: int
    started: int = -1
    ended: int = -1
    state: str = "pending"
    units: tuple[int, ...] = ()
    fixed: int = -1
    warned: int = -1
    kept: int = -1
    acts_at: int = -1
    crashed_in_storm: bool = False

    @property
    def begun_s(self) -> int:
        """The second at which the scheduler started it; jobs of one instant go out one by one."""
        return self.started * TICK_S + 4 + min(52, (self.id - FIRST_ID) // 10)

    @property
    def ill(self) -> bool:
        """Whether it carries one of the causes."""
        return self.fate in CAUSES


@dataclass
class Queue:
    """The endless line of one pool. The n-th job is the same whoever is in control."""

    pool: str
    size: int
    number: int
    queues: int
    fleet: str
    rules: tuple[str, ...]
    family: Family
    stream: Stream
    drawn: int = 0
    left: int = 0
    kinds: list[str] = field(default_factory=list)
    odd: list[str] = field(default_factory=list)

    def draw(self, now: int) -> Job:
        """The next job, handed in at tick `now`."""
        fate = self._fate()
        job = self._shape(fate, now)
        self.drawn += 1
        return job

    def _fate(self) -> str:
        if self.pool == "serving":
            return "serve"
        if self.left == 0:
            self.left = self.family.every + int(self.stream.unit() * 3)
            return self._next_kind()
        self.left -= 1
        if not self.odd:
            self.odd = _shuffled(self.stream, self.family.healthy)
        return self.odd.pop()

    def _next_kind(self) -> str:
        if not self.kinds:
            more = ("hung_collective", "over_request") if self.size > 1 else ()
            fitting = [kind for kind in (*self.family.kinds, *more) if self._fits(kind)]
            self.kinds = _shuffled(self.stream, tuple(fitting))
        return self.kinds.pop()

    def _fits(self, kind: str) -> bool:
        if kind == "hung_collective":
            return self.size > 1 and "stalled" in self.rules
        if kind == "over_request":
            return self.size > 1 and "held" in self.rules
        if kind == "idle_process":
            return self.size <= 2
        return not (kind == "zombie_process" and self.size == 8)

    def _shape(self, fate: str, now: int) -> Job:
        stream = self.stream
        kind = _kind(fate)
        team = self._team()
        duration, turn = self._lengths(fate)
        every, level = self._load(fate)
        return Job(
            id=FIRST_ID + self.drawn * self.queues + self.number,
            name=stream.pick([(title, 1.0) for title in TITLES[kind]]),
            user=stream.pick([(person, 1.0) for person in PEOPLE[team]]),
            team=team,
            pool=self.pool,
            size=self.size,
            kind=kind,
            fate=fate,
            priority=stream.pick((("high", 0.2), ("normal", 0.6), ("low", 0.2))),
            duration=duration,
            limit=self._limit(fate, duration, turn),
            turn=turn,
            level=level,
            every=every,
            hour=int(stream.between(20, 25)) % 24,
            reaction=_reaction(fate, stream),
            text=int(stream.unit() * 1000),
            memory=stream.between(0.25, 0.8) if kind == "notebook" else stream.between(0.55, 0.92),
            checkpoint=stream.pick(((0, 0.3), (900, 0.3), (1800, 0.4))),
            submitted=now,
        )

    def _team(self) -> str:
        if self.pool == "serving":
            return "serving"
        zone = self.pool.split("-")[-1]
        return self.stream.pick([(name, 1.0) for name, at in TEAMS[self.fleet] if at == zone])

    def _lengths(self, fate: str) -> tuple[int, int]:
        """Ticks until it would end by itself when well, and until it goes wrong."""
        stream = self.stream
        if fate == "serve":
            return 100_000, 0
        if fate in ("bursty", "nightly"):
            return int(stream.between(28, 44) * HOUR), 0
        if fate == "prep":
            return int(stream.between(26, 34) * HOUR), int(stream.between(13, 17) * HOUR)
        if fate == "notebook":
            return int(stream.between(14, 30) * HOUR), 0
        duration = min(26 * HOUR, max(2 * HOUR, int(stream.lognormal(8.0, 0.6) * HOUR)))
        return duration, int(stream.between(1.5, 9.0) * HOUR)

    def _limit(self, fate: str, duration: int, turn: int) -> int:
        """The time limit at which the scheduler ends it, a whole number of hours."""
        stream = self.stream
        if fate == "serve":
            return 100_000
        if fate in CAUSES:
            return (turn + int(stream.between(50, 80) * HOUR)) // HOUR * HOUR
        return max(12 * HOUR, int(duration * stream.between(1.2, 2.0)) // HOUR * HOUR)

    def _load(self, fate: str) -> tuple[int, int]:
        """(a burst every so many ticks, its level in percent); hours of a nightly run."""
        stream, near = self.stream, self.family.near
        if fate == "bursty":
            return (6, int(stream.between(76, 82))) if near else (4, int(stream.between(62, 92)))
        if fate == "slow_input":
            return (
                (12, int(stream.between(80, 90)))
                if near
                else (int(stream.between(15, 24)), int(stream.between(55, 88)))
            )
        if fate == "nightly":
            return (22 if near else int(stream.between(25, 36))), 85
        return 1, 90


def _shuffled(stream: Stream, values: tuple[str, ...]) -> list[str]:
    keyed = [(stream.unit(), number, value) for number, value in enumerate(values)]
    return [value for _, _, value in sorted(keyed)]


def _kind(fate: str) -> str:
    if fate in ("notebook", "idle_process"):
        return "notebook"
    if fate == "nightly":
        return "batch"
    return "serve" if fate == "serve" else "train"


def _reaction(fate: str, stream: Stream) -> str:
    """What the owner does when warned: acts, keeps (wants it to go on) or is silent."""
    if fate == "idle_process":
        return stream.pick((("acts", 0.35), ("keeps", 0.25), ("silent", 0.4)))
    if fate in ("slow_input", "over_request"):
        return stream.pick((("acts", 0.5), ("keeps", 0.2), ("silent", 0.3)))
    if fate in CAUSES:
        return stream.pick((("acts", 0.35), ("silent", 0.65)))
    return stream.pick((("keeps", 0.8), ("silent", 0.2)))
