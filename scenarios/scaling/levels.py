"""What a level makes of the year."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Settings:
    """`what_ifs` a candidate may run; `draws` of hidden demand; `bottlenecks` planted; `sites` at least.

    cloud: kinds of rent; offers: nodes that may be bought at most; policies: those that a plan may change;
    events: kinds announced. template: what a plan begins with: full, phases or empty.
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


_PLAIN = (
    "idle_notebook_limit_h",
    "mig_for_small",
    "defragment",
    "share_idle_quota",
    "preemption",
    "serving_reserve_gpus",
    "checkpoint_to_nvme",
    "cache_on_nvme",
    "topology_aware",
    "burst_after_h",
)
_ALL = (*_PLAIN, "night_batch", "cloud_link_gbps")

LEVELS: Mapping[str, Settings] = {
    one.level: one
    for one in (
        Settings(
            "junior", 10, 5, 2, 1, ("on_demand", "reserved_1y"), 2, _PLAIN, ("launch",), "full"
        ),
        Settings(
            "mid",
            8,
            5,
            3,
            1,
            ("on_demand", "reserved_1y", "spot"),
            2,
            _ALL,
            ("launch", "price"),
            "phases",
        ),
        Settings(
            "senior",
            6,
            5,
            4,
            2,
            ("on_demand", "reserved_1y", "reserved_3y", "spot"),
            3,
            _ALL,
            ("launch", "price", "freeze", "end_of_support"),
            "empty",
        ),
    )
}
