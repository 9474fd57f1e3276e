"""The tables [cluster] and [prices]: what every exercise needs, read or taken from the optional tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scenarios.company.profile.columns import Column, ProfileError, plain
from scenarios.company.profile.gpus import GPU_MODELS
from scenarios.company.profile.tables import NodeType

FEWEST, MOST = 8, 64
"""Nodes that the cluster of an exercise may have."""

CLUSTER = {
    "name": Column("cluster", "text", "Name of the cluster", low=1, high=40),
    "nodes": Column("nodes", "whole", "Nodes", low=FEWEST, high=MOST),
    "gpus_per_node": Column("gpus_per_node", "whole", "GPUs in a node", low=4, high=8),
    "gpu_model": Column("gpu", "choice", "GPU model", choices=tuple(GPU_MODELS)),
}
PRICES = {
    key: Column(key, "number", label, unit="USD", low=0.01, high=10_000)
    for key, label in (
        ("ondemand_node_hour", "A node on demand for an hour"),
        ("spot_node_hour", "A spot node for an hour"),
        ("overflow_gpu_hour", "A GPU bought elsewhere at short notice for an hour"),
    )
}
BASIC = {"cluster": CLUSTER, "prices": PRICES}


def read_basics(
    data: Mapping[str, object], fleet: tuple[NodeType, ...], book: Mapping[str, Any]
) -> dict[str, Any]:
    """Keyword arguments of Profile, without `given`. Raises ProfileError.

    What [cluster] leaves out follows from the fleet, what [prices] leaves out from the price book.
    """
    values: dict[str, Any] = {}
    for table, keys in BASIC.items():
        given = data.get(table, {})
        if not isinstance(given, Mapping):
            raise ProfileError(f"[{table}] must be a table.")
        for key, value in given.items():
            if key not in keys:
                raise ProfileError(f"Unknown key {key} in [{table}]: it has {', '.join(keys)}.")
            values[keys[key].key] = _checked(keys[key], key, table, value)
    if fleet:
        values = _from_fleet(values, fleet) | values
    return _from_book(values, book) | values


def _checked(column: Column, key: str, table: str, value: object) -> Any:
    where = f"{key} in [{table}]"
    if key == "name":
        if not (isinstance(value, str) and 1 <= len(value) <= 40 and value.isprintable()):
            raise ProfileError(f"{where} must be a name of 1 to 40 printable characters.")
        return value
    if key == "gpus_per_node" and (type(value) is not int or value not in (4, 8)):
        raise ProfileError(f"{where} must be 4 or 8.")
    if table == "prices" and (
        type(value) not in (int, float) or not column.low <= value <= column.high  # type: ignore[operator]
    ):
        raise ProfileError(f"{where} must be a price in USD from 0.01 to 10000.")
    return column.checked(value, where)


def _from_fleet(values: Mapping[str, Any], fleet: tuple[NodeType, ...]) -> dict[str, Any]:
    """The kind of node with most GPUs among those that an exercise's cluster can be made of."""
    counts: dict[tuple[str, int], int] = {}
    for one in fleet:
        fits = one.gpu in GPU_MODELS and one.gpus in (4, 8)
        fits = fits and values.get("gpu", one.gpu) == one.gpu
        if fits and values.get("gpus_per_node", one.gpus) == one.gpus:
            counts[one.gpu, one.gpus] = counts.get((one.gpu, one.gpus), 0) + one.count
    if not counts:
        asked = values.get("gpu") or " or ".join(GPU_MODELS)
        gpus = values.get("gpus_per_node", "4 or 8")
        raise ProfileError(
            f"[[node_types]] has no nodes with {gpus} GPUs of model {asked}: exercises need such nodes."
        )
    gpu, gpus = max(counts, key=lambda kind: counts[kind] * kind[1])
    there = counts[gpu, gpus]
    if there < FEWEST:
        raise ProfileError(
            f"[[node_types]] has {there} nodes with {gpus} GPUs of model {gpu}: exercises need {FEWEST}."
        )
    nodes = values.get("nodes", min(there, MOST))
    if nodes != there and not nodes <= MOST < there:
        raise ProfileError(
            f"nodes in [cluster] is {nodes}, but [[node_types]] has {there} nodes of that kind."
        )
    return {"gpu": gpu, "gpus_per_node": gpus, "nodes": nodes}


def _from_book(values: Mapping[str, Any], book: Mapping[str, Any]) -> dict[str, Any]:
    """Prices of a node's hour from those of a GPU's hour."""
    gpus, found = values.get("gpus_per_node", 8), {}
    for key, ours in (
        ("on_demand_gpu_hour", "ondemand_node_hour"),
        ("spot_gpu_hour", "spot_node_hour"),
    ):
        if key in book and ours not in values:
            found[ours] = round(book[key] * gpus, 4)
        elif key in book and abs(book[key] * gpus - values[ours]) > 0.01 * gpus:
            raise ProfileError(
                f"{ours} in [prices] is {plain(values[ours])}, but {key} in [price_book] makes it "
                f"{plain(round(book[key] * gpus, 2))} for {gpus} GPUs."
            )
    if "on_demand_gpu_hour" in book:
        found["overflow_gpu_hour"] = max(7.0, 2 * book["on_demand_gpu_hour"])
    return found
