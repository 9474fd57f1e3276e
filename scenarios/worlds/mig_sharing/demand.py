"""A day of services and training gangs: what is wanted when, drawn from a family and a seed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from scenarios.simulator.agenda import HOUR, MINUTE, SECOND
from scenarios.simulator.streams import Stream
from scenarios.simulator.world.failures import swing
from scenarios.worlds import reading
from scenarios.worlds.front import ApiFaults, windows
from scenarios.worlds.mig_sharing.kinds import COMPUTE, SLICES, WIDTH
from scenarios.worlds.mig_sharing.settings import NODE, Config, Level, Trouble

Step = tuple[int, int]
"""(instant in ms, replicas wanted from then on)."""
STAY = 0.16
"""Share of the services that run all day; the others come and go."""
BEGUN = 0.08
"""Share of the training that is waiting when the day begins."""
LAST_GANG = 2 * HOUR
"""No training is submitted so close to the end."""


@dataclass(frozen=True, slots=True)
class ServiceSpec:
    """One service: who owns it, what each replica asks for, and how many are wanted when.

    The last step is its end, with no replica wanted. Times in ms.
    """

    name: str
    tenant: int
    slo: int
    kind: int
    load: int
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class GangSpec:
    """One training run on `gpus` whole GPUs. Times in ms, `every` = checkpoint interval or 0."""

    submit: int
    tenant: int
    gpus: int
    work: int
    limit: int
    every: int
    protected: bool


def _flat(hour: float, phase: float, large: bool) -> float:
    return 1.0


def _day_night(hour: float, phase: float, large: bool) -> float:
    return swing(hour - 0.5 - phase, 0.52)


def _tides(hour: float, phase: float, large: bool) -> float:
    """Small instances are wanted for three hours, then large ones."""
    small_turn = (hour + phase) % 6.0 < 3.0
    return 0.55 if small_turn == large else 1.45


SWINGS: Mapping[str, Callable[[float, float, bool], float]] = {
    "flat": _flat,
    "day_night": _day_night,
    "tides": _tides,
}
"""What multiplies demand, from the hour, the day's phase in hours and whether the kind is large."""


@dataclass(frozen=True, slots=True)
class Family:
    """A kind of day; `data.toml` says what its fields are."""

    swing: str = "flat"
    bursts: int = 0
    service_share: float = 1.0
    times: Mapping[str, float] = field(default_factory=dict)
    layout_failure: float = 0.04
    surprise: bool = False
    api: Mapping[str, float] = field(default_factory=dict)
    throttled: tuple[int, int, int] = (3, 1, 4)
    stale: tuple[int, int, int] = (8, 2, 4)

    def trouble(self, level: Level, stream: Stream) -> Trouble:
        """How much goes wrong with machines on a day of a level."""
        size, much = level.nodes / 5, level.trouble
        found = {name: usual * size * much for name, usual in TROUBLE.items()}
        found |= {name: float(round(found[name])) for name in ("rdma", "hangs")}
        found = {name: count * self.times.get(name, 1) for name, count in found.items()}
        rdma, hangs = int(found.pop("rdma")), int(found.pop("hangs"))
        extra = level.maintenance if self.surprise else 0
        return Trouble(
            **found,
            maintenance=level.maintenance,
            rdma=rdma if level.rdma else 0,
            hangs=hangs,
            layout_failure=self.layout_failure,
            surprise=tuple(int(stream.between(10 * HOUR, 17 * HOUR)) for _ in range(extra)),
        )

    def faults(self, stream: Stream, length: int) -> ApiFaults:
        """How the API fails on a day of `length` ms."""
        throttled = windows(stream, *self.throttled, length)
        return ApiFaults(
            **self.api, throttled=throttled, stale=windows(stream, *self.stale, length)
        )


_DATA = reading.table(__file__, "data.toml")
FAMILIES: Mapping[str, Family] = {
    name: Family(**values) for name, values in _DATA["families"].items()
}
TROUBLE = {"resets": 2.0, "lost": 0.5, "contained": 4.0, "crashes": 0.4, "rdma": 1.6, "hangs": 4.0}
"""What goes wrong on a usual day of five nodes, by the fields of `Trouble`."""
DRAWN = _DATA["demand"]


@dataclass(frozen=True, slots=True)
class _DayLoad:
    """What all services of a day share: the swing with its phase, and the bursts by tenant."""

    family: Family
    phase: float
    bursts: tuple[tuple[int, int, int], ...]

    def factor(self, at: int, tenant: int, large: bool) -> float:
        value = SWINGS[self.family.swing](at / HOUR, self.phase, large)
        for begin, end, whose in self.bursts:
            if whose == tenant and begin <= at < end:
                value *= 2.4
        return value


