"""A Kubernetes cluster whose GPUs are cut into MIG instances for services or kept whole for training."""

from __future__ import annotations

from collections.abc import Mapping

from scenarios.company.profile import Profile
from scenarios.simulator.streams import Stream
from scenarios.worlds.checks import Check, is_count, is_line, is_list_of, is_name
from scenarios.worlds.contract import World
from scenarios.worlds.mig_sharing.core import SERIES
from scenarios.worlds.mig_sharing.demand import FAMILIES, draw_gangs, draw_services
from scenarios.worlds.mig_sharing.documents import DOCUMENTS, words
from scenarios.worlds.mig_sharing.episode import Episode
from scenarios.worlds.mig_sharing.measures import MEASURES, account, summary
from scenarios.worlds.mig_sharing.settings import Level, Trouble, make_config, read_settings

MOST_SECONDS = 1e8


def is_bill(value: object) -> bool:
    """Seconds by profile: at most 12 lines."""
    return (
        type(value) is dict
        and len(value) <= 12
        and all(is_name(key) for key in value)
        and all(type(s) in (int, float) and 0 <= s <= MOST_SECONDS for s in value.values())
    )


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


METHODS: Mapping[str, Mapping[str, Check]] = {
    "tick": {},
    "mig_gpus": {},
    "services": {},
    "jobs": {},
    "nodes": {},
    "tenants": {},
    "set_layout": {"gpu": is_name, "profiles": is_list_of(is_name, 7)},
    "place": {"service": is_name, "instance": is_name},
    "evict": {"service": is_name, "instance": is_name},
    "start_gang": {"job": is_count, "gpus": is_list_of(is_name, 64)},
    "preempt": {"job": is_count},
    "cordon": {"node": is_name},
    "uncordon": {"node": is_name},
    "bill": {"tenant": is_name, "hour": is_count, "seconds": is_bill},
    "log": {"text": is_line},
}

WORLD: World[Level] = World(
    name="mig_sharing",
    span="day",
    families=tuple(FAMILIES),
    methods=METHODS,
    series=SERIES,
    measures=MEASURES,
    settings=read_settings,
    open=open_day,
    words=words,
    documents=DOCUMENTS,
    summary=summary,
    account=account,
    plays_on=("mig", "placement.topology", "world.failures", "world.progress"),
)
