"""One middling morning of the cluster, from which the candidates' sample outputs are written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from scenarios.company.profile import Profile
from scenarios.simulator.agenda import HOUR, MINUTE
from scenarios.worlds.mig_sharing.controls import Controls
from scenarios.worlds.mig_sharing.demand import FAMILIES, draw_gangs, draw_services
from scenarios.worlds.mig_sharing.settings import NONE, Level, Trouble, make_config
from scenarios.worlds.mig_sharing.world import SliceWorld
from scenarios.worlds.refusal import Refused

TAKEN_AT = 10 * HOUR + 30 * MINUTE


@lru_cache(maxsize=16)
def morning(profile: Profile, level: Level, seed: str) -> SliceWorld:
    """The cluster at half past ten of an ordinary day under the existing script's rules.

    No machine fails on this day, so that what the samples show is the normal case.
    """
    apart = tuple(replace(tenant, isolation=NONE) for tenant in level.tenants)
    config = make_config(profile, replace(level, tenants=apart), Trouble(layout_failure=0.0))
    seed = f"{seed} sample"
    services = draw_services(FAMILIES["diurnal"], config, seed)
    world = SliceWorld(config, services, draw_gangs(config, seed), seed)
    controls = Controls(world)
    for at in range(0, TAKEN_AT + 1, 30 * MINUTE):
        world.advance(at)
        _fill(world, controls)
    world.advance(TAKEN_AT + 5 * MINUTE)
    return world


def _fill(world: SliceWorld, controls: Controls) -> None:
    """Every missing replica on the first free instance of its profile, then the gangs in order."""
    for service in list(world.serving.alive.values()):
        for name, kind in list(_free(world)):
            if service.placed < service.wanted and kind == service.spec.kind:
                controls.place(service.spec.name, name)
    whole = [gpu.name for gpu in world.core.fleet.gpus if gpu.whole]
    for number in sorted(world.training.waiting):
        need = world.training.gangs[number].spec.gpus
        if need > len(whole):
            return
        try:
            controls.start_gang(number, whole[:need])
        except Refused:
            continue
        whole = whole[need:]


def _free(world: SliceWorld) -> Iterator[tuple[str, int]]:
    for gpu in world.core.fleet.gpus:
        for start, kind in gpu.free():
            yield f"{gpu.name}/{start}", kind
