"""What a level and a company's profile make of the cluster: sizes, tenants, rules, how much fails."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from scenarios.company.profile import Profile
from scenarios.simulator.agenda import DAY, HOUR, MINUTE, SECOND
from scenarios.simulator.mig import Model
from scenarios.worlds import reading
from scenarios.worlds.front import ApiFaults
from scenarios.worlds.mig_sharing.kinds import CARDS
from scenarios.worlds.reading import Between

NONE, GPU, NODE = "none", "gpu", "node"
"""How far a tenant must be kept from the others."""
CRITICAL, STANDARD, BATCH = 0, 1, 2
CLASSES = ("critical", "standard", "batch")


@dataclass(frozen=True, slots=True)
class Tenant:
    """Who services and training belong to; `isolation` is none, gpu or node."""

    name: str
    isolation: str = NONE


@dataclass(frozen=True, slots=True)
class Level:
    """`[levels.X.settings]`: nodes, tenants, kinds of instance in use, load and trouble.

    `service_load` and `training_load` are shares of all compute slices over the day; `menu` allows
    three layouts only; `trouble` multiplies how often machines fail; `largest_gang` in GPUs.
    """

    nodes: Annotated[int, Between(2, 16)]
    tenants: tuple[Tenant, ...]
    service_load: Annotated[float, Between(0.05, 0.8)]
    training_load: Annotated[float, Between(0.05, 0.8)]
    largest_gang: Annotated[int, Between(1, 64)]
    menu: bool = False
    rdma: bool = True
    maintenance: Annotated[int, Between(0, 6)] = 1
    trouble: Annotated[float, Between(0.0, 4.0)] = 1.0


@dataclass(frozen=True, slots=True)
class Trouble:
    """What goes wrong with machines in one day: mean counts, then counts, then the share of layouts."""

    resets: float = 0.0
    lost: float = 0.0
    contained: float = 0.0
    crashes: float = 0.0
    maintenance: int = 0
    rdma: int = 0
    hangs: int = 0
    layout_failure: float = 0.04
    surprise: tuple[int, ...] = ()
    """Instants at which maintenance is announced, besides those drawn at random."""


@dataclass(frozen=True)
class Config:
    """One cluster for one day. Times in ms. Delays are assumptions, see the pack's environment."""

    level: Level
    card: Model
    product: str
    nodes: int
    gpus_per_node: int
    trouble: Trouble
    api: ApiFaults = field(default_factory=ApiFaults)
    length: int = DAY
    tick: int = 2 * MINUTE
    layout_low: int = 60 * SECOND
    layout_high: int = 110 * SECOND
    load_base: int = 35 * SECOND
    load_slice: int = 15 * SECOND
    """A replica is ready after the base and one of these for each memory slice it asks for."""
    gang_start: int = 120 * SECOND
    save: int = 40 * SECOND
    hold: int = 120 * SECOND
    notice: int = 30 * MINUTE
    closing: int = 2 * HOUR
    """How long after an hour's end its bill may still be filed or corrected."""

    @property
    def gpus(self) -> int:
        """GPUs of the whole cluster."""
        return self.nodes * self.gpus_per_node


def read_settings(table: Mapping[str, Any]) -> Level:
    """Check a level's settings. Raises ValueError with one sentence naming the key."""
    tenants = {"tenants": _tenants(table["tenants"])} if "tenants" in table else {}
    return reading.settings(Level, {**table, **tenants})


def _tenants(rows: object) -> tuple[Tenant, ...]:
    if not isinstance(rows, Mapping) or not 1 <= len(rows) <= 12:
        raise ValueError("tenants must be a table of 1 to 12 names with none, gpu or node.")
    for name, isolation in rows.items():
        if isolation not in (NONE, GPU, NODE):
            raise ValueError(f"tenants.{name} must be none, gpu or node.")
    return tuple(Tenant(name, isolation) for name, isolation in rows.items())


_NO_FAULTS = ApiFaults()


def make_config(
    profile: Profile, level: Level, trouble: Trouble, api: ApiFaults = _NO_FAULTS
) -> Config:
    """The part of a company's cluster that services and training share."""
    return Config(
        level=level,
        card=CARDS[profile.gpu],
        product=profile.gpu_model.product,
        nodes=min(level.nodes, profile.nodes),
        gpus_per_node=profile.gpus_per_node,
        trouble=trouble,
        api=api,
    )
