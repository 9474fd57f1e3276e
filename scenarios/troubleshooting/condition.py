"""The physical state of the plant over time. Sparse: what is not named is healthy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from scenarios.troubleshooting.calendar import Calendar
from scenarios.troubleshooting.physics import SAVE_EVERY, SAVE_STALL, path_gbytes
from scenarios.troubleshooting.plant import Plant
from scenarios.troubleshooting.shapes import Always, Array, Shape

JOB, FABRIC, LUSTRE, NFS, MDS = "job", "fabric", "lustre", "nfs", "mds"
"""Subjects that are not a part of the plant with a name of its own."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """What a field of a condition means: unit, healthy value, and how several departures join."""

    unit: str
    healthy: Callable[[Plant], float]
    join: Callable[[Array, Array], Array]
    about: str


def _const(value: float) -> Callable[[Plant], float]:
    return lambda _: value


_least, _most, _times = np.minimum, np.maximum, np.multiply

QUANTITIES: dict[str, Quantity] = {
    # subject: a GPU (`node/gpuN`)
    "clock": Quantity(
        "of load clock", _const(1.0), _least, "what a fault leaves of the SM clock under load"
    ),
    "power_limit_w": Quantity("W", lambda p: float(p.top_w), _least, "enforced power limit"),
    "sluggish": Quantity(
        "times", _const(1.0), _most, "compute takes so many times as long, clocks unchanged"
    ),
    "braked": Quantity(
        "ratio", _const(0.0), _most, "of samples under load that show the power brake's clock"
    ),
    "heat_c": Quantity("C", _const(0.0), np.add, "core temperature above health at the same power"),
    "nvlink_down": Quantity("links", _const(0.0), _most, "NVLinks of this GPU that are inactive"),
    "pcie_gen": Quantity(
        "", lambda p: 5.0 if p.port_gbps >= 400 else 4.0, _least, "PCIe generation in load"
    ),
    "pcie_width": Quantity("lanes", _const(16.0), _least, "PCIe lanes"),
    "replays": Quantity("1/h", _const(0.0), np.add, "PCIe replays"),
    # subject: an adapter (`node/mlx5_N`)
    "rate_gbps": Quantity(
        "Gb/s", lambda p: float(p.port_gbps), _least, "negotiated rate of the port"
    ),
    "path_gbytes": Quantity(
        "GB/s", path_gbytes, _least, "what PCIe leaves between GPU and adapter"
    ),
    "symbol_errors": Quantity("1/h", _const(0.0), np.add, "symbol errors of the port"),
    "stall_s": Quantity(
        "s per step", _const(0.0), np.add, "retransmission that every rank waits for"
    ),
    # subject: a node
    "inlet_c": Quantity("C", _const(0.0), np.add, "inlet temperature above the hall's"),
    "fan_rpm": Quantity(
        "of normal", _const(1.0), _least, "speed of the failed fan (named in `fan_name`)"
    ),
    "fan_boost": Quantity("of normal", _const(1.0), _most, "speed of the node's other fans"),
    "supplies_lost": Quantity("count", _const(0.0), _most, "power supplies that deliver nothing"),
    "host_s": Quantity(
        "s per step", _const(0.0), np.add, "CPU work on the critical path of this node's ranks"
    ),
    "core_mhz": Quantity("MHz", _const(3500.0), _least, "CPU clock under load"),
    "workers": Quantity(
        "times", _const(1.0), _most, "preparing a batch takes so many times as long"
    ),
    "rank_cpus": Quantity("threads", _const(28.0), _least, "CPU threads that one rank may use"),
    "throttled": Quantity(
        "ratio", _const(0.0), _most, "CFS periods of the job's cgroup that were throttled"
    ),
    "gdr_gbytes": Quantity(
        "GB/s", path_gbytes, _least, "what GPU and adapters exchange on this node"
    ),
    "unscraped": Quantity("0/1", _const(0.0), _most, "the exporters of this node do not answer"),
    "clock_offset_s": Quantity(
        "s", _const(0.0), np.add, "this host's clock is ahead of the others"
    ),
    "far_memory": Quantity(
        "ratio", _const(0.03), _most, "memory accesses that go to the other socket"
    ),
    # subject: FABRIC
    "uplinks": Quantity(
        "ratio", _const(1.0), _times, "what the leaves' uplinks give this job of what it asks"
    ),
    # subject: a leaf switch
    "xmit_wait": Quantity(
        "times", _const(1.0), _times, "xmit-wait of its uplinks, as a multiple of health"
    ),
    "uplinks_down": Quantity(
        "ports", _const(0.0), _most, "uplinks of this leaf that are out of service"
    ),
    "foreign_gbps": Quantity(
        "Gb/s", _const(0.0), np.add, "traffic of other jobs over this leaf's uplinks"
    ),
    # subject: LUSTRE, NFS, MDS
    "latency": Quantity(
        "times", _const(1.0), _times, "what a read costs this job, as a multiple of health"
    ),
    "ops": Quantity("1/s", _const(0.0), np.add, "requests of others"),
    "foreign_gbytes": Quantity("GB/s", _const(0.0), np.add, "writes of other jobs"),
    "retrans": Quantity(
        "1/s", _const(0.0), np.add, "retransmitted requests or segments of each client"
    ),
    "backlog": Quantity("requests", _const(0.0), np.add, "requests that wait in the client"),
    # subject: an OST
    "await": Quantity(
        "times", _const(1.0), _times, "read await of this target, as a multiple of health"
    ),
    "rebuilding": Quantity("0/1", _const(0.0), _most, "a disk of its array is being rebuilt"),
    # subject: JOB
    "work": Quantity("times", _const(1.0), _times, "arithmetic of a step"),
    "gpu_memory": Quantity("of normal", _const(1.0), _least, "GPU memory that the job uses"),
    "rails": Quantity("of rails", _const(1.0), _least, "rails that NCCL uses"),
    "save_every": Quantity("steps", _const(float(SAVE_EVERY)), _least, "steps between checkpoints"),
    "save_stall_s": Quantity("s", _const(SAVE_STALL), _most, "standstill at a checkpoint"),
    "respawn_every": Quantity(
        "steps", _const(250.0), _least, "steps between starts of the loader's workers"
    ),
    "respawn_s": Quantity(
        "s", _const(0.0), np.add, "standstill when the loader starts its workers"
    ),
    "leak_s": Quantity(
        "s per step", _const(0.0), np.add, "what the last step costs more than the first"
    ),
    "leak_gib": Quantity(
        "GiB", _const(0.0), np.add, "host memory of each node lost at the last step"
    ),
}


ALWAYS = Always()


@dataclass(frozen=True, slots=True)
class Effect:
    """One departure from health: at weight 1 the field of the subject has `value`, at 0 it is healthy.

    `tag` is the key of the fault or herring. Fields and units: `QUANTITIES`. A `clock` is not
    weighted but its cap is: half-way up the ramp the clock has lost half of what it will lose.
    """

    tag: str
    subject: str
    field: str
    value: float
    shape: Shape = ALWAYS


class Condition:
    """Effects on a plant during a window, asked for by subject and field."""

    def __init__(self, plant: Plant, calendar: Calendar, effects: Iterable[Effect]) -> None:
        self.plant = plant
        self.calendar = calendar
        self.effects = tuple(effects)
        self._held: dict[tuple[str, str], list[Effect]] = {}
        self._about: dict[str, list[Effect]] = {}
        for effect in self.effects:
            self._held.setdefault((effect.subject, effect.field), []).append(effect)
            self._about.setdefault(effect.subject, []).append(effect)
        self._over: dict[tuple[str, str], Array] = {}
        self._weights: dict[Effect, Array] = {}
        self._healthy: dict[str, float] = {}

    def healthy(self, name: str) -> float:
        found = self._healthy.get(name)
        if found is None:
            found = self._healthy[name] = QUANTITIES[name].healthy(self.plant)
        return found

    def about(self, subject: str) -> Sequence[Effect]:
        """Effects on a subject, in the order given."""
        return self._about.get(subject, ())

    def subjects(self, name: str) -> tuple[str, ...]:
        """Subjects of which this field ever departs from health."""
        return tuple(subject for subject, key in self._held if key == name)

    def over(self, subject: str, name: str) -> Array | None:
        """Values on the window's grid, or None where the field is healthy throughout; not to be changed."""
        key = subject, name
        if key not in self._held:
            return None
        if key not in self._over:
            healthy = self.healthy(name)
            found: list[Array] = [
                healthy + (e.value - healthy) * self.weights(e) for e in self._held[key]
            ]
            self._over[key] = self._joined(name, found)
            self._over[key].flags.writeable = False
        return self._over[key]

    def weights(self, effect: Effect) -> Array:
        """How much of an effect holds, on the window's grid; not to be changed."""
        if effect not in self._weights:
            self._weights[effect] = effect.shape.weights(self.calendar)
            self._weights[effect].flags.writeable = False
        return self._weights[effect]

    def constant(self, subject: str, name: str) -> float:
        """The value in full of a field that does not go with time (settings of the job)."""
        held = self._held.get((subject, name))
        if held is None:
            return self.healthy(name)
        return float(self._joined(name, [np.array([e.value]) for e in held])[0])

    @staticmethod
    def _joined(name: str, found: list[Array]) -> Array:
        whole = found[0]
        for other in found[1:]:
            whole = QUANTITIES[name].join(whole, other)
        return whole

    def without(self, *tags: str) -> Condition:
        """The same plant as if these faults had been put right before the run."""
        left = [effect for effect in self.effects if effect.tag not in tags]
        found = Condition(self.plant, self.calendar, left)
        found._weights = self._weights  # an effect weighs the same whatever stands beside it
        return found
