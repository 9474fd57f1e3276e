"""Keeps a bounded part of what a program prints, as text that is safe to show."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_TAIL = 4096
# C0 and C1 controls but tab and newline, and the marks that reorder text on a screen.
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def visible(data: bytes) -> str:
    """Decode as UTF-8 with every undecodable byte and control character written out."""
    text = data.decode("utf-8", "backslashreplace").replace("\r\n", "\n")
    return _UNSEEN.sub(lambda found: _written_out(found.group()), text)


def _written_out(char: str) -> str:
    return f"\\x{ord(char):02x}" if ord(char) < 256 else f"\\u{ord(char):04x}"


@dataclass
class Capture:
    """The first part of a stream and its last few KiB; the middle is counted and dropped."""

    keep: int
    total: int = 0
    _head: bytearray = field(default_factory=bytearray)
    _tail: bytearray = field(default_factory=bytearray)

    def feed(self, data: bytes) -> None:
        self.total += len(data)
        room = self._head_size - len(self._head)
        self._head += data[:room]
        if len(data) > room:
            self._tail += data[max(0, room) :]
            del self._tail[: -self._tail_size]

    @property
    def _tail_size(self) -> int:
        return min(_TAIL, self.keep // 2)

    @property
    def _head_size(self) -> int:
        return self.keep - self._tail_size

    @property
    def truncated(self) -> bool:
        return self.total > self.keep

    def text(self) -> str:
        if not self.truncated:
            return visible(bytes(self._head + self._tail))
        dropped = self.total - len(self._head) - len(self._tail)
        gap = f"\n[{dropped} bytes are not shown]\n"
        return visible(bytes(self._head)) + gap + visible(bytes(self._tail))


class Output:
    """Both streams of a run under one budget; errors keep a quarter, which no flood can take."""

    def __init__(self, keep: int) -> None:
        self.out, self.err = Capture(0), Capture(0)
        self.keep(keep)

    def keep(self, size: int) -> None:
        """Set how many bytes to keep; what comes later counts, so before anything has come."""
        self.err.keep = size // 4
        self.out.keep = size - size // 4

    @property
    def total(self) -> int:
        return self.out.total + self.err.total
