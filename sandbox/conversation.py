"""One loop for a run's calls, output and clocks; knows neither bubblewrap nor Docker."""

from __future__ import annotations

import logging
import os
import selectors
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from sandbox import channel
from sandbox.capture import Output
from sandbox.contract import CallRefused, Session, Speaking, Status
from sandbox.limits import Limits
from sandbox.stopwatch import Stalls, Stopwatch

log = logging.getLogger(__name__)

_READ, _WRITE = selectors.EVENT_READ, selectors.EVENT_WRITE
_CHUNK = 65536
_TICK = 0.05
_LOOK_EVERY = 0.1
# A run that needs this many times its time limit, and as much more as a short one needs to begin, is
# one that the host is too busy for: to try again later is better than to hold a worker any longer.
# At nice 15 beside 32 busy processes the kernel's weights leave the judge a 450th of a processor, so the
# second that a hidden week needs of it may take eight minutes.
_TOO_BUSY = 30.0
_TOO_BUSY_S = 60.0
# Processor time of ours, in time limits, that a program's calls may cost. What programs need stays
# below a tenth of one; without a bound, costly calls alone would make the host look too busy.
_JUDGED = 5.0


def cpu_sentence(limits: Limits) -> str:
    return f"Your program was stopped at the limit of {limits.cpu_s:g} s processor time."


def wall_sentence(limits: Limits) -> str:
    return f"Your program was stopped at the time limit of {limits.wall_s:g} s."


def memory_sentence(limits: Limits) -> str:
    return f"Your program needed more than its {limits.memory_mb} MiB of memory."


class Ended(Exception):
    """The run has to end now, for the reason given."""

    def __init__(self, status: Status, detail: str) -> None:
        super().__init__(detail)
        self.status: Status = status
        self.detail = detail


class Stream(Protocol):
    """A descriptor of the program's output and where its bytes go."""

    def fileno(self) -> int: ...

    def read(self) -> bool:
        """Take what is there. False at the end of the stream."""


class Pipe:
    """One plain stream, from a non-blocking descriptor."""

    def __init__(self, fd: int, sink: Callable[[bytes], None]) -> None:
        os.set_blocking(fd, False)
        self._fd, self._sink = fd, sink

    def fileno(self) -> int:
        return self._fd

    def read(self) -> bool:
        try:
            data = os.read(self._fd, _CHUNK)
        except BlockingIOError:
            return True
        except OSError:
            return False
        self._sink(data)
        return bool(data)


@dataclass
class Wiring:
    """What a backend connects the loop to.

    `exited` is a pidfd of the program's main process; `on_exit` must see to it that nothing else
    of the run keeps writing; `cpu_s` returns seconds used so far, or None when nobody can tell.
    `held_mb`, given a bound in MiB, returns the memory in use where no group keeps to the bound.
    `drain_s` is how long we wait for the streams to run dry once the program has gone. `pids` names
    the run's processes, and `pressure_s` is how long they were ready without a processor by the
    account of their group, or None where it keeps none.
    """

    channel: socket.socket
    streams: list[Stream]
    output: Output
    exited: int
    on_exit: Callable[[], None]
    cpu_s: Callable[[], float | None]
    drain_s: float = 2.0
    held_mb: Callable[[float], float] = lambda bound_mb: 0.0
    pids: Callable[[], list[int]] = list
    pressure_s: Callable[[], float | None] = lambda: None


