"""What one GPU would answer at one moment: clock, power, heat, memory, links, from the truth alone.

Every reading of `nvidia-smi` and `dcgmi` comes from here, so that two tools asked at the same moment agree.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar
from weakref import WeakKeyDictionary

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting import physics
from scenarios.troubleshooting.calendar import SECOND
from scenarios.troubleshooting.condition import JOB
from scenarios.troubleshooting.faults.links import NvlinkDegraded
from scenarios.troubleshooting.faults.transport import DriverMismatch
from scenarios.troubleshooting.gpu_memory import MEMORY_MHZ, RESERVED_MIB, TRAINING_MEMORY, model
from scenarios.troubleshooting.herrings.in_place import FewCorrectable, LimitTouched, RowSettled
from scenarios.troubleshooting.jobs import Job
from scenarios.troubleshooting.plant import Gpu, Node
from scenarios.troubleshooting.steps import Run, rank_compute
from scenarios.troubleshooting.texts.system_host import looking
from scenarios.troubleshooting.truth import Incident

Kind = TypeVar("Kind", FewCorrectable, LimitTouched, RowSettled)
IDLE, POWER_CAP, THERMAL, HARD_THERMAL, BRAKE = 0x1, 0x4, 0x20, 0x48, 0x88
"""Clocks event reasons: hardware slowdowns come with their umbrella bit 0x8 (nvml.h)."""
WAITING, STANDING = 0.42, 0.06
"""Power above idle: part of the load's in a collective, of the board's while it stands still (handbook 0)."""
FEW_OFTEN, FEW_MOST = 0.08, 11
"""Part of a fleet's GPUs that have corrected a memory error since they were built, and how many at most."""
_LAZY = ("jupyter", "eval", "tokenise", "fold-infer")
"""Jobs of others that use their GPUs now and then."""


@dataclass(frozen=True, slots=True)
class GpuNow:
    """One GPU at one moment. `phase`: idle, compute, wait (in a collective), data, save, busy (another job).

    Clocks in MHz, power in W, temperatures in C, memory in MiB, utilisation in %; `reasons` is the bit mask
    of clocks event reasons; `down` are the numbers of NVLinks that are inactive.
    """

    gpu: Gpu
    at_ms: int
    job: Job | None
    phase: str
    sm_mhz: int
    memory_mhz: int
    watts: float
    limit_w: float
    core_c: int
    memory_c: int
    util: int
    memory_util: int
    used_mib: int
    reserved_mib: int
    total_mib: int
    reasons: int
    pcie_gen: int
    pcie_width: int
    replays: int
    down: tuple[int, ...]
    corrected: int
    remapped: int
    pid: int

    @property
    def free_mib(self) -> int:
        return self.total_mib - self.reserved_mib - self.used_mib

    @property
    def margin_c(self) -> int:
        """Distance to the temperature at which the GPU slows down: T.Limit."""
        return (87 if self.total_mib != 81_920 else 85) - self.core_c


def before_changes(incident: Incident, at_ms: int) -> bool:
    """Whether the moment lies before the maintenance: then the plant is healthy."""
    return at_ms < incident.calendar.maintenance


def value(incident: Incident, subject: str, name: str, at_ms: int) -> float:
    """The condition's value at a moment; before the maintenance what health says."""
    condition, calendar = incident.condition, incident.calendar
    over = None if at_ms < calendar.maintenance else condition.over(subject, name)
    return condition.healthy(name) if over is None else float(over[calendar.cell(at_ms)])


def whose(incident: Incident, at_ms: int, subject: str, *names: str) -> str | None:
    """Key of the cause or herring that makes one of these fields depart from health at this moment."""
    if before_changes(incident, at_ms):
        return None
    cell = incident.calendar.cell(at_ms)
    for effect in incident.condition.about(subject):
        if effect.field in names and incident.condition.weights(effect)[cell] > 0:
            return effect.tag
    return None


def driver(incident: Incident, node: str, at_ms: int) -> tuple[str, str | None]:
    """Driver version of a node and the key of the cause that makes it another than the fleet's."""
    for cause in incident.causes:
        fault = cause.fault
        if isinstance(fault, DriverMismatch):
            if before_changes(incident, at_ms):
                return fault.driver, None
            if node in fault.nodes:
                return fault.driver, fault.key
    return incident.plant.versions.driver, None


