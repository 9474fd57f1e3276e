"""What will go wrong with machines on this day, drawn before it begins."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from scenarios.simulator.agenda import HOUR, MINUTE
from scenarios.simulator.streams import Stream
from scenarios.simulator.world.failures import Clock
from scenarios.worlds.mig_sharing.settings import Config


class SliceEvent(IntEnum):
    """What happens first among events of one instant: the smaller value."""

    GANG_END = 0
    GANG_SAVED = 1
    XID = 2
    NODE_DOWN = 3
    MAINTENANCE = 4
    RDMA_DOWN = 5
    HANG = 6
    NOTICE = 7
    HANG_OVER = 8
    RDMA_UP = 9
    NODE_UP = 10
    GPU_BACK = 11
    LAYOUT_DONE = 12
    REPLICA_READY = 13
    GANG_ELIGIBLE = 14
    WANTED = 15
    GANG_SUBMIT = 16


RESET_XIDS = (95, 119)
"""Uncontained ECC error, GSP timeout: everything on the card ends, a reset brings it back."""
LOST_XID = 79
"""Fallen off the bus: only a repair brings it back."""
CONTAINED_XID = 94
USER_XIDS = (13, 31)
"""The program's own fault: the process starts again, the card is well."""


@dataclass(frozen=True, slots=True)
class Planned:
    """One event: `subject` is a node or GPU by number, `detail` an Xid or a length in ms."""

    at: int
    kind: SliceEvent
    subject: int
    detail: int = 0


def _times(stream: Stream, mean: float, length: int) -> list[int]:
    """Instants of a process with `mean` events over the day, none in the first half hour."""
    if not mean:
        return []
    return [int(at) for at in Clock(stream, length / mean).strikes(0.5 * HOUR, length)]


def _xids(config: Config, seed: str) -> list[Planned]:
    trouble, found = config.trouble, []
    for cause, mean in (
        ("reset", trouble.resets),
        ("lost", trouble.lost),
        ("contained", trouble.contained),
    ):
        stream = Stream(seed, f"xid {cause}")
        for at in _times(stream, mean, config.length):
            gpu = int(stream.unit() * config.gpus)
            pick = stream.unit()
            if cause == "reset":
                xid = RESET_XIDS[pick < 0.6]
            elif cause == "lost":
                xid = LOST_XID
            else:
                xid = CONTAINED_XID if pick < 0.3 else USER_XIDS[pick < 0.8]
            found.append(Planned(at, SliceEvent.XID, gpu, xid))
    return found


def _nodes(config: Config, seed: str) -> list[Planned]:
    trouble, found = config.trouble, []
    stream = Stream(seed, "crash")
    for at in _times(stream, trouble.crashes, config.length):
        node, length = int(stream.unit() * config.nodes), int(stream.between(25, 60) * MINUTE)
        found.append(Planned(at, SliceEvent.NODE_DOWN, node, length))
    stream = Stream(seed, "maintenance")
    usual = [
        int(stream.between(2 * HOUR, config.length - 3 * HOUR)) for _ in range(trouble.maintenance)
    ]
    for at in sorted([*usual, *trouble.surprise]):
        node, length = int(stream.unit() * config.nodes), int(stream.between(40, 80) * MINUTE)
        found.append(Planned(at, SliceEvent.NOTICE, node, length))
    return found


def _spells(config: Config, seed: str) -> list[Planned]:
    found = []
    for cause, count, low, high, begin, over in (
        ("rdma", config.trouble.rdma, 45, 150, SliceEvent.RDMA_DOWN, SliceEvent.RDMA_UP),
        ("hang", config.trouble.hangs, 4, 12, SliceEvent.HANG, SliceEvent.HANG_OVER),
    ):
        stream = Stream(seed, cause)
        for _ in range(count):
            at = int(stream.between(HOUR, config.length - HOUR))
            node = int(stream.unit() * config.nodes)
            found.append(Planned(at, begin, node))
            found.append(Planned(at + int(stream.between(low, high) * MINUTE), over, node))
    return found


def plan_trouble(config: Config, seed: str) -> list[Planned]:
    """Everything that machines will do wrong, in order of time. The controller changes none of it."""
    found = [*_xids(config, seed), *_nodes(config, seed), *_spells(config, seed)]
    return sorted(found, key=lambda one: (one.at, one.kind, one.subject))
