"""A candidate's cluster as a terminal's host hosts it: one sandbox with the daemons, and the shell in it."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from django.db import DatabaseError, InterfaceError

from assessments.live_slurm import keeping
from assessments.live_slurm.box import Box, Ready, Stored
from assessments.live_slurm.traffic import LiveTraffic
from assessments.models import LiveCluster, TerminalSession
from assessments.terminal.guests import Guest
from assessments.terminal.inside import errands, judge, shell
from graders.live_slurm.grading import LIMITS, ROOT
from graders.live_slurm.handed import begun_from
from graders.live_slurm.living import View, living
from sandbox import Spec
from scenarios.live_slurm.files import inside
from scenarios.live_slurm.scene import draw

PLACE = ".headnode"
INSIDE = Path(__file__).parent / "inside"
ASKS_S, PATIENCE_S = 0.5, 90.0
LIVING = replace(LIMITS, wall_s=6 * 3600.0, cpu_s=2 * 3600.0, calls=2_000_000)
"""A grade's limits, for as long as a terminal may last."""


def spec_of() -> Spec:
    """The sandbox of one cluster: our programs, and no file of the cluster yet."""
    files = {f"{PLACE}/{name}": (INSIDE / name).read_bytes() for name in ("live.py", "rc", "motd")}
    for module in (shell, judge, errands):
        path = f"{module.__name__.replace('.', '/')}.py"
        files[f"{PLACE}/{path}"] = Path(str(module.__file__)).read_bytes()
    files[f"{PLACE}/scenarios/live_slurm/inside/cluster.py"] = inside("cluster.py").encode()
    return Spec(files, entry=f"{PLACE}/live.py", root=ROOT, limits=LIVING)


class LiveGuest(Guest):
    """Made and tended by the host's thread; the course runs in the sandbox's."""

    def __init__(self, row: TerminalSession, news: threading.Event) -> None:
        self.traffic: LiveTraffic = LiveTraffic(news)
        self._row = row
        self._box = Box(self._opened)
        self._asked = self._end_at = 0.0
        self._shells: int | None = None
        attempt = row.attempt
        kept = keeping.newest(attempt)
        before = (begun_from(kept.cluster.begun), kept.files) if kept else None
        self.traffic.play(living(draw(attempt.level, attempt.seed), self._box, before))
        self.traffic.resize(row.columns, row.rows)

    @property
    def trouble(self) -> str:  # type: ignore[override]
        return self.traffic.trouble

    def _opened(self) -> None:
        self.traffic.open_shell()

    def prepare(self) -> Spec:
        return spec_of()

    def tend(self, now: datetime) -> None:
        """Store what was found, then see what the pages have asked for."""
        found = self._box.take()
        while found:
            try:
                self._store(found[0], now)
            except (DatabaseError, InterfaceError):
                self._box.put_back(found)
                raise
            found = found[1:]
        if time.monotonic() - self._asked > ASKS_S:
            self._asked = time.monotonic()
            self._ask()

    def _store(self, one: object, now: datetime) -> None:
        if isinstance(one, Ready):
            keeping.is_ready(self._row, one, now=now)
            return
        cluster = LiveCluster.objects.get(attempt_id=self._row.attempt_id)
        if isinstance(one, Stored):
            keeping.stored(cluster, self._row.round, one, now=now)
        elif isinstance(one, View):
            keeping.viewed(cluster, one, now=now)

    def _ask(self) -> None:
        cluster = LiveCluster.objects.filter(attempt_id=self._row.attempt_id)
        asked = cluster.values_list("wanted_at", "shells").first()
        if asked is None:
            return
        wanted_at, shells = asked
        if wanted_at is not None and wanted_at != self._wished:
            self._wished = wanted_at
            self._box.wish()
        if self._shells is not None and shells > self._shells:
            self.traffic.open_shell()
        self._shells = shells

    _wished: datetime | None = None

    def may_stop(self, now: datetime) -> bool:
        """Once it was kept for the last time, or that takes too long."""
        self._end_at = self._end_at or time.monotonic()
        self._box.end()
        return self._box.has_ended or time.monotonic() - self._end_at > PATIENCE_S
