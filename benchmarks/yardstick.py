"""How fast this machine is just now: what a bare loop takes, to be kept beside seconds that depend on it.

A virtual machine of the same name runs at half its speed where its host has other guests; figures in
seconds can be compared only where the loop took as long.
"""

from __future__ import annotations

import time

ROUNDS = 10_000_000


def loop_s() -> float:
    """Processor time of ten million additions, in seconds, best of three: 0.4 on a quiet core of 2.1 GHz."""
    return round(min(_once() for _ in range(3)), 2)


def _once() -> float:
    began, total = time.process_time(), 0
    for number in range(ROUNDS):
        total += number
    return time.process_time() - began
