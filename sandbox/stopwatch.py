"""Counts the time that is a program's own: not what it waits for a processor, nor for its judge."""

from __future__ import annotations

import ctypes
import os
import platform
import selectors
import time
from collections.abc import Callable, Iterable

_PPOLL = {"x86_64": 271, "aarch64": 73}.get(platform.machine())
_LIBC = ctypes.CDLL(None, use_errno=True)
_POLLIN = 1
_NANO = 1e9

Ready = list[tuple[selectors.SelectorKey, int]]


class _Poll(ctypes.Structure):
    _fields_ = (("fd", ctypes.c_int), ("events", ctypes.c_short), ("found", ctypes.c_short))


class _Time(ctypes.Structure):
    _fields_ = (("whole", ctypes.c_long), ("nano", ctypes.c_long))


class _Wait:
    """Waits for a descriptor by the kernel's clock.

    The raw call writes what was left of the time when it returned: what this thread then waits for
    Python's lock, which other judges in this process hold, is not in it.
    """

    def __init__(self, fd: int) -> None:
        self._poll = _Poll(fd, _POLLIN, 0)
        self._left = _Time()
        self._at, self._until = ctypes.byref(self._poll), ctypes.byref(self._left)

    def __call__(self, seconds: float) -> float:
        """For how long it waited, in s."""
        self._left.whole, self._left.nano = divmod(int(seconds * _NANO), int(_NANO))
        _LIBC.syscall(ctypes.c_long(_PPOLL or 0), self._at, ctypes.c_long(1), self._until, None)
        left_s: float = self._left.whole + self._left.nano / _NANO
        return seconds - left_s


class _PlainWait:
    """The same on a machine whose number of the call is not known here: Python's lock counts."""

    def __init__(self, selector: selectors.BaseSelector) -> None:
        self._selector = selector

    def __call__(self, seconds: float) -> float:
        began = time.monotonic()
        self._selector.select(seconds)
        return min(seconds, time.monotonic() - began)


class Stopwatch:
    """Waits for one run's events on behalf of its judge, from one thread.

    `own_s` is the time in s in which the program could have run and did not, or did run: it grows only
    while the judge waits with nothing of the program's unanswered.
    """

    def __init__(self, selector: selectors.DefaultSelector, stalls: Stalls) -> None:
        self._selector, self._stalls = selector, stalls
        self._wait = _Wait(selector.fileno()) if _PPOLL else _PlainWait(selector)
        self._counted = 0.0
        self._judge = _open_delay("/proc/thread-self/schedstat")

    @property
    def own_s(self) -> float:
        return max(0.0, self._counted - self._stalls.seconds)

    def look(self) -> None:
        """Take the processes' waits in; costs some reads for each of them."""
        self._stalls.look()

    def wait(self, seconds: float) -> Ready:
        """What has come, after at most `seconds`."""
        delayed, began = _delay_of(self._judge), time.monotonic()
        waited, ended = self._wait(seconds), time.monotonic()
        ready = self._selector.select(0)
        if ready:
            # It may have spoken long before we had a processor to hear it.
            self._counted += max(0.0, waited - (_delay_of(self._judge) - delayed))
        else:
            self._counted += ended - began
        return ready

    def close(self) -> None:
        if self._judge is not None:
            os.close(self._judge)


class Stalls:
    """How long a run's processes were ready and had no processor: `seconds`, as of the last look.

    Two accounts, and the larger is believed. Of each look, the longest wait of any one thread
    (schedstat): exact for a program of one thread, and not to be driven up by many threads that wait
    for each other. And the pressure of the run's group, which knows of processes that lived between
    two looks and of waits that go on, but thins a wait that moves between processors.
    """

    def __init__(
        self, pids: Callable[[], Iterable[int]], pressure_s: Callable[[], float | None]
    ) -> None:
        self._pids, self._pressure_s = pids, pressure_s
        self._before = _delays(pids())
        self._began = pressure_s()
        self._longest = 0.0
        self.seconds = 0.0

    def look(self) -> None:
        now = _delays(self._pids())
        grown = (delay - self._before.get(thread, 0.0) for thread, delay in now.items())
        self._longest += max(0.0, max(grown, default=0.0))
        self._before = now
        self.seconds = max(self._longest, self._pressed(), self.seconds)

    def _pressed(self) -> float:
        now = self._pressure_s()
        return 0.0 if now is None or self._began is None else now - self._began


def is_told() -> bool:
    """Whether this kernel says how long threads wait for a processor (CONFIG_SCHED_INFO)."""
    try:
        with open("/proc/self/schedstat") as file:
            return file.read().split()[0] != "0"
    except (OSError, IndexError):
        return False


def _delays(pids: Iterable[int]) -> dict[str, float]:
    """What each thread has waited for a processor since it began, in s."""
    found: dict[str, float] = {}
    for pid in pids:
        try:
            threads = os.listdir(f"/proc/{pid}/task")
        except OSError:
            continue
        for thread in threads:
            if (fd := _open_delay(f"/proc/{pid}/task/{thread}/schedstat")) is not None:
                found[thread] = _delay_of(fd)
                os.close(fd)
    return found


def _open_delay(path: str) -> int | None:
    try:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None


def _delay_of(fd: int | None) -> float:
    """Source: Documentation/scheduler/sched-stats.rst, /proc/<pid>/schedstat, second field, in ns."""
    if fd is None:
        return 0.0
    try:
        return int(os.pread(fd, 100, 0).split()[1]) / _NANO
    except (OSError, IndexError):
        return 0.0
