"""The network of every site: spines, leaves, links, nodes and storage, with ports used and free."""

from __future__ import annotations

from scenarios.scaling.diagrams import counts
from scenarios.scaling.diagrams.racks import colours
from scenarios.scaling.diagrams.sheet import (
    INFO,
    INFO_FILL,
    LEFT,
    SERIES,
    STRONG,
    SUNKEN,
    TEXT_2,
    WIDTH,
    Sheet,
    clipped,
    figure,
)
from scenarios.scaling.scene import Place, Scene

MAIN = 532
"""How wide the network is; storage stands at its right."""
SIDE = 576
SWITCH_HIGH = 34
LEAST_SWITCH = 18
"""Units: switches that would be narrower are drawn as one box that says how many it is."""
SQUARE, STEP = 15, 19
MOST_SQUARES = 112


def drawn(scene: Scene) -> str:
    """The picture of all sites' networks, as SVG."""
    sheet = Sheet(f"Network of {scene.profile.cluster}")
    sheet.text(LEFT, 30, clipped(sheet.title, 70), 16, font_weight="600")
    sheet.text(
        LEFT, 50, "Each square is a node; dashed, a node for which ports are free.", fill=TEXT_2
    )
    sheet.y = 66
    kinds = colours(scene)
    for place in scene.places:
        _site(sheet, place, kinds)
    if scene.has_cloud:
        _outside(sheet, scene)
    return sheet.whole(" ".join(described(place) for place in scene.places) + _outside_words(scene))


def described(place: Place) -> str:
    """The picture of one site in words."""
    net, leaf, spine = place.fabric, counts.leaf_ports(place), counts.spine_ports(place)
    nodes = ", ".join(f"{count} {kind.name} of {kind.gpus} GPUs" for kind, count in place.nodes)
    tiers = ", ".join(f"{tier.name} with {figure(tier.bandwidth_gbs)} GB/s" for tier in place.tiers)
    leaves = (
        f"{net.leaf_switches} leaves with {leaf.total:,} ports, of which {leaf.nodes:,} lead to nodes,"
        f" {leaf.up:,} to spines, {leaf.storage:,} to storage and {leaf.free:,} are free"
    )
    spines = "1 spine" if net.spine_switches == 1 else f"{net.spine_switches} spines"
    return (
        f"{place.site.name}: {nodes}; {leaves}; {spines} with {spine.used:,} of"
        f" {spine.total:,} ports in use; {net.kind} of {net.link_gbps} Gb/s. Storage: {tiers}."
    )


def _site(sheet: Sheet, place: Place, kinds: dict[str, str]) -> None:
    net, top = place.fabric, sheet.y
    said = (
        f"{net.kind}, {net.link_gbps} Gb/s a port, oversubscription {net.oversubscription:g} to 1"
    )
    sheet.head(clipped(f"{place.site.name}, {place.site.region}", 40), said)
    sheet.y = top + 44
    _switches(sheet, place)
    _nodes(sheet, place, kinds)
    foot = _storage(sheet, place, top + 44)
    sheet.y = max(sheet.y, foot) + 18


def _switches(sheet: Sheet, place: Place) -> None:
    """Spines above leaves, every link between them where they are few enough to be told apart."""
    net, leaf, spine = place.fabric, counts.leaf_ports(place), counts.spine_ports(place)
    if net.spine_switches:
        sheet.text(LEFT, sheet.y + 10, _said(net.spine_switches, "spine", spine))
        links = f"{spine.used:,} links {_a_pair(place)}".rstrip()
        sheet.text(LEFT + MAIN, sheet.y + 10, links, fill=TEXT_2, text_anchor="end")
        above = _row(sheet, "S", net.spine_switches, sheet.y + 18, spine)
        foot = sheet.y + 18 + SWITCH_HIGH
        sheet.y = foot + 60
        _links(sheet, above, _centres(net.leaf_switches), foot, sheet.y)
    _row(sheet, "L", net.leaf_switches, sheet.y, leaf)
    sheet.y += SWITCH_HIGH


