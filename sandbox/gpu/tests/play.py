"""The host's end for the program on_card.py: gives it its order, and plays the card's memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sandbox import Backend, Limits, Outcome, Spec
from sandbox.__main__ import read_sdk
from sandbox.gpu.tests.cards import REPO, RealCards, StubCards

SDK = read_sdk(REPO / "graders" / "sdk" / "headnode_sdk")
PROGRAM = (Path(__file__).parent / "on_card.py").read_bytes()


class Order:
    """Tells the program how much to take (MiB) and how long to hold it (s).

    On the stand-in, what the program says it took shows on the card.
    """

    def __init__(
        self, cards: StubCards | RealCards, memory_mb: int = 0, hold_s: float = 0.1
    ) -> None:
        self.complete = False
        self._cards, self._order = cards, {"memory_mb": memory_mb, "hold_s": hold_s}

    def call(self, method: str, params: dict[str, object]) -> object:
        if method == "order":
            return self._order
        if method == "taken" and isinstance(self._cards, StubCards):
            self._cards.change(used=520 + self._order["memory_mb"])
        self.complete = method == "end"
        return None


def play(
    backend: Backend,
    cards: StubCards | RealCards,
    *,
    memory_mb: int = 0,
    hold_s: float = 0.1,
    **spec: Any,
) -> Outcome:
    limits = Limits(wall_s=30, cpu_s=20, memory_mb=2048)
    wanted = Spec({"p.py": PROGRAM}, "p.py", SDK, limits, **({"gpus": 1} | spec))
    return backend.run(wanted, Order(cards, memory_mb, hold_s))
