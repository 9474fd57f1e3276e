"""Readings of a day by GPU, and the rules of the house. Knows no API: can be tried with made-up samples."""

from __future__ import annotations

from collections import defaultdict

from headnode_sdk import Gpu, Sample

DAY = 24 * 3600


class Readings:
    """Samples by GPU, oldest first."""

    def __init__(self) -> None:
        self.samples: dict[str, list[Sample]] = defaultdict(list)

    def add(self, samples: list[Sample], now: int) -> None:
        """Take in one scrape. What if a sample is old, comes twice, or does not come?"""
        for sample in samples:
            self.samples[sample.gpu].append(sample)


def under_a_rule(gpu: Gpu, readings: Readings, now: int) -> str:
    """The rule that the GPU is under, or "". As it stands there is none."""
    return ""