def _said(many: int, name: str, ports: counts.Ports) -> str:
    """Switches and what their ports are used for."""
    what = {"spine": "spines", "leaf": "leaves"}[name] if many != 1 else name
    if name == "spine":
        return f"{many} {what}: {ports.used:,} of {ports.total:,} ports used, {ports.free:,} free"
    parts = [f"{ports.nodes:,} to nodes", f"{ports.up:,} up", f"{ports.storage:,} to storage"]
    return f"{many} {what}, {ports.total:,} ports: {', '.join(parts)}, {ports.free:,} free"


def _a_pair(place: Place) -> str:
    pairs = place.fabric.leaf_switches * place.fabric.spine_switches
    used = counts.spine_ports(place).used
    return f"({used // pairs} a pair)" if pairs and used % pairs == 0 and used else ""


def _width(many: int) -> float:
    """How wide one of so many switches is drawn; all of them as one where there is no room."""
    return min(72.0, MAIN / many) if MAIN / many >= LEAST_SWITCH else float(MAIN)


def _centres(many: int) -> list[float]:
    wide = _width(many)
    if wide == MAIN and many > 1:
        return [LEFT + MAIN / 2]
    gap = (MAIN - wide * many) / (many + 1)
    return [LEFT + gap + wide / 2 + (wide + gap) * at for at in range(many)]


def _row(sheet: Sheet, letter: str, many: int, y: float, ports: counts.Ports) -> list[float]:
    """Switches side by side, each with the part of its ports that is used as a bar at its foot."""
    wide, centres = _width(many), _centres(many)
    part = ports.used / ports.total if ports.total else 0.0
    for number, x in enumerate(centres, start=1):
        inner = wide - 4
        sheet.rect(x - inner / 2, y, inner, SWITCH_HIGH, fill=INFO_FILL, stroke=INFO)
        sheet.bar(x - inner / 2 + 3, y + SWITCH_HIGH - 9, inner - 6, 5, part, INFO)
        one = len(centres) == many
        name = f"{letter}{number}" if one else f"{many} {'spines' if letter == 'S' else 'leaves'}"
        size = 12 if inner >= 24 else 10
        sheet.text(x, y + 17, name, size, text_anchor="middle", font_weight="600")
    return centres


def _links(sheet: Sheet, above: list[float], below: list[float], top: float, foot: float) -> None:
    d = "".join(f"M{x:.1f} {top:.1f}L{other:.1f} {foot:.1f}" for x in above for other in below)
    thick = "3" if len(above) * len(below) == 1 else "0.8"
    sheet.path(d, stroke_width=thick, opacity="0.75")


def _nodes(sheet: Sheet, place: Place, kinds: dict[str, str]) -> None:
    """What hangs below the leaves: all nodes by type, then those for which ports are left."""
    net = place.fabric
    bus = sheet.y + 14
    drops = "".join(f"M{x:.1f} {sheet.y:.1f}V{bus:.1f}" for x in _centres(net.leaf_switches))
    sheet.path(f"{drops}M{LEFT} {bus:.1f}h{MAIN}", stroke_width="1.2")
    rail = (
        "one to each leaf of its unit"
        if net.leaf_switches % net.rails == 0
        else "spread over the leaves"
    )
    links = f"{net.rails} links of each node, {rail}" if net.rails > 1 else "one link of each node"
    sheet.text(LEFT, bus + 18, _said(net.leaf_switches, "leaf", counts.leaf_ports(place)))
    sheet.text(LEFT, bus + 34, links, fill=TEXT_2)
    sheet.y = bus + 44
    for kind, count in place.nodes:
        gpus = f" of {kind.gpus} GPUs" if kind.gpus else " without GPUs"
        _squares(sheet, f"{count:,} {clipped(kind.name, 30)}{gpus}", count, kinds[kind.name])
    free, bare = counts.room(place)
    said = f"free ports: {free:,} more {'node' if free == 1 else 'nodes'}"
    if net.spine_switches:
        said += " with uplinks as designed"
    if bare > free:
        said += f", {bare:,} without further uplinks"
    _squares(sheet, said, free, "")


