"""The two anchors of every day: the existing script and the reference, run in this process."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from graders.inprocess import run_trusted
from graders.session import EpisodeSession
from graders.workloads import Workload
from scenarios.packs import Pack
from scenarios.profile import Profile

Figures = dict[str, Any]


def anchor_figures(pack: Pack, workload: Workload, profile: Profile) -> tuple[Figures, Figures]:
    """Raw figures of the naive and of the reference program on the day.

    The naive program meets the same API faults as an answer; the reference meets none, so
    that it shows what the day allows. Neither knows anything of the future.
    """
    sources = pack.anchor("naive"), pack.anchor("reference")
    return (
        _played(sources[0], workload, profile, True),
        _played(sources[1], workload, profile, False),
    )


@lru_cache(maxsize=256)
def _played(source: str, workload: Workload, profile: Profile, faults: bool) -> Figures:
    episode = workload.open(profile, faults=faults)
    run_trusted(source, EpisodeSession(episode))
    episode.run_out()
    return episode.figures()
