"""How much work a GPU does beside another: figures of the domain handbook 2.1."""

from __future__ import annotations

import math

_FIGURES = {
    "T4": (65, 0.32),
    "L4": (121, 0.30),
    "A10G": (125, 0.60),
    "L40S": (362, 0.86),
    "V100": (125, 0.90),
    "A100": (312, 2.0),
    "H100": (989, 3.35),
    "H200": (989, 4.8),
    "B200": (2250, 8.0),
    "B300": (2400, 8.0),
    "GB200": (2500, 8.0),
}
"""Model -> TFLOP/s in bf16 (fp16 where there is none), memory bandwidth in TB/s. L4, A10G, V100 and B300:
their vendor's sheets, from memory."""


def speed(gpu: str, beside: str) -> float:
    """Throughput of a GPU, where that of `beside` is 1: the geometric mean of arithmetic and bandwidth.

    Work is bound by one or the other in parts that nobody states, so neither counts for more. "none" is 0.
    """
    if gpu not in _FIGURES or beside not in _FIGURES:
        return 0.0 if gpu == "none" else 1.0
    ours, theirs = _FIGURES[gpu], _FIGURES[beside]
    return round(math.sqrt(ours[0] / theirs[0] * ours[1] / theirs[1]), 3)
