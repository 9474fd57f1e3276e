"""Racks and power of every site: what stands in each rack, what it draws of its limit, what is free."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from scenarios.company.profile.tables import NodeType
from scenarios.scaling.diagrams import counts
from scenarios.scaling.diagrams.counts import Rack
from scenarios.scaling.diagrams.sheet import (
    LEFT,
    SERIES,
    STRONG,
    SUNKEN,
    SURFACE,
    TEXT_2,
    WIDTH,
    Sheet,
    clipped,
    figure,
)
from scenarios.scaling.scene import Place, Scene

ROOM = WIDTH - 2 * LEFT
COLUMN, RACK = 80, 66
"""Units from one rack to the next, and the width of a rack."""
UNIT = 2.4
"""Units of the drawing for one unit of a rack."""
MOST_DRAWN = 60
"""Racks of one site that are drawn one by one; beyond, those that are alike are drawn once."""
MOST_FREE = 6
"""Free racks in a row that are drawn one by one."""

_ORDER = (0, 5, 3, 6, 4, 7, 1, 2)
"""Series in the order in which node types take them."""


def drawn(scene: Scene) -> str:
    """The picture of all sites' racks, as SVG."""
    sheet = Sheet(f"Racks and power of {scene.profile.cluster}")
    sheet.text(LEFT, 30, clipped(sheet.title, 70), 16, font_weight="600")
    said = (
        "Figures below a rack: kW that its nodes draw at most, of the rack’s limit, and units free."
    )
    sheet.text(LEFT, 50, said, fill=TEXT_2)
    sheet.y = 66
    kinds = colours(scene)
    for place in scene.places:
        _site(sheet, place, kinds)
    return sheet.whole(" ".join(described(place) for place in scene.places))


def described(place: Place) -> str:
    """The picture of one site in words."""
    found, power = counts.racks(place), counts.load(place)
    roles = {role: sum(rack.role == role for rack in found) for role in counts.ROLES}
    other = f", {roles['equipment']} hold other equipment" if roles["equipment"] else ""
    return (
        f"{place.site.name}: {len(found)} racks of {figure(place.site.rack_kw)} kW and"
        f" {place.site.rack_units} units; {roles['nodes']} hold nodes{other}, {roles['free']} are free."
        f" Of {figure(power.limit)} kW, nodes take {figure(power.nodes)}, switches {figure(power.switches)},"
        f" storage and management {figure(power.rest)}; {figure(power.free)} are free."
    )


def colours(scene: Scene) -> dict[str, str]:
    """Name of a node type -> its fill, the same in every diagram."""
    names = dict.fromkeys(kind.name for place in scene.places for kind, _ in place.nodes)
    return {name: SERIES[_ORDER[at % len(_ORDER)]] for at, name in enumerate(names)}


def _site(sheet: Sheet, place: Place, kinds: dict[str, str]) -> None:
    found, site = counts.racks(place), place.site
    each = f"{figure(site.rack_kw)} kW and {site.rack_units} units each"
    sheet.head(clipped(f"{site.name}, {site.region}", 44), f"{len(found):,} racks, {each}")
    sheet.y += 36
    _power(sheet, place)
    _legend(sheet, place, kinds)
    _rows(sheet, place, _columns(found), kinds)
    sheet.y += 12


def _power(sheet: Sheet, place: Place) -> None:
    """The site's power as one bar, and its parts as text."""
    power = counts.load(place)
    x, scale = float(LEFT), ROOM / power.limit
    parts = (
        ("nodes", power.nodes, SERIES[0]),
        ("switches", power.switches, SERIES[1]),
        ("storage, management", power.rest, SERIES[2]),
        ("free", power.free, SURFACE),
    )
    sheet.rect(LEFT, sheet.y, ROOM, 16, fill=SURFACE, stroke=STRONG)
    for _, kw, fill in parts[:3]:
        sheet.rect(x, sheet.y, kw * scale, 16, fill=fill)
        x += kw * scale
    x, sheet.y = float(LEFT), sheet.y + 32
    for name, kw, fill in parts:
        said = f"{name} {figure(kw)} kW"
        sheet.rect(x, sheet.y - 9, 10, 10, fill=fill, stroke=STRONG)
        sheet.text(x + 15, sheet.y, said)
        x += 30 + 6.6 * len(said)
    limit = f"limit {figure(power.limit)} kW"
    sheet.text(WIDTH - LEFT, sheet.y, limit, text_anchor="end", font_weight="600")
    sheet.y += 22


