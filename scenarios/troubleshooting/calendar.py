"""When things happened: the window that was recorded, the run, the run to compare with, the changes between."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from functools import cache, lru_cache

from scenarios.simulator.streams import Stream

SECOND = 1_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR
CELL = 15 * SECOND
"""One cell of the grid on which conditions and metrics stand (ms)."""
FIRST_DAY = datetime(2026, 9, 8, tzinfo=UTC)
"""From here on 42 days pass in which no zone below changes its clocks."""


@dataclass(frozen=True, slots=True)
class Zone:
    """A site's time zone on every day that can be drawn; `offset` in minutes east of UTC."""

    name: str
    short: str
    offset: int

    def at(self, at_ms: int) -> datetime:
        """The instant (ms since 1970, UTC) on the site's wall clock."""
        return _epoch(self.offset, self.short) + timedelta(milliseconds=at_ms)

    def stamp(self, at_ms: int) -> str:
        """The same to the second, as journals write it: 2026-09-20T06:31:07+0200."""
        return next(self.stamps((at_ms,)))

    def stamps(self, times: Iterable[int], ahead: int = 0) -> Iterator[str]:
        """The same of many instants, on a clock that is ahead: quickest where neighbours share a minute."""
        known, head, tail = -1, "", ""
        for at_ms in times:
            minute, within = divmod(at_ms + ahead, MINUTE)
            if minute != known:
                known, (head, tail) = minute, _minute(self.offset, minute)
            yield f"{head}{within // SECOND:02d}{tail}"


@lru_cache(maxsize=16_384)
def _minute(offset: int, minute: int) -> tuple[str, str]:
    """What stands before and after the seconds: hosts write many lines in the same minute."""
    at = _epoch(offset, "") + timedelta(minutes=minute)
    iso = at.isoformat(timespec="minutes")
    return f"{iso[:16]}:", iso[16:].replace(":", "")


@cache
def _epoch(offset: int, short: str) -> datetime:
    """The beginning of 1970 in UTC, on a wall clock so many minutes east of it."""
    east = timedelta(minutes=offset)
    return datetime(1970, 1, 1, tzinfo=timezone(east, short)) + east


ZONES = (
    Zone("Europe/Berlin", "CEST", 120),
    Zone("Europe/London", "BST", 60),
    Zone("Europe/Helsinki", "EEST", 180),
    Zone("America/New_York", "EDT", -240),
    Zone("America/Chicago", "CDT", -300),
    Zone("America/Los_Angeles", "PDT", -420),
    Zone("Asia/Singapore", "+08", 480),
    Zone("Asia/Tokyo", "JST", 540),
)


@dataclass(frozen=True, slots=True)
class Calendar:
    """Every time in ms since 1970, UTC. The window's ends and the grid's cells are multiples of 15 s.

    `window` is what was recorded and `cells` how many cells it has. `job_start` is when Slurm
    started the slow job; its first step begins `STARTUP` later. The run to compare with
    (`baseline_start`) lies days before the window and has its own logs. `maintenance` is the
    planned maintenance that lies between the two: changes of configuration stand there.
    """

    zone: Zone
    window_start: int
    window_end: int
    job_start: int
    baseline_start: int
    maintenance: int

    @property
    def cells(self) -> int:
        return (self.window_end - self.window_start) // CELL

    @property
    def first_step(self) -> int:
        return self.job_start + STARTUP

    def cell(self, at_ms: int) -> int:
        """The cell in which an instant lies, kept within the window."""
        return min(max((at_ms - self.window_start) // CELL, 0), self.cells - 1)

    def local(self, at_ms: int) -> datetime:
        return self.zone.at(at_ms)


STARTUP = 150 * SECOND
"""From the start of the job to its first step: containers, rendezvous, NCCL, loading of weights."""
TAIL = 45 * MINUTE
"""What the window keeps at least after the end of the run."""
LONGEST = 16.5
"""Hours that the slow run may take at most, from start to end of the job."""


def draw_calendar(window_hours: int, seed: str) -> Calendar:
    """Dates of one variant: the run starts on a weekday, after the middle of the free time."""
    draw = Stream(seed, "calendar")
    zone = draw.pick([(zone, 1.0) for zone in ZONES])
    day = FIRST_DAY + timedelta(days=int(draw.between(12, 38)))
    day += timedelta(days={5: 2, 6: 1}.get(day.weekday(), 0))
    free = window_hours * HOUR - int(LONGEST * HOUR) - TAIL
    before = int(free * draw.between(0.45, 0.75))
    local_start = draw.between(7.0, 20.0) * HOUR
    job_start = int(day.timestamp()) * SECOND - zone.offset * MINUTE + int(local_start)
    job_start -= job_start % SECOND
    window_start = (job_start - before) // (15 * MINUTE) * (15 * MINUTE)
    baseline = job_start - int(draw.between(6, 11)) * DAY - int(draw.between(-5, 5) * HOUR)
    back = draw.between(0.25, 0.7)
    maintenance = baseline + 10 * HOUR + int((window_start - baseline - 10 * HOUR) * back)
    return Calendar(
        zone=zone,
        window_start=window_start,
        window_end=window_start + window_hours * HOUR,
        job_start=job_start,
        baseline_start=baseline - baseline % SECOND,
        maintenance=_morning(maintenance, zone),
    )


def _morning(at_ms: int, zone: Zone) -> int:
    """06:00 on the site's clock of the day in which `at_ms` lies: when maintenance is done."""
    offset = zone.offset * MINUTE
    return (at_ms + offset) // DAY * DAY + 6 * HOUR - offset
