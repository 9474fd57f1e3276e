"""Read from something that may be silent for long, and still do something else meanwhile."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from queue import Empty, Full, Queue
from threading import Event, Thread
from typing import Generic, TypeVar

T = TypeVar("T")
HELD = 64
"""Most that is read ahead of whoever takes it."""


def ticking(source: Iterator[T], every_s: float) -> Generator[T | None, None, None]:
    """What `source` gives, and None where nothing came for `every_s`; raises what it raises.

    It is read in a thread. Closing waits until that has ended, which it does at what comes next: no thread is
    left that nobody counts.
    """
    reader = _Reader(source)
    reader.start()
    try:
        while True:
            try:
                kind, value, error = reader.waiting.get(timeout=every_s)
            except Empty:
                yield None
                continue
            if error is not None:
                raise error
            if kind == "end":
                return
            yield value
    finally:
        reader.closed.set()
        reader.join()


class _Reader(Thread, Generic[T]):
    """Reads the source to its end, or until `closed`."""

    def __init__(self, source: Iterator[T]) -> None:
        super().__init__(name="assistant-reader", daemon=True)
        self.source = source
        self.waiting: Queue[tuple[str, T | None, BaseException | None]] = Queue(HELD)
        self.closed = Event()

    def run(self) -> None:
        try:
            for value in self.source:
                if not self._put("value", value):
                    return
        except BaseException as error:
            self._put("error", error=error)
        else:
            self._put("end")
        finally:
            close = getattr(self.source, "close", None)
            if close:
                close()

    def _put(self, kind: str, value: T | None = None, error: BaseException | None = None) -> bool:
        while not self.closed.is_set():
            try:
                self.waiting.put((kind, value, error), timeout=1)
            except Full:
                continue
            return True
        return False
