"""Draws the scene of one company, level and seed."""

from __future__ import annotations

import calendar
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from functools import lru_cache

from scenarios.company.profile import Profile, digest
from scenarios.company.profile.defaults import node_type
from scenarios.company.profile.tables import Offer, PolicyValue, PriceBook, Quarter
from scenarios.company.regions import around
from scenarios.scaling.assumptions import (
    CLOUD_EXTRAS,
    FULL_DRAW,
    LINK_USD_GBPS,
    MONTH_H,
    electricity_usd,
    running_usd,
)
from scenarios.scaling.bottlenecks import drawn, effect
from scenarios.scaling.levels import LEVELS, Settings
from scenarios.scaling.places import places_of
from scenarios.scaling.policies import BEFORE
from scenarios.scaling.scene import Event, Month, Place, Rent, Scene, Work
from scenarios.scaling.work import KINDS, shares_of, work_of
from scenarios.simulator.streams import Stream

MONTHS = 12
FEWEST_GPUS, MOST_GPUS = 16, 240
_OPEX = (1.08, 1.15, 1.24, 1.30)
"""Least budget for running costs in each quarter over what the present fleet costs: growth has to be paid."""
SERVED = 0.05
"""Part of the GPU-hours from which on serving is what a product's launch is about."""
LATER, PRICED = (5, 9), (5, 8)
"""Months, from and below, of a launch, a freeze and a new price list: there is time to prepare for them."""
LAUNCH, DEARER, OLD_SUPPORT = (1.18, 1.35), (1.05, 1.09), 1.8
PROGRAMME = (1.3, 1.5)
"""What a launch, a price list and the end of a contract multiply. Assumptions."""
LOAD, LOAD_AT_END = (0.50, 0.64), (0.90, 0.97)
"""GPU-hours asked for over those that there are: before the year, so that the history has free GPUs, and with
the year's growth, so that something has to be done."""
_WIDE_LINE = 0.625
"""Line to the cloud in Gb/s for each own GPU where the level does not plan it: 100 for 160."""
MOST_RENTED = {"on_demand": 0.1, "spot": 0.15, "reserved_1y": 0.3, "reserved_3y": 0.3}
"""GPUs that a provider gives in a region over the own ones: what is short everywhere is given out by quota."""
_FAR, _NEAR = 0.85, 0.97
"""Prices in a cloud region far away, and in the next one, over those of the nearest."""


@lru_cache(maxsize=64)
def scene_of(profile: Profile, level: str, seed: int) -> Scene:
    """The scene, cached. Raises ValueError, one sentence, where the profile cannot carry it."""
    if level not in LEVELS:
        raise ValueError(f"There is no level {level}: the levels are {', '.join(LEVELS)}.")
    profile = profile.in_part(MOST_GPUS)
    gpus = sum(one.gpus * one.count for one in profile.node_types)
    if gpus < FEWEST_GPUS:
        raise ValueError(
            f"A scaling plan needs a cluster of at least {FEWEST_GPUS} GPUs; this one has {gpus}."
        )
    settings, name = LEVELS[level], f"{digest(profile)}/{level}/{seed}"
    planted = drawn(profile, shares_of(profile), settings.bottlenecks, Stream(name, "troubles"))
    strength = {one.key: one.strength for one in planted}
    places = places_of(profile, settings.sites, "spine" in strength)
    months = _months(profile)
    events = _events(profile, settings, months, Stream(name, "events"))
    load = _load(profile, events[:1], Stream(name, "load"))
    work = tuple(_bound(one, places, settings) for one in work_of(profile, places, load, planted))
    return Scene(
        profile=profile,
        level=level,
        seed=seed,
        months=months,
        places=places,
        work=work,
        offers=_offers(profile, settings, places),
        policies=settings.policies,
        events=events,
        bottlenecks=planted,
        has_cloud=bool(settings.cloud),
        quarters=_quarters(profile, places, months, settings),
        rents=_rents(profile.price_book, settings, places),
        before=_before(settings, strength),
        link_gbps=_line(places, settings),
        spread=effect("small_jobs", strength.get("small_jobs", 0.0)),
    )


