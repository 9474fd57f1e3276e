"""Causes between leaves and spines: too few uplinks, or another job on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil
from typing import Self

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.calendar import HOUR, MINUTE, SECOND
from scenarios.troubleshooting.condition import FABRIC, Effect
from scenarios.troubleshooting.faults.base import Fault, Past, Scene
from scenarios.troubleshooting.jobs import Neighbour
from scenarios.troubleshooting.physics import CROSS
from scenarios.troubleshooting.plant import Cable
from scenarios.troubleshooting.shapes import Since
from scenarios.troubleshooting.traces import Mark, Trace

FULL = 0.94
"""Part of a link's rate that data can take: the rest is headers and flow control."""


def share_for(seconds: float) -> float:
    """Part of what the job asks of the uplinks that it gets when it loses `seconds` per step."""
    return round(1 / (1 + seconds / CROSS), 3)


def seconds_for(share: float) -> float:
    return CROSS * (1 / share - 1)


@lru_cache(maxsize=4_096)
def _routed(seed: str, port: str) -> float:
    """Where an uplink's port stands in the static routes: asked for again and again."""
    return Stream(seed, f"routed {port}").unit()


@dataclass(frozen=True)
class SpineDown(
    Fault, key="spine-down", number=11, group="uplink", component="communication", costs=(0.3, 1.0)
):
    spine: str
    spines: int
    leaves: tuple[str, ...]
    lost: int
    share: float

    @classmethod
    def strike(cls, scene: Scene, seconds: float, draw: Stream) -> Self:
        plant = scene.plant
        spine = draw.pick([(s.name, 1.0) for s in plant.spines])
        unit = {hca.leaf for node in scene.training.nodes for hca in node.hcas}
        leaves = tuple(sorted(unit))
        lost = sum(cable.b.startswith(f"{spine}/") for cable in plant.uplinks(leaves[0]))
        share = share_for(seconds)
        return cls(seconds_for(share), spine, len(plant.spines), leaves, lost, share)

    def effects(self) -> tuple[Effect, ...]:
        found = [self.effect(FABRIC, "uplinks", self.share)]
        for leaf in self.leaves:
            found.append(self.effect(leaf, "uplinks_down", float(self.lost)))
            found.append(self.effect(leaf, "xmit_wait", 40.0))
        return tuple(found)

    def places(self) -> tuple[str, ...]:
        return (self.spine, *self.leaves)

    def traces(self, past: Past) -> Iterator[Trace]:
        at = past.calendar.maintenance + 4 * HOUR
        yield self.trace(
            "ticket.change",
            at,
            "tickets",
            id="",
            who="l.moreau",
            status="waiting for parts",
            title=f"{self.spine}: power supply swap",
            text=(
                f"{self.spine} taken out for the swap of a supply. Traffic moved to the other spines, "
                "fabric is connected. The part did not fit; a new one is ordered. Subnet manager restarted "
                "from the standby's configuration."
            ),
        )
        yield self.trace(
            "config.setting",
            at + 20 * MINUTE,
            "ufm01",
            path="/etc/opensm/opensm.conf",
            key="routing_engine",
            before="ar_updn",
            after="updn",
        )
        for leaf in self.leaves:
            yield self.trace(
                "fabric.line",
                at + 2 * SECOND,
                leaf,
                unit="opensm",
                severity="notice",
                text=f"{self.lost} ports of {leaf} towards {self.spine} changed Active -> Down",
            )
        yield self.trace(
            "state.command", past.first_ms, past.plant.login, command="iblinkinfo",
            shows=f"no link to {self.spine}; {self.spines - 1} of {self.spines} spines carry traffic",
        )  # fmt: skip

    def marks(self, past: Past) -> Iterator[Mark]:
        waits = "Uplinks wait tens of times longer than host ports; symbol errors stay at zero."
        for leaf in self.leaves:
            yield self.mark(past, "ib_switch_port_xmit_wait_total", waits, switch=leaf)
        none = "Nothing is sent or received in the whole window."
        yield self.mark(past, "ib_switch_port_xmit_data_bytes_total", none, switch=self.spine)


