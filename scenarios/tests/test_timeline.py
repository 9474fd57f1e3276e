"""What a timeline keeps, and what it says about what it could not keep."""

from __future__ import annotations

from scenarios.worlds.contract import Series
from scenarios.worlds.timeline import MOST_BARS, MOST_MARKS, Timeline

QUEUE = [Series("queue", "Jobs waiting", "jobs", "queue")]


def test_a_replay_within_the_caps_says_nothing_of_them() -> None:
    kept = Timeline(["queue"])
    kept.sample(0, [3])
    kept.mark(1000, "fault", "a call timed out")
    kept.begin("od-1", 7, 2000, "job 7", "high")
    replay = kept.replay(QUEUE, 5000)
    assert "cut" not in replay
    assert replay["gantt"] == {"rows": ["od-1"], "bars": [[0, 2, 5, "job 7", "high"]]}


def test_what_was_dropped_is_named_by_when_it_began() -> None:
    kept = Timeline(["queue"])
    for number in range(MOST_BARS + 2):
        kept.begin("od-1", number, number * 1000, f"job {number}", "high")
    for number in range(MOST_MARKS + 2):
        kept.mark(number * 1000, "fault", "a call timed out")
    replay = kept.replay(QUEUE, 10_000_000)
    assert replay["cut"] == {"bars": MOST_BARS, "marks": MOST_MARKS}
    assert len(replay["gantt"]["bars"]) == MOST_BARS
