"""Says, inside a report, which of its figures were read off a clock and how far they may move."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

SPEED_UP = 0.35
"""How far the speed-up over the shipped program may differ when the same answer is graded again, as a
share of it. Both programs are measured in the same grading on the same machine, so that its speed
cancels. See docs/gpu.md for the spread that was measured."""
SCORE = 0.2
"""How far a score, 0 to 1, may differ."""
MEASURED = (
    "seconds",
    "value",
    "naive",
    "reference",
    "score",
    "explanation",
    "detail",
    "worst_step_off",
    "worst_prediction_off",
    "replay",
)
"""Keys under which everything depends on the clock or on the order of a card's sums."""


def tolerance(measures: Sequence[str]) -> dict[str, Any]:
    """The evidence row that `reproduce` reads: what it compares within bounds in place of exactly."""
    return {
        "kind": "clock",
        "name": "How this is compared when it is graded again",
        "detail": (
            "Times are measured and differ by nature. Graded again, the same answer must match or"
            f" not match on the same trainings; its speed-up may differ by {SPEED_UP:.0%} and a"
            f" score by {SCORE}."
        ),
        "measures": list(measures),
        "keys": list(MEASURED),
        "speed_up": SPEED_UP,
        "scores": SCORE,
    }
