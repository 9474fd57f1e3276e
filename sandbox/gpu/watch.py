"""Samples a leased unit while a program runs on it: ends what goes too far, sums up what was."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from types import TracebackType
from typing import Any, Literal

from sandbox.gpu import driver, health
from sandbox.gpu.driver import DriverAbsent
from sandbox.gpu.health import Fault
from sandbox.gpu.reading import DeviceProcess, Reading, Unit
from sandbox.gpu.telemetry import Summary, Telemetry

Judge = Callable[[Unit, Reading, tuple[int, ...]], Fault | None]


@dataclass(frozen=True)
class Verdict:
    """Why a run had to end. `memory` is the program's doing, `fault` the card's.

    `at_s` is seconds since the watch began; memory in MiB, None for a fault.
    """

    kind: Literal["memory", "fault"]
    detail: str
    at_s: float
    limit_mb: int | None = None
    seen_mb: int | None = None
    pids: tuple[int, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return asdict(self)


class Watch:
    """A thread that reads `unit` every `period_s` seconds between `start` and `stop`.

    `limit_mb` bounds the memory the program adds to what was in use at the start. Beyond it, or
    when `judge` finds a fault, `kill` is called: it must end the program and bear being called
    again, which happens once a second while the cause lasts. A bound by sampling: what is taken
    and given back between two samples is not seen.
    """

    def __init__(
        self,
        unit: Unit,
        kill: Callable[[], None],
        *,
        limit_mb: int | None = None,
        period_s: float = 0.1,
        judge: Judge | None = None,
    ) -> None:
        if period_s <= 0 or (limit_mb is not None and limit_mb < 1):
            raise ValueError("The period and the memory limit must be positive.")
        self.verdict: Verdict | None = None
        self.kill_error = ""
        self._unit, self._kill, self._limit, self._period = unit, kill, limit_mb, period_s
        self._judge = judge or (lambda _unit, reading, xids: health.judge(reading, xids=xids))
        self._telemetry = Telemetry()
        self._ended, self._ready = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="gpu-watch", daemon=True)
        self._began = self._killed_at = 0.0
        self._base_mb, self._older = 0, frozenset[int]()

    @property
    def readings(self) -> tuple[Reading, ...]:
        """What was read so far, oldest first."""
        return self._telemetry.readings

    def start(self) -> None:
        """Returns once the first reading is in; begin the program after it."""
        self._thread.start()
        self._ready.wait()

    def stop(self) -> Summary:
        """The run's telemetry; call it once the program has ended. A second time is harmless."""
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join()
        return self._telemetry.summary(self._base_mb)

    def __enter__(self) -> Watch:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.stop()

    def _run(self) -> None:
        try:
            with driver.connect() as connection:
                listener = connection.listen(self._unit.gpu)
                try:
                    self._sample_on(connection, listener)
                finally:
                    listener.close()
        except DriverAbsent as error:
            self._conclude(Verdict("fault", str(error), 0.0))
        except Exception as error:  # a watch that dies here would let the program go on
            self._conclude(Verdict("fault", f"The watch over the GPU failed: {error}.", 0.0))
        finally:
            self._ready.set()

    def _sample_on(self, connection: driver.Driver, listener: driver.Listener) -> None:
        first = connection.read(self._unit)
        self._began = first.at
        self._base_mb = first.memory_used_mb or 0
        self._older = frozenset(one.pid for one in first.processes or ())
        self._look(first, listener.poll())
        self._ready.set()
        while not self._ended.wait(self._period):
            self._look(connection.read(self._unit), listener.poll())
        self._look(connection.read(self._unit), listener.poll())

    def _look(self, reading: Reading, xids: tuple[int, ...]) -> None:
        self._telemetry.add(reading)
        at_s = reading.at - self._began
        fault = self._judge(self._unit, reading, xids)
        if fault:
            self._conclude(Verdict("fault", fault.reason, at_s))
            return
        used, pids = self._usage(reading)
        if self._limit is not None and used > self._limit:
            detail = f"The program used {used} MiB of GPU memory; the limit is {self._limit} MiB."
            self._conclude(Verdict("memory", detail, at_s, self._limit, used, pids))

    def _usage(self, reading: Reading) -> tuple[int, tuple[int, ...]]:
        """The larger of what the device and what the list of processes say: either may be blind."""
        new: list[DeviceProcess] = [
            one for one in reading.processes or () if one.pid not in self._older
        ]
        whole = (reading.memory_used_mb or 0) - self._base_mb
        listed = sum(one.memory_mb or 0 for one in new)
        return max(whole, listed), tuple(one.pid for one in new)

    def _conclude(self, verdict: Verdict) -> None:
        """The first cause stays; nothing is killed once the run has ended by itself."""
        if self.verdict is None:
            self.verdict = verdict
        elif time.monotonic() - self._killed_at < 1.0:
            return
        if self._ended.is_set():
            return
        try:
            self._kill()
        except Exception as error:  # a later sample tries again
            self.kill_error = f"The program could not be ended: {error}."
        self._killed_at = time.monotonic()