class Conversation:
    """Serves one run until its program is gone or has to be stopped."""

    def __init__(
        self,
        wiring: Wiring,
        limits: Limits,
        session: Session,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> None:
        self.calls = 0
        self._wiring, self._limits, self._session = wiring, limits, session
        self._cancelled = cancelled
        self._inbox = channel.Inbox(limits.frame_bytes)
        self._unsent = bytearray()
        self._writing = False
        self._gone = False
        self._dry_s = 0.0
        self._next_look = 0.0
        self._selector = selectors.DefaultSelector()
        wiring.channel.setblocking(False)
        self._selector.register(wiring.channel, _READ, self._on_channel)
        self._selector.register(wiring.exited, _READ, self._on_exit)
        for stream in wiring.streams:
            self._selector.register(stream, _READ, self._reader(stream))
        if isinstance(session, Speaking):
            self._selector.register(session.wake, _READ, self._speaker(session))
        self._began, self._judged = time.monotonic(), time.thread_time()
        self._stopwatch = Stopwatch(self._selector, Stalls(wiring.pids, wiring.pressure_s))
        self.elapsed_s = 0.0

    @property
    def own_s(self) -> float:
        """The time in s that counted against the limit."""
        return self._stopwatch.own_s

    def serve(self) -> Ended | None:
        """Returns why the run was stopped, or None when the program went by itself."""
        try:
            while not self._finished():
                self._check_clocks()
                self._attend()
        except Ended as ended:
            return ended
        except channel.ProtocolError as error:
            return Ended("protocol_error", f"Your program sent {error}.")
        finally:
            self.elapsed_s = time.monotonic() - self._began
            self._stopwatch.close()
            self._selector.close()
        return None

    def _attend(self) -> None:
        """Wait for what comes next and see to it."""
        ready = self._stopwatch.wait(_TICK)
        for key, mask in ready:
            key.data(mask)
        # Waits, and not the clock: we may be late ourselves to read what the program left behind.
        if self._gone and not ready:
            self._dry_s += _TICK

    def _finished(self) -> bool:
        return self._gone and (not self._selector.get_map() or self._dry_s > self._wiring.drain_s)

    def _check_clocks(self) -> None:
        if self._cancelled():
            raise Ended("cancelled", "The run was cancelled.")
        now = time.monotonic()
        if now < self._next_look:
            return
        self._next_look = now + _LOOK_EVERY
        if now - self._began > _TOO_BUSY * self._limits.wall_s + _TOO_BUSY_S:
            raise Ended("sandbox_error", self._too_busy(now - self._began))
        if not self._gone:
            self._stopwatch.look()
            self._check_limits()

    def _check_limits(self) -> None:
        limits = self._limits
        if (self._wiring.cpu_s() or 0.0) > limits.cpu_s:
            raise Ended("cpu_limit", cpu_sentence(limits))
        if self.own_s > limits.wall_s:
            raise Ended("timeout", wall_sentence(limits))
        if time.thread_time() - self._judged > _JUDGED * limits.wall_s:
            raise Ended(
                "timeout",
                f"Your program was stopped: it took {_JUDGED * limits.wall_s:g} s of processor time to "
                "answer its calls.",
            )
        if self._wiring.held_mb(limits.memory_mb) > limits.memory_mb:
            raise Ended("oom", memory_sentence(limits))

    def _too_busy(self, took_s: float) -> str:
        return (
            f"The host was too busy: after {took_s:.0f} s your program had had only {self.own_s:.0f} s "
            f"of its {self._limits.wall_s:g} s; not its fault."
        )

    def _reader(self, stream: Stream) -> Callable[[int], None]:
        def on_output(_mask: int) -> None:
            if not stream.read():
                self._selector.unregister(stream)
            if self._wiring.output.total > self._limits.flood_bytes:
                kept = self._limits.flood_bytes >> 10
                raise Ended("output_limit", f"Your program printed more than {kept} KiB.")

        return on_output

    def _speaker(self, session: Speaking) -> Callable[[int], None]:
        def on_wake(_mask: int) -> None:
            self._unsent += b"".join(channel.answer(0, value) for value in session.spoken())
            self._check_read()
            self._send()

        return on_wake

    def _on_exit(self, _mask: int) -> None:
        self._selector.unregister(self._wiring.exited)
        if isinstance(self._session, Speaking):
            self._selector.unregister(self._session.wake)
        self._gone = True
        self._wiring.on_exit()

    def _on_channel(self, mask: int) -> None:
        if mask & _READ and not self._receive():
            self._selector.unregister(self._wiring.channel)
            return
        self._send()

    def _receive(self) -> bool:
        """Take and answer what is there. False once the program's end is closed."""
        try:
            data = self._wiring.channel.recv(_CHUNK)
        except BlockingIOError:
            return True
        except OSError:
            return False
        self._inbox.feed(data)
        while (body := self._inbox.take()) is not None:
            self._answer(channel.decode(body, self._limits))
        return bool(data)

    def _answer(self, call: channel.Call) -> None:
        self.calls += 1
        if self.calls > self._limits.calls:
            raise channel.ProtocolError(f"more than {self._limits.calls} calls")
        self._check_read()
        try:
            reply = channel.answer(call.id, self._session.call(call.method, call.params))
        except CallRefused as error:
            reply = channel.refusal(call.id, error.code, error.message)
        except Exception:
            log.exception("the session failed to answer %r", call.method)
            raise Ended(
                "sandbox_error", "The simulated cluster failed while it answered; not your fault."
            ) from None
        self._unsent += reply

    def _check_read(self) -> None:
        if len(self._unsent) > self._limits.unread_bytes:
            raise channel.ProtocolError(
                f"calls without reading the answers, of which {self._limits.unread_kb} KiB wait"
            )

    def _send(self) -> None:
        if self._unsent:
            try:
                sent = self._wiring.channel.send(self._unsent)
            except BlockingIOError:
                sent = 0
            except OSError:
                sent = len(self._unsent)
            del self._unsent[:sent]
        if self._writing != bool(self._unsent):
            self._writing = not self._writing
            events = _READ | _WRITE if self._writing else _READ
            self._selector.modify(self._wiring.channel, events, self._on_channel)