def pid_of(incident: Incident, node: str, index: int, job: Job) -> int:
    """Process id of a job's rank on one GPU: the one that NCCL's lines of the training name."""
    if job.role in ("slow", "baseline"):
        return 20_000 + job.id * 17 % 9_000 + job.nodes.index(node) * 131 + index
    return (
        int(Stream(incident.seed, f"pid {job.id} {node}").between(40_000, 3_900_000)) + 37 * index
    )


_KNOWN: WeakKeyDictionary[Incident, dict[tuple[str, int, int], GpuNow]] = WeakKeyDictionary()
"""Readings by node, GPU and instant: half a dozen tools are asked at the same moment."""


def gpu_now(incident: Incident, gpu: Gpu, at_ms: int) -> GpuNow:
    """The readings of one GPU at an instant (ms UTC)."""
    known = _KNOWN.setdefault(incident, {})
    key = gpu.node, gpu.index, at_ms
    if key not in known:
        if len(known) >= _MOST_KNOWN:
            known.clear()
        known[key] = _read(incident, gpu, at_ms)
    return known[key]


_MOST_KNOWN = 8_192


def _read(incident: Incident, gpu: Gpu, at_ms: int) -> GpuNow:
    plant = incident.plant
    job = incident.job_on(gpu.node, gpu.index, at_ms)
    phase = _phase(incident, gpu, job, at_ms)
    draw = Stream(incident.seed, f"smi {gpu.name} {at_ms // SECOND}")
    mhz, reasons = _clock(incident, gpu, phase, at_ms, draw)
    limit = value(incident, gpu.name, "power_limit_w", at_ms)
    watts = _watts(incident, gpu, phase, mhz, at_ms, draw)
    if phase == "compute" and _touches_limit(incident, gpu, at_ms):
        reasons, watts = reasons | POWER_CAP, plant.top_w - draw.between(4.5, 6.5)
    core = _core(incident, gpu, phase, mhz, at_ms)
    reserved = RESERVED_MIB[model(plant)]
    busy = phase in ("compute", "wait", "busy")
    return GpuNow(
        gpu=gpu,
        at_ms=at_ms,
        job=job,
        phase=phase,
        sm_mhz=mhz,
        memory_mhz=MEMORY_MHZ[model(plant)],
        watts=round(watts, 2),
        limit_w=limit,
        core_c=core,
        memory_c=core + (3 if phase == "idle" else int(draw.between(7, 11))),
        util=_util(incident, gpu, at_ms, draw) if busy else 0,
        memory_util=int(draw.between(34, 52)) if phase in ("compute", "busy") else 0,
        used_mib=_used(incident, job, gpu, plant.memory_mib - reserved),
        reserved_mib=reserved,
        total_mib=plant.memory_mib,
        reasons=reasons,
        pcie_gen=int(value(incident, gpu.name, "pcie_gen", at_ms)),
        pcie_width=int(value(incident, gpu.name, "pcie_width", at_ms)),
        replays=_replays(incident, gpu, at_ms),
        down=links_down(incident, gpu, at_ms),
        corrected=_corrected(incident, gpu),
        remapped=_remapped(incident, gpu),
        pid=pid_of(incident, gpu.node, gpu.index, job) if job else 0,
    )


def node_now(incident: Incident, node: Node, at_ms: int) -> tuple[GpuNow, ...]:
    return tuple(gpu_now(incident, gpu, at_ms) for gpu in node.gpus)


def links_down(incident: Incident, gpu: Gpu, at_ms: int) -> tuple[int, ...]:
    """Numbers of a GPU's NVLinks that are inactive."""
    for cause in incident.causes:
        fault = cause.fault
        if isinstance(fault, NvlinkDegraded) and (fault.node, fault.gpu) == (gpu.node, gpu.index):
            return () if before_changes(incident, at_ms) else fault.down
    return ()


def _phase(incident: Incident, gpu: Gpu, job: Job | None, at_ms: int) -> str:
    if job is None:
        return "idle"
    if job.role not in ("slow", "baseline"):
        share = 0.3 if job.name.startswith(_LAZY) else 0.85
        works = Stream(incident.seed, f"works {job.id} {at_ms // SECOND}").chance(share)
        return "busy" if works else "data"
    run = incident.run if job.role == "slow" else incident.baseline
    step = run.step_at(at_ms)
    if step < 0 or step >= len(run.compute):
        return "data"
    into = (at_ms - int(run.starts[step])) / 1000
    own = float(run.compute[step])
    if job.role == "slow":
        own = _own_compute(incident, gpu, at_ms)
    return _part(run, step, into, own)


