"""The slow training run: one drawn truth from which every artefact of the exercise follows."""

from __future__ import annotations
