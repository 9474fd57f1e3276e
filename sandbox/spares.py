"""Keeps sandboxes started ahead, each for one run; knows neither bubblewrap nor Docker."""

from __future__ import annotations

import logging
import select
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Hashable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from sandbox.handover import StartFailed
from sandbox.limits import Limits

log = logging.getLogger(__name__)

_LONGEST_PAUSE_S = 60.0


class Waiting(Protocol):
    """A sandbox that has said hello and holds nothing of a job."""

    @property
    def exited(self) -> int:
        """A pidfd of its main process."""

    def get_ready(self) -> None:
        """Use the time until there is a job."""

    def bound(self, limits: Limits) -> None:
        """Put the job's limits in force. Raises StartFailed or OSError."""

    def let_go(self) -> None:
        """In a child of the process that started it: close the descriptors, touch nothing."""


K = TypeVar("K", bound=Hashable)
W = TypeVar("W", bound=Waiting)


@dataclass(frozen=True)
class _Spare(Generic[K, W]):
    shape: K
    sandbox: W
    made: ExitStack


class Spares(Generic[K, W]):
    """At most `number` at a time, of the shapes that the last `number` runs had.

    A shape is everything about a sandbox that cannot be changed once it stands. `begin` starts one
    and puts into the stack what gives it back; it is called on whatever thread calls `tend`.
    """

    def __init__(self, number: int, begin: Callable[[K, ExitStack], W]) -> None:
        self._begin = begin
        self._turn = threading.Lock()
        self._idle: list[_Spare[K, W]] = []
        self._asked: deque[K] = deque(maxlen=number)
        self._pause_s = 0.0
        self._not_before = 0.0

    def take(self, shape: K, limits: Limits, stack: ExitStack) -> W | None:
        """A spare of this shape with these limits in force, which `stack` gives back; None when
        there is none that lives. It will never be lent again."""
        self.ask(shape)
        while (spare := self._pop(shape)) is not None:
            try:
                spare.sandbox.bound(limits)
            except (StartFailed, OSError) as error:
                log.warning("a spare sandbox was of no use: %s", error)
                _give_back(spare.made)
                continue
            stack.callback(spare.made.close)
            self._pause_s = 0.0
            return spare.sandbox
        return None

    def ask(self, shape: K) -> None:
        """Count a run of this shape, past or expected."""
        with self._turn:
            self._asked.append(shape)

    def standing(self, shape: K) -> int:
        """How many of this shape are ready."""
        with self._turn:
            return sum(spare.shape == shape and not _gone(spare) for spare in self._idle)

    def _pop(self, shape: K) -> _Spare[K, W] | None:
        with self._turn:
            for at, spare in enumerate(self._idle):
                if spare.shape == shape and not _gone(spare):
                    return self._idle.pop(at)
        return None

    def watched(self) -> list[int]:
        """Descriptors that become readable when a spare dies."""
        with self._turn:
            return [spare.sandbox.exited for spare in self._idle]

    def tend(self, going_on: Callable[[], bool] = lambda: True) -> float | None:
        """Clear the dead and the unwanted away and start what is missing, while `going_on`.

        Returns in how many seconds to come back, or None when all is there.
        """
        self._clear_away()
        while going_on() and (shape := self._missing()) is not None:
            wait_s = self._not_before - time.monotonic()
            if wait_s > 0:
                return wait_s
            self._add(shape)
        return None

    def _clear_away(self) -> None:
        with self._turn:
            dead = [spare for spare in self._idle if _gone(spare)]
            wanted, kept = Counter(self._asked), []
            for spare in reversed(self._idle):
                if spare not in dead and wanted[spare.shape] > 0:
                    wanted[spare.shape] -= 1
                    kept.append(spare)
            leaving = [spare for spare in self._idle if spare not in kept]
            self._idle = kept[::-1]
        if dead:
            log.warning("%d spare sandboxes died and are replaced", len(dead))
            self._wait_longer()
        for spare in leaving:
            _give_back(spare.made)

    def _missing(self) -> K | None:
        with self._turn:
            have = Counter(spare.shape for spare in self._idle)
            lacking = Counter(self._asked) - have
            return next(iter(lacking), None)

    def _add(self, shape: K) -> None:
        made = ExitStack()
        try:
            sandbox = self._begin(shape, made)
            sandbox.get_ready()
        except Exception as error:
            log.warning("a spare sandbox did not come up: %s", error)
            self._wait_longer()
            _give_back(made)
            return
        with self._turn:
            self._idle.append(_Spare(shape, sandbox, made))

    def _wait_longer(self) -> None:
        """What dies at once, or never comes up, must not keep a processor busy."""
        self._pause_s = min(max(1.0, 2 * self._pause_s), _LONGEST_PAUSE_S)
        self._not_before = time.monotonic() + self._pause_s

    def close(self) -> None:
        with self._turn:
            idle, self._idle = self._idle, []
            self._asked = deque(maxlen=0)
        for spare in idle:
            _give_back(spare.made)

    def forget(self) -> None:
        """In a child process: they are the parent's."""
        for spare in self._idle:
            spare.sandbox.let_go()
        self._idle.clear()


def _give_back(made: ExitStack) -> None:
    try:
        made.close()
    except Exception:
        log.exception("a spare sandbox could not be given back")


def _gone(spare: _Spare[K, W]) -> bool:
    poll = select.poll()
    poll.register(spare.sandbox.exited, select.POLLIN)
    return bool(poll.poll(0))