@dataclass(frozen=True)
class FabricNeighbour(
    Fault,
    key="fabric-neighbour",
    number=12,
    group="uplink",
    component="communication",
    costs=(0.3, 1.0),
):
    nodes: tuple[str, ...]
    leaves: tuple[str, ...]
    gbps: float
    share: float
    start_ms: int
    end_ms: int
    user: str

    @classmethod
    def strike(cls, scene: Scene, seconds: float, draw: Stream) -> Self:
        nodes = scene.spares(draw, 4)
        start = scene.calendar.first_step + int(draw.between(4, 22) * MINUTE)
        share = share_for(seconds)
        return cls(
            seconds=seconds_for(share),
            nodes=tuple(node.name for node in nodes),
            leaves=tuple(sorted({hca.leaf for node in scene.training.nodes for hca in node.hcas})),
            gbps=round(0.9 * scene.plant.port_gbps * len(nodes), 1),
            share=share,
            start_ms=start // SECOND * SECOND,
            end_ms=(scene.end_guess + int(draw.between(1.6, 2.4) * HOUR)) // SECOND * SECOND,
            user=draw.pick([("tokafor", 1.0), ("ebrandt", 1.0)]),
        )

    def neighbours(self) -> tuple[Neighbour, ...]:
        return (
            Neighbour(
                self.key,
                "moe-router-sweep",
                self.user,
                "robotics",
                self.nodes,
                self.start_ms,
                self.end_ms,
            ),
        )

    def effects(self) -> tuple[Effect, ...]:
        shape = Since(self.start_ms, MINUTE)
        found = [self.effect(FABRIC, "uplinks", self.share, shape)]
        for leaf in self.leaves:
            found.append(self.effect(leaf, "xmit_wait", 35.0, shape))
            found.append(self.effect(leaf, "foreign_gbps", self.gbps, shape))
        return tuple(found)

    def crowded(self, cables: Sequence[Cable], port_gbps: int, seed: str) -> tuple[Cable, ...]:
        """The uplinks of one leaf that static routing gives the other job: as few as can carry its traffic."""
        count = min(max(ceil(self.gbps / (FULL * port_gbps)), 1), len(cables))
        return tuple(sorted(cables, key=lambda cable: _routed(seed, cable.a))[:count])

    def places(self) -> tuple[str, ...]:
        return (*self.leaves, *self.nodes)

    def traces(self, past: Past) -> Iterator[Trace]:
        job = past.neighbours(self.key)[0]
        yield self.trace(
            "slurmctld.line",
            self.start_ms,
            past.plant.controller,
            text=f"sched: Allocate JobId={job.id} NodeList={','.join(self.nodes)} #CPUs={job.cpus} "
            "Partition=train",
        )
        yield self.trace(
            "state.command",
            past.first_ms,
            "ufm01",
            command="grep routing_engine /etc/opensm/opensm.conf",
            shows="updn: destinations are spread over the uplinks once, whatever they carry",
        )
        yield self.trace(
            "chat.message",
            self.start_ms + 50 * MINUTE,
            "chat",
            channel="#robotics",
            who=self.user,
            text=f"Router sweep is up ({job.id}), all-to-all over {len(self.nodes)} nodes. Nice and fast.",
        )

    def marks(self, past: Past) -> Iterator[Mark]:
        waits = (
            "On a few uplinks of the leaf it jumps when the other job starts and stays until that ends; "
            "the others wait as before, and symbol errors stay at zero."
        )
        for leaf in self.leaves:
            yield self.mark(past, "ib_switch_port_xmit_wait_total", waits, switch=leaf)
        sends = "Starts to send at full rate at that moment."
        for node in self.nodes:
            yield self.mark(
                past, "node_infiniband_port_data_transmitted_bytes_total", sends, node=node
            )
