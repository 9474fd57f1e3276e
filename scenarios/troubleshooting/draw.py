"""Draws the causes of one variant: compatible, of different size, and together of the right length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import factorial

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.calendar import HOUR, STARTUP, Calendar
from scenarios.troubleshooting.condition import Condition
from scenarios.troubleshooting.faults import CATALOGUE, INTERACTING, Fault, NoRoom, Scene
from scenarios.troubleshooting.jobs import Training
from scenarios.troubleshooting.levels import Settings
from scenarios.troubleshooting.physics import BASELINE_STEP, STEPS
from scenarios.troubleshooting.plant import Plant
from scenarios.troubleshooting.steps import Run, draw_jitter, hours, rhythm, walk

SHORTEST, LONGEST = 14.05, 16.45
"""Hours from start to end of the slow job: inside the 14.0 to 16.5 that the exercise promises."""
GAP = (1.94, 2.42)
"""Seconds per step that all causes together are asked for."""
LEAST, MOST = 0.055, 0.49
"""Part of the gap of every cause."""
_TRIES = 200


class NoIncident(ValueError):
    """No causes fit this cluster and seed; the message is one sentence for whoever chose them."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """Causes with the run they make. `hours_without`: hours of the steps when these are put right first.

    Its keys are sorted tuples of fault keys, from () (the run as it was) to all of them.
    """

    faults: tuple[Fault, ...]
    scene: Scene
    run: Run
    hours_without: dict[tuple[str, ...], float]
    hours: dict[str, float]

    @property
    def gap(self) -> float:
        return self.hours_without[()] - self.hours_without[tuple(sorted(self.hours))]


def draw_faults(
    plant: Plant, calendar: Calendar, training: Training, settings: Settings, seed: str
) -> Drawn:
    """The first of a sequence of draws that keeps every promise. Pure: the seed decides."""
    for attempt in range(_TRIES):
        draw = Stream(seed, f"faults {attempt}")
        drawn = _attempt(plant, calendar, training, settings, seed, draw)
        if drawn is not None:
            return drawn
    gpus = plant.gpus_per_node
    raise NoIncident(
        f"In {len(plant.nodes)} nodes of {gpus} GPUs no slow run of level {settings.level} can be drawn from "
        "this seed: take another seed or a larger cluster."
    )


def _attempt(
    plant: Plant,
    calendar: Calendar,
    training: Training,
    settings: Settings,
    seed: str,
    draw: Stream,
) -> Drawn | None:
    kinds = _kinds(settings, draw)
    gap = draw.between(*GAP)
    end_guess = calendar.first_step + int(STEPS * (BASELINE_STEP + gap) * 1000)
    scene = Scene(plant, calendar, training, end_guess)
    try:
        faults = _strike(kinds, _shares(kinds, gap, draw), scene, draw)
    except NoRoom:
        return None
    if not _likely(faults):
        return None
    jitter = draw_jitter(int(Stream(seed, "jitter").between(0, 2**40)))
    condition = Condition(plant, calendar, [e for fault in faults for e in fault.effects()])
    run = walk(rhythm(condition, training.nodes), calendar.first_step, jitter)
    if not SHORTEST <= run.hours + STARTUP / HOUR <= LONGEST:
        return None
    table = _hours_without(condition, training, calendar, [f.key for f in faults])
    table[()] = run.hours
    drawn = Drawn(faults, scene, run, table, _divide(table, [f.key for f in faults]))
    return drawn if _fair(drawn) else None


def _kinds(settings: Settings, draw: Stream) -> list[type[Fault]]:
    """Kinds of causes: groups differ but for one pair at senior, and at most two share a component.

    A junior's three lie in three components, so that the timers alone tell them apart.
    """
    count = draw.pick(
        [(n, 1.0 + n - settings.fewest) for n in range(settings.fewest, settings.most + 1)]
    )
    left = [kind for kind in CATALOGUE if settings.level in kind.levels]
    pair = _pair(left, draw) if settings.interacting else []
    chosen, most = list(pair), 1 if settings.level == "junior" else 2
    while len(chosen) < count:
        groups = {kind.group for kind in chosen}
        full = [kind.component for kind in chosen]
        barred = {key for kind in chosen for key in _rivals(kind.key)}
        fits = [
            k
            for k in left
            if k.group not in groups and k.key not in barred and full.count(k.component) < most
        ]
        chosen.append(draw.pick([(kind, _weight(kind, settings.rare)) for kind in fits]))
    return chosen


_RIVALS = (
    ("governor-powersave", "driver-mismatch"),
    ("governor-powersave", "power-cap-left"),
    ("governor-powersave", "name-service-slow"),
    ("srun-lost-cpus", "wrong-socket"),
    ("cgroup-cpu-limit", "wrong-socket"),
    ("storage-neighbour", "checkpoint-too-often"),
    ("storage-neighbour", "checkpoint-on-capacity-pool"),
)
"""Pairs whose stories contradict each other: a reinstalled node keeps no old driver, limit or resolver;
a rank with one core is bound; another job's writes would lengthen checkpoints too."""


