"""The catalogue of causes."""

from __future__ import annotations

from scenarios.troubleshooting.faults.base import Fault, NoRoom, Past, Scene, Words
from scenarios.troubleshooting.faults.cooling import FanFailure, GpuThermalThrottle, RackInletHot
from scenarios.troubleshooting.faults.links import LinkFlapping, NvlinkDegraded
from scenarios.troubleshooting.faults.loader import (
    CgroupLimit,
    CheckpointOnDisks,
    CheckpointTooOften,
    HostMemoryLeak,
    RanksLostCpus,
)
from scenarios.troubleshooting.faults.power import ClocksPinned, PowerBrake, PowerCapLeft
from scenarios.troubleshooting.faults.shared import MetadataStorm, NameServiceSlow, NfsSlotsFull
from scenarios.troubleshooting.faults.slow_compute import (
    GovernorPowersave,
    RecomputeTurnedOn,
    SilentSlowNode,
    WrongSocket,
)
from scenarios.troubleshooting.faults.storage import FramesTooLarge, OstRebuild, StorageNeighbour
from scenarios.troubleshooting.faults.transport import (
    AcsEnabled,
    AdaptersLeftOut,
    DriverMismatch,
    PcieDowntrained,
)
from scenarios.troubleshooting.faults.uplinks import FabricNeighbour, SpineDown

__all__ = ["CATALOGUE", "INTERACTING", "Fault", "NoRoom", "Past", "Scene", "Words"]

CATALOGUE: tuple[type[Fault], ...] = (
    GpuThermalThrottle,
    RackInletHot,
    FanFailure,
    PowerCapLeft,
    PowerBrake,
    ClocksPinned,
    SilentSlowNode,
    RecomputeTurnedOn,
    GovernorPowersave,
    WrongSocket,
    AdaptersLeftOut,
    DriverMismatch,
    AcsEnabled,
    PcieDowntrained,
    LinkFlapping,
    NvlinkDegraded,
    SpineDown,
    FabricNeighbour,
    OstRebuild,
    StorageNeighbour,
    FramesTooLarge,
    NfsSlotsFull,
    MetadataStorm,
    NameServiceSlow,
    RanksLostCpus,
    CgroupLimit,
    HostMemoryLeak,
    CheckpointTooOften,
    CheckpointOnDisks,
)
INTERACTING = ("slow", "wire", "uplink", "lustre")
"""Groups of which two causes may be drawn together at senior: what one costs depends on the other."""
