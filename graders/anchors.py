"""The two anchors of every workload: the existing script, and the reference or a bound."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from graders.inprocess import run_trusted
from graders.session import EpisodeSession
from graders.workloads import Workload
from scenarios.company.profile import Profile
from scenarios.packs import Pack
from scenarios.worlds import load_world

Figures = dict[str, Any]


def anchor_figures(
    pack: Pack, level: str, workload: Workload, profile: Profile
) -> tuple[Figures, Figures]:
    """Raw figures of the naive program and of the reference on the workload.

    The naive program meets the same API faults as an answer; a reference program meets none,
    so that it shows what the workload allows, and knows nothing of the future. Where the
    pack's reference is a bound, the world computes it with knowledge of the future.
    """
    naive, reference = pack.anchor(level, "naive"), pack.anchor(level, "reference")
    if naive is None:
        raise LookupError(f"{pack.name} has no naive program.")
    low = play_trusted(naive, workload, profile, faults=True)
    if reference is None:
        return low, dict(workload.bound(profile))
    return low, play_trusted(reference, workload, profile, faults=False)


@lru_cache(maxsize=512)
def play_trusted(source: str, workload: Workload, profile: Profile, *, faults: bool) -> Figures:
    """Figures of a program of our own, run in this process to the end of the workload."""
    episode = workload.open(profile, faults=faults)
    run_trusted(source, EpisodeSession(episode, load_world(workload.world).methods))
    episode.run_out()
    return episode.figures()
