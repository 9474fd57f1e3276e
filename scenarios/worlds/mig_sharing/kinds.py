"""Kinds of MIG instance whatever the card: sizes, names on a model, and where a set of them stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from scenarios.simulator.mig import A100_80, H100, H200, Model, Profile

COMPUTE = (1, 1, 2, 3, 4, 7)
WIDTH = (1, 2, 2, 4, 4, 8)
"""Compute and memory slices of the kinds: 1g, 1g with twice the memory, 2g, 3g, 4g, 7g."""
WHOLE = "gpu"
"""What a bill calls a card that is not partitioned."""
SLICES = 7

B200 = Model(
    "B200-180GB",
    8,
    7,
    (
        Profile("1g.23gb", 19, 1, (0, 1, 2, 3, 4, 5, 6), 1, 7),
        Profile("1g.45gb", 15, 1, (0, 2, 4, 6), 2, 4),
        Profile("2g.45gb", 14, 2, (0, 2, 4), 2, 3),
        Profile("3g.90gb", 9, 3, (0, 4), 4, 2),
        Profile("4g.90gb", 5, 4, (0,), 4, 1),
        Profile("7g.180gb", 0, 7, (0,), 8, 1),
    ),
)
MODELS: Mapping[str, Model] = {"A100": A100_80, "H100": H100, "H200": H200, "B200": B200}
"""By the GPU's name in a company's profile."""

Placement = tuple[int, int]
"""(first memory slice, kind)."""


@dataclass(frozen=True)
class Card:
    """One GPU model's profiles: `names` by kind, and `legal` sets of kinds with their places."""

    model: Model
    names: tuple[str, ...]
    legal: Mapping[tuple[int, ...], tuple[Placement, ...]]

    def kind(self, name: str) -> int:
        """The kind of that name; KeyError if the model has none."""
        if name not in self.names:
            raise KeyError(name)
        return self.names.index(name)

    def places(self, kinds: Sequence[int]) -> tuple[Placement, ...] | None:
        """Where the instances stand, by first slice; None where they cannot stand together."""
        return self.legal.get(tuple(sorted(kinds)))

    def number(self, kind: int) -> int:
        """The profile's number, as nvidia-smi prints it."""
        return self.model.by_name[self.names[kind]].number


@cache
def card(gpu: str) -> Card:
    """The profiles of a GPU by its name in a company's profile."""
    model = MODELS[gpu]
    usable = [profile for profile in model.profiles if not profile.media]
    names = tuple(
        next(p.name for p in usable if (p.compute, p.width) == size)
        for size in zip(COMPUTE, WIDTH, strict=True)
    )
    legal: dict[tuple[int, ...], tuple[Placement, ...]] = {}
    for layout in sorted(sorted(found) for found in model.layouts()):
        places = tuple(sorted((start, names.index(name)) for name, start in layout))
        legal.setdefault(tuple(sorted(kind for _, kind in places)), places)
    return Card(model, names, legal)


def fits(kind: int, wanted: int) -> bool:
    """Whether a replica that asks for `wanted` runs on an instance of `kind`."""
    return COMPUTE[kind] >= COMPUTE[wanted] and WIDTH[kind] >= WIDTH[wanted]
