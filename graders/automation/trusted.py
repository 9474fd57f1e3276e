"""Plays programs of our own in this process for questions about them: goldens, never an answer."""

from __future__ import annotations

from collections.abc import Mapping

from graders.automation.own_work import Day, Player
from graders.inprocess import run_trusted
from graders.session import EpisodeSession
from graders.workloads import Workload
from scenarios.company.profile import Profile
from scenarios.worlds import load_world


def in_process(entry: str, workload: Workload, profile: Profile) -> Player:
    """A player of programs whose only file is the entry."""
    methods = load_world(workload.world).methods

    def played(files: Mapping[str, str], faults: bool) -> Day | None:
        episode = workload.open(profile, faults=faults)
        try:
            run_trusted(files[entry], EpisodeSession(episode, methods))
        except Exception:
            return None
        episode.run_out()
        return Day(episode.replay(), episode.figures())

    return played
