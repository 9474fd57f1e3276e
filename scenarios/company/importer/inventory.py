"""Reads an inventory CSV: nodes, switches, storage and sites as rows of one file.

The first column says what a row is; the others are the keys of a profile's tables, and only those that
the row needs must be filled. README.md of this folder lists them.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from scenarios.company.importer.sheet import BadRows, Export, RowError, Sheet, clip, label
from scenarios.company.profile.columns import REQUIRED, Column, ProfileError, columns_of
from scenarios.company.profile.tables import NodeType, Site, StorageTier

WHAT = ("node", "switch", "storage", "site")
RENAMED = {"storage_kind": "kind", "gpu_model": "gpu"}
"""Columns of the file -> keys of the profile where they differ: `kind` is what a row is."""
TABLES: dict[str, type] = {"node": NodeType, "storage": StorageTier, "site": Site}
_ALIASES = {
    "": "none",
    "H100-SXM": "H100",
    "H100-80GB": "H100",
    "A100-80GB": "A100",
    "L40S-48GB": "L40S",
    "MI300X-OAM": "MI300X",
    "MI300X-192GB": "MI300X",
}
_MAKERS = ("NVIDIA ", "AMD ", "INSTINCT ")


@dataclass(slots=True)
class Switches:
    """Switches as counted: by role, with what they are alike in."""

    leaf: int = 0
    spine: int = 0
    ports: int = 0
    link_gbps: int = 0


@dataclass(slots=True)
class Inventory:
    """What one inventory comes to: rows for a profile's tables, as `parse_profile` takes them."""

    rows: int = 0
    nodes: list[dict[str, Any]] = field(default_factory=list)
    storage: list[dict[str, Any]] = field(default_factory=list)
    sites: list[dict[str, Any]] = field(default_factory=list)
    switches: Switches = field(default_factory=Switches)


def read_inventory(export: Export, bad: BadRows) -> Inventory:
    """Read the whole file; rows of nodes that are alike become one node type. Raises ImportRefused."""
    sheet = Sheet(export, ",", bad, quoted=True)
    sheet.require("kind", "name")
    found = Inventory()
    nodes: list[dict[str, Any]] = []
    for line, values in sheet.rows():
        row = {name: values[place].strip() for name, place in sheet.at.items()}
        try:
            _take(row, found, nodes)
        except (RowError, ProfileError) as error:
            bad.add(sheet.name, line, str(error))
        else:
            found.rows += 1
    found.nodes = _grouped(nodes)
    return found


def _take(row: dict[str, str], found: Inventory, nodes: list[dict[str, Any]]) -> None:
    what = row["kind"].casefold()
    if what not in WHAT:
        raise RowError(f"kind is {clip(row['kind'])}: it must be one of {', '.join(WHAT)}.")
    row["name"] = label(row["name"], "name")
    if not row["name"]:
        raise RowError("name is empty.")
    if what == "switch":
        _switch(row, found.switches)
        return
    values = _values(TABLES[what], row, {"count": "1"} if what == "node" else {})
    if what == "node":
        if (values.get("gpu", "none") == "none") != (values.get("gpus", 0) == 0):
            raise RowError("gpu_model and gpus do not go together: 0 GPUs go with no model.")
        nodes.append(values)
    else:
        rows = found.storage if what == "storage" else found.sites
        if any(one["name"] == values["name"] for one in rows):
            raise RowError(f"There is a {what} of that name already.")
        rows.append(values)


def _values(table: type, row: dict[str, str], usual: dict[str, str]) -> dict[str, Any]:
    """The filled columns in the types of the profile. Raises RowError or ProfileError."""
    given = {RENAMED.get(name, name): text for name, text in row.items() if name != "kind"}
    if table is NodeType:
        model = given.get("gpu", "").upper().strip()
        for maker in _MAKERS:
            model = model.removeprefix(maker).strip()
        given["gpu"] = _ALIASES.get(model, "none" if model == "NONE" else model)
        given["gpus"] = given.get("gpus") or ("0" if given["gpu"] == "none" else "8")
    found: dict[str, Any] = {}
    for column in columns_of(table):
        text = given.get(column.key) or usual.get(column.key, "")
        if text:
            found[column.key] = column.checked(_typed(column, text), column.key)
        elif column.default is REQUIRED:
            raise RowError(f"{column.key} is empty.")
    return found


def _typed(column: Column, text: str) -> object:
    if column.kind not in ("whole", "number"):
        return label(text, column.key)
    plain = text.replace("_", "x")
    try:
        return int(plain) if column.kind == "whole" else float(plain)
    except ValueError:
        raise RowError(f"{column.key} is {clip(text)}, which is no number.") from None


def _switch(row: dict[str, str], switches: Switches) -> None:
    role = row.get("role", "").casefold()
    if role not in ("leaf", "spine"):
        raise RowError(f"role is {clip(row.get('role', ''))}: a switch is leaf or spine.")
    figures = {
        name: _counted(row.get(name, ""), name, most)
        for name, most in (("count", 1024), ("ports", 1024), ("link_gbps", 1600))
    }
    count = figures["count"] or 1
    if role == "leaf":
        switches.leaf += count
    else:
        switches.spine += count
    switches.ports = max(switches.ports, figures["ports"])
    switches.link_gbps = max(switches.link_gbps, figures["link_gbps"])


def _counted(text: str, name: str, most: int) -> int:
    if not text:
        return 0
    if not (text.isascii() and text.isdigit() and len(text) < 10 and 1 <= int(text) <= most):
        raise RowError(f"{name} is {clip(text)}: it must be a whole number from 1 to {most}.")
    return int(text)


def _grouped(nodes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Nodes that are alike in all but their name, counted; most GPUs first."""
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = defaultdict(list)
    for one in nodes:
        alike = tuple(sorted((k, v) for k, v in one.items() if k not in ("name", "count")))
        groups[alike].append(one)
    found = []
    for rows in groups.values():
        count = sum(int(one["count"]) for one in rows)
        name = rows[0]["name"] if len(rows) == 1 else _called(rows[0])
        found.append(rows[0] | {"count": count, "name": name})
    found.sort(key=lambda one: (-one["count"] * one["gpus"], one["name"]))
    seen: dict[str, int] = {}
    for one in found:
        seen[one["name"]] = number = seen.get(one["name"], 0) + 1
        if number > 1:
            one["name"] = f"{one['name']} ({number})"
    return found


def _called(node: dict[str, Any]) -> str:
    what = "CPU nodes" if node["gpu"] == "none" else f"{node['gpu']} nodes"
    bought = f", {node['purchased']}" if "purchased" in node else ""
    return f"{what}{bought}"
