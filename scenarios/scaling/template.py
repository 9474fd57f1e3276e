"""What a plan begins with at a level: rows that are named and not filled in, and the template in words."""

from __future__ import annotations

from scenarios.scaling.content import content
from scenarios.scaling.levels import LEVELS


def start(level: str) -> dict[str, object]:
    """The plan of plan.json as a candidate finds it; rows with empty cells are drafts."""
    template, given = LEVELS[level].template, content("outline")
    plan: dict[str, object] = {
        key: [] for key in ("purchases", "cloud", "retire", "policies", "phases", "risks", "sheet")
    }
    if template in ("full", "phases"):
        plan["phases"] = [
            {"id": row["id"], "name": row["name"], "from": "", "to": "", "owner": ""}
            | {"depends": list(row.get("depends", ()))}
            for row in given["phases"]
        ]
    if template == "full":
        empty = dict.fromkeys(("likelihood", "impact", "mitigation", "owner", "trigger"), "")
        plan["risks"] = [row | empty for row in given["risks"]]
    return plan | {"claims": {}}


def outline(level: str) -> str:
    """The template's parts as Markdown: with hints where it is full, headings alone where it is empty."""
    template, parts = LEVELS[level].template, content("outline")["parts"]
    if template == "empty":
        return "\n".join(f"{at}. **{part['title']}**" for at, part in enumerate(parts, start=1))
    lines = []
    for at, part in enumerate(parts, start=1):
        lines += [f"## {at}. {part['title']}", part["about"]]
        if template == "full":
            lines.append(f"*{part['hint']}*")
    return "\n\n".join(lines)
