"""How much work a GPU does beside another: figures of the domain handbook 2.1."""

from __future__ import annotations

import math

from scenarios.scaling.content import content


def speed(gpu: str, beside: str) -> float:
    """Throughput of a GPU, where that of `beside` is 1: the geometric mean of arithmetic and bandwidth.

    Work is bound by one or the other in parts that nobody states, so neither counts for more. "none" is 0.
    """
    known = content("speeds")
    if gpu not in known or beside not in known:
        return 0.0 if gpu == "none" else 1.0
    ours, theirs = known[gpu], known[beside]
    return round(math.sqrt(ours[0] / theirs[0] * ours[1] / theirs[1]), 3)
