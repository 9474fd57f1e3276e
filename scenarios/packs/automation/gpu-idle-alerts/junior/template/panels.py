"""The dashboard: which panels there are, with which unit and threshold."""

from __future__ import annotations

from headnode_sdk import Gpu, Panel


def panels_for(gpus: list[Gpu]) -> list[Panel]:
    """Panels of every GPU. As it stands there is one for each; the API reference asks for three."""
    return [Panel(f"{gpu.name} memory", gpu.name, "memory", "MiB", gpu.memory) for gpu in gpus]
