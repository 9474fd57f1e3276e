from __future__ import annotations

import re
from collections.abc import Callable
from xml.etree import ElementTree

import pytest

from scenarios.company.profile import DEFAULT, Profile
from scenarios.scaling.diagrams import counts, racks, topology
from scenarios.scaling.diagrams.sheet import WIDTH, Sheet, clipped
from scenarios.scaling.draw import scene_of
from scenarios.scaling.scene import Scene

SVG = "{http://www.w3.org/2000/svg}"
PROFILES = {
    "default": DEFAULT,
    "small": Profile(cluster="vale", nodes=8, gpus_per_node=4, gpu="A100"),
    "large": Profile(cluster="<b>long & loud</b>", nodes=64),
}


@pytest.fixture(
    scope="module", params=[(name, level) for name in PROFILES for level in ("junior", "senior")]
)
def scene(request: pytest.FixtureRequest) -> Scene:
    name, level = request.param
    return scene_of(PROFILES[name], level, 4)


def texts(drawing: str) -> list[str]:
    root = ElementTree.fromstring(drawing)  # noqa: S314  (our own drawing)
    return [one.text or "" for one in root.iter(f"{SVG}text")]


@pytest.mark.parametrize("drawn", [topology.drawn, racks.drawn])
def test_a_drawing_is_svg_without_script_or_style_and_says_what_it_shows(
    scene: Scene, drawn: Callable[[Scene], str]
) -> None:
    text = drawn(scene)
    root = ElementTree.fromstring(text)  # noqa: S314  (our own drawing)
    plain = {"svg", "title", "desc", "rect", "path", "text"}
    assert {one.tag.removeprefix(SVG) for one in root.iter()} <= plain
    assert root.get("role") == "img"
    ids = {one.get("id") for one in root.iter() if one.get("id")}
    assert set((root.get("aria-labelledby") or "").split()) == ids
    described = root.findtext(f"{SVG}desc") or ""
    assert all(place.site.name in described for place in scene.places)
    assert not re.search(r"style=|onload|<script|<style|href", text)
    assert text == drawn(scene)


@pytest.mark.parametrize("drawn", [topology.drawn, racks.drawn])
def test_nothing_lies_outside_the_picture_and_text_can_be_read(
    scene: Scene, drawn: Callable[[Scene], str]
) -> None:
    root = ElementTree.fromstring(drawn(scene))  # noqa: S314  (our own drawing)
    height = float(root.get("height") or 0)
    for one in root.iter(f"{SVG}rect"):
        x, y = float(one.get("x") or 0), float(one.get("y") or 0)
        assert -0.1 <= x <= WIDTH
        assert x + float(one.get("width") or 0) <= WIDTH + 0.1
        assert y + float(one.get("height") or 0) <= height + 0.1
    for one in root.iter(f"{SVG}text"):
        assert 10 <= float(one.get("font-size") or 0) <= 20
        assert 0 < float(one.get("y") or 0) <= height


def test_every_node_is_drawn_once_in_each_drawing(scene: Scene) -> None:
    nodes = sum(place.count for place in scene.places)
    fills = set(racks.colours(scene).values())
    for drawing in (topology.drawn(scene), racks.drawn(scene)):
        root = ElementTree.fromstring(drawing)  # noqa: S314  (our own drawing)
        squares = [
            one for one in root.iter(f"{SVG}rect") if one.get("fill") in fills and _is_node(one)
        ]
        assert len(squares) == nodes


def _is_node(one: ElementTree.Element) -> bool:
    """A square of the network, or a slot in a rack: not a key of the legend (10), not the power bar (16)."""
    return float(one.get("height") or 0) not in (10.0, 16.0)


def test_ports_racks_and_power_add_up_to_what_the_site_has(scene: Scene) -> None:
    for place in scene.places:
        net = place.fabric
        assert counts.leaf_ports(place).total == net.leaf_switches * net.switch_ports
        assert counts.spine_ports(place).total == net.spine_switches * net.switch_ports
        assert counts.leaf_ports(place).up == counts.spine_ports(place).up
        power = counts.load(place)
        parts = (power.nodes, power.switches, power.rest, power.free)
        assert sum(parts) == pytest.approx(place.site.total_kw, abs=0.1)
        assert min(parts) >= 0
        found = counts.racks(place)
        assert len(found) == place.site.racks
        assert sum(rack.role == "free" for rack in found) == place.racks_free
        assert sum(count for rack in found for _, count in rack.nodes) == place.count
        assert all(rack.kw <= place.site.rack_kw + 1e-9 for rack in found)
        with_uplinks, without = counts.room(place)
        assert 0 <= with_uplinks <= without


def test_names_with_markup_stay_text() -> None:
    drawing = topology.drawn(scene_of(PROFILES["large"], "junior", 1))
    assert "<b>" not in drawing
    assert any("<b>long & loud</b>" in text for text in texts(drawing))


def test_a_sheet_writes_whole_figures_and_clips_names() -> None:
    sheet = Sheet("A & B")
    sheet.rect(0.04, 1.25, 10, 10.0)
    sheet.y = 20
    assert 'x="0" y="1.2" width="10" height="10"' in sheet.whole("d < e")
    assert clipped("a name that is too long", 10) == "a name th…"
