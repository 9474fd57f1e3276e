"""Keeps a day of samples for each GPU. Knows no API: it can be tried with made-up samples."""

from __future__ import annotations

from collections import defaultdict

from headnode_sdk import Gpu, Sample, Window

DAY = 24 * 3600
IDLE_BELOW = 10.0
"""Percent, mean over 24 hours: the rule of the house."""


class Readings:
    """Samples by GPU, oldest first."""

    def __init__(self) -> None:
        self.samples: dict[str, list[Sample]] = defaultdict(list)

    def add(self, samples: list[Sample], now: int) -> None:
        """Take in one scrape and forget what is older than a day.

        Hints: an exporter that hangs repeats itself; after a restart a GPU may come twice.
        `sample.at` is the exporter's own time.
        """
        for sample in samples:
            self.samples[sample.gpu].append(sample)

    def mean_utilisation(self, gpu: str, since: int) -> float | None:
        """Mean of the samples after `since` in percent; None if they say too little.

        Hint: decide how many of the 144 samples of a day you want to see.
        """
        return None


def is_judged(gpu: Gpu, windows: list[Window], now: int) -> bool:
    """Whether the rule `idle` applies to the GPU now.

    Hints: 24 hours with its present job; not while a window covers it; not before your program
    has watched for 24 hours.
    """
    return False