def _part(run: Run, step: int, into: float, own: float) -> str:
    """The part of a step that a rank is in, `into` seconds after its start; a checkpoint comes last."""
    if into < run.data[step]:
        return "data"
    if into < run.data[step] + own:
        return "compute"
    return "save" if into > run.step_s[step] - run.save[step] and run.save[step] > 0 else "wait"


def _own_compute(incident: Incident, gpu: Gpu, at_ms: int) -> float:
    node = incident.plant.node(gpu.node)
    own = rank_compute(incident.condition, node, gpu.index)
    return float(own) if isinstance(own, float) else float(own[incident.calendar.cell(at_ms)])


def _clock(incident: Incident, gpu: Gpu, phase: str, at_ms: int, draw: Stream) -> tuple[int, int]:
    """SM clock and reasons. Heat, a power limit and the brake show a reason; a pinned clock shows none."""
    plant = incident.plant
    step = physics.CLOCK_STEP
    if phase == "idle":
        return plant.idle_mhz, IDLE
    load = physics.load_clock(plant)
    loose = load + step * int(draw.between(-1, 2))
    # Below its top clock a healthy GPU is held by its power: its peaks reach the limit, their mean does not.
    freely = POWER_CAP if loose < plant.top_mhz else 0
    part = value(incident, gpu.name, "clock", at_ms)
    limit = value(incident, gpu.name, "power_limit_w", at_ms)
    braked = value(incident, gpu.name, "braked", at_ms)
    if braked > 0:
        held = _braked(incident, gpu.node, braked, part, at_ms)
        return (held, BRAKE) if held else (loose, freely)
    hot = value(incident, gpu.name, "heat_c", at_ms)
    if phase in ("data", "save"):
        pinned = part < 0.999 and hot <= 0
        return (round(part * load / step) * step if pinned else plant.top_mhz), 0
    if limit < plant.top_w:
        fits = physics.clock_at_limit(plant, limit)
        return fits - step * int(draw.between(0, 2)), POWER_CAP
    if part >= 0.999:
        return loose, freely
    held = round(part * load / step) * step
    if hot <= 0:
        return held, 0
    reached = physics.core_c(plant, physics.power_at_clock(plant, held)) + hot
    reached += value(incident, gpu.node, "inlet_c", at_ms)
    reason = HARD_THERMAL if reached >= physics.limit_c(plant) + 0.5 else THERMAL
    return held + step * int(draw.between(-2, 3)), reason


def _braked(incident: Incident, node: str, share: float, part: float, at_ms: int) -> int:
    """The brake's clock in MHz when it holds the node at this second, else 0: all its GPUs at once."""
    if not Stream(incident.seed, f"brake {node} {at_ms // SECOND}").chance(share):
        return 0
    return _brake_clock(incident, share, part)


def _brake_clock(incident: Incident, share: float, part: float) -> int:
    """The even clock `part` says what the brake costs; with its share of the time follows its depth (MHz)."""
    lost = physics.slowdown(part) - 1
    depth = 1 - lost / (1 + lost) / share
    step = physics.CLOCK_STEP
    return round(depth * physics.load_clock(incident.plant) / step) * step


def _watts(incident: Incident, gpu: Gpu, phase: str, mhz: int, at_ms: int, draw: Stream) -> float:
    """Power as nvidia-smi averages it over a second: never above the limit."""
    limit = value(incident, gpu.name, "power_limit_w", at_ms)
    plant = incident.plant
    if phase == "idle":
        return plant.idle_w + draw.between(-6, 9)
    if phase in ("data", "save"):
        return plant.idle_w + STANDING * plant.top_w * draw.between(0.85, 1.15)
    above = physics.power_at_clock(plant, mhz) - plant.idle_w
    above *= 1 - 0.25 * (1 - 1 / value(incident, gpu.name, "sluggish", at_ms))
    if phase == "wait":
        return plant.idle_w + WAITING * above * draw.between(0.94, 1.06)
    if limit < plant.top_w:
        return limit - draw.between(1.0, 2.4)
    return min(plant.idle_w + above * draw.between(0.98, 1.02), plant.top_w - draw.between(7, 12))


