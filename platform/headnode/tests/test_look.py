"""The look's promises that can be computed: contrast, a palette for every eye, nothing inline."""

from __future__ import annotations

import itertools
import posixpath
import re
from pathlib import Path

import pytest

from headnode.tests.static_files import own_files, static_file

PLATFORM = Path(__file__).resolve().parents[2]
SURFACES = ("page", "surface", "sunken", "hover", "selected")
TEXTS = ("text", "text-2", "accent", "good", "warn", "bad", "info")
MEANINGS = ("good", "warn", "bad", "info")
# Linear RGB as seen with each deficiency: Machado, Oliveira and Fernandes 2009, severity 1.
SIGHTS = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.01182, 0.04294, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.3039),
    ),
}
# Linear RGB to cone response and on to OKLab: Ottosson 2020.
CONES = (
    (0.4122214708, 0.5363325363, 0.0514459929),
    (0.2119034982, 0.6806995451, 0.1073969566),
    (0.0883024619, 0.2817188376, 0.6299787005),
)
OKLAB = (
    (0.2104542553, 0.793617785, -0.0040720468),
    (1.9779984951, -2.428592205, 0.4505937099),
    (0.0259040371, 0.7827717662, -0.808675766),
)
Matrix = tuple[tuple[float, ...], ...]


def themes() -> dict[str, dict[str, str]]:
    """Light, dark by choice and dark by system: token name to #rrggbb."""
    text = static_file("headnode/tokens.css").read_text()
    light, chosen, system = re.split(
        r':root\[data-theme="dark"\] \{|:root:not\(\[data-theme="light"\]\) \{', text
    )
    read = {
        "light": light,
        "dark": chosen.split("@media")[0],
        "system": system.split("@media print")[0],
    }
    return {name: dict(re.findall(r"--([\w-]+): (#\w{6})", part)) for name, part in read.items()}


THEMES = themes()


def linear(colour: str) -> list[float]:
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]


def contrast(one: str, other: str) -> float:
    """The contrast ratio of WCAG 2.2, 1 to 21."""
    lights = [
        sum(w * p for w, p in zip((0.2126, 0.7152, 0.0722), linear(colour), strict=True))
        for colour in (one, other)
    ]
    return (max(lights) + 0.05) / (min(lights) + 0.05)


def times(matrix: Matrix, vector: list[float]) -> list[float]:
    return [sum(m * v for m, v in zip(row, vector, strict=True)) for row in matrix]


def seen(colour: str, sight: str) -> list[float]:
    """The colour in OKLab as a person with that sight sees it."""
    light = [max(0.0, part) for part in times(SIGHTS[sight], linear(colour))]
    return times(OKLAB, [part ** (1 / 3) for part in times(CONES, light)])


def test_dark_by_system_is_dark_by_choice() -> None:
    assert THEMES["system"] == THEMES["dark"]
    assert set(THEMES["dark"]) == set(THEMES["light"])


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_keeps_its_contrast(theme: str) -> None:
    tokens = THEMES[theme]
    pairs = list(itertools.product(TEXTS, SURFACES))
    pairs += [(text, f"{m}-fill") for m in MEANINGS for text in (m, "text", "text-2")]
    pairs += [("on-accent", "accent"), ("on-accent", "accent-hover")]
    code = [name for name in tokens if name.startswith("code-") and name != "code-selection"]
    pairs += itertools.product(code, ("surface", "sunken", "hover", "code-selection"))
    assert [pair for pair in pairs if contrast(tokens[pair[0]], tokens[pair[1]]) < 4.5] == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_marks_keep_their_contrast(theme: str) -> None:
    tokens = THEMES[theme]
    pairs = [("line-strong", surface) for surface in SURFACES]
    pairs += [(f"series-{n}", "surface") for n in range(1, 9)]
    assert [pair for pair in pairs if contrast(tokens[pair[0]], tokens[pair[1]]) < 3] == []


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_series_stay_apart(theme: str, sight: str) -> None:
    points = [seen(THEMES[theme][f"series-{n}"], sight) for n in range(1, 9)]
    distances = [
        sum((a - b) ** 2 for a, b in zip(p, q, strict=True)) ** 0.5
        for p, q in itertools.combinations(points, 2)
    ]
    assert min(distances) > 0.12


def test_templates_have_nothing_inline() -> None:
    inline = re.compile(r"""\sstyle=|<style|\son\w+=["']|<script(?![^>]*\ssrc=)""")
    templates = [
        *(PLATFORM / "headnode/templates").glob("*.html"),
        *(PLATFORM / "assessments/templates").rglob("*.html"),
    ]
    assert len(templates) > 10
    assert [path.name for path in templates if inline.search(path.read_text())] == []


def test_script_imports_lead_somewhere() -> None:
    scripts = own_files(".js")
    assert len(scripts) > 150
    imported = re.compile(r'''(?:from |import |\b(?:import|URL|styles)\()"(\.[^"]+)"''')
    for script, path in scripts.items():
        for name in imported.findall(path.read_text()):
            leads = posixpath.normpath(posixpath.join(posixpath.dirname(script), name))
            assert static_file(leads).is_file(), f"{script} imports {name}"


def test_style_sheets_are_linked_and_not_imported() -> None:
    """An imported sheet is asked for only once the first has come, one round trip after the page."""
    sheets = own_files(".css")
    assert len(sheets) > 20
    assert [name for name, path in sheets.items() if "@import" in path.read_text()] == []
