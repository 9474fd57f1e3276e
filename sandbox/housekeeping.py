"""One thread a runner that keeps spares up and, every minute, removes what dead runners left."""

from __future__ import annotations

import logging
import os
import select
import threading
import time
from collections.abc import Callable
from typing import Generic

from sandbox.spares import K, Spares, W

log = logging.getLogger(__name__)

SWEEP_EVERY_S = 60.0


class Housekeeper(Generic[K, W]):
    """Sleeps until woken, until a spare ends, or until it is time to sweep."""

    def __init__(
        self, spares: Spares[K, W], sweep: Callable[[], object], every_s: float = SWEEP_EVERY_S
    ) -> None:
        self.spares = spares
        self._sweep, self._every_s = sweep, every_s
        self._bell = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._loop, name="sandbox-house", daemon=True)
        self._thread.start()

    def expect(self, shape: K) -> None:
        """Keep a spare of this shape ready."""
        self.spares.ask(shape)
        self.wake()

    def wake(self) -> None:
        """Look after the spares now."""
        if not self._closing.is_set():
            os.eventfd_write(self._bell, 1)

    def close(self) -> None:
        """End the thread, waiting for what it is about, and then the spares."""
        self._closing.set()
        os.eventfd_write(self._bell, 1)
        self._thread.join()
        os.close(self._bell)
        self.spares.close()

    def forget(self) -> None:
        """In a child process, where the thread is not and the spares are the parent's."""
        os.close(self._bell)
        self.spares.forget()

    def _going_on(self) -> bool:
        return not self._closing.is_set()

    def _loop(self) -> None:
        sweep_at = time.monotonic() + self._every_s
        while self._going_on():
            again_s = self._attempt(lambda: self.spares.tend(self._going_on))
            left_s = max(0.0, sweep_at - time.monotonic())
            self._sleep(left_s if again_s is None else min(left_s, again_s))
            if time.monotonic() >= sweep_at and self._going_on():
                self._attempt(self._sweep)
                sweep_at = time.monotonic() + self._every_s

    def _attempt(self, duty: Callable[[], float | object | None]) -> float | None:
        """Whatever goes wrong now may go well the next time; the thread has to live."""
        try:
            result = duty()
        except Exception:
            log.exception("the sandbox's housekeeping failed")
            return self._every_s
        return result if isinstance(result, float) else None

    def _sleep(self, seconds: float) -> None:
        poll = select.poll()
        for fd in (self._bell, *self.spares.watched()):
            poll.register(fd, select.POLLIN)
        if any(fd == self._bell for fd, _event in poll.poll(seconds * 1000 + 1)):
            os.eventfd_read(self._bell)
