"""Name each step while it runs, and say how long it took: nobody watches a start that says nothing."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol


class Writer(Protocol):
    def write(self, text: str, /) -> object: ...
    def flush(self) -> object: ...


@dataclass
class Said:
    """`result`: what the step came to, in a few words; empty says nothing."""

    result: str = ""


@contextmanager
def step(name: str, to: Writer) -> Iterator[Said]:
    """Write the name before and the seconds after; one that fails ends its line and raises on."""
    began, said = time.monotonic(), Said()
    _write(to, f"  {name} …")
    try:
        yield said
    except BaseException:
        _write(to, " failed\n")
        raise
    result = f" {said.result}," if said.result else ""
    _write(to, f"{result} {time.monotonic() - began:.1f} s\n")


def _write(to: Writer, text: str) -> None:
    """Django's own streams end lines by themselves, and are asked not to."""
    stream = getattr(to, "_out", to)
    stream.write(text)
    stream.flush()
