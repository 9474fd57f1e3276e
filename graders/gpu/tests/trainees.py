"""Stands in for a sandbox: plays made-up trainings by the letter, with a clock of its own."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from graders.gpu.plans import Plan
from graders.gpu.session import TrainingSession
from sandbox import CallRefused, Outcome, Report, Session, Spec

Say = Callable[..., Any]
Program = Callable[["Stage", Plan, Say], None]


def right_loss(plan: Plan, step: int) -> float:
    """What the made-up training computes: something that only who knows the plan can know."""
    return 0.2 + 2 * math.exp(-step / 20) + (plan.seed * (step + 7) % 1000) / 5000


def right_answer(plan: Plan, ask: dict[str, Any]) -> list[float]:
    return [
        math.sin(plan.seed % 1000 + ask["seed"] % 1000 + n)
        for n in range(ask["count"] * plan.classes)
    ]


@dataclass
class Stage:
    """The time that passes while a program runs."""

    now: float = 100.0

    def work(self, seconds: float) -> None:
        self.now += seconds


def trainee(seconds: float, off: float = 0.0, probe_off: float = 0.0) -> Program:
    """Trains in `seconds`; every loss and prediction is a share too large."""

    def run(stage: Stage, plan: Plan, say: Say) -> None:
        stage.work(seconds)
        losses = [right_loss(plan, step) * (1 + off) for step in range(plan.steps)]
        for at in range(0, plan.steps, 500):
            say("losses", first=at, values=losses[at : at + 500])
        ask = say("probe")
        say("predictions", values=[v * (1 + probe_off) for v in right_answer(plan, ask)])

    return run


def crasher(stage: Stage, plan: Plan, say: Say) -> None:
    raise ZeroDivisionError


@dataclass
class StageBackend:
    """A backend whose programs are named by the text of their train.py."""

    programs: dict[str, Program]
    status: str = "ok"
    outcome: dict[str, Any] = field(default_factory=dict)
    name: str = "stage"
    seen: list[str] = field(default_factory=list)
    specs: list[Spec] = field(default_factory=list)

    def run(self, spec: Spec, session: Session, cancel: threading.Event | None = None) -> Outcome:
        assert isinstance(session, TrainingSession)
        self.specs.append(spec)
        name = spec.files[spec.entry].decode()
        self.seen.append(name)
        stage = Stage()
        session.clock = lambda: stage.now
        if self.status != "ok":
            return Outcome(self.status, "The engine is away.", self.name, **self.outcome)  # type: ignore[arg-type]
        plan = Plan(**session.call("begin", {}))  # type: ignore[arg-type]
        try:
            self.programs[name](stage, plan, lambda method, **p: session.call(method, p))
        except (ZeroDivisionError, CallRefused) as error:
            return Outcome("candidate_error", f"It stopped: {error!r}.", self.name, 1)
        done = "ok" if session.complete else "incomplete"
        return Outcome(done, "It ended.", self.name, 0, **self.outcome)  # type: ignore[arg-type]

    def probe(self) -> Report:
        return Report(backend=self.name, layers=[])

    def sweep(self) -> list[str]:
        return []

    def close(self) -> None:
        pass
