from __future__ import annotations

import math
from statistics import median

import pytest

from scenarios.simulator.streams import Stream


def test_stream_of_a_seed_and_cause_is_the_same_everywhere() -> None:
    first = Stream("seed", "cause")
    assert [round(first.unit(), 12) for _ in range(3)] == [
        0.755917007387,
        0.614245573102,
        0.763425838215,
    ]


def test_streams_of_different_causes_share_nothing() -> None:
    one, other = Stream("seed", "a"), Stream("seed", "b")
    assert [one.unit() for _ in range(5)] != [other.unit() for _ in range(5)]


def test_exponential_has_the_mean_it_was_asked_for() -> None:
    stream = Stream("seed", "mean")
    mean = sum(stream.exponential(30.0) for _ in range(20_000)) / 20_000
    assert mean == pytest.approx(30.0, rel=0.03)


def test_lognormal_has_the_median_and_spread_it_was_asked_for() -> None:
    stream = Stream("seed", "shape")
    draws = [stream.lognormal(12.0, 0.8) for _ in range(20_000)]
    assert median(draws) == pytest.approx(12.0, rel=0.03)
    spread = math.sqrt(sum(math.log(d / 12.0) ** 2 for d in draws) / len(draws))
    assert spread == pytest.approx(0.8, rel=0.03)


def test_pick_follows_the_weights() -> None:
    stream = Stream("seed", "pick")
    picks = [stream.pick((("a", 3.0), ("b", 1.0))) for _ in range(20_000)]
    assert picks.count("a") / len(picks) == pytest.approx(0.75, abs=0.02)
