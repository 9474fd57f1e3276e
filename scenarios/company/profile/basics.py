"""The tables [cluster] and [prices]: what every exercise needs, read or taken from the optional tables."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from scenarios.company.profile.columns import SMALLEST_UNITS, Column, ProfileError, plain
from scenarios.company.profile.gpus import GPU_MODELS
from scenarios.company.profile.money import CODE, DOLLAR, RATES
from scenarios.company.profile.tables import NodeType

FEWEST, MOST, LARGEST = 4, 64, 2000
"""Nodes that a cluster has at least; that exercises show of it, as a person can read no more; and at most."""

CLUSTER = {
    "name": Column("cluster", "text", "Name of the cluster", low=1, high=40),
    "nodes": Column("nodes", "whole", "Nodes", low=FEWEST, high=LARGEST),
    "gpus_per_node": Column("gpus_per_node", "whole", "GPUs in a node", low=4, high=8),
    "gpu_model": Column("gpu", "choice", "GPU model", choices=tuple(GPU_MODELS)),
}
MONEY = {
    "currency": Column(
        "currency", "text", "Currency", note="Three letters, such as EUR.", low=3, high=3
    ),
    "per_usd": Column("per_usd", "number", "Units for a US dollar", low=0.01, high=SMALLEST_UNITS),
}
"""Only written where money is not in dollars."""
PRICES = {
    key: Column(key, "number", label, unit="USD", low=0.01, high=10_000 * SMALLEST_UNITS)
    for key, label in (
        ("ondemand_node_hour", "A node on demand for an hour"),
        ("spot_node_hour", "A spot node for an hour"),
        ("overflow_gpu_hour", "A GPU bought elsewhere at short notice for an hour"),
    )
}
BASIC = {"cluster": CLUSTER, "prices": PRICES}


def read_money(data: Mapping[str, object]) -> dict[str, Any]:
    """`currency` and `per_usd` of [prices], empty for dollars. Raises ProfileError."""
    given = data.get("prices", {})
    if not isinstance(given, Mapping):
        raise ProfileError("[prices] must be a table.")
    code, rate = given.get("currency", DOLLAR), given.get("per_usd")
    if not (isinstance(code, str) and CODE.fullmatch(code)):
        raise ProfileError("currency in [prices] must be a code of three letters, such as EUR.")
    if rate is None and code not in RATES:
        raise ProfileError(
            f"per_usd in [prices] is missing: say how many {code} a US dollar comes to."
        )
    if rate is not None:
        rate = MONEY["per_usd"].checked(rate, "per_usd in [prices]")
    if code == DOLLAR:
        return {}
    return {"currency": code, "per_usd": float(rate or RATES[code])}


def read_basics(
    data: Mapping[str, object],
    fleet: tuple[NodeType, ...],
    book: Mapping[str, Any],
    own: Collection[str] = (),
) -> dict[str, Any]:
    """Keyword arguments of Profile, without `given`. Raises ProfileError.

    What [cluster] leaves out follows from the fleet, what [prices] leaves out from the price book, or from our
    figures in the currency. `own` names GPU models that the profile brings.
    """
    values: dict[str, Any] = {}
    money = read_money(data)
    for table, keys in BASIC.items():
        given = data.get(table, {})
        if not isinstance(given, Mapping):
            raise ProfileError(f"[{table}] must be a table.")
        for key, value in given.items():
            if table == "prices" and key in MONEY:
                continue
            if key not in keys:
                raise ProfileError(f"Unknown key {key} in [{table}]: it has {', '.join(keys)}.")
            values[keys[key].key] = _checked(keys[key], key, table, value, own)
    if fleet:
        values = _from_fleet(values, fleet, own) | values
    elif values.get("nodes", 0) > MOST:
        values |= {"nodes": MOST, "whole": values["nodes"]}
    rate = money.get("per_usd", 1.0)
    usual = {key: round(USUAL[key] * rate, 2) for key in USUAL} if money else {}
    return money | usual | _from_book(values, book, rate) | values


USUAL = {"ondemand_node_hour": 27.6, "spot_node_hour": 10.4, "overflow_gpu_hour": 7.0}
"""USD where a profile in another currency says nothing; `Profile` has the same for dollars."""


def _checked(column: Column, key: str, table: str, value: object, own: Collection[str] = ()) -> Any:
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
        raise ProfileError(f"{where} must be a price from 0.01 to {plain(column.high)}.")
    if key == "gpu_model" and value in own:
        return value
    return column.checked(value, where)


def _from_fleet(
    values: Mapping[str, Any], fleet: tuple[NodeType, ...], own: Collection[str]
) -> dict[str, Any]:
    """The kind of node with most GPUs among those that an exercise's cluster can be made of."""
    counts: dict[tuple[str, int], int] = {}
    models = {*GPU_MODELS, *own}
    for one in fleet:
        fits = one.gpu in models and one.gpus in (4, 8)
        fits = fits and values.get("gpu", one.gpu) == one.gpu
        if fits and values.get("gpus_per_node", one.gpus) == one.gpus:
            counts[one.gpu, one.gpus] = counts.get((one.gpu, one.gpus), 0) + one.count
    if not counts:
        asked = values.get("gpu") or " or ".join([*GPU_MODELS, *own])
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


def _from_book(values: Mapping[str, Any], book: Mapping[str, Any], rate: float) -> dict[str, Any]:
    """Prices of a node's hour from those of a GPU's hour."""
    gpus, found = values.get("gpus_per_node", 8), {}
    for key, ours in (
        ("on_demand_gpu_hour", "ondemand_node_hour"),
        ("spot_gpu_hour", "spot_node_hour"),
    ):
        if key in book and ours not in values:
            found[ours] = round(book[key] * gpus, 4)
        elif key in book and abs(book[key] * gpus - values[ours]) > 0.01 * gpus * max(1.0, rate):
            raise ProfileError(
                f"{ours} in [prices] is {plain(values[ours])}, but {key} in [price_book] makes it "
                f"{plain(round(book[key] * gpus, 2))} for {gpus} GPUs."
            )
    if "on_demand_gpu_hour" in book:
        found["overflow_gpu_hour"] = max(7.0 * rate, 2 * book["on_demand_gpu_hour"])
    return found