def _legend(sheet: Sheet, place: Place, kinds: dict[str, str]) -> None:
    x = float(LEFT)
    entries = []
    for kind, count in place.nodes:
        each = f"each {kind.rack_units} U and {figure(kind.power_kw)} kW"
        entries.append((kinds[kind.name], f"{clipped(kind.name, 24)}: {count:,}, {each}"))
    if any(rack.role == "equipment" for rack in counts.racks(place)):
        entries.append((SUNKEN, "switches, storage, management"))
    for fill, said in entries:
        wide = 30 + 6.6 * len(said)
        if x > LEFT and x + wide > WIDTH - LEFT:
            x, sheet.y = float(LEFT), sheet.y + 18
        sheet.rect(x, sheet.y - 9, 10, 10, fill=fill, stroke=STRONG)
        sheet.text(x + 15, sheet.y, said)
        x += wide
    sheet.y += 14


def _columns(found: Sequence[Rack]) -> list[tuple[Rack, int, int]]:
    """Rack, its number, and how many alike it stands for: many free ones, and all where there is no room."""
    crowded = len([rack for rack in found if rack.role != "free"]) > MOST_DRAWN
    columns, number = [], 1
    for rack, group in groupby(found):
        alike = len(list(group))
        if crowded or (rack.role == "free" and alike > MOST_FREE):
            columns.append((rack, number, alike))
        else:
            columns += [(rack, number + at, 1) for at in range(alike)]
        number += alike
    return columns


def _rows(
    sheet: Sheet, place: Place, columns: Sequence[tuple[Rack, int, int]], kinds: dict[str, str]
) -> None:
    high = place.site.rack_units * UNIT
    across = ROOM // COLUMN
    for start in range(0, len(columns), across):
        for at, (rack, number, many) in enumerate(columns[start : start + across]):
            x = LEFT + at * COLUMN
            name = f"R{number:02}" if many == 1 else f"R{number:02}–{number + many - 1:02}"
            sheet.text(x + RACK / 2, sheet.y + 12, name, text_anchor="middle", fill=TEXT_2)
            _rack(sheet, place, rack, many, x, sheet.y + 17, kinds)
        sheet.y += high + 56


def _rack(
    sheet: Sheet, place: Place, rack: Rack, many: int, x: float, y: float, kinds: dict[str, str]
) -> None:
    units, high = place.site.rack_units, place.site.rack_units * UNIT
    free = rack.role == "free"
    fill = SUNKEN if rack.role == "equipment" else SURFACE
    dash = {"stroke_dasharray": "4 3"} if free else {}
    sheet.rect(x, y, RACK, high, fill=fill, stroke=STRONG, **dash)
    foot = y + high
    for kind, count in rack.nodes:
        for _ in range(count):
            foot = _node(sheet, kind, x, foot, kinds)
    middle = x + RACK / 2
    if rack.role != "nodes":
        said = "other" if not free else "free" if many == 1 else f"{many} free"
        sheet.text(middle, y + high / 2 + 4, said, text_anchor="middle", fill=TEXT_2)
    kw = "" if rack.role == "equipment" else f"{figure(rack.kw)}/{figure(place.site.rack_kw)} kW"
    left = rack.units_free if rack.role != "free" else units
    sheet.text(middle, y + high + 15, kw, 12, text_anchor="middle")
    if rack.role != "equipment":
        sheet.text(middle, y + high + 30, f"{left} U free", text_anchor="middle", fill=TEXT_2)


def _node(sheet: Sheet, kind: NodeType, x: float, foot: float, kinds: dict[str, str]) -> float:
    tall = kind.rack_units * UNIT
    sheet.rect(x + 3, foot - tall + 1, RACK - 6, tall - 2, fill=kinds[kind.name])
    return foot - tall
