"""A company's own cluster as an exercise sees it, and the tables around it."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

from scenarios.company.profile import defaults
from scenarios.company.profile.gpus import GPU_MODELS, GpuModel, build_of
from scenarios.company.profile.money import DOLLAR
from scenarios.company.profile.tables import (
    Accelerator,
    Budget,
    Fabric,
    Facility,
    Growth,
    NodeType,
    PolicyValue,
    PriceBook,
    Storage,
    StorageTier,
    Tables,
    Team,
)

NOTHING = Tables()


@dataclass(frozen=True, slots=True)
class Profile:
    """A cluster that can be asked about. Prices in `currency`, without storage and network.

    The default prices are of the 2026 market for eight H100 (domain handbook 2.9):
    3.45 USD for a GPU-hour on demand, spot about 60 % below, and work bought elsewhere at
    short notice at hyperscaler list price.

    `given` holds the optional tables as they were given. Ask for `node_types`, `fabric` and so on
    instead: these are always filled, with `defaults` where nothing was given.
    `per_usd` turns our own figures in dollars into `currency`; `whole` is the number of nodes where [cluster]
    has more than exercises show.
    """

    cluster: str = "halo"
    nodes: int = 20
    gpus_per_node: int = 8
    gpu: str = "H100"
    ondemand_node_hour: float = 27.6
    spot_node_hour: float = 10.4
    overflow_gpu_hour: float = 7.0
    given: Tables = NOTHING
    currency: str = DOLLAR
    per_usd: float = 1.0
    whole: int = 0

    @property
    def gpu_model(self) -> GpuModel:
        return self.own_models.get(self.gpu) or GPU_MODELS[self.gpu]

    @property
    def accelerators(self) -> tuple[Accelerator, ...]:
        return self.given.accelerators

    @property
    def own_models(self) -> dict[str, GpuModel]:
        """GPU models that the profile brings, by name."""
        return models_of(self.given.accelerators)

    @property
    def all_nodes(self) -> int:
        """Nodes of [cluster], of which exercises show `nodes`."""
        return self.whole or self.nodes

    def in_part(self, gpus: int) -> Profile:
        """The company with at most so many GPUs: kinds of node in proportion, site and network to match."""
        there = sum(one.count * one.gpus for one in self.node_types)
        if there <= gpus:
            return self
        part = gpus / there
        kinds = tuple(
            replace(one, count=max(1, int(one.count * part)))
            for one in self.node_types
            if one.count * part >= 1 or self.is_own(one)
        )
        sites = defaults.facility(
            kinds, defaults.fabric(sum(k.count for k in kinds), 1), self
        ).sites
        first = replace(
            self.facility.sites[0],
            racks=sites[0].racks,
            total_kw=sites[0].total_kw,
            rack_kw=max(sites[0].rack_kw, self.facility.sites[0].rack_kw),
        )
        given = replace(
            self.given,
            node_types=tuple(replace(one, site="") for one in kinds),
            fabric=None,
            storage=Storage(tuple(_shrunk(one, part) for one in self.storage.tiers)),
            facility=replace(self.facility, sites=(first,)),
            budget=Budget(
                tuple(
                    replace(
                        one,
                        capex_usd=float(round(one.capex_usd * part)),
                        opex_usd=float(round(one.opex_usd * part)),
                    )
                    for one in self.budget.quarters
                )
            ),
        )
        own = sum(one.count for one in kinds if self.is_own(one))
        return replace(self, nodes=min(self.nodes, own), whole=0, given=given)

    def basics(self) -> dict[str, object]:
        """The cluster alone, as keyword arguments of Profile: all that simulated worlds read.

        A dollar's cluster of ordinary size needs no word about either.
        """
        found = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "given"}
        left_out = {"currency": DOLLAR, "per_usd": 1.0, "whole": 0}
        return {key: one for key, one in found.items() if left_out.get(key) != one}

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
    def first_region(self) -> str:
        """Where the first site stands."""
        return self.facility.sites[0].region

    @property
    def fabric(self) -> Fabric:
        return self.given.fabric or defaults.fabric(self.fleet_nodes, self.gpus_per_node)

    @property
    def storage(self) -> Storage:
        return self.given.storage or defaults.storage(self.fleet_nodes, self.per_usd)

    @property
    def facility(self) -> Facility:
        return self.given.facility or defaults.facility(self.node_types, self.fabric, self)

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
        build = build_of(self.gpu, self.gpus_per_node, self.own_models)
        return self.given.budget or defaults.budget(self, build)

    @property
    def policies(self) -> dict[str, PolicyValue]:
        """Name -> value: what is agreed on use."""
        given = self.given.policies
        return dict(defaults.policies(self.first_region) if given is None else given)


def models_of(given: tuple[Accelerator, ...]) -> dict[str, GpuModel]:
    """GPU models by name, from the figures that a profile gives."""
    return {
        one.name: GpuModel(
            name=one.name,
            product=one.product,
            top_mhz=one.clock_mhz,
            idle_mhz=max(100, one.clock_mhz // 8),
            top_w=one.power_w,
            idle_w=one.idle_w,
            memory_mib=one.memory_gib * 1024,
            vendor=one.vendor,
            link=one.link,
            link_gbs=one.link_gbs,
            has_mig=False,
            price_usd=one.price_usd,
        )
        for one in given
    }


def _shrunk(tier: StorageTier, part: float) -> StorageTier:
    return replace(
        tier,
        capacity_tb=max(0.1, round(tier.capacity_tb * part, 1)),
        bandwidth_gbs=max(0.01, round(tier.bandwidth_gbs * part, 2)),
        used_tb=min(max(0.1, round(tier.capacity_tb * part, 1)), round(tier.used_tb * part, 1)),
    )


DEFAULT = Profile()