def _months(profile: Profile) -> tuple[Month, ...]:
    """Twelve, from the first month of the budget's first quarter."""
    year, quarter = profile.budget.quarters[0].quarter.split("-Q")
    first, found = int(year) * 12 + 3 * (int(quarter) - 1), []
    for index in range(MONTHS):
        year_number, month = divmod(first + index, 12)
        name, hours = (
            f"{year_number}-{month + 1:02}",
            24 * calendar.monthrange(year_number, month + 1)[1],
        )
        start, in_quarter = date(year_number, month + 1, 1), f"{year_number}-Q{month // 3 + 1}"
        found.append(Month(index, name, start, hours, in_quarter))
    return tuple(found)


def _events(
    profile: Profile, settings: Settings, months: tuple[Month, ...], chance: Stream
) -> tuple[Event, ...]:
    """What is announced. A launch comes in the middle of the year, so that it can be prepared for."""
    shares, found = shares_of(profile), []
    launched = (
        "inference" if shares.get("inference", 0) > SERVED else max(shares, key=lambda k: shares[k])
    )
    when, size = int(chance.between(*LATER)), round(chance.between(*LAUNCH), 2)
    title = KINDS[launched].title.lower()
    found.append(Event("launch", when, f"Launch of a product: more {title}", size, launched))
    if "price" in settings.events:
        when, size = int(chance.between(*PRICED)), round(chance.between(*DEARER), 2)
        found.append(Event("price", when, "New price list of the vendor for nodes", size))
    if "freeze" in settings.events:
        when = int(chance.between(*LATER))
        what = f"No installation in {months[when].name}: quarter-end close and a security audit"
        found.append(Event("freeze", when, what))
    if "end_of_support" in settings.events and len(profile.node_types) > 1:
        oldest = min(profile.node_types, key=lambda one: (one.purchased, one.name))
        what = f"The vendor's support of {oldest.name} becomes dearer: older than its contract"
        found.append(Event("end_of_support", MONTHS // 2, what, OLD_SUPPORT, oldest.name))
    if "programme" in settings.events:
        found += _programme(shares, launched, chance)
    return tuple(found)


def _programme(shares: Mapping[str, float], launched: str, chance: Stream) -> list[Event]:
    """More of the largest kind of work that is not launched: the year outgrows what rules alone can do."""
    others = [name for name in shares if name != launched]
    when, size = int(chance.between(*LATER)), round(chance.between(*PROGRAMME), 2)
    if not others:
        return []
    other = max(others, key=lambda name: shares[name])
    return [
        Event("launch", when, f"A programme starts: more {KINDS[other].title.lower()}", size, other)
    ]


def _load(profile: Profile, events: tuple[Event, ...], chance: Stream) -> float:
    """Load before the year, such that with its growth and these events the demand is at its end just above
    what the present GPUs can do."""
    rates = {one.job_class: one.monthly_percent / 100 for one in profile.growth.classes}
    launches = {one.subject: one.factor for one in events if one.kind == "launch"}
    grown = sum(
        part * (1 + rates.get(name, 0.0)) ** MONTHS * launches.get(name, 1.0)
        for name, part in shares_of(profile).items()
    )
    low, high = LOAD
    return min(high, max(low, chance.between(*LOAD_AT_END) / grown))


def _bound(one: Work, places: tuple[Place, ...], settings: Settings) -> Work:
    """Where the class's data may go: personal data of fine-tuning and sessions stays in near regions."""
    near = (*dict.fromkeys(place.site.region for place in places), _next(places)[0][0])
    if one.job_class in ("fine_tuning", "interactive") and settings.sites > 1:
        return replace(one, regions=near)
    if one.job_class == "interactive":
        return replace(one, may_burst=False)
    return one


def _offers(profile: Profile, settings: Settings, places: tuple[Place, ...]) -> tuple[Offer, ...]:
    """The own kind first, then others of the price book; those that can carry an exercise's work."""
    given = [one for one in profile.price_book.offers if one.gpus]
    own = [one for one in given if one.gpu == profile.gpu]
    if not own:
        gpus, models = profile.gpus_per_node, profile.own_models
        kind = node_type(f"{profile.gpu} node", 1, profile.gpu, gpus, models, profile.per_usd)
        weeks = profile.facility.node_weeks
        same = Offer(
            kind.name, kind.gpu, kind.gpus, kind.price_usd, kind.power_kw, kind.rack_units, weeks
        )
        own = [same]
    others = [one for one in given if one.gpu != profile.gpu]
    return tuple((own[:1] + others)[: settings.offers])


def _rents(book: PriceBook, settings: Settings, places: tuple[Place, ...]) -> tuple[Rent, ...]:
    """Kinds of rent by region: near the first site, and for seniors in two more."""
    prices = {
        "on_demand": book.on_demand_gpu_hour,
        "reserved_1y": book.reserved_1y_gpu_hour,
        "reserved_3y": book.reserved_3y_gpu_hour,
        "spot": book.spot_gpu_hour,
    }
    regions = [(places[0].site.region, 1.0)]
    if settings.sites > 1:
        regions += [one for one in _next(places) if one[0] != regions[0][0]]
    return tuple(
        Rent(kind, region, round(prices[kind] * factor * CLOUD_EXTRAS, 4), _most(kind, places))
        for region, factor in regions
        for kind in settings.cloud
    )


def _most(kind: str, places: tuple[Place, ...]) -> int:
    """GPUs of a kind of rent that a region gives: whole nodes, two at least."""
    kinds = [pair for place in places for pair in place.nodes]
    gpus, per_node = sum(one.gpus * count for one, count in kinds), kinds[0][0].gpus
    return per_node * max(2, round(MOST_RENTED[kind] * gpus / per_node))


def _next(places: tuple[Place, ...]) -> tuple[tuple[str, float], tuple[str, float]]:
    """A region near the first site and one far away, each with its prices over the first's."""
    found = around(places[0].site.region)
    return (found.near, _NEAR), (found.far, _FAR)


def _before(settings: Settings, strength: Mapping[str, float]) -> dict[str, PolicyValue]:
    """What holds before the year."""
    usual = {**BEFORE, "share_idle_quota": "static_quota" not in strength}
    return {name: usual[name] for name in settings.policies}


def _line(places: tuple[Place, ...], settings: Settings) -> float:
    """Speed of the line to the cloud, Gb/s."""
    if "cloud_link_gbps" in settings.policies:
        return float(BEFORE["cloud_link_gbps"])
    gpus = sum(kind.gpus * count for place in places for kind, count in place.nodes)
    return float(max(10, round(_WIDE_LINE * gpus, -1)))


def _quarters(
    profile: Profile,
    places: tuple[Place, ...],
    months: tuple[Month, ...],
    settings: Settings,
) -> tuple[Quarter, ...]:
    """Purchases as the profile says; running costs at least what the fleet costs and a part for growth."""
    given = {one.quarter: one for one in profile.budget.quarters}
    last, found = profile.budget.quarters[0], []
    for index, name in enumerate(dict.fromkeys(one.quarter for one in months)):
        last = given.get(name, last)
        month = (
            present_usd_month(profile, places)
            + _line(places, settings) * LINK_USD_GBPS * profile.per_usd
        )
        least = 3 * month * _OPEX[index]
        opex = max(last.opex_usd, float(round(least, -4) or round(least)))
        found.append(Quarter(name, last.capex_usd, opex))
    return tuple(found)


def present_usd_month(profile: Profile, places: tuple[Place, ...]) -> float:
    """Running costs of the present fleet in a usual month, USD."""
    book = profile.price_book
    kinds = [pair for one in places for pair in one.nodes]
    total = sum(
        running_usd(
            book,
            sum(kind.price_usd * count for kind, count in kinds),
            sum(kind.gpus * count for kind, count in kinds),
            sum(count for _, count in kinds),
        ).values()
    )
    for one in places:
        drawn_kw = (one.site.total_kw - one.power_free_kw) * FULL_DRAW
        total += one.site.total_kw * book.colocation_kw_month
        total += electricity_usd(one.site, drawn_kw * MONTH_H)
    return total
