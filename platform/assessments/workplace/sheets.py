"""Which style sheets a room needs beside the page's own, for the candidate's page and for staff's."""

from __future__ import annotations

_METRICS = ("room/dashboards", "room/query")
_PLAN = ("charts", "orders", "timeline", "money", "risks", "whatif")
SHEETS: dict[str, tuple[str, ...]] = {
    "incident": (*_METRICS, "room/heatmap"),
    "bill": (*_METRICS, "bill/pivot", "bill/bill"),
    "plan": (*(f"plan/plan_{part}" for part in _PLAN), "plan/plan"),
}
"""By workplace, in the order in which later sheets may overrule earlier ones.

Each is linked by its own: a browser would ask for an imported sheet only after it has read the first,
and whoever reads imported sheets from a script looks for them beside the page.
"""


def addresses(workplace: str) -> list[str]:
    """Names of static files, `headnode/…css`; none for a workplace without sheets of its own."""
    return [f"headnode/{name}.css" for name in SHEETS.get(workplace, ())]
