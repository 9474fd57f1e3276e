"""What a plan begins with at a level: rows that are named and not filled in, and the template in words."""

from __future__ import annotations

import tomllib
from pathlib import Path

from scenarios.scaling.levels import LEVELS

_OUTLINE = Path(__file__).parent / "texts/outline.toml"

_PHASES = (
    ("ph1", "Change rules that cost nothing", ()),
    ("ph2", "Order what takes longest", ()),
    ("ph3", "Prepare power, racks and ports", ("ph2",)),
    ("ph4", "Install the first nodes and take them into use", ("ph3",)),
    ("ph5", "Review demand against the plan; decide the second order", ("ph4",)),
    ("ph6", "Install the second order", ("ph5",)),
)
_RISKS = (
    ("r1", "A delivery comes later than promised"),
    ("r2", "Demand grows faster than expected"),
    ("r3", "Demand stays behind, and what was bought stands idle"),
    ("r4", "Power or ports run out before nodes do"),
    ("r5", "A change of rules meets resistance in a team"),
)


def start(level: str) -> dict[str, object]:
    """The plan of plan.json as a candidate finds it; rows with empty cells are drafts."""
    template = LEVELS[level].template
    plan: dict[str, object] = {
        key: [] for key in ("purchases", "cloud", "retire", "policies", "phases", "risks", "sheet")
    }
    if template in ("full", "phases"):
        plan["phases"] = [
            {"id": id, "name": name, "from": "", "to": "", "owner": "", "depends": list(depends)}
            for id, name, depends in _PHASES
        ]
    if template == "full":
        empty = dict.fromkeys(("likelihood", "impact", "mitigation", "owner", "trigger"), "")
        plan["risks"] = [{"id": id, "risk": risk, **empty} for id, risk in _RISKS]
    return plan | {"claims": {}}


def outline(level: str) -> str:
    """The template's parts as Markdown: with hints where it is full, headings alone where it is empty."""
    template = LEVELS[level].template
    parts = tomllib.loads(_OUTLINE.read_text(encoding="utf-8"))["parts"]
    if template == "empty":
        return "\n".join(f"{at}. **{part['title']}**" for at, part in enumerate(parts, start=1))
    lines = []
    for at, part in enumerate(parts, start=1):
        lines += [f"## {at}. {part['title']}", part["about"]]
        if template == "full":
            lines.append(f"*{part['hint']}*")
    return "\n\n".join(lines)
