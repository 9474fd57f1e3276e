"""A job of the year that a bill is about."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(slots=True)
class Job:
    """One job. `minutes` of run time, `gpus` allocated of which `touched` did work, `util` in percent,
    `memory` the most that it held on one GPU in GiB, `limit` in minutes, times in UTC.

    Jobs are drawn by the ten thousand, so that they are numbered and moved in place while they are made;
    afterwards nobody changes one.
    """

    id: int
    name: str
    project: str
    user: str
    team: str
    partition: str
    submit: datetime
    start: datetime
    minutes: int
    limit: int
    gpus: int
    touched: int
    util: int
    memory: int
    state: str

    @property
    def gpu_minutes(self) -> int:
        return self.gpus * self.minutes

    @property
    def end(self) -> datetime:
        return self.start + timedelta(minutes=self.minutes)