def _rivals(key: str) -> set[str]:
    return {other for pair in _RIVALS if key in pair for other in pair} - {key}


_RARE = ("acs-enabled", "name-service-slow", "storage-neighbour", "srun-lost-cpus")
"""Causes that stand in no configuration that was kept, or in none that differs."""


def _weight(kind: type[Fault], rare: float) -> float:
    """Components with few causes would show those too often if all were equally likely."""
    return (0.6 if kind.component == "checkpoint" else 1.0) * (rare if kind.key in _RARE else 1.0)


def _pair(kinds: Sequence[type[Fault]], draw: Stream) -> list[type[Fault]]:
    sizes = [(name, float(sum(kind.group == name for kind in kinds))) for name in INTERACTING]
    group = draw.pick(sizes)
    inside = [kind for kind in kinds if kind.group == group]
    return list(draw.pick([(both, 1.0) for both in combinations(inside, 2)]))


def _shares(kinds: Sequence[type[Fault]], gap: float, draw: Stream) -> list[float]:
    """Seconds per step for each kind: of different size, within what each kind can give."""
    weights = [draw.between(0.6, 1.7) for _ in kinds]
    seconds = [gap * weight / sum(weights) for weight in weights]
    for _ in range(6):
        seconds = [min(max(s, k.low), k.high) for s, k in zip(seconds, kinds, strict=True)]
        seconds = [s * gap / sum(seconds) for s in seconds]
    doubled = [kind for kind in kinds if sum(k.group == kind.group for k in kinds) > 1]
    lift = {"slow": 1.45, "wire": 1.4, "uplink": 0.85, "lustre": 0.85}
    raised = [s * lift[k.group] if k in doubled else s for s, k in zip(seconds, kinds, strict=True)]
    return [_within(s, k, draw) for s, k in zip(raised, kinds, strict=True)]


def _within(seconds: float, kind: type[Fault], draw: Stream) -> float:
    """What the kind can give; what is too much becomes anything in the upper part of its range."""
    if seconds > kind.high:
        return draw.between(kind.low + 0.6 * (kind.high - kind.low), kind.high)
    return max(seconds, kind.low)


def _strike(
    kinds: Sequence[type[Fault]], seconds: Sequence[float], scene: Scene, draw: Stream
) -> tuple[Fault, ...]:
    """Racks first: they need the most room."""
    order = sorted(
        zip(kinds, seconds, strict=True), key=lambda pair: pair[0].key != "rack-inlet-hot"
    )
    return tuple(kind.strike(scene, asked, draw) for kind, asked in order)


def _hours_without(
    condition: Condition, training: Training, calendar: Calendar, keys: Sequence[str]
) -> dict[tuple[str, ...], float]:
    """Hours of the steps for every set of causes put right before the run."""
    table = {}
    for count in range(1, len(keys) + 1):
        for gone in combinations(sorted(keys), count):
            left = condition.without(*gone)
            table[gone] = hours(rhythm(left, training.nodes), calendar.first_step)
    return table


def _divide(table: dict[tuple[str, ...], float], keys: Sequence[str]) -> dict[str, float]:
    """Hours of each cause: what putting it right gives back, averaged over all orders of repair.

    Without interaction every order gives the same; with one, the causes that share an effect
    share its hours (Shapley's value). The parts add up to the gap exactly.
    """
    count, hours = len(keys), {}
    for key in keys:
        others = sorted(k for k in keys if k != key)
        total = 0.0
        for size in range(count):
            weight = factorial(size) * factorial(count - size - 1) / factorial(count)
            for before in combinations(others, size):
                total += weight * (table[before] - table[tuple(sorted((*before, key)))])
        hours[key] = total
    return hours


def _likely(faults: Sequence[Fault]) -> bool:
    """Whether causes that overlap with none can be fair: saves walking runs that would be refused."""
    total = sum(fault.seconds for fault in faults)
    groups = [fault.group for fault in faults]
    parts = sorted(fault.seconds / total for fault in faults if groups.count(fault.group) == 1)
    if len(parts) < len(faults):
        return True
    return parts[0] >= LEAST and parts[-1] <= MOST and all(b - a > 0.01 for a, b in pairwise(parts))


def _fair(drawn: Drawn) -> bool:
    parts = sorted(hours / drawn.gap for hours in drawn.hours.values())
    apart = all(b - a > 0.01 for a, b in pairwise(parts))
    return parts[0] >= LEAST and parts[-1] <= MOST and apart
