"""The catalogue of causes."""

from __future__ import annotations

from scenarios.incident.faults.base import Fault, NoRoom, Past, Scene, Words
from scenarios.incident.faults.cooling import FanFailure, GpuThermalThrottle, RackInletHot
from scenarios.incident.faults.links import LinkFlapping, NvlinkDegraded
from scenarios.incident.faults.loader import (
    CgroupLimit,
    CheckpointOnDisks,
    CheckpointTooOften,
    HostMemoryLeak,
    RanksLostCpus,
)
from scenarios.incident.faults.pace import (
    GovernorPowersave,
    RecomputeTurnedOn,
    SilentSlowNode,
    WrongSocket,
)
from scenarios.incident.faults.power import ClocksPinned, PowerBrake, PowerCapLeft
from scenarios.incident.faults.shared import MetadataStorm, NameServiceSlow, NfsSlotsFull
from scenarios.incident.faults.storage import FramesTooLarge, OstRebuild, StorageNeighbour
from scenarios.incident.faults.transport import (
    AcsEnabled,
    AdaptersLeftOut,
    DriverMismatch,
    PcieDowntrained,
)
from scenarios.incident.faults.uplinks import FabricNeighbour, SpineDown

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
INTERACTING = ("pace", "wire", "uplink", "lustre")
"""Groups of which two causes may be drawn together at senior: what one costs depends on the other."""
