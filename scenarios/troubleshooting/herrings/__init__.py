"""The herrings, and how those of a variant are drawn."""

from __future__ import annotations

from collections.abc import Sequence

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.faults import Fault, Scene
from scenarios.troubleshooting.herrings.base import Harmless, Herring
from scenarios.troubleshooting.herrings.changed import CHANGED, Changed
from scenarios.troubleshooting.herrings.in_place import (
    ClockAhead,
    FewCorrectable,
    HighLoad,
    LimitTouched,
    ManagementMtu,
    OldSymbols,
    OldXid,
    RowSettled,
    SwapUsed,
    UnsetClock,
)
from scenarios.troubleshooting.herrings.in_time import (
    BackfillLimit,
    CertificateRenewed,
    FanElsewhere,
    HostPortWait,
    LoginPatch,
    PageCacheFull,
    PluginMissing,
    ScrapeGap,
)
from scenarios.troubleshooting.levels import Settings

__all__ = ["HERRINGS", "Changed", "Harmless", "Herring", "draw_herrings"]

OBSERVED: tuple[type[Herring], ...] = (
    LoginPatch,
    ScrapeGap,
    BackfillLimit,
    PluginMissing,
    FanElsewhere,
    HostPortWait,
    PageCacheFull,
    CertificateRenewed,
    FewCorrectable,
    RowSettled,
    OldXid,
    UnsetClock,
    HighLoad,
    SwapUsed,
    LimitTouched,
    ManagementMtu,
    OldSymbols,
    ClockAhead,
)
"""What is there without anybody's doing."""
HERRINGS: tuple[type[Herring], ...] = (*OBSERVED, *CHANGED)


def draw_herrings(
    scene: Scene, faults: Sequence[Fault], settings: Settings, seed: str
) -> tuple[Herring, ...]:
    """So many of each tie as the level wants; none that looks like a cause of this variant."""
    draw = Stream(seed, "herrings")
    causes = {fault.key for fault in faults}
    kinds = HERRINGS if settings.fleet else OBSERVED
    found: list[Herring] = []
    for tie, count in (("time", settings.in_time), ("place", settings.herrings - settings.in_time)):
        left = [kind for kind in kinds if kind.tie == tie and not causes & set(kind.excludes)]
        drawn = 0
        while left and drawn < count:
            kind = draw.pick([(kind, 1.0) for kind in left])
            left.remove(kind)
            herring = kind.strike(scene, faults, draw)
            if herring is not None:
                found.append(herring)
                drawn += 1
    return tuple(found)
