"""The room of a live cluster: a terminal on it, how it stands, a check, and what is written beside it."""

from __future__ import annotations

import threading
from collections.abc import Mapping

from assessments.kinds import WRITTEN, Json, Room
from assessments.live_slurm import keeping
from assessments.models import Attempt, TerminalSession
from graders.live_slurm.handed import CLUSTER

CHECK = "check"
"""The one workload there is: who of those who wait would begin."""


class LiveRoom(Room):
    """What is graded is the cluster, as its host has kept it."""

    name = "live_slurm"
    sheets = ("live_slurm/cluster",)
    keeps_terminal = True
    recorded = (
        "What you run in the exercise’s terminal, each line with its time, what it printed, and how the "
        "cluster’s queue moved. The interviewers can see it; measured is the state in which you leave the cluster."
    )
    path = "notes.json"
    starter = '{"notes": []}\n'
    key = "notes"

    def guest(self, row: TerminalSession, news: threading.Event) -> object:
        """The cluster itself."""
        # What is put into its sandbox is much to read for a server that never hosts one.
        from assessments.live_slurm.guest import LiveGuest

        return LiveGuest(row, news)

    def program(self, attempt: Attempt, body: Json) -> dict[str, str]:
        """The written answer, and the cluster where there is one."""
        return {WRITTEN: self.written(body), **cluster(attempt, None)}

    def handed_in(self, attempt: Attempt, body: Json, round_: int) -> dict[str, str]:
        """As it was let go at the end of the round."""
        return {WRITTEN: self.written(body), **cluster(attempt, round_)}


def cluster(attempt: Attempt, round_: int | None) -> Mapping[str, str]:
    """The file with the cluster; none where nobody has started it. Raises keeping.NotKept."""
    found = keeping.handed(attempt, round_)
    return {CLUSTER: found.to_json()} if found else {}


KIND = LiveRoom()
