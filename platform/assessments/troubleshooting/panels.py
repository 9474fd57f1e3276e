"""The layout of the dashboards: what panels.toml says, checked, and drawn out for every node and switch."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

FILE = Path(__file__).with_name("panels.toml")
HOWS = ("avg", "max", "min", "sum")
RATE = "[5m]"


class Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One metric of a panel: which series, and what a line is of them (see panels.toml)."""

    metric: str
    label: str = ""
    how: str = "avg"
    by: tuple[str, ...] = ()
    only: dict[str, str] = {}
    like: dict[str, tuple[str, ...]] = {}
    scale: float = 1.0
    per: str = ""
    rate: bool = False


class _Panel(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    title: str
    unit: str
    metric: str = ""
    parts: tuple[Part, ...] = ()


class _Row(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    key: str
    title: str
    about: str
    panel: tuple[_Panel, ...]
    scope: str = ""
    repeat: str = ""


class Heat(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A metric that the heat map can show; `label` tells a host's series apart."""

    title: str
    metric: str
    unit: str
    label: str
    scale: float = 1.0


class _File(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    row: tuple[_Row, ...]
    heat: tuple[Heat, ...]


@dataclass(frozen=True, slots=True)
class Panel:
    """A panel: key, title, unit, parts; `fixed` are labels that belong to the place it stands in."""

    key: str
    title: str
    unit: str
    parts: tuple[Part, ...]
    fixed: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the dashboards; one with `scope` is drawn for the node that is chosen."""

    key: str
    title: str
    about: str
    scope: str
    panels: tuple[Panel, ...]


@cache
def _file() -> _File:
    found = msgspec.convert(tomllib.loads(FILE.read_text(encoding="utf-8")), _File, strict=False)
    for row in found.row:
        for panel in row.panel:
            for part in panel.parts or (panel,):
                if part.how not in HOWS or not part.metric:
                    raise ValueError(
                        f"panels.toml: “{panel.title}” needs a metric and one of {HOWS}."
                    )
    return found


def heats() -> tuple[Heat, ...]:
    """What the heat map can show."""
    return _file().heat


def rows(nodes: Sequence[str], switches: Sequence[str]) -> tuple[Row, ...]:
    """All rows of the dashboards of a cluster."""
    places = {"node": nodes, "switch": switches}
    return tuple(
        Row(row.key, row.title, row.about, row.scope, tuple(_panels(row, places)))
        for row in _file().row
    )


def _panels(row: _Row, places: Mapping[str, Sequence[str]]) -> Iterator[Panel]:
    if not row.repeat:
        for number, panel in enumerate(row.panel):
            yield Panel(f"{row.key}.{number}", panel.title, panel.unit, _parts(panel))
        return
    for place in places[row.repeat]:
        for number, panel in enumerate(row.panel):
            key = f"{row.key}.{number}.{place}"
            title = f"{place}: {panel.title}"
            yield Panel(key, title, panel.unit, _parts(panel), {row.repeat: place})


def _parts(panel: _Panel) -> tuple[Part, ...]:
    if panel.parts:
        return panel.parts
    kept = {name: getattr(panel, name) for name in Part.__struct_fields__}
    return (Part(**kept),)


def expression(part: Part, fixed: Mapping[str, str], host: Any, is_rate: bool) -> str:
    """The part in PromQL. `host` is the name and the ending of the label that stands for the host."""
    label, ending = host
    pairs = []
    for name, value in fixed.items():
        pairs.append(f'{label}="{value}{ending}"' if name == "node" else f'{name}="{value}"')
    pairs += [f'{name}="{value}"' for name, value in part.only.items()]
    for name, starts in part.like.items():
        pairs.append(f'{name}=~"({"|".join(starts)}).*"')
    inside = "{" + ",".join(pairs) + "}" if pairs else ""
    by = ", ".join(label if name == "node" else name for name in part.by)
    head = f"{part.how} by ({by}) " if by else f"{part.how} "
    told = [
        f"{head}(rate({metric}{inside}{RATE}))" if is_rate else f"{head}({metric}{inside})"
        for metric in (part.metric, part.per)
        if metric
    ]
    scale = f" * {part.scale:g}" if part.scale != 1 else ""
    return " / ".join(told) + scale
