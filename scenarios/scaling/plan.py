"""The structured plan: what is bought, rented and changed in which month, phases, risks, the money sheet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from scenarios.scaling.content import rows

CLOUD_KINDS = tuple(row["kind"] for row in rows("rents"))
LIKELIHOODS = ("low", "medium", "high")


class BadPlan(ValueError):
    """The plan cannot be read; the message is one sentence that names the place."""


@dataclass(frozen=True, slots=True)
class Purchase:
    """An order. month: of the order, such as 2026-02; it can be used `lead time` later.

    item: `node:NAME of the offer`, `leaf`, `spine`, `rack`, `power` (count in kW) or `storage:NAME of the tier`
    (count in TB).
    """

    id: str
    month: str
    item: str
    count: int
    site: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Rented:
    """GPUs from a cloud, both months included. classes: kinds of work that may go there; empty is all."""

    id: str
    start: str
    end: str
    kind: str
    gpus: int
    region: str = ""
    classes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Retired:
    """Nodes that leave in a month. item: name of a node type."""

    id: str
    month: str
    item: str
    count: int
    site: str


@dataclass(frozen=True, slots=True)
class Change:
    """A policy that holds from a month on; which there are, and their values, the scene's level says."""

    id: str
    month: str
    policy: str
    value: str | float | bool


@dataclass(frozen=True, slots=True)
class Phase:
    """A bar of the timeline, both months included; `depends` are ids of phases that end before."""

    id: str
    name: str
    start: str
    end: str
    owner: str = ""
    depends: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Risk:
    """A row of the register. `trigger`: the reading at which the mitigation begins."""

    id: str
    risk: str
    likelihood: str
    impact: str
    mitigation: str
    owner: str = ""
    trigger: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """The whole plan. sheet: rows of the candidate's own money table, {label, cells, values} with a cell for
    each month and one for the total; claims: figures that the candidate states, such as capex_usd, opex_usd,
    payback_months, wait_p95_h, gpu_hours.
    """

    purchases: tuple[Purchase, ...] = ()
    cloud: tuple[Rented, ...] = ()
    retire: tuple[Retired, ...] = ()
    policies: tuple[Change, ...] = ()
    phases: tuple[Phase, ...] = ()
    risks: tuple[Risk, ...] = ()
    sheet: tuple[Mapping[str, object], ...] = ()
    claims: Mapping[str, float] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    """A sentence for each row that was not finished and does not count."""
