"""What a senior has to weigh beside the causes: a deadline of the business and a second site."""

from __future__ import annotations

from dataclasses import dataclass

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.calendar import DAY, HOUR, ZONES, Calendar, Zone


@dataclass(frozen=True, slots=True)
class Stakes:
    """The next run is due at `deadline_ms` (UTC) and needs `runs` runs of this length before it.

    The second site has `free_nodes` nodes for `free_hours` from the end of the window; its fabric
    makes a step take `step_s` seconds in health, and the data set (`dataset_tb` TB) is not there:
    the line between the sites gives `line_gbps` Gb/s to this cluster.
    """

    what: str
    who: str
    deadline_ms: int
    runs: int
    cost_of_delay_usd: int
    site: str
    zone: Zone
    free_nodes: int
    free_hours: int
    step_s: float
    dataset_tb: int
    line_gbps: int


def draw_stakes(calendar: Calendar, seed: str) -> Stakes:
    """A deadline that the present pace misses and the healthy pace meets."""
    draw = Stream(seed, "stakes")
    runs = int(draw.between(3, 5))
    deadline = calendar.window_end + int(runs * draw.between(10.5, 12.5) * HOUR)
    what, who = draw.pick(
        [
            (("the base model for the bank's pilot", "product"), 1.0),
            (("the checkpoint that the red team waits for", "safety"), 1.0),
            (("the model for the autumn release", "product"), 1.0),
        ]
    )
    return Stakes(
        what=what,
        who=who,
        deadline_ms=deadline // HOUR * HOUR,
        runs=runs,
        cost_of_delay_usd=int(draw.between(4, 15)) * 10_000,
        site=draw.pick([("north", 1.0), ("harbour", 1.0), ("campus-2", 1.0)]),
        zone=draw.pick([(zone, 1.0) for zone in ZONES if zone != calendar.zone]),
        free_nodes=8,
        free_hours=int(draw.between(1, 3) * DAY / HOUR),
        step_s=round(draw.between(2.9, 3.3), 2),
        dataset_tb=int(draw.between(30, 90)),
        line_gbps=draw.pick([(10, 1.0), (25, 1.0)]),
    )
