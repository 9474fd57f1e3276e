"""What must hold between the tables of a profile."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import pairwise

from scenarios.company.profile.columns import ProfileError, plain
from scenarios.company.profile.company import Profile
from scenarios.company.profile.defaults import fitting
from scenarios.company.profile.tables import JOB_CLASSES, NodeType, Site

SLACK = 0.005
"""How far parts of one may be from adding up: they are typed with two or three digits."""


def check(profile: Profile) -> None:
    """Raise ProfileError for the first thing that does not fit together."""
    _rents(profile)
    given = profile.given
    if given.node_types:
        _distinct("node_types", "name", [one.name for one in given.node_types])
        _gpus(given.node_types)
        _ages(profile)
    if given.teams:
        _teams(profile)
    if given.fabric:
        _ports(profile)
    if given.storage:
        _storage(profile)
    if given.growth:
        _distinct("growth.classes", "job_class", [one.job_class for one in given.growth.classes])
    if given.budget:
        _quarters([one.quarter for one in given.budget.quarters])
    if given.facility:
        _distinct("facility.sites", "name", [one.name for one in given.facility.sites])
    if given.facility or any(one.site for one in given.node_types):
        _room(profile)


def _rents(profile: Profile) -> None:
    if profile.spot_node_hour >= profile.ondemand_node_hour:
        raise ProfileError("spot_node_hour in [prices] must be below ondemand_node_hour.")
    if profile.overflow_gpu_hour * profile.gpus_per_node <= profile.ondemand_node_hour:
        raise ProfileError(
            "overflow_gpu_hour in [prices] must be above the on-demand price of one GPU."
        )
    book = profile.price_book
    steps = ("on_demand_gpu_hour", "reserved_1y_gpu_hour", "reserved_3y_gpu_hour")
    for dear, cheap in pairwise(steps):
        if getattr(book, cheap) > getattr(book, dear):
            raise ProfileError(f"{cheap} in [price_book] must not be above {dear}.")
    _distinct("price_book.offers", "name", [one.name for one in book.offers])


def _distinct(table: str, key: str, names: Iterable[str]) -> None:
    seen: dict[str, int] = {}
    for row, name in enumerate(names, start=1):
        if name in seen:
            raise ProfileError(
                f"{key} in [[{table}]], row {row}, is {name}, as in row {seen[name]}: each must differ."
            )
        seen[name] = row


def _gpus(types: tuple[NodeType, ...]) -> None:
    for row, one in enumerate(types, start=1):
        if (one.gpu == "none") != (one.gpus == 0):
            raise ProfileError(
                f"gpus in [[node_types]], row {row}, is {one.gpus} for gpu {one.gpu}: "
                "0 goes with none, and only with none."
            )


def _ages(profile: Profile) -> None:
    dated = profile.price_book.dated
    for row, one in enumerate(profile.given.node_types, start=1):
        if one.purchased > dated[:7]:
            raise ProfileError(
                f"purchased in [[node_types]], row {row}, is {one.purchased}, "
                f"after the price book's date {dated}."
            )


def _teams(profile: Profile) -> None:
    _distinct("teams", "name", [one.name for one in profile.teams])
    for row, team in enumerate(profile.teams, start=1):
        if abs(sum(team.mix.values()) - 1) > SLACK:
            raise ProfileError(
                f"{', '.join(JOB_CLASSES[:-1])} and {JOB_CLASSES[-1]} of [[teams]], row {row}, add up to "
                f"{sum(team.mix.values()):.3f}: they must add up to 1."
            )
    total = sum(team.gpu_share for team in profile.teams)
    if abs(total - 1) > SLACK:
        raise ProfileError(f"gpu_share in [[teams]] adds up to {total:.3f}: it must add up to 1.")


def _ports(profile: Profile) -> None:
    fabric, nodes = profile.fabric, profile.fleet_nodes
    down = nodes * fabric.rails
    up = math.ceil(down / fabric.oversubscription) if fabric.spine_switches else 0
    leaf, spine = (
        count * fabric.switch_ports for count in (fabric.leaf_switches, fabric.spine_switches)
    )
    if down + up > leaf:
        raise ProfileError(
            f"leaf_switches in [fabric] give {leaf} ports, but {nodes} nodes with {fabric.rails} rails "
            f"and their uplinks need {down + up}."
        )
    if up > spine:
        raise ProfileError(
            f"spine_switches in [fabric] give {spine} ports, but the leaves have {up} uplinks."
        )


def _storage(profile: Profile) -> None:
    tiers = profile.storage.tiers
    _distinct("storage.tiers", "name", [one.name for one in tiers])
    for row, one in enumerate(tiers, start=1):
        if one.used_tb > one.capacity_tb:
            raise ProfileError(
                f"used_tb in [[storage.tiers]], row {row}, is {plain(one.used_tb)}: "
                f"more than capacity_tb, {plain(one.capacity_tb)}."
            )


def _quarters(quarters: list[str]) -> None:
    for row, (last, this) in enumerate(pairwise(quarters), start=2):
        if this <= last:
            raise ProfileError(
                f"quarter in [[budget.quarters]], row {row}, is {this}: it must come after {last}."
            )


def _room(profile: Profile) -> None:
    """Whether each site has the power and the racks for what stands there."""
    sites = {one.name: one for one in profile.facility.sites}
    first = profile.facility.sites[0].name
    load, racks = dict.fromkeys(sites, 0.0), dict.fromkeys(sites, 0)
    fabric = profile.fabric
    load[first] += (fabric.leaf_switches + fabric.spine_switches) * fabric.switch_kw
    for row, one in enumerate(profile.node_types, start=1):
        name = one.site or first
        if name not in sites:
            raise ProfileError(
                f"site in [[node_types]], row {row}, is {name}: [[facility.sites]] has no such site."
            )
        load[name] += one.count * one.power_kw
        racks[name] += math.ceil(one.count / _in_a_rack(one, sites[name], row))
    for row, (name, site) in enumerate(sites.items(), start=1):
        where = f"in [[facility.sites]], row {row},"
        if load[name] > site.total_kw + SLACK:
            raise ProfileError(
                f"total_kw {where} is {plain(site.total_kw)}, but what stands there may draw "
                f"{load[name]:.1f} kW."
            )
        if racks[name] > site.racks:
            raise ProfileError(
                f"racks {where} is {site.racks}, but the nodes there need {racks[name]} racks."
            )


def _in_a_rack(kind: NodeType, site: Site, row: int) -> int:
    fit = fitting(kind, site.rack_kw, site.rack_units)
    if fit < 1:
        raise ProfileError(
            f"A node of [[node_types]], row {row}, with {plain(kind.power_kw)} kW and {kind.rack_units} "
            f"units fits into no rack of {site.name}: rack_kw is {plain(site.rack_kw)}."
        )
    return fit
