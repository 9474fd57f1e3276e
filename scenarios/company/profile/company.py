"""A company's own cluster as an exercise sees it, and the tables around it."""

from __future__ import annotations

from dataclasses import dataclass, fields

from scenarios.company.profile import defaults
from scenarios.company.profile.gpus import GPU_MODELS, GpuModel, build_of
from scenarios.company.profile.tables import (
    Budget,
    Fabric,
    Facility,
    Growth,
    NodeType,
    PolicyValue,
    PriceBook,
    Storage,
    Tables,
    Team,
)

NOTHING = Tables()


@dataclass(frozen=True, slots=True)
class Profile:
    """A cluster that can be asked about. Prices in USD, without storage and network.

    The default prices are of the 2026 market for eight H100 (domain handbook 2.9):
    3.45 USD for a GPU-hour on demand, spot about 60 % below, and work bought elsewhere at
    short notice at hyperscaler list price.

    `given` holds the optional tables as they were given. Ask for `node_types`, `fabric` and so on
    instead: these are always filled, with `defaults` where nothing was given.
    """

    cluster: str = "halo"
    nodes: int = 20
    gpus_per_node: int = 8
    gpu: str = "H100"
    ondemand_node_hour: float = 27.6
    spot_node_hour: float = 10.4
    overflow_gpu_hour: float = 7.0
    given: Tables = NOTHING

    @property
    def gpu_model(self) -> GpuModel:
        return GPU_MODELS[self.gpu]

    def basics(self) -> dict[str, object]:
        """The cluster alone, as keyword arguments of Profile: all that simulated worlds read."""
        return {one.name: getattr(self, one.name) for one in fields(self) if one.name != "given"}

    @property
    def node_types(self) -> tuple[NodeType, ...]:
        return self.given.node_types or defaults.node_types(self)

    @property
    def fleet_nodes(self) -> int:
        """Nodes of the cluster's own kind in the whole fleet; at least `nodes`, which exercises show."""
        return sum(one.count for one in self.node_types if self.is_own(one))

    def is_own(self, kind: NodeType) -> bool:
        """Whether nodes of that type are what the exercises' cluster is made of."""
        return (kind.gpu, kind.gpus) == (self.gpu, self.gpus_per_node)

    @property
    def fabric(self) -> Fabric:
        return self.given.fabric or defaults.fabric(self.fleet_nodes, self.gpus_per_node)

    @property
    def storage(self) -> Storage:
        return self.given.storage or defaults.storage(self.fleet_nodes)

    @property
    def facility(self) -> Facility:
        return self.given.facility or defaults.facility(self.node_types, self.fabric)

    @property
    def price_book(self) -> PriceBook:
        return self.given.price_book or defaults.price_book(self, self.node_types)

    @property
    def teams(self) -> tuple[Team, ...]:
        return self.given.teams or defaults.teams()

    @property
    def growth(self) -> Growth:
        return self.given.growth or defaults.growth()

    @property
    def budget(self) -> Budget:
        return self.given.budget or defaults.budget(self, build_of(self.gpu, self.gpus_per_node))

    @property
    def policies(self) -> dict[str, PolicyValue]:
        """Name -> value: what is agreed on use."""
        given = self.given.policies
        return dict(defaults.policies() if given is None else given)


DEFAULT = Profile()
