"""How well the filter of an opportunity points at the cost rows on which its lever acts."""

from __future__ import annotations

from graders.cost.matching import lines_of
from graders.cost.tally import Tally
from scenarios.cost.catalogue import levers

CLOSE = 0.8
"""Part of the selected cost that has to be where the lever acts for the filter to be close in full."""
REACH = 1 / 3
"""Part of the lever's own cost that has to be selected: one of three accounts is enough."""


def placed(one: Tally, key: str) -> float:
    """0 without a filter, 1 where it selects what the lever acts on and little else."""
    rows = [one.row(given) for given in one.named[key]]
    taken: dict[str, int] = {}
    for row in rows:
        for line, cents in row["lines"].items():
            most = one.truth["cost"].get(line, 0)
            taken[line] = min(most, taken.get(line, 0) + cents)
    whole = sum(taken.values())
    if not whole:
        return 0.0
    close = sum(taken.get(line, 0) for line in lines_of(key)) / whole
    own = levers()[key].lines
    cost = sum(one.truth["cost"].get(line, 0) for line in own)
    reach = sum(taken.get(line, 0) for line in own) / cost if cost else 0.0
    return min(1.0, close / CLOSE) * min(1.0, reach / REACH)
