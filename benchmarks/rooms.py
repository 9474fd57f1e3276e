"""Draws which rooms of the site import which, into platform/README.md.

    PYTHONPATH=platform:. .venv/bin/python -m benchmarks.rooms

A room is a folder of modules. Tests do not count. Where a room imports a loose module of its part, it
imports what that imports. An arrow that others imply (a to b, b to c, so a to c) is left out. A test
fails while the drawing is not current.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

import grimp

PLATFORM = Path(__file__).resolve().parents[1] / "platform"
README = PLATFORM / "README.md"
BEGIN, END = "<!-- rooms: drawn by benchmarks/rooms.py -->\n", "<!-- end of the drawing -->\n"
PARTS = ("headnode", "integrations", "reviews", "assessments", "hiring", "library", "accounts")
FURNISHED = ("reviews", "assessments")
"""Parts that are drawn room by room."""
LEFT_OUT = {"tests", "conftest", "migrations", "management"}
Arrows = dict[str, set[str]]


def place_of(module: str) -> str | None:
    """What a module counts as: its part, or in a furnished part its room or itself; None: it does not count."""
    names = module.split(".")
    if names[0] not in PARTS or LEFT_OUT & set(names):
        return None
    return ".".join(names[:2]) if names[0] in FURNISHED else names[0]


def imports() -> Arrows:
    """place -> places that it imports."""
    graph = grimp.build_graph(*PARTS)
    arrows: Arrows = defaultdict(set)
    for module in graph.modules:
        if place := place_of(module):
            found = map(place_of, graph.find_modules_directly_imported_by(module))
            arrows[place].update(one for one in found if one and one != place)
    return arrows


def rooms() -> Arrows:
    """room -> rooms that it imports, by way of loose modules as well."""
    arrows = imports()
    furnished = {
        one for one in arrows if "." in one and (PLATFORM / one.replace(".", "/")).is_dir()
    }
    drawn = furnished | set(PARTS) - set(FURNISHED)
    return {room: beyond(room, arrows) & drawn for room in drawn}


def beyond(room: str, arrows: Mapping[str, set[str]]) -> set[str]:
    """All that can be reached from a room, itself left out."""
    found: set[str] = set()
    ahead = [*arrows.get(room, ())]
    while ahead:
        one = ahead.pop()
        if one not in found:
            found.add(one)
            ahead.extend(arrows.get(one, ()))
    return found - {room}


def needed(arrows: Arrows) -> Arrows:
    """The arrows that no others imply; each room's are all that it reaches."""
    return {
        room: others - {one for other in others for one in arrows[other]}
        for room, others in arrows.items()
    }


def drawing() -> str:
    """A Mermaid flowchart."""
    arrows = needed(rooms())
    lines = ["```mermaid", "flowchart TD"]
    for part in PARTS:
        inside = sorted(one for one in arrows if one.startswith(f"{part}."))
        if inside:
            named = [f"    {one}[{one.partition('.')[2]}]" for one in inside]
            lines += [f"  subgraph {part}", *named, "  end"]
        else:
            lines.append(f"  {part}")
    lines += [f"  {room} --> {one}" for room in sorted(arrows) for one in sorted(arrows[room])]
    return "\n".join([*lines, "```", ""])


def redrawn(text: str) -> str:
    """The README with the drawing as it has to be now."""
    before, _, rest = text.partition(BEGIN)
    return before + BEGIN + "\n" + drawing() + "\n" + END + rest.partition(END)[2]


if __name__ == "__main__":
    README.write_text(redrawn(README.read_text()))