def _day_load(family: Family, config: Config, stream: Stream) -> _DayLoad:
    phase = stream.between(-1.2, 1.2)
    width = (config.length - 3 * HOUR) / max(1, family.bursts)
    bursts = []
    for index in range(family.bursts):
        begin = int(HOUR + width * (index + stream.between(0.1, 0.8)))
        whose = int(stream.unit() * len(config.level.tenants))
        bursts.append((begin, begin + int(stream.between(40, 80) * MINUTE), whose))
    return _DayLoad(family, phase, tuple(bursts))


def _steps(
    stream: Stream, day: _DayLoad, config: Config, tenant: int, kind: int
) -> tuple[Step, ...]:
    """From its coming to its going, with a new count about every half hour."""
    if stream.chance(STAY):
        at, end = 0, config.length
    else:
        at = int(stream.between(-2 * HOUR, config.length - 40 * MINUTE))
        life = max(25 * MINUTE, int(stream.lognormal(170, 0.75) * MINUTE))
        at, end = max(0, at), min(config.length, at + life)
    base = stream.pick(DRAWN["replicas"])
    steps: list[Step] = []
    while at < end - 5 * MINUTE:
        noise = stream.between(0.85, 1.2)
        count = max(1, round(base * noise * day.factor(at, tenant, kind >= 3)))
        if not steps or steps[-1][1] != count:
            steps.append((at, count))
        at += int(stream.between(20, 40) * MINUTE)
    if steps:
        steps.append((end, 0))
    return tuple(steps)


def asked(spec: ServiceSpec) -> int:
    """Compute-slice ms that the service asks for in all."""
    pairs = zip(spec.steps, spec.steps[1:], strict=False)
    return COMPUTE[spec.kind] * sum(count * (end - at) for (at, count), (end, _) in pairs)


def _shares(config: Config) -> list[tuple[int, float]]:
    """Tenants by number with their part of the demand: those with nodes of their own are small."""
    tenants = enumerate(config.level.tenants)
    return [(number, 0.5 if one.isolation == NODE else 1.0) for number, one in tenants]


def draw_services(family: Family, config: Config, seed: str) -> list[ServiceSpec]:
    """The day's services, drawn until they ask for the level's share of all compute slices."""
    stream = Stream(seed, "services")
    day = _day_load(family, config, Stream(seed, "weather"))
    kinds = DRAWN["menu_kinds" if config.level.menu else "kinds"]
    wanted = config.level.service_load * family.service_share
    left = wanted * SLICES * config.gpus * config.length
    found: list[ServiceSpec] = []
    while left > 0:
        tenant = stream.pick(_shares(config))
        kind, slo = stream.pick(kinds), stream.pick(DRAWN["classes"])
        steps = _steps(stream, day, config, tenant, kind)
        load = config.load_base + config.load_slice * WIDTH[kind]
        load = int(load * stream.between(0.8, 1.3)) // SECOND * SECOND
        app = DRAWN["apps"][int(stream.unit() * len(DRAWN["apps"]))]
        name = f"{config.level.tenants[tenant].name}-{app}-{len(found) + 1:03d}"
        if steps:
            found.append(ServiceSpec(name, tenant, slo, kind, load, steps))
            left -= asked(found[-1])
    return found


def _trainer(stream: Stream, config: Config, gpus: int) -> int:
    """Whose gang it is: a tenant with nodes of its own has none larger than half a node."""
    tenants = config.level.tenants
    small = 2 * gpus <= config.gpus_per_node
    return stream.pick(
        [one for one in _shares(config) if small or tenants[one[0]].isolation != NODE]
    )


def _spread(gangs: list[GangSpec], stream: Stream, length: int) -> list[GangSpec]:
    """Give each gang its time: one in each equal part of the day, some at its very beginning."""
    width = length / max(1, len(gangs))
    times = [
        0 if stream.chance(BEGUN) else int(width * (index + stream.unit()))
        for index in range(len(gangs))
    ]
    return [replace(gang, submit=at) for gang, at in zip(gangs, sorted(times), strict=True)]


def draw_gangs(config: Config, seed: str) -> list[GangSpec]:
    """The day's training in order of submission, as much as the level says."""
    shapes, times = Stream(seed, "gangs"), Stream(seed, "gang times")
    left = config.level.training_load * config.gpus * config.length
    most = min(config.level.largest_gang, config.gpus // 2)
    found: list[GangSpec] = []
    while left > 0:
        gpus = min(shapes.pick(DRAWN["gangs"]), most)
        work = min(6 * HOUR, int(shapes.lognormal(45, 0.8) * MINUTE) + 10 * MINUTE)
        saves = shapes.chance(0.85)
        gang = GangSpec(
            submit=0,
            tenant=_trainer(shapes, config, gpus),
            gpus=gpus,
            work=work,
            limit=int(work * shapes.between(1.1, 2.2)) // MINUTE * MINUTE + MINUTE,
            every=shapes.pick(DRAWN["every"]) * MINUTE if saves else 0,
            protected=shapes.chance(0.15),
        )
        found.append(gang)
        left -= gpus * work
    return _spread(found, times, config.length - LAST_GANG)