def _squares(sheet: Sheet, title: str, count: int, fill: str) -> None:
    """`count` nodes; each square stands for several where there are too many to count."""
    each = max(1, -(-count // MOST_SQUARES))
    said = title if each == 1 else f"{title}; a square is {each} of them"
    sheet.text(LEFT, sheet.y + 14, said)
    sheet.y += 21
    across = MAIN // STEP
    many = -(-count // each)
    for at in range(many):
        x, y = LEFT + at % across * STEP, sheet.y + at // across * STEP
        if fill:
            sheet.rect(x, y, SQUARE, SQUARE, fill=fill)
        else:
            sheet.rect(
                x + 0.5, y + 0.5, SQUARE - 1, SQUARE - 1, stroke=STRONG, stroke_dasharray="3 2"
            )
    sheet.y += -(-many // across) * STEP + 6


def _storage(sheet: Sheet, place: Place, y: float) -> float:
    """Storage tiers at the right, with what is used of each."""
    wide = WIDTH - LEFT - SIDE
    sheet.text(SIDE, y + 10, "Storage", font_weight="600")
    y += 18
    for tier in place.tiers:
        sheet.rect(SIDE, y, wide, 66, fill=SUNKEN, stroke=STRONG)
        sheet.text(SIDE + 8, y + 17, clipped(f"{tier.name}, {tier.kind}", 24), font_weight="600")
        sheet.text(SIDE + 8, y + 33, f"{figure(tier.bandwidth_gbs)} GB/s", fill=TEXT_2)
        filled = f"{figure(tier.used_tb)} of {figure(tier.capacity_tb)} TB"
        sheet.text(SIDE + 8, y + 49, filled, fill=TEXT_2)
        sheet.bar(SIDE + 8, y + 55, wide - 16, 6, tier.used_tb / tier.capacity_tb, SERIES[2])
        y += 74
    return y


def _outside(sheet: Sheet, scene: Scene) -> None:
    """The line to the cloud, which all sites share."""
    top, wide, high = sheet.y, 200.0, 34.0
    sheet.head("Outside the sites")
    step = high + 10
    middle = top + 40 + (step * len(scene.places) - 10) / 2
    bus, cloud = LEFT + wide + 60, WIDTH - LEFT - wide
    for at, place in enumerate(scene.places):
        y = top + 40 + at * step
        _box(sheet, LEFT, y, wide, high, place.site.name)
        end = f"V{middle:.1f}" if len(scene.places) > 1 else ""
        sheet.path(f"M{LEFT + wide:.1f} {y + high / 2:.1f}H{bus:.1f}{end}", stroke_width="2")
    sheet.path(f"M{bus:.1f} {middle:.1f}H{cloud:.1f}", stroke_width="2")
    said = f"{scene.link_gbps:g} Gb/s{', shared' if len(scene.places) > 1 else ''}"
    sheet.text((bus + cloud) / 2, middle - 8, said, text_anchor="middle")
    _box(sheet, cloud, middle - high / 2, wide, high, "Cloud")
    sheet.y = top + 40 + step * len(scene.places) + 8


def _box(sheet: Sheet, x: float, y: float, wide: float, high: float, name: str) -> None:
    sheet.rect(x, y, wide, high, fill=SUNKEN, stroke=STRONG, rx="4")
    place = {"text_anchor": "middle", "font_weight": "600"}
    sheet.text(x + wide / 2, y + high / 2 + 4, clipped(name, 26), 13, **place)


def _outside_words(scene: Scene) -> str:
    return f" A line of {scene.link_gbps:g} Gb/s leads to the cloud." if scene.has_cloud else ""
