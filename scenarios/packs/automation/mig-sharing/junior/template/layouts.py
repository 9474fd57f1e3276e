"""The three layouts that mig-manager knows on these nodes, learnt from what the GPUs carry at midnight."""

from __future__ import annotations

from headnode_sdk import MigGpu

LAYOUTS: dict[str, list[str]] = {"whole": []}


def learn(gpus: list[MigGpu]) -> None:
    """Note the small layout (seven instances) and the balanced one (four) when they are seen."""
    for gpu in gpus:
        name = {7: "small", 4: "balanced"}.get(len(gpu.instances))
        if name:
            LAYOUTS.setdefault(name, [one.profile for one in gpu.instances])
