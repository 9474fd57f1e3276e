"""Places a stream of pods one by one and keeps count of what was allocated."""

from __future__ import annotations

from dataclasses import dataclass
from time import process_time

from scenarios.simulator.placement.fgd import Fgd, typical_kinds
from scenarios.simulator.placement.fleet import Fleet
from scenarios.simulator.placement.scorers import BestFit, Chooser, GpuClustering, GpuPacking
from scenarios.simulator.placement.tables import Demand, NodeTable

POLICIES = ("bestfit", "gpupacking", "gpuclustering", "fgd")


@dataclass(frozen=True, slots=True)
class Packed:
    """Result of one stream: per arrival the node's number (-1 where refused), and the curve.

    `arrived` and `allocated` are GPU thousandths after each arrival; `total` all there are.
    """

    nodes: list[int]
    arrived: list[int]
    allocated: list[int]
    total: int
    cpu_s: float

    @property
    def placed(self) -> int:
        """Pods that found a node."""
        return sum(node >= 0 for node in self.nodes)

    def curve(self) -> list[tuple[int, float]]:
        """(arrived %, mean allocated % over the arrivals that round to it), of all GPUs."""
        bins: dict[int, list[float]] = {}
        if not self.total:
            return []
        for arrived, allocated in zip(self.arrived, self.allocated, strict=True):
            percent = round(100 * arrived / self.total)
            bins.setdefault(percent, []).append(100 * allocated / self.total)
        return [(percent, sum(v) / len(v)) for percent, v in bins.items()]


def chooser(policy: str, fleet: Fleet, typical: list[Demand]) -> Chooser:
    """The packing policy by name; `typical` pods matter to fgd only."""
    if policy == "fgd":
        return Fgd(fleet, typical_kinds(typical))
    return {"bestfit": BestFit, "gpupacking": GpuPacking, "gpuclustering": GpuClustering}[policy](
        fleet
    )


def pack(nodes: NodeTable, demands: list[Demand], policy: str, typical: list[Demand]) -> Packed:
    """Place the demands in order, each at once or never."""
    fleet = Fleet(nodes)
    begun = process_time()
    packer = chooser(policy, fleet, typical)
    chosen, arrived, allocated = [], [], []
    asked = given = 0
    for demand in demands:
        asked += demand.gpu_milli
        found = packer.choose(demand)
        if found is not None:
            fleet.take(found[0], demand, found[1])
            packer.placed(found[0], demand)
            given += demand.gpu_milli
        chosen.append(found[0] if found else -1)
        arrived.append(asked)
        allocated.append(given)
    return Packed(chosen, arrived, allocated, fleet.total, process_time() - begun)
