"""What is raised where no program can be run."""

from __future__ import annotations


class SandboxUnavailable(Exception):
    """The chosen backend cannot run here; one sentence that names the missing layer.

    `layer` is that layer's name alone, empty where something else is in the way.
    """

    def __init__(self, sentence: str, layer: str = "") -> None:
        super().__init__(sentence)
        self.layer = layer
