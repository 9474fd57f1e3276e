"""A Kubernetes cluster whose GPUs are cut into MIG instances for services or kept whole for training."""

from __future__ import annotations

from scenarios.company.profile import Profile
from scenarios.simulator.streams import Stream
from scenarios.worlds.contract import World
from scenarios.worlds.mig_sharing.core import SERIES
from scenarios.worlds.mig_sharing.demand import FAMILIES, draw_gangs, draw_services
from scenarios.worlds.mig_sharing.documents import DOCUMENTS, words
from scenarios.worlds.mig_sharing.episode import Episode
from scenarios.worlds.mig_sharing.measures import MEASURES, account, summary
from scenarios.worlds.mig_sharing.settings import Level, Trouble, make_config, read_settings


def open_day(
    profile: Profile, settings: Level, family: str, seed: str, *, faults: bool = True
) -> Episode:
    """One day of a family from a seed; KeyError for an unknown family."""
    kind, bare = FAMILIES[family], make_config(profile, settings, Trouble())
    trouble = kind.trouble(settings, Stream(seed, "trouble"))
    api = kind.faults(Stream(seed, "api windows"), bare.length)
    config = make_config(profile, settings, trouble, api)
    services = draw_services(kind, config, seed)
    return Episode(config, services, draw_gangs(config, seed), seed, faults=faults)


WORLD: World[Level] = World(
    name="mig_sharing",
    span="day",
    families=tuple(FAMILIES),
    methods=Episode.methods,
    series=SERIES,
    measures=MEASURES,
    settings=read_settings,
    open=open_day,
    words=words,
    documents=DOCUMENTS,
    summary=summary,
    account=account,
    plays_on=("mig", "topology", "world.failures", "world.progress"),
)
