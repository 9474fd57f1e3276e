"""Fits a company profile from exports: all rows are good, or nothing comes of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from scenarios.company.importer.draft import Draft
from scenarios.company.importer.focus import Costs, read_focus
from scenarios.company.importer.inventory import Inventory, read_inventory
from scenarios.company.importer.money import fit_costs
from scenarios.company.importer.sacct import Accounting, read_sacct
from scenarios.company.importer.sheet import BadRow, BadRows, Export, ImportRefused
from scenarios.company.importer.use import fit_use
from scenarios.company.profile import Profile, ProfileError


@dataclass(frozen=True, slots=True)
class Exports:
    """What there is to read; any of the three may be missing, but not all."""

    sacct: Export | None = None
    focus: Export | None = None
    inventory: Export | None = None


@dataclass(frozen=True, slots=True)
class Fitted:
    """What came of it. `profile` is None, and `toml` empty, where there were bad rows that must not be skipped.

    `bad` holds the first bad rows, `bad_count` how many there are. `missing` says in sentences what could
    not be inferred.
    """

    profile: Profile | None
    toml: str
    bad: list[BadRow]
    bad_count: int
    missing: list[str] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)


def fit(exports: Exports, *, name: str = "halo", skip_bad: bool = False) -> Fitted:
    """Read the exports and fit a profile called `name`.

    Raises ImportRefused for a file that cannot be used at all, ProfileError where the rows are good but what
    they say does not fit together.
    """
    if not (exports.sacct or exports.focus or exports.inventory):
        raise ImportRefused("Give at least one export: sacct, FOCUS or an inventory.")
    bad, draft = BadRows(), Draft()
    draft.data["cluster"] = {"name": name}
    use = read_sacct(exports.sacct, bad) if exports.sacct else None
    costs = read_focus(exports.focus, bad) if exports.focus else None
    stock = read_inventory(exports.inventory, bad) if exports.inventory else None
    if bad.count and not skip_bad:
        return Fitted(None, "", bad.first, bad.count)
    if bad.count:
        draft.sources.append(f"{bad.count:,} bad rows were skipped, as asked.")
    _fill(draft, exports, use, costs, stock)
    try:
        profile, text = draft.finished()
    except ProfileError as error:
        raise ProfileError(f"The exports were read, but do not fit together: {error}") from None
    return Fitted(profile, text, bad.first, bad.count, draft.missing, draft.sources)


def _fill(
    draft: Draft,
    exports: Exports,
    use: Accounting | None,
    costs: Costs | None,
    stock: Inventory | None,
) -> None:
    """Everything that the exports tell; the inventory first, since it knows best what there is."""
    if stock:
        _stock(stock, draft)
    else:
        draft.missing.append(
            "Storage, racks, power and network: an inventory would tell, so defaults."
        )
    if use and exports.sacct:
        if not use.gpu_hours:
            raise ImportRefused(f"{exports.sacct.name} has no job that ran on a GPU.")
        fit_use(use, draft, nodes_known=bool(stock and stock.nodes))
    else:
        draft.missing.append("Teams, growth and policies: accounting would tell, so defaults.")
    if costs and exports.focus:
        if not costs.rows:
            raise ImportRefused(f"{exports.focus.name} has no rows.")
        fit_costs(costs, draft)
    else:
        draft.missing.append(
            "Prices and budget: a cost file would tell, so defaults of January 2026."
        )


def _stock(stock: Inventory, draft: Draft) -> None:
    """Node types, fabric, storage and sites as the inventory has them."""
    draft.sources.append(
        f"Inventory: {stock.rows:,} rows; {len(stock.nodes)} node types, {len(stock.storage)} storage tiers, "
        f"{len(stock.sites)} sites, {stock.switches.leaf + stock.switches.spine} switches."
    )
    if stock.nodes:
        draft.data["node_types"] = stock.nodes
        draft.notes["node_types"] = (
            "From the inventory; what it leaves out is as usual for the GPU model."
        )
    else:
        draft.missing.append("Node types: the inventory has no rows of kind node.")
    if stock.storage:
        draft.data["storage"] = {"tiers": stock.storage}
        draft.notes["storage.tiers"] = "From the inventory."
    if stock.sites:
        draft.data["facility"] = {"sites": stock.sites}
        draft.notes["facility.sites"] = "From the inventory."
        draft.missing.append("Delivery times: no export tells them, so the defaults stand.")
    else:
        draft.missing.append(
            "Sites: the inventory has no rows of kind site, so one that just fits."
        )
    if not stock.switches.leaf:
        draft.missing.append(
            "Network: the inventory has no leaf switches, so a tree that just fits."
        )
        return
    said = "From the inventory."
    draft.set("fabric", "leaf_switches", stock.switches.leaf, said)
    draft.set("fabric", "spine_switches", stock.switches.spine, said)
    if stock.switches.ports:
        draft.set("fabric", "switch_ports", stock.switches.ports, said)
    if stock.switches.link_gbps:
        draft.set("fabric", "link_gbps", stock.switches.link_gbps, said)
    draft.missing.append(
        "Rails and oversubscription: an inventory does not tell, so a rail per GPU."
    )
