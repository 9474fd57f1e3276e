"""The judge's end of the channel during a training: gives the plan, reads the clock, believes nothing."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from graders.gpu.plans import Plan
from sandbox import CallRefused

PROBES = 32
"""Images that the trained model has to classify at the end."""
MOST_LOSSES = 500
"""Losses in one call: 500 numbers fit into a frame of 64 KiB."""


@dataclass
class TrainingSession:
    """Answers `begin`, `losses`, `probe` and `predictions`; satisfies `sandbox.Session`.

    The clocks (`clock` in s, monotonic, and the sandbox's meter of processor time) are read when
    the plan is handed out and when the predictions are in: everything that depends on the plan's
    seed lies between the two. The images to predict are named last, when all losses are in, so
    that the model must be there.
    """

    plan: Plan
    probe_seed: int
    clock: Callable[[], float] = time.monotonic
    losses: list[float] = field(default_factory=list)
    predictions: list[float] = field(default_factory=list)
    began: float | None = None
    ended: float | None = None
    cpu_s: Callable[[], float | None] = lambda: None
    _cpu_began: float | None = None
    _cpu_ended: float | None = None
    _probed: bool = False

    @property
    def complete(self) -> bool:
        return self.ended is not None

    @property
    def seconds(self) -> float | None:
        """From the plan to the predictions; None while there is no end."""
        if self.began is None or self.ended is None:
            return None
        return self.ended - self.began

    @property
    def processor_seconds(self) -> float | None:
        """The same in processor time; None where nobody can tell."""
        if self._cpu_began is None or self._cpu_ended is None:
            return None
        return self._cpu_ended - self._cpu_began

    def call(self, method: str, params: dict[str, object]) -> object:
        takes = {"begin": set(), "losses": {"first", "values"}, "probe": set()}
        takes["predictions"] = {"values"}
        wanted = takes.get(method)
        if wanted is None:
            raise CallRefused("invalid", f"There is no call {method[:40]!r}.")
        if params.keys() != wanted:
            words = ", ".join(sorted(wanted)) or "no parameters"
            raise CallRefused("invalid", f"{method} takes {words}.")
        if self.ended is not None:
            raise CallRefused("over", "The training is over: its predictions are in.")
        answer: object = getattr(self, f"_{method}")(**params)
        return answer

    def _begin(self) -> object:
        if self.began is not None:
            raise CallRefused("begun", "The plan was given already; a training begins once.")
        self._cpu_began = self.cpu_s()
        self.began = self.clock()
        return self.plan.to_dict()

    def _losses(self, first: object, values: object) -> object:
        self._must_have_begun()
        numbers = _numbers(values, MOST_LOSSES)
        if type(first) is not int or first != len(self.losses):
            due = len(self.losses)
            raise CallRefused("order", f"The next loss that is due is that of step {due}.")
        if first + len(numbers) > self.plan.steps:
            raise CallRefused("order", f"The plan has {self.plan.steps} steps, from number 0 on.")
        self.losses += numbers
        return None

    def _probe(self) -> object:
        self._must_have_begun()
        if len(self.losses) < self.plan.steps:
            missing = self.plan.steps - len(self.losses)
            raise CallRefused("order", f"The losses of {missing} steps are still missing.")
        self._probed = True
        return {"seed": self.probe_seed, "count": PROBES}

    def _predictions(self, values: object) -> object:
        if not self._probed:
            raise CallRefused("order", "Ask for the probe before you send predictions.")
        wanted = PROBES * self.plan.classes
        numbers = _numbers(values, wanted)
        if len(numbers) != wanted:
            raise CallRefused("invalid", f"Send {wanted} numbers: {self.plan.classes} an image.")
        self.ended = self.clock()
        self._cpu_ended = self.cpu_s()
        self.predictions = numbers
        return None

    def _must_have_begun(self) -> None:
        if self.began is None:
            raise CallRefused("order", "Ask for the plan first: call begin.")


def _numbers(values: object, most: int) -> list[float]:
    if not isinstance(values, list) or not 0 < len(values) <= most:
        raise CallRefused("invalid", f"values is a list of 1 to {most} numbers.")
    for value in values:
        if type(value) not in (int, float) or not math.isfinite(value) or abs(value) > 1e6:
            raise CallRefused("invalid", "values holds something that is no number of that size.")
    return [float(value) for value in values]
