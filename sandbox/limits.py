"""The bounds of one run, in plain units."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import ClassVar

# The interpreter and the bootstrap must fit, or a program's limit would look like our failure.
_LEAST_MEMORY_MB = 32


@dataclass(frozen=True)
class Limits:
    """Every bound of a run. Times in seconds, `_mb` in MiB, `_kb` in KiB.

    `output_kb` is what is kept of stdout and stderr together; a program that prints
    `FLOOD` times as much is stopped. `work_mb` and `inodes` bound the working folder and /tmp
    together. `cpus` is a share of processors, `cpu_s` the processor time of all its processes.
    Raises ValueError when a bound is not a positive, finite number.
    """

    wall_s: float = 60.0
    cpu_s: float = 30.0
    memory_mb: int = 512
    pids: int = 64
    cpus: float = 1.0
    output_kb: int = 256
    work_mb: int = 64
    inodes: int = 4096
    file_mb: int = 64
    open_files: int = 256
    frame_kb: int = 64
    depth: int = 16
    calls: int = 200_000
    unread_kb: int = 1024

    FLOOD: ClassVar[int] = 32

    def __post_init__(self) -> None:
        for item in fields(self):
            value = getattr(self, item.name)
            if not (math.isfinite(value) and value > 0):
                raise ValueError(f"The limit {item.name} must be a positive number, not {value}.")
        if self.memory_mb < _LEAST_MEMORY_MB:
            raise ValueError(f"The memory limit must be at least {_LEAST_MEMORY_MB} MiB.")

    @property
    def process_cpu_s(self) -> int:
        """Processor seconds at which the kernel ends a process, where nobody was in time to do so.

        The kernel counts these by ticks: on a busy host a process was ended at 32 s that had used 29.2
        by the clock of its group, so the bound stands well above `cpu_s`.
        """
        return int(1.5 * self.cpu_s) + 2

    @property
    def frame_bytes(self) -> int:
        return self.frame_kb << 10

    @property
    def unread_bytes(self) -> int:
        return self.unread_kb << 10

    @property
    def flood_bytes(self) -> int:
        return (self.output_kb << 10) * self.FLOOD
