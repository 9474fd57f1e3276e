"""Long training runs on spot nodes, with checkpoints, under a supervisor's hand."""

from __future__ import annotations

from scenarios.worlds.contract import World
from scenarios.worlds.spot_checkpointing.documents import DOCUMENTS
from scenarios.worlds.spot_checkpointing.episode import Episode
from scenarios.worlds.spot_checkpointing.families import FAMILIES
from scenarios.worlds.spot_checkpointing.measures import MEASURES, account, summary
from scenarios.worlds.spot_checkpointing.record import SERIES
from scenarios.worlds.spot_checkpointing.setting import Setting, open_run, read_setting
from scenarios.worlds.spot_checkpointing.words import words

WORLD: World[Setting] = World(
    name="spot_checkpointing",
    span="training week",
    families=tuple(FAMILIES),
    methods=Episode.methods,
    series=SERIES,
    measures=MEASURES,
    settings=read_setting,
    open=open_run,
    words=words,
    documents=DOCUMENTS,
    summary=summary,
    account=account,
    plays_on=("machine", "world.failures", "world.progress"),
)
