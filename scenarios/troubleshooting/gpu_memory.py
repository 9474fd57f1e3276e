"""Of GPUs of the kinds that plants have: their memory's clock, and how much of it is taken."""

from __future__ import annotations

from functools import cache

from scenarios.troubleshooting.plant import Plant

MEMORY_MHZ = {"A100": 1593, "H100": 2619, "H200": 3201, "B200": 3996}
RESERVED_MIB = {"A100": 694, "H100": 551, "H200": 700, "B200": 1053}
"""What the driver keeps of a GPU's memory (H200: seen in captures; the others assumed alike)."""
TRAINING_MEMORY = 0.905
"""Part of the memory that the training fills when nothing is recomputed."""


def model(plant: Plant) -> str:
    """The short name of the GPU: H100 of `NVIDIA H100 80GB HBM3`."""
    return _model(plant.gpu_product)


@cache
def _model(product: str) -> str:
    return next(name for name in MEMORY_MHZ if name in product)
