"""Kinds of MIG instance by number, whatever the card: 1g, 1g with twice the memory, 2g, 3g, 4g, 7g."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from scenarios.simulator.mig import A100_80, B200, H100, H200, Model

CARDS: Mapping[str, Model] = {"A100": A100_80, "H100": H100, "H200": H200, "B200": B200}
"""By the GPU's name in a company's profile."""
COMPUTE = tuple(profile.compute for profile in H100.plain)
WIDTH = tuple(profile.width for profile in H100.plain)
"""Compute and memory slices of the kinds."""
SLICES = H100.compute_slices
WHOLE = "gpu"
"""What a bill calls a card that is not partitioned."""

Placement = tuple[int, int]
"""(first memory slice, kind)."""

_FITS = [[held.holds(asked) for asked in H100.plain] for held in H100.plain]


def fits(kind: int, wanted: int) -> bool:
    """Whether a replica that asks for `wanted` runs on an instance of `kind`."""
    return _FITS[kind][wanted]


def places(card: Model, kinds: Iterable[int]) -> tuple[Placement, ...] | None:
    """Where the instances stand, by first slice; None where they cannot stand together."""
    names = card.names
    found = card.arrangements.get(tuple(sorted(names[kind] for kind in kinds)))
    return None if found is None else tuple((at, names.index(name)) for name, at in found)
