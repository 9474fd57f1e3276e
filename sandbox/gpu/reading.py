"""What is known of graphics cards, as plain frozen data; asks no driver."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

# Names and bits of nvmlClocksEventReasons in NVIDIA's nvml.h; 0x200 and 0x400 have names only
# among the older nvmlClocksThrottleReasons.
CLOCK_REASONS = {
    0x1: "idle",
    0x2: "application clocks",
    0x4: "power cap",
    0x8: "hardware slowdown",
    0x10: "sync boost",
    0x20: "software thermal",
    0x40: "hardware thermal",
    0x80: "power brake",
    0x100: "display clocks",
    0x200: "board limit",
    0x400: "reliability",
}


@dataclass(frozen=True)
class Unit:
    """What can be lent out: a whole card, or one MIG instance of it. Memory in MiB.

    `gpu` is the UUID of the card; for a whole card it equals `uuid`. The instance numbers are
    None for a whole card.
    """

    uuid: str
    gpu: str
    kind: Literal["gpu", "mig"]
    name: str
    memory_mb: int
    gpu_instance: int | None = None
    compute_instance: int | None = None


@dataclass(frozen=True)
class Gpu:
    """One card's identity. `pci` is domain:bus:device.function, `minor` the N of /dev/nvidiaN.

    `index` is the driver's order of today and may shift; leases go by UUID.
    """

    index: int
    uuid: str
    name: str
    pci: str
    minor: int | None
    memory_mb: int
    mig: bool
    instances: tuple[Unit, ...] = ()

    @property
    def units(self) -> tuple[Unit, ...]:
        """A card cut into instances is lent by instance only."""
        if self.mig:
            return self.instances
        return (Unit(self.uuid, self.uuid, "gpu", self.name, self.memory_mb),)


@dataclass(frozen=True)
class Survey:
    """All cards the driver shows. Without a working driver there are none and `reason` says why.

    `broken` counts cards that are there but do not even tell their UUID.
    """

    driver: str
    reason: str
    gpus: tuple[Gpu, ...] = ()
    broken: int = 0

    @property
    def units(self) -> tuple[Unit, ...]:
        return tuple(sorted((u for gpu in self.gpus for u in gpu.units), key=lambda u: u.uuid))

    def find(self, uuid: str) -> Unit | None:
        return next((unit for unit in self.units if unit.uuid == uuid), None)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return asdict(self)


@dataclass(frozen=True)
class DeviceProcess:
    """A process on a device. `start` (ticks since boot) is None when this host cannot see it."""

    pid: int
    start: int | None
    kind: Literal["compute", "graphics", "mps"]
    memory_mb: int | None


@dataclass(frozen=True)
class Reading:
    """One unit at one moment; None where the driver does not say.

    `at` is CLOCK_MONOTONIC in seconds; memory in MiB, power in W, clocks in MHz, energy in J since
    the driver was loaded, temperatures in degrees Celsius, utilisation in per cent. ECC counts are
    those since the driver was loaded. For a MIG instance memory and processes are its own;
    temperature, clocks and errors are the card's; utilisation, power and energy cannot be told
    apart between instances and are None.
    """

    uuid: str
    at: float
    lost: str = ""
    utilisation: float | None = None
    memory_utilisation: float | None = None
    memory_used_mb: int | None = None
    memory_total_mb: int | None = None
    temperature_c: float | None = None
    slowdown_c: float | None = None
    power_w: float | None = None
    power_limit_w: float | None = None
    energy_j: float | None = None
    sm_clock_mhz: int | None = None
    sm_clock_max_mhz: int | None = None
    memory_clock_mhz: int | None = None
    clock_reasons: tuple[str, ...] = ()
    ecc_corrected: int | None = None
    ecc_uncorrected: int | None = None
    remap_pending: bool | None = None
    remap_failed: bool | None = None
    processes: tuple[DeviceProcess, ...] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return asdict(self)


def clock_reasons(bits: int) -> tuple[str, ...]:
    """The names of the set bits; a bit without a name is given as its number."""
    names = [name for bit, name in CLOCK_REASONS.items() if bits & bit]
    rest = bits & ~sum(CLOCK_REASONS)
    return tuple(names + ([f"{rest:#x}"] if rest else []))
