"""A cluster that teams share under Kueue's quotas and priorities, with the admission in other hands."""

from __future__ import annotations

from scenarios.worlds.cluster_priorities.documents import DOCUMENTS
from scenarios.worlds.cluster_priorities.episode import Episode
from scenarios.worlds.cluster_priorities.families import FAMILIES
from scenarios.worlds.cluster_priorities.measures import MEASURES, account, summary
from scenarios.worlds.cluster_priorities.record import SERIES
from scenarios.worlds.cluster_priorities.setting import Setting, open_span, read_setting
from scenarios.worlds.cluster_priorities.words import words
from scenarios.worlds.contract import World

WORLD: World[Setting] = World(
    name="cluster_priorities",
    span="stretch of days",
    families=tuple(FAMILIES),
    methods=Episode.methods,
    series=SERIES,
    measures=MEASURES,
    settings=read_setting,
    open=open_span,
    words=words,
    documents=DOCUMENTS,
    summary=summary,
    account=account,
    plays_on=("kueue.tree", "machine"),
)
