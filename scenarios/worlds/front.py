"""The API's front door: limits a tick, and calls that time out, lag or are throttled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from scenarios.simulator.agenda import HOUR, MINUTE
from scenarios.simulator.streams import Stream
from scenarios.worlds.refusal import Refused

RETRY_WITHIN = 5
"""Ticks within which a write that timed out without effect should be tried again."""
TIMED_OUT = "The call timed out. It may or may not have taken effect."

Windows = tuple[tuple[int, int], ...]
"""Intervals in ms of simulated time, begin included, end not."""


@dataclass(frozen=True, slots=True)
class ApiFaults:
    """How often calls fail: probabilities of a timeout, and windows of throttling and of stale reads."""

    write_timeout: float = 0.03
    read_timeout: float = 0.006
    throttled: Windows = ()
    stale: Windows = ()


@dataclass(frozen=True, slots=True)
class Incident:
    """Something a controller should have answered, `at` in s, and whether it did in time."""

    at: int
    kind: str
    subject: str
    handled: bool


@dataclass(slots=True)
class LostWrite:
    """A write that timed out without effect, and whether it was tried again in time; `at` in s."""

    tick: int
    at: int
    verb: str
    subject: str
    retried: bool = False


def windows(stream: Stream, count: int, low: float, high: float, length: int) -> Windows:
    """`count` intervals of `low` to `high` minutes within `length` ms, sorted by their beginning."""
    starts = sorted(int(stream.between(0.5 * HOUR, length - HOUR)) for _ in range(count))
    return tuple((start, start + int(stream.between(low, high) * MINUTE)) for start in starts)


def apart(intervals: Windows, gap: int) -> Windows:
    """Those intervals that begin at least `gap` ms after the end of the one before.

    Two that overlap would make one spell that is longer than the API reference allows; a stale
    reading is renewed only at a tick between them.
    """
    kept: list[tuple[int, int]] = []
    for begin, end in sorted(intervals):
        if not kept or begin - kept[-1][1] >= gap:
            kept.append((begin, end))
    return tuple(kept)


def within(now: int, intervals: Windows) -> bool:
    """Whether `now` ms lies in one of the intervals."""
    return any(begin <= now < end for begin, end in intervals)


class Front:
    """Lets calls through to the world, or not. With `on` False nothing ever fails.

    `mark(now, kind, text)` is told of every fault that a controller met.
    """

    def __init__(
        self,
        faults: ApiFaults,
        chance: Stream,
        mark: Callable[[int, str, str], None],
        *,
        reads_per_tick: int = 40,
        writes_per_tick: int = 20,
        on: bool = True,
    ) -> None:
        self.faults = faults
        self.on = on
        self.ticks = 0
        self.limited = 0
        self._chance = chance
        self._mark = mark
        self._most = reads_per_tick, writes_per_tick
        self._reads = self._writes = 0
        self._frozen: dict[str, object] = {}
        self._lost: list[LostWrite] = []

    def next_tick(self, now: int) -> None:
        """A step of time has passed by the controller's hand."""
        self.ticks += 1
        self._reads = self._writes = 0
        self.thaw(now)

    def thaw(self, now: int) -> None:
        """Forget what stale reads showed once their window is over."""
        if not within(now, self.faults.stale):
            self._frozen.clear()

    def read(self, now: int, what: str, build: Callable[[], object]) -> dict[str, object]:
        """{"at": s, "rows": what `build` made}, at the time it was made. Raises Refused."""
        self._reads += 1
        self._admit(self._reads, self._most[0])
        if self.on and self._chance.chance(self.faults.read_timeout):
            self._mark(now, "fault", f"{what} timed out")
            raise Refused("timeout", "The call timed out; nothing was read.")
        if not self.on or not within(now, self.faults.stale):
            return {"at": now // 1000, "rows": build()}
        if what not in self._frozen:
            self._frozen[what] = {"at": now // 1000, "rows": build()}
        seen: dict[str, object] = self._frozen[what]  # type: ignore[assignment]
        return seen

    def write(self, now: int, verb: str, subject: str, act: Callable[[], object]) -> object:
        """What `act` answers. Raises Refused, also for a write that did take effect."""
        self._writes += 1
        self._admit(self._writes, self._most[1])
        if self.on and within(now, self.faults.throttled):
            self._mark(now, "fault", f"{verb} {subject} was throttled")
            raise Refused("rate_limited", "Retry after 60 s: the provider is throttling writes.")
        self._answer_lost(verb, subject)
        if not (self.on and self._chance.chance(self.faults.write_timeout)):
            return act()
        if self._chance.chance(0.5):
            act()
            self._mark(now, "fault", f"{verb} {subject} timed out after taking effect")
        else:
            self._lost.append(LostWrite(self.ticks, now // 1000, verb, subject))
            self._mark(now, "fault", f"{verb} {subject} timed out without effect")
        raise Refused("timeout", TIMED_OUT)

    def _admit(self, used: int, allowed: int) -> None:
        if used > allowed:
            self.limited += 1
            raise Refused("rate_limited", f"Retry after 60 s: more than {allowed} calls a tick.")

    def _answer_lost(self, verb: str, subject: str) -> None:
        for lost in self._lost:
            if (lost.verb, lost.subject) == (verb, subject):
                lost.retried |= self.ticks - lost.tick <= RETRY_WITHIN

    def incidents(self) -> list[Incident]:
        """Writes that were lost, once the time to repeat them is up."""
        return [
            Incident(lost.at, "lost write", f"{lost.verb} {lost.subject}", lost.retried)
            for lost in self._lost
            if self.ticks - lost.tick > RETRY_WITHIN or lost.retried
        ]
