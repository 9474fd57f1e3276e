"""Read from something that may be silent for long, and still do something else meanwhile."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from queue import Empty, Full, Queue
from threading import Event, Thread
from typing import TypeVar

T = TypeVar("T")
HELD = 64
"""Most that is read ahead of whoever takes it."""


def ticking(source: Iterator[T], every_s: float) -> Generator[T | None, None, None]:
    """What `source` gives, and None where nothing came for `every_s`; raises what it raises.

    It is read in a thread. Closing waits until that has ended, which it does at what comes next: no thread is
    left that nobody counts.
    """
    waiting: Queue[tuple[str, T | None, BaseException | None]] = Queue(HELD)
    closed = Event()

    def put(kind: str, value: T | None = None, error: BaseException | None = None) -> bool:
        while not closed.is_set():
            try:
                waiting.put((kind, value, error), timeout=1)
            except Full:
                continue
            return True
        return False

    def read() -> None:
        try:
            for value in source:
                if not put("value", value):
                    return
        except BaseException as error:
            put("error", error=error)
        else:
            put("end")
        finally:
            close = getattr(source, "close", None)
            if close:
                close()

    reader = Thread(target=read, name="assistant-reader", daemon=True)
    reader.start()
    try:
        while True:
            try:
                kind, value, error = waiting.get(timeout=every_s)
            except Empty:
                yield None
                continue
            if error is not None:
                raise error
            if kind == "end":
                return
            yield value
    finally:
        closed.set()
        reader.join()
