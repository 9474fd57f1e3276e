"""A Headnode exercise's public workloads on your own machine: played to a program or to a test."""

from __future__ import annotations

from .cluster import LocalCluster
from .kit import Kit, KitError, PublicWorkload, find_kit
from .play import Result, play

__version__ = "1.0.0"

__all__ = [
    "Kit",
    "KitError",
    "LocalCluster",
    "PublicWorkload",
    "Result",
    "find_kit",
    "play",
]