def _core(incident: Incident, gpu: Gpu, phase: str, mhz: int, at_ms: int) -> int:
    """Core temperature: it follows the power of minutes, so a pause of seconds cools little."""
    plant = incident.plant
    limit = value(incident, gpu.name, "power_limit_w", at_ms)
    if phase == "idle":
        watts = float(plant.idle_w)
    elif share := value(incident, gpu.name, "braked", at_ms):
        # The brake comes and goes within seconds; heat follows the mean.
        slow = _brake_clock(incident, share, value(incident, gpu.name, "clock", at_ms))
        watts = share * physics.power_at_clock(plant, slow) + (1 - share) * physics.load_power(
            plant
        )
    else:
        watts = min(physics.power_at_clock(plant, mhz), limit)
    heat = 0.0 if phase == "idle" else value(incident, gpu.name, "heat_c", at_ms)
    warm = heat + value(incident, gpu.node, "inlet_c", at_ms)
    found = physics.core_c(plant, watts) + warm + gpu.warmth
    found -= {"data": 1.0, "save": 5.0, "busy": 3.0}.get(phase, 0.0)
    return round(min(found, physics.limit_c(plant) + 1))


def _util(incident: Incident, gpu: Gpu, at_ms: int, draw: Stream) -> int:
    """Near 100 while a kernel is resident; less where kernels are launched too slowly."""
    late = value(incident, gpu.node, "host_s", at_ms) > 0
    return int(draw.between(60, 101) if late else draw.between(98, 101))


def _touches_limit(incident: Incident, gpu: Gpu, at_ms: int) -> bool:
    if _herring(incident, LimitTouched, gpu) is None:
        return False
    # One second in ten, and one of them is when everybody's state was collected.
    return (at_ms - looking(incident)) // SECOND % 10 == 0


def _used(incident: Incident, job: Job | None, gpu: Gpu, room: int) -> int:
    if job is None:
        return 0
    if job.role in ("slow", "baseline"):
        part = incident.condition.constant(JOB, "gpu_memory") if job.role == "slow" else 1.0
        more = between(incident.seed, f"memory {job.id} {gpu.name}", -180, 180)
        return int(room * TRAINING_MEMORY * part) + int(more)
    part = between(incident.seed, f"memory {job.id}", 0.2, 0.93)
    return int(room * part) + int(between(incident.seed, f"memory {job.id} {gpu.name}", 0, 90))


@lru_cache(maxsize=32_768)
def between(seed: str, cause: str, low: float, high: float) -> float:
    """The first draw for a cause: what a GPU keeps is asked for at many moments."""
    return Stream(seed, cause).between(low, high)


def _replays(incident: Incident, gpu: Gpu, at_ms: int) -> int:
    """Replays since the driver was loaded: an hourly rate adds up from the maintenance on."""
    rate = value(incident, gpu.name, "replays", at_ms)
    hours = max(at_ms - incident.calendar.maintenance, 0) / 3_600_000
    few = int(between(incident.seed, f"replays {gpu.name}", 0, 4))
    return few + int(rate * hours)


def _herring(incident: Incident, kind: type[Kind], gpu: Gpu) -> Kind | None:
    """The herring of this kind that stands on this GPU."""
    for herring in incident.herrings:
        # The host first: it is another one nearly always, and asking for the kind costs more.
        if herring.host == gpu.node and isinstance(herring, kind) and herring.gpu == gpu.index:
            return herring
    return None


def _corrected(incident: Incident, gpu: Gpu) -> int:
    herring = _herring(incident, FewCorrectable, gpu)
    if herring or not incident.settings.fleet:
        return herring.count if herring else 0
    drawn = between(incident.seed, f"aggregate {gpu.name}", 0, 1)
    return int(1 + FEW_MOST * drawn / FEW_OFTEN) if drawn < FEW_OFTEN else 0


def _remapped(incident: Incident, gpu: Gpu) -> int:
    return int(_herring(incident, RowSettled, gpu) is not None)


def herring_on(incident: Incident, gpu: Gpu, reading: str) -> str | None:
    """The key of a herring that shows in this reading of a GPU: `corrected`, `remapped` or `limit`."""
    found = {
        "corrected": _herring(incident, FewCorrectable, gpu),
        "remapped": _herring(incident, RowSettled, gpu),
        "limit": _herring(incident, LimitTouched, gpu),
    }[reading]
    return found.key if found else None
