"""A cluster whose node pools grow and shrink under a controller's hand."""

from __future__ import annotations

from scenarios.worlds.contract import World
from scenarios.worlds.queue_autoscaler.episode import Episode
from scenarios.worlds.queue_autoscaler.measures import MEASURES, account, summary
from scenarios.worlds.queue_autoscaler.record import SERIES
from scenarios.worlds.queue_autoscaler.scrape import snapshot
from scenarios.worlds.queue_autoscaler.setting import Setting, open_day, read_setting, words
from scenarios.worlds.queue_autoscaler.workload import FAMILIES

WORLD: World[Setting] = World(
    name="queue_autoscaler",
    span="day",
    families=tuple(FAMILIES),
    methods=Episode.methods,
    series=SERIES,
    measures=MEASURES,
    settings=read_setting,
    open=open_day,
    words=words,
    documents={"metrics.prom": snapshot},
    summary=summary,
    account=account,
    plays_on=("agenda", "machine", "slurm.queue", "world.failures", "world.progress"),
)
