"""Results that one process keeps for the next who asks the same, within a number of bytes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from threading import Lock
from typing import Generic, TypeVar

Result = TypeVar("Result")


@dataclass
class Kept(Generic[Result]):
    """The results that were asked for last; safe to use from several threads. `size` is in bytes."""

    most_bytes: int
    size: Callable[[Result], int]
    _held: OrderedDict[Hashable, Result] = field(default_factory=OrderedDict, repr=False)
    _bytes: int = 0
    _lock: Lock = field(default_factory=Lock, repr=False)

    def get(self, key: Hashable, make: Callable[[], Result]) -> Result:
        """What is kept under a key, made where there is nothing; two may make it at once."""
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
                return self._held[key]
        made = make()
        with self._lock:
            if key not in self._held:
                self._held[key] = made
                self._bytes += self.size(made)
            while self._bytes > self.most_bytes:
                self._bytes -= self.size(self._held.popitem(last=False)[1])
        return made
