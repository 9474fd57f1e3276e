"""The parts of the company form: in which order, under which title, with which sentence above."""

from __future__ import annotations

from dataclasses import dataclass, replace

from scenarios.company.profile import GPU_MODELS
from scenarios.company.profile.basics import CLUSTER, FEWEST, MONEY, PRICES
from scenarios.company.profile.columns import Column, columns_of
from scenarios.company.profile.tables import (
    Accelerator,
    ClassGrowth,
    Fabric,
    Facility,
    NodeType,
    Offer,
    PriceBook,
    Quarter,
    Site,
    StorageTier,
    Team,
)


@dataclass(frozen=True, slots=True)
class Part:
    """One part: `table` names single fields, `key` the rows; `row_word` is what one row is called."""

    key: str
    title: str
    note: str
    table: str = ""
    columns: tuple[Column, ...] = ()
    row_columns: tuple[Column, ...] = ()
    row_word: str = "row"
    most: int = 0


def _plain(table: type) -> tuple[Column, ...]:
    return tuple(one for one in columns_of(table) if one.of is None)


def _cluster() -> tuple[Column, ...]:
    notes = {
        "nodes": "Empty: all of the kind with most GPUs, 64 at most.",
        "gpus_per_node": "Empty: as in that kind.",
        "gpu_model": "Empty: as in that kind.",
    }
    labels = {
        "nodes": "Nodes that exercises show",
        "gpus_per_node": "GPUs in each of them",
        "gpu_model": "GPU model of them",
    }
    return tuple(
        replace(one, key=key, label=labels.get(key, one.label), note=notes.get(key, ""))
        for key, one in CLUSTER.items()
    )


_OVERFLOW = replace(
    PRICES["overflow_gpu_hour"],
    label="A GPU at short notice",
    unit="USD per hour",
    note="What it costs elsewhere when the own cluster and the contracts are full.",
)
_POLICY = (
    Column("name", "text", "What", low=0, high=40),
    Column("value", "text", "Agreed", low=0, high=200),
)

PARTS = (
    Part(
        "cluster",
        "Cluster",
        "What candidates read as its name. Exercises show its main kind of node; the other three fields "
        "are for a fleet of which they should show only a part.",
        table="cluster",
        columns=_cluster(),
    ),
    Part(
        "accelerators",
        "GPU models of your own",
        "One row for each model that the lists below do not have. Exercises that show the tools of one vendor "
        "cannot be played on such cards, and say so.",
        row_columns=_plain(Accelerator),
        row_word="GPU model",
        most=10,
    ),
    Part(
        "node_types",
        "Node types",
        "One row for nodes that were bought alike. At least one kind has 4 or 8 GPUs of "
        f"{', '.join(GPU_MODELS)} or a model of your own, and {FEWEST} nodes.",
        row_columns=_plain(NodeType),
        row_word="node type",
        most=40,
    ),
    Part(
        "fabric",
        "Network between nodes",
        "The network that training uses, not the one for management.",
        table="fabric",
        columns=_plain(Fabric),
    ),
    Part(
        "storage.tiers",
        "Storage",
        "One row for each kind of storage that jobs read or write.",
        row_columns=_plain(StorageTier),
        row_word="storage tier",
        most=20,
    ),
    Part(
        "facility",
        "Delivery times",
        "Weeks from an order until it can be used.",
        table="facility",
        columns=_plain(Facility),
    ),
    Part(
        "facility.sites",
        "Sites",
        "Rooms with racks. Nodes stand at the first unless their row names another; switches at the first.",
        row_columns=_plain(Site),
        row_word="site",
        most=10,
    ),
    Part(
        "price_book",
        "Price book",
        "Rounded figures do: candidates compare alternatives with them.",
        table="price_book",
        columns=_plain(PriceBook),
    ),
    Part(
        "prices",
        "Currency and overflow",
        "All money of this page is in the currency. How many units a dollar comes to is only asked of "
        "currencies that are not known here.",
        table="prices",
        columns=(
            replace(MONEY["currency"], note="Three letters, such as EUR; empty: USD."),
            replace(MONEY["per_usd"], note="Empty: a usual rate."),
            _OVERFLOW,
        ),
    ),
    Part(
        "price_book.offers",
        "Nodes that can be bought",
        "What a plan may order: today's kind, and the next.",
        row_columns=_plain(Offer),
        row_word="offer",
        most=20,
    ),
    Part(
        "teams",
        "Teams",
        "Who uses the cluster. The parts of all GPU-hours add up to 1 over the teams, the kinds of work add up "
        "to 1 in each team.",
        row_columns=_plain(Team),
        row_word="team",
        most=60,
    ),
    Part(
        "growth.classes",
        "Growth",
        "How demand for GPU-hours grows over the next twelve months.",
        row_columns=_plain(ClassGrowth),
        row_word="kind of work",
        most=5,
    ),
    Part(
        "budget.quarters",
        "Budget",
        "What may be spent, quarter by quarter, in order.",
        row_columns=_plain(Quarter),
        row_word="quarter",
        most=12,
    ),
    Part(
        "policies",
        "Policies",
        "What is agreed on use: quotas, preemption, where data may lie. A text, a number, yes or no.",
        row_columns=_POLICY,
        row_word="policy",
        most=40,
    ),
)
