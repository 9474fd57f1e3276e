"""How fast this machine is just now: what a bare loop takes, to be kept beside seconds that depend on it.

A virtual machine of the same name runs at half its speed where its host has other guests; figures in
seconds can be compared only where the loop took as long.
"""

from __future__ import annotations

import time

ROUNDS = 10_000_000


def loop_s() -> float:
    """Seconds of processor time for ten million additions, about a second at 2 to 3 GHz; the best of three."""
    return round(min(_once() for _ in range(3)), 2)


def _once() -> float:
    began, total = time.process_time(), 0
    for number in range(ROUNDS):
        total += number
    return time.process_time() - began
