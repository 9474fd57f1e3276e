"""What a level makes of the year."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scenarios.company.profile.tables import PolicyValue
from scenarios.scaling.content import rows


@dataclass(frozen=True, slots=True)
class Settings:
    """`what_ifs` a candidate may run; `draws` of hidden demand; `bottlenecks` planted; `sites` at least.

    cloud: kinds of rent; offers: nodes that may be bought at most; policies: those that a plan may change;
    events: kinds announced. template: what a plan begins with: full, phases or empty. notes: of colleagues,
    by kind, as far as there are. plain: rules with which the plan begins that stands for 0: those that promise
    something for nothing. tuned: whether the plan that stands for 1 is more than reckoned.
    """

    level: str
    what_ifs: int
    draws: int
    bottlenecks: int
    sites: int
    cloud: tuple[str, ...]
    offers: int
    policies: tuple[str, ...]
    events: tuple[str, ...]
    template: str
    notes: Mapping[str, int]
    plain: tuple[tuple[str, PolicyValue], ...]
    tuned: bool


LEVELS: Mapping[str, Settings] = {row["level"]: Settings(**row) for row in rows("levels")}
