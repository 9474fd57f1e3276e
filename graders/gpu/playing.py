"""Runs one training program on one plan in a sandbox, on a card where there is one."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from graders.gpu.plans import Device, Training
from graders.gpu.session import TrainingSession
from graders.playing import OURS, WENT_BY_ITSELF, BadAnswer, sdk_files
from sandbox import Backend, Limits, Outcome, SandboxUnavailable, Spec
from sandbox.gpu.lending import Lender
from sandbox.gpu.telemetry import between
from scenarios.packs import Pack

ROOT = "torch"
PRACTICE = "CPU practice: utilisation and energy not measured on a card"
"""The mark of everything that was measured without a card."""
LIMITS: Mapping[Device, Limits] = {
    "cpu": Limits(wall_s=120, cpu_s=60, memory_mb=1536, work_mb=128, calls=20_000),
    "cuda": Limits(
        wall_s=300,
        cpu_s=1200,
        memory_mb=32_768,
        pids=512,
        cpus=8,
        work_mb=1024,
        inodes=16_384,
        file_mb=512,
        open_files=1024,
        calls=20_000,
    ),
}
"""The practice has one processor, so that no thread of the host can stand in for the card."""


RUNS, PUBLIC_RUNS = 5, 2
QUICK_S = 1.0
"""A training that takes less is run again, RUNS times in all for a grade, and the fastest counts."""


class NoCardNow(SandboxUnavailable):
    """Every card is lent out at the moment: nothing was tried, and waiting will help."""


@dataclass(frozen=True, slots=True)
class Trained:
    """What one program did with one plan. `device` is the card's name, or "" for the practice.

    `seconds` is from the plan to the predictions: wall time on a card, where the host waits for
    it, and processor time in the practice, where a busy host would otherwise decide. None, as all
    other figures, when there was no end. Utilisation in per cent, energy in mJ for a sample.
    """

    outcome: Outcome
    losses: tuple[float, ...]
    predictions: tuple[float, ...]
    samples: int
    seconds: float | None
    wall_seconds: float | None
    device: str
    utilisation: float | None
    millijoule_per_sample: float | None

    @property
    def finished(self) -> bool:
        return self.seconds is not None and self.outcome.status in WENT_BY_ITSELF

    @property
    def samples_per_s(self) -> float:
        return 0.0 if self.seconds is None else self.samples / max(self.seconds, 1e-3)


def device_for(backend: Backend) -> Device:
    """A card where the backend can lend one and programs find a PyTorch for it, else the practice."""
    if not isinstance(backend, Lender) or not backend.cards.has_packages:
        return "cpu"
    return "cpu" if backend.cards.obstacle() else "cuda"


@contextmanager
def reserved(backend: Backend, device: Device) -> Iterator[None]:
    """One card for all that is measured together; nothing for the practice. Raises NoCardNow where
    every card is lent out, SandboxUnavailable where none can be had."""
    if device == "cpu" or not isinstance(backend, Lender):
        yield
        return
    with backend.cards.held(purpose="a training") as refused:
        if refused is not None:
            raise (NoCardNow if refused.hopeful else SandboxUnavailable)(refused.reason)
        yield


def program(pack: Pack, level: str, files: Mapping[str, str]) -> dict[str, bytes]:
    """The answer's files under the pack's own read-only ones. Raises BadAnswer."""
    template = pack.template(level)
    fixed = {path: template[path] for path in pack.read_only(level)}
    shipped = {path: text for path, text in template.items() if path.endswith(".py")}
    # An answer of one file leaves the others as they were shipped.
    whole = {**shipped, **files, **fixed} if set(files) == {pack.entry} else {**files, **fixed}
    try:
        encoded = {path: text.encode() for path, text in whole.items()}
        Spec(encoded, pack.entry, sdk_files(), LIMITS["cpu"], ROOT)
    except UnicodeEncodeError:
        raise BadAnswer("A file holds characters that cannot be written as UTF-8.") from None
    except ValueError as error:
        raise BadAnswer(str(error)) from None
    return encoded


def shipped(pack: Pack, level: str) -> dict[str, bytes]:
    """The program the candidate starts from: the naive anchor, and what the right result is."""
    return program(pack, level, {pack.entry: pack.template(level)[pack.entry]})


def reference(pack: Pack, level: str) -> dict[str, bytes]:
    """Our expert version."""
    source = pack.anchor(level, "reference") or ""
    return program(pack, level, {pack.entry: source})


def train(
    entry: str,
    files: Mapping[str, bytes],
    training: Training,
    device: Device,
    backend: Backend,
    cancel: threading.Event | None = None,
) -> Trained:
    """Run one program to its end. Raises NoCardNow; whatever the program does is a result."""
    plan = training.plan(device)
    session = TrainingSession(plan, _probe_seed(training))
    gpus = 1 if device == "cuda" else 0
    spec = Spec(files, entry, sdk_files(), LIMITS[device], ROOT, gpus=gpus)
    outcome = backend.run(spec, session, cancel)
    if outcome.status in OURS and outcome.device.get("waiting"):
        raise NoCardNow(outcome.detail)
    processor = session.processor_seconds if device == "cpu" else None
    utilisation, joule = _card_figures(outcome.device, session, plan.samples)
    return Trained(
        outcome=outcome,
        losses=tuple(session.losses),
        predictions=tuple(session.predictions),
        samples=plan.samples,
        seconds=session.seconds if processor is None else processor,
        wall_seconds=session.seconds,
        device=str(outcome.device["gpus"][0]["name"]) if outcome.device.get("gpus") else "",
        utilisation=utilisation,
        millijoule_per_sample=joule,
    )


def train_in_turn(
    entry: str,
    programs: Sequence[Mapping[str, bytes]],
    training: Training,
    device: Device,
    backend: Backend,
    times: int,
    cancel: threading.Event | None = None,
) -> list[list[Trained]]:
    """Each program once, then those that were quick again and again in turn, `times` in all.

    A short time says little on a machine that does other things as well; taken in turn, both
    sides of a comparison meet the same ones. Raises NoCardNow.
    """
    found: list[list[Trained]] = [[] for _ in programs]
    for _ in range(times):
        for files, runs in zip(programs, found, strict=True):
            if all(one.finished and (one.seconds or 0.0) < QUICK_S for one in runs):
                runs.append(train(entry, files, training, device, backend, cancel))
    return found


def fastest(runs: Sequence[Trained]) -> Trained:
    """The one that did not finish if there is such a one, else the fastest."""
    failed = [one for one in runs if not one.finished]
    return failed[0] if failed else min(runs, key=lambda one: one.seconds or 0.0)


def _probe_seed(training: Training) -> int:
    return int.from_bytes(blake2b(f"{training.seed} probe".encode(), digest_size=6).digest())


def _card_figures(
    device: Mapping[str, Any], session: TrainingSession, samples: int
) -> tuple[float | None, float | None]:
    """Utilisation and energy of the training proper: between the plan and the predictions."""
    if not device.get("gpus") or session.began is None or session.ended is None:
        return None, None
    summary = between(device["gpus"][0]["series"], session.began, session.ended)
    energy = None if summary.energy_j is None else 1000 * summary.energy_j / samples
    return summary.utilisation_mean, energy


_REMEMBERED: dict[tuple[object, ...], tuple[Trained, Trained]] = {}
_MOST_REMEMBERED = 32


def anchors_once(
    pack: Pack,
    level: str,
    training: Training,
    device: Device,
    backend: Backend,
    cancel: threading.Event | None = None,
) -> tuple[Trained, Trained]:
    """Both anchors of a public training, measured once by this process and then remembered."""
    key = (pack.name, pack.digest, level, training.name, training.seed, device, backend.name)
    if key not in _REMEMBERED:
        found = anchors(pack, level, training, device, backend, cancel)
        if not all(one.finished for one in found):
            return found
        while len(_REMEMBERED) >= _MOST_REMEMBERED:
            del _REMEMBERED[next(iter(_REMEMBERED))]
        _REMEMBERED[key] = found
    return _REMEMBERED[key]


def anchors(
    pack: Pack,
    level: str,
    training: Training,
    device: Device,
    backend: Backend,
    cancel: threading.Event | None = None,
) -> tuple[Trained, Trained]:
    """The shipped program and the reference on the plan, here and now."""
    both = [shipped(pack, level), reference(pack, level)]
    naive, best = train_in_turn(pack.entry, both, training, device, backend, RUNS, cancel)
    return fastest(naive), fastest(best)
