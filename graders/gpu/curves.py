"""Says whether two trainings computed the same, from their losses and their models' answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

STEP_TOLERANCE = 0.008
PROBE_TOLERANCE = 0.0025
"""How far a step's loss (as a share of it) and a prediction (as a share of all predictions' root mean
square) may be off. Measured on the shipped programs, 3 levels and 5 families: the same mathematics in
another order stays below 0.00001 in both; products rounded as TF32 does reach 0.0012 and 0.0009,
bfloat16 0.0066 and 0.0077 (never below 0.0059); the smallest change of the mathematics, one mean in place
of the micro-batches' own, 0.051 and 0.041. Each tolerance is about the geometric mean of what has to
pass and what must not, so float32 and TF32 count as the same computation and half precision does not."""
SMALL_LOSS = 0.1
"""Below this a loss is compared as if it were this large: shares of next to nothing mean nothing."""


@dataclass(frozen=True, slots=True)
class Match:
    """`first_off` is the first step out of tolerance, or None. Both worst values are shares."""

    matches: bool
    first_off: int | None
    worst_step: float
    worst_probe: float
    sentence: str


def compare(
    losses: Sequence[float],
    predictions: Sequence[float],
    wanted_losses: Sequence[float],
    wanted_predictions: Sequence[float],
) -> Match:
    """Compare a finished training with the shipped program's on the same plan."""
    off = [
        abs(one - wanted) / max(abs(wanted), SMALL_LOSS)
        for one, wanted in zip(losses, wanted_losses, strict=True)
    ]
    first = next((n for n, share in enumerate(off) if share > STEP_TOLERANCE), None)
    size = (sum(value * value for value in wanted_predictions) / len(wanted_predictions)) ** 0.5
    probe = max(
        abs(one - wanted) for one, wanted in zip(predictions, wanted_predictions, strict=True)
    ) / max(size, 1e-6)
    matches = first is None and probe <= PROBE_TOLERANCE
    if matches:
        said = "The loss curve and the trained model match the shipped program's."
    elif first is not None:
        said = (
            f"It computes something else: the loss of step {first} is {losses[first]:.4f} where the"
            f" shipped program has {wanted_losses[first]:.4f}, {off[first]:.2%} off"
            f" ({STEP_TOLERANCE:.1%} is allowed)."
        )
    else:
        said = (
            "The losses match, but the trained model answers differently from the shipped program's:"
            f" {probe:.2%} off ({PROBE_TOLERANCE:.2%} is allowed)."
        )
    return Match(matches, first, max(off), probe, said)
