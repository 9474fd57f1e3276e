"""The variants that tests draw: the same at every run, others with another HEADNODE_TEST_SEED.

What is drawn at random would make a test fail for one variant in ten, and never again when it is looked at.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable

from assessments.prepared.drawing import SEED_BITS

DRAWS = "assessments.prepared.drawing.draw_seed"
VARIABLE = "HEADNODE_TEST_SEED"


def seed(name: str, number: int) -> int:
    """The seed of the draw of this number in what the name stands for, such as a test."""
    return random.Random(f"{os.environ.get(VARIABLE, '0')}:{name}:{number}").getrandbits(SEED_BITS)


def draws(name: str) -> Callable[[], int]:
    """What stands for `draw_seed`: one seed after another."""
    drawn = 0

    def draw() -> int:
        nonlocal drawn
        drawn += 1
        return seed(name, drawn)

    return draw
