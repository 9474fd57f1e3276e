"""A full primary cluster, remote clouds with moving prices, and a broker that places jobs in them."""

from __future__ import annotations

from scenarios.worlds.cloud_bursting.documents import prices, squeue
from scenarios.worlds.cloud_bursting.episode import Episode
from scenarios.worlds.cloud_bursting.measures import MEASURES, account, summary
from scenarios.worlds.cloud_bursting.setting import Setting, open_period, read_setting, words
from scenarios.worlds.cloud_bursting.sketch import SERIES
from scenarios.worlds.cloud_bursting.workload import FAMILIES
from scenarios.worlds.contract import World

WORLD: World[Setting] = World(
    name="cloud_bursting",
    span="period",
    families=tuple(FAMILIES),
    methods=Episode.methods,
    series=SERIES,
    measures=MEASURES,
    settings=read_setting,
    open=open_period,
    words=words,
    documents={"prices.csv": prices, "squeue.txt": squeue},
    summary=summary,
    account=account,
    plays_on=("agenda", "machine", "slurm.queue", "world.failures", "world.progress"),
)
