"""The room of a live cluster: a terminal on it, how it stands, a check, and what is written beside it."""

from __future__ import annotations

import threading
from collections.abc import Mapping

from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from assessments.kinds import WRITTEN, Json, Room
from assessments.live_slurm import keeping
from assessments.models import Attempt, TerminalSession
from assessments.terminal import endings
from graders.live_slurm.handed import CLUSTER

ENDINGS = {
    endings.LEFT: _("The cluster sleeps. It was kept and comes back as you left it."),
    endings.REPLACED: _("The cluster was opened in another window."),
    endings.IDLE: _(
        "Nothing was typed for 30 minutes, so the cluster sleeps. It was kept and comes back as it was."
    ),
    endings.OVER: _("The time is over, and the cluster was kept as it is. Your answer is safe."),
    endings.FLOOD: _(
        "The terminal had printed more than is kept, so the cluster sleeps. It was kept and comes back."
    ),
    endings.LIMIT: _(
        "The cluster reached a limit of its sandbox and was stopped. It comes back as it was kept last."
    ),
    endings.LOST: _(
        "The machine behind the cluster failed, which is not your fault. The cluster comes back as it was, "
        "your clock gets the time back, and that jobs begin again is not held against you."
    ),
    endings.UNWANTED: _("The page was closed before the cluster had started."),
    endings.TROUBLE: _(
        "The cluster could not be run, which is our fault and not yours. Your clock gets the time back. "
        "Try again in a moment."
    ),
    "queued": _(
        "All places for clusters are taken at the moment. Yours starts by itself as soon as one is free, and "
        "your clock gets the time back."
    ),
    "away": _(
        "The cluster cannot be started at the moment, which is our fault and not yours. It starts by itself "
        "once it can, and your clock gets the time back."
    ),
}
"""A cluster's own words, in place of those of a terminal that stands on a copy."""
CHECK = "check"
"""The one workload there is: who of those who wait would begin."""


class LiveRoom(Room):
    """What is graded is the cluster, as its host has kept it."""

    name = "live_slurm"
    sheets = ("live_slurm/cluster",)
    keeps_terminal = True
    ending_words = ENDINGS
    recorded = (
        "What you run in the exercise’s terminal, each line with its time, what it printed, and how the "
        "cluster’s queue moved. The interviewers can see it; what is measured is the state in which you "
        "leave the cluster."
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
    found = keeping.handed(attempt, round_, clock=timezone.now)
    return {CLUSTER: found.to_json()} if found else {}


KIND = LiveRoom()
