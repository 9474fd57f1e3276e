"""What the brief may say of a variant, and how the documents write figures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from scenarios.company.profile.tables import PolicyValue
from scenarios.scaling.levels import LEVELS
from scenarios.scaling.scene import Scene

WORDS = ("cluster", "gpus", "gpu", "nodes", "sites", "from", "until", "what_ifs", "capex", "opex")
TENTH = 1.2816
"""Standard deviations from the middle to where one year in ten lies beyond (normal distribution)."""


def words_of(scene: Scene) -> dict[str, str]:
    """Placeholder of the pack's texts -> what it stands for."""
    return {
        "cluster": scene.profile.cluster,
        "gpus": f"{scene.gpus:,}",
        "gpu": scene.profile.gpu,
        "nodes": f"{sum(place.count for place in scene.places):,}",
        "sites": joined([place.site.name for place in scene.places]),
        "from": f"{scene.months[0].start:%B %Y}",
        "until": f"{scene.months[-1].start:%B %Y}",
        "what_ifs": str(LEVELS[scene.level].what_ifs),
        "capex": usd(sum(one.capex_usd for one in scene.quarters)),
        "opex": usd(sum(one.opex_usd for one in scene.quarters)),
    }


def usd(amount: float) -> str:
    """Dollars without cents: 1,240,000 USD."""
    return f"{amount:,.0f} USD"


def figure(value: PolicyValue) -> str:
    """A value as people read it: 1,240, 3.45, yes."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        text = f"{value:,.4f}".rstrip("0").rstrip(".")
        return "0" if text == "-0" else text
    return value


def percent(part: float) -> str:
    """A part of 1 in whole percent."""
    return f"{100 * part:.0f} %"


def joined(names: Sequence[str]) -> str:
    """a, b and c."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table; figures as they are, bars in names escaped."""
    lines = [_row(head), _row(["---"] * len(head)), *(_row(row) for row in rows)]
    return "\n".join(lines)


def _row(cells: Sequence[object]) -> str:
    return f"| {' | '.join(str(one).replace('|', chr(92) + '|') for one in cells)} |"
