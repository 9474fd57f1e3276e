"""Small shared clusters and hand-made requests for tests of the cohort world."""

from __future__ import annotations

import tomllib
from functools import cache
from typing import Any

from scenarios.company.profile import DEFAULT
from scenarios.packs import load_pack
from scenarios.simulator.agenda import HOUR, MINUTE
from scenarios.worlds.cluster_priorities.episode import Episode
from scenarios.worlds.cluster_priorities.families import Outage, Trouble, node_names
from scenarios.worlds.cluster_priorities.setting import (
    Setting,
    cluster_config,
    open_span,
    read_setting,
)
from scenarios.worlds.cluster_priorities.tables import Request
from scenarios.worlds.front import ApiFaults

PACK = "automation/cluster-priorities"
A, B, C = 0, 1, 2
"""Numbers of the teams at junior and mid level."""
__all__ = ["HOUR", "MINUTE", "PACK", "A", "B", "C", "Outage"]

CALENDAR = """
hours = 24
flavors = [{ name = "od", spot = false, nodes = 2 }]
cohorts = [{ name = "all" }]
queues = [
    { name = "one", cohort = "all", quotas = { od = [4, 4, 4] }, night = { od = 8 } },
    { name = "two", cohort = "all", quotas = { od = [4, 4, 4] }, night = { od = 0 } },
]
teams = []
"""


@cache
def setting(level: str = "junior") -> Setting:
    found: Setting = load_pack(PACK).settings(level)
    return found


def calendar_setting() -> Setting:
    """Two queues of one flavour; by night the first owns everything."""
    return read_setting(tomllib.loads(CALENDAR))


def request(
    team: int, gpus: int = 4, minutes: int = 120, at: int = 0, checkpoint: int = 30, **more: Any
) -> Request:
    """A workload sent at `at` minutes, with a checkpoint every so many minutes."""
    name = f"w{team}-{gpus}-{at}-{minutes}"
    run = minutes * MINUTE
    values = {"least": gpus, "estimate": run, "deadline": -1, **more}
    return Request(at * MINUTE, name, team, gpus, run=run, checkpoint=checkpoint * MINUTE, **values)


def calm(
    *requests: Request,
    level: str = "junior",
    stuck: float = 0.0,
    outages: dict[str, Outage] | None = None,
    chosen: Setting | None = None,
) -> Episode:
    """Days without trouble but that which is given, by node."""
    config = cluster_config(DEFAULT, chosen or setting(level))
    fates = tuple(
        (outages[name],) if outages and name in outages else () for _, name in node_names(config)
    )
    trouble = Trouble(fates, stuck, ApiFaults(0.0, 0.0))
    return Episode(config, list(requests), trouble, "test", faults=False)


def pass_time(days: Episode, minutes: int) -> None:
    """Let so many minutes pass, or a little more."""
    until = days.now + minutes * 60
    while days.now < until:
        days.tick()


def drawn(family: str, seed: str, level: str = "junior") -> Episode:
    """A span as a candidate meets it."""
    return open_span(DEFAULT, setting(level), family, seed)


def greedy(days: Episode, hours: int = 200) -> Episode:
    """Play a plain controller: whatever fits under quota is admitted, saved on notice, for so many hours."""
    from scenarios.worlds.refusal import Refused

    while not days.complete and days.now < hours * 3600:
        days.tick()
        try:
            for row in days.workloads()["rows"]:  # type: ignore[index]
                if row[7] == "pending":
                    days.admit(row[0], row[10][row[0] % len(row[10])], 0)
                elif days.now % 7200 == 0 and row[0] % 3 == 0:
                    days.preempt(row[0])
                elif row[7] == "starting" and days.now - row[17] > 1200:
                    days.requeue(row[0])
        except Refused:
            continue
    return days
