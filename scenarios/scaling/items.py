"""What can be ordered: its price, lead time, power and where it may stand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from scenarios.company.profile.defaults import fitting, node_type
from scenarios.company.profile.gpus import BUILDS
from scenarios.company.profile.tables import NodeType, Offer
from scenarios.scaling.assumptions import POWER_USD_KW, RACK_USD, STORAGE_KW_TB
from scenarios.scaling.scene import Place, Scene
from scenarios.scaling.wording import picked

DAYS_A_WEEK = 7


@dataclass(frozen=True, slots=True)
class Item:
    """item: key as in a purchase. price_usd, power_kw and gpus are of one unit; weeks: from order to use.

    kind: node, leaf, spine, rack, power or storage; offer: of a node; short: name
    that goes with a number.
    """

    item: str
    title: str
    unit: str
    price_usd: float
    weeks: int
    power_kw: float
    gpus: int
    sites: tuple[str, ...]
    kind: str = ""
    offer: Offer | None = None
    short: str = ""

    def quantity(self, count: int) -> str:
        """Such as 3 × H100 node, 2 spine switches, 40 kW of power."""
        if self.kind == "node":
            return f"{count:,} × {self.short}"
        if self.kind in ("power", "storage") or count == 1:
            return f"{count:,} {self.short}"
        return f"{count:,} {self.short}" + ("es" if self.short.endswith("ch") else "s")


@lru_cache(maxsize=8)
def items(scene: Scene) -> Mapping[str, Item]:
    """Key -> item, all that the scene's level may order. Not to be changed."""
    found = [_node(scene, one) for one in scene.offers]
    found += [*_switches(scene), *_hall(scene), *_storage(scene)]
    return {one.item: one for one in found}


def _names(scene: Scene) -> tuple[str, ...]:
    return tuple(one.site.name for one in scene.places)


def _switches(scene: Scene) -> Iterator[Item]:
    fabric, price = scene.profile.fabric, scene.profile.price_book.switch_usd
    for key in ("leaf", "spine"):
        title = f"{key.capitalize()} switch, {fabric.switch_ports} ports, with its cables"
        weeks, draw, sites = scene.profile.facility.switch_weeks, fabric.switch_kw, _names(scene)
        short = f"{key} switch"
        yield Item(key, title, "switches", price, weeks, draw, 0, sites, key, short=short)


def _hall(scene: Scene) -> Iterator[Item]:
    facility, sites, rate = scene.profile.facility, _names(scene), scene.profile.per_usd
    title, weeks = "Rack with power strips", facility.rack_weeks
    yield Item("rack", title, "racks", RACK_USD * rate, weeks, 0, 0, sites, "rack", short="rack")
    title, weeks = "More power", facility.power_weeks
    yield Item(
        "power", title, "kW", POWER_USD_KW * rate, weeks, 0, 0, sites, "power", short="kW of power"
    )


def _storage(scene: Scene) -> Iterator[Item]:
    price, weeks = scene.profile.price_book.storage_tb, scene.profile.facility.storage_weeks
    draw = STORAGE_KW_TB["parallel"]
    for name, sites in _tiers(scene).items():
        key, short = f"storage:{name}", f"TB of {name}"
        title = f"Storage {name}"
        yield Item(key, title, "TB", price, weeks, draw, 0, sites, "storage", short=short)


def _node(scene: Scene, offer: Offer) -> Item:
    price = offer.price_usd + scene.profile.price_book.cabling_node
    able = tuple(one.site.name for one in scene.places if nodes_a_rack(offer, one))
    key, title = f"node:{offer.name}", f"{offer.name}, {offer.gpus} × {offer.gpu}, with its cables"
    draw, gpus = offer.power_kw, offer.gpus
    return Item(
        key, title, "nodes", price, offer.weeks, draw, gpus, able, "node", offer, offer.name
    )


def _tiers(scene: Scene) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for place in scene.places:
        for tier in place.tiers:
            if tier.kind == "parallel":
                found[tier.name] = (*found.get(tier.name, ()), place.site.name)
    return found


def nodes_a_rack(offer: Offer, place: Place) -> int:
    """Nodes of the offer in one rack of the site; 0 where it carries none."""
    return fitting(as_type(offer), place.site.rack_kw, place.site.rack_units)


@lru_cache(maxsize=256)
def as_type(offer: Offer) -> NodeType:
    """The node that one becomes when it is bought."""
    known = offer.gpu if offer.gpu in BUILDS else "none"  # an offer tells of others all there is
    usual = replace(node_type(offer.name, 1, known, offer.gpus), gpu=offer.gpu)
    told = picked(offer, "gpus power_kw rack_units price_usd")
    return replace(usual, **told)
