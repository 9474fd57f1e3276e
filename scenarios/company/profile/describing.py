"""A profile for people: titled tables of text, and totals that follow from them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from scenarios.company.profile.basics import BASIC
from scenarios.company.profile.columns import Column, columns_of
from scenarios.company.profile.company import Profile
from scenarios.company.profile.money import in_currency
from scenarios.company.profile.tables import ARRAYS, SINGLE
from scenarios.company.profile.writing import basic

TITLES = {
    "cluster": "Cluster",
    "prices": "Prices of an hour",
    "accelerators": "GPU models of its own",
    "node_types": "Node types",
    "fabric": "Network between nodes",
    "storage": "Storage",
    "facility": "Sites, power and delivery",
    "price_book": "Price book",
    "teams": "Teams",
    "growth": "Growth",
    "budget": "Budget",
    "policies": "Policies",
}


@dataclass(frozen=True, slots=True)
class Shown:
    """One table for a page. `given` says whether the profile gave it or the defaults did."""

    key: str
    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    given: bool


def describe(profile: Profile) -> list[Shown]:
    """Every table as text, with units in the heads; tables of single values have two columns."""
    found = [
        _pairs(name, ((keys[key], basic(profile, keys[key].key)) for key in keys), True)
        for name, keys in BASIC.items()
    ]
    for name, (row, _) in ARRAYS.items():
        given = bool(getattr(profile.given, name))
        if name == "accelerators" and not given:
            continue
        found.append(_rows(name, TITLES[name], row, getattr(profile, name), given))
    for name, table in SINGLE.items():
        found += _single(profile, name, table)
    rows = tuple((key.replace("_", " "), figure(value)) for key, value in profile.policies.items())
    given = profile.given.policies is not None
    found.append(Shown("policies", TITLES["policies"], ("What", "Agreed"), rows, given))
    return [_in_its_money(one, profile.currency) for one in found]


def _in_its_money(shown: Shown, currency: str) -> Shown:
    heads = tuple(in_currency(one, currency) for one in shown.heads)
    rows = tuple(tuple(in_currency(cell, currency) for cell in row) for row in shown.rows)
    return replace(shown, heads=heads, rows=rows)


def totals(profile: Profile) -> dict[str, str]:
    """What the tables come to: label -> figure with its unit."""
    types = profile.node_types
    kw = sum(one.count * one.power_kw for one in types)
    spent = sum(one.count * one.price_usd for one in types)
    return {
        "Nodes": figure(sum(one.count for one in types)),
        "GPUs": figure(sum(one.count * one.gpus for one in types)),
        "Most power of the nodes": f"{figure(round(kw, 1))} kW",
        "Power at the sites": f"{figure(sum(one.total_kw for one in profile.facility.sites))} kW",
        "Price of the nodes": f"{figure(round(spent))} {profile.currency}",
        "Storage": f"{figure(round(sum(one.capacity_tb for one in profile.storage.tiers)))} TB",
        "People": figure(sum(one.headcount for one in profile.teams)),
    }


def figure(value: object) -> str:
    """A value as people read it: 6 200 000, 3.45, yes."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}".replace(",", "\N{NO-BREAK SPACE}")
    if isinstance(value, float):
        whole = value == int(value)
        text = f"{value:,.0f}" if whole else f"{value:,.4f}".rstrip("0")
        return text.replace(",", "\N{NO-BREAK SPACE}")
    return str(value) or "–"


def _single(profile: Profile, name: str, table: type) -> list[Shown]:
    value, given = getattr(profile, name), getattr(profile.given, name) is not None
    columns = columns_of(table)
    plain = [(one, getattr(value, one.key)) for one in columns if one.of is None]
    found = [_pairs(name, plain, given)] if plain else []
    for one in columns:
        if one.of is not None:
            key = f"{name}.{one.key}"
            found.append(_rows(key, one.label, one.of, getattr(value, one.key), given))
    return found


def _pairs(name: str, pairs: Iterable[tuple[Column, Any]], given: bool) -> Shown:
    rows = tuple(
        (one.label, f"{figure(value)} {one.unit}".strip().replace("_", " ")) for one, value in pairs
    )
    return Shown(name, TITLES[name], ("What", "Figure"), rows, given)


def _rows(key: str, title: str, row: type, values: Iterable[Any], given: bool) -> Shown:
    columns = columns_of(row)
    heads = tuple(f"{one.label} ({one.unit})" if one.unit else one.label for one in columns)
    cells = tuple(tuple(_cell(one, getattr(v, one.key)) for one in columns) for v in values)
    return Shown(key, title, heads, cells, given)


def _cell(column: Column, value: object) -> str:
    text = figure(value)
    return text.replace("_", " ") if column.kind == "choice" else text
