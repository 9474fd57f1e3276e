"""Kinds of week: which troubles come, how often, and how badly the readings suffer."""

from __future__ import annotations

from dataclasses import dataclass

_KINDS = (
    "crashed_job", "idle_process", "slow_input", "zombie_process", "crashed_job", "idle_process",
    "hung_collective", "over_request",
)  # fmt: skip
_HEALTHY = (
    "train", "train", "mixed", "train", "bursty", "train", "notebook", "train", "mixed", "prep",
    "train", "nightly",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Family:
    """`every`: healthy jobs between two that go wrong in one queue (up to two more by chance).

    `losses` of a GPU in one span on a server of four (more with the square root of the fleet),
    `gaps` and `freezes` of a server's exporter a day, `storms` that crash half of all running
    jobs, `near`: loads close to the threshold, `late`: maintenance that overruns. `api` scales
    the rate of failed calls.
    """

    name: str
    kinds: tuple[str, ...] = _KINDS
    healthy: tuple[str, ...] = _HEALTHY
    every: int = 3
    losses: float = 1.2
    gaps: float = 0.35
    freezes: float = 0.12
    storms: int = 0
    near: bool = False
    late: bool = False
    api: float = 1.0


FAMILIES = {
    family.name: family
    for family in (
        Family("steady"),
        Family("burst", storms=2, every=4),
        Family(
            "diurnal",
            kinds=("idle_process", "crashed_job", "idle_process", "slow_input", *_KINDS[3:]),
            healthy=("nightly", "train", "notebook", "train", "mixed", "bursty", "train", "notebook"),
        ),
        Family("failure-heavy", losses=2.6, gaps=0.9, freezes=0.35, api=2.5),
        Family("adversarial", near=True, late=True, gaps=0.7, freezes=0.3, api=1.5,
               healthy=("bursty", "train", "prep", "nightly", "train", "mixed", "train", "notebook")),
    )
}  # fmt: skip
