"""A Slurm cluster that several teams share by an agreement, under an administrator's program."""

from __future__ import annotations

from scenarios.worlds.contract import World
from scenarios.worlds.slurm_fair_partitions.episode import Episode
from scenarios.worlds.slurm_fair_partitions.measures import MEASURES, account, summary
from scenarios.worlds.slurm_fair_partitions.setting import Setting, open_quarter, read_setting
from scenarios.worlds.slurm_fair_partitions.wording import DOCUMENTS, words
from scenarios.worlds.slurm_fair_partitions.workload import FAMILIES

WORLD: World[Setting] = World(
    name="slurm_fair_partitions",
    span="quarter",
    families=tuple(FAMILIES),
    methods=Episode.methods,
    series=(),
    measures=MEASURES,
    settings=read_setting,
    open=open_quarter,
    words=words,
    documents=DOCUMENTS,
    summary=summary,
    account=account,
    plays_on=("machine", "slurm.fair_tree", "slurm.priority", "slurm.queue", "slurm.usage"),
)
