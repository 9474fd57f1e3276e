"""Runs an answer on a public training, or grades it on the hidden ones, beside both anchors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graders import VERSION
from graders.gpu.curves import Match, compare
from graders.gpu.plans import Device, Training, hidden_trainings, public_training
from graders.gpu.playing import (
    PRACTICE,
    PUBLIC_RUNS,
    RUNS,
    Trained,
    anchors_once,
    device_for,
    fastest,
    program,
    reference,
    reserved,
    shipped,
    train_in_turn,
)
from graders.gpu.tolerance import tolerance
from graders.kinds import Asked, Grader
from graders.measures import Measured, measure_workloads
from graders.playing import OURS, BadAnswer, sdk_version
from graders.report import EMPTY_TIMELINE, GradeReport, RunReport, Versions, run_report, unrun
from scenarios.packs import Pack

Figures = Mapping[str, Any]
ERROR_TAIL = 4000
"""Characters of a failed program's error output that the evidence keeps."""


@dataclass(frozen=True)
class Compared:
    """An answer on one training between the two anchors; `match` is None when it did not finish."""

    training: Training
    answer: Trained
    naive: Trained
    reference: Trained
    match: Match | None

    @property
    def useful(self) -> bool:
        """Whether it computed what it should: only then its speed is worth anything."""
        return self.match is not None and self.match.matches

    @property
    def detail(self) -> str:
        """One or two sentences: how fast, and whether it is the same training."""
        seconds = self.answer.seconds
        if self.match is None or seconds is None:
            return self.answer.outcome.detail
        clock = "s" if self.answer.device else "s of processor time"
        rate = f"{self.answer.samples_per_s:,.0f} samples a second"
        return f"Trained in {seconds:.2f} {clock}: {rate}. {self.match.sentence}"


class GpuGrader(Grader):
    """Programs that train on a card, or on one processor where there is none."""

    needs_sandbox = True

    def run_public(self, asked: Asked, workload: str) -> RunReport:
        """Raises ValueError for an unknown workload and NoCardNow where every card is lent out;
        whatever the program does is a report."""
        pack, level, backend = asked.pack, asked.level, asked.sandbox
        training = public_training(pack, level, asked.seed, workload)
        try:
            written = program(pack, level, asked.files)
        except BadAnswer as error:
            return unrun(str(error), backend.name)
        device = device_for(backend)
        with reserved(backend, device):
            naive, best = anchors_once(pack, level, training, device, backend, asked.cancel)
            if trouble := trouble_of(naive, best):
                stopped = "cancelled" in (naive.outcome.status, best.outcome.status)
                return unrun(trouble, backend.name, "cancelled" if stopped else "sandbox_error")
            (answers,) = train_in_turn(
                pack.entry, [written], training, device, backend, PUBLIC_RUNS, asked.cancel
            )
        one = compared(training, answers, naive, best)
        measures = _measured(pack, level, [one]) if one.answer.finished else []
        return run_report(
            one.answer.outcome, one.detail, marks([one], device), measures, _curves(one)
        )

    def grade(self, asked: Asked) -> GradeReport:
        """Every hidden training of the round, each between both anchors on the same machine.

        A training that computed something else, or failed, counts as one without a single useful
        sample; when the program finished none there is nothing to measure and the status is
        candidate_error. Trouble of ours, a failed anchor among it, ends as infrastructure_error.
        Raises ValueError for a number out of range, and NoCardNow.
        """
        pack, level, backend = asked.pack, asked.level, asked.sandbox
        trainings = hidden_trainings(pack, level, asked.seed, asked.hidden, asked.round)
        device = device_for(backend)
        try:
            written = program(pack, level, asked.files)
        except BadAnswer as error:
            return _report(asked, [], device, "candidate_error", str(error))
        programs = [shipped(pack, level), written, reference(pack, level)]
        found: list[Compared] = []
        with reserved(backend, device):
            for number, training in enumerate(trainings, start=1):
                runs = train_in_turn(
                    pack.entry, programs, training, device, backend, RUNS, asked.cancel
                )
                found.append(compared(training, runs[1], fastest(runs[0]), fastest(runs[2])))
                asked.progress(number, len(trainings))
                if _fault(found[-1]):
                    break
        return _report(asked, found, device, *verdict(found))


KIND = GpuGrader()


def compared(
    training: Training, answers: Sequence[Trained], naive: Trained, best: Trained
) -> Compared:
    """Judge an answer by the shipped program's curve on the same plan; every run of it has to match."""
    answer = fastest(answers)
    if not (answer.finished and naive.finished):
        return Compared(training, answer, naive, best, None)
    matches = [
        compare(run.losses, run.predictions, naive.losses, naive.predictions) for run in answers
    ]
    wrong = [number for number, match in enumerate(matches) if not match.matches]
    at = wrong[0] if wrong else answers.index(answer)
    return Compared(training, answers[at], naive, best, matches[at])


def trouble_of(naive: Trained, best: Trained) -> str:
    """Why nothing can be measured here, in one sentence; empty when the anchors did their part."""
    for name, one in (("shipped program", naive), ("reference program", best)):
        if not one.finished:
            return f"The {name} could not be measured on this machine: {one.outcome.detail}"
    if not compare(best.losses, best.predictions, naive.losses, naive.predictions).matches:
        return "The reference program does not match the shipped one on this machine."
    return ""


def _fault(one: Compared) -> str:
    """What went wrong on our side with this training; empty when nothing did."""
    outcome = one.answer.outcome
    ours = (outcome.detail or "The sandbox failed.") if outcome.status in OURS else ""
    return trouble_of(one.naive, one.reference) or ours


def verdict(found: Sequence[Compared]) -> tuple[str, str]:
    """Status of the whole grade and the sentence that explains it."""
    if trouble := _fault(found[-1]):
        return "infrastructure_error", f"{trouble} Nothing was graded; the answer is not at fault."
    if not any(one.answer.finished for one in found):
        return "candidate_error", f"Not measured: on {found[0].training.name}: {found[0].detail}"
    wrong = [one for one in found if not one.useful]
    if not wrong:
        return "done", f"Measured on {len(found)} hidden trainings, all of which match."
    return "done", (
        f"Measured on {len(found)} hidden trainings; {len(wrong)} of them count as nothing."
        f" On {wrong[0].training.name}: {wrong[0].detail}"
    )


def figures(one: Trained, useful: bool = True, naive: Trained | None = None) -> dict[str, Any]:
    """Raw figures of one training; where it is of no use, no sample counts and no card was saved."""
    measured = one if useful or naive is None else naive
    return {
        "samples_per_s": one.samples_per_s if useful else 0.0,
        "utilisation": measured.utilisation,
        "millijoule_per_sample": measured.millijoule_per_sample,
    }


def _mean_of(key: str) -> Callable[[Sequence[Figures]], float | None]:
    def mean(trainings: Sequence[Figures]) -> float | None:
        values = [one[key] for one in trainings]
        return None if None in values else sum(values) / len(values)

    return mean


COMPUTES = {key: _mean_of(key) for key in ("samples_per_s", "utilisation", "millijoule_per_sample")}


def _measured(pack: Pack, level: str, found: Sequence[Compared]) -> list[Measured]:
    """Without a card there is no utilisation and no energy, and the measures are fewer."""
    return measure_workloads(
        pack.measures(level),
        COMPUTES,
        [figures(one.answer, one.useful, one.naive) for one in found],
        [figures(one.naive) for one in found],
        [figures(one.reference) for one in found],
    )


def marks(found: Sequence[Compared], device: Device) -> list[str]:
    """Limits that were weaker than they should be, and whether a card was there at all."""
    weaker = {mark for one in found for mark in one.answer.outcome.reduced}
    return [*([PRACTICE] if device == "cpu" else []), *sorted(weaker)]


def _report(
    asked: Asked, found: Sequence[Compared], device: Device, status: str, detail: str
) -> GradeReport:
    pack, level = asked.pack, asked.level
    outcomes = [one.answer.outcome for one in found]
    versions = Versions(
        pack=f"{pack.version}+{pack.digest[:12]}",
        grader=VERSION,
        simulator="none",
        sdk=sdk_version(),
        image=next((outcome.image for outcome in outcomes if outcome.image), ""),
        backend=outcomes[0].backend if outcomes else asked.sandbox.name,
    )
    done = status == "done"
    measures = _measured(pack, level, found) if done else []
    evidence = [_evidence(pack, level, one, done) for one in found]
    if done:
        evidence.append(tolerance([measure.measure.key for measure in measures]))
    return GradeReport(
        pack=pack.name,
        level=level,
        seed=asked.seed,
        status=status,
        detail=detail,
        versions=versions,
        measures=measures,
        evidence=evidence,
        marks=marks(found, device),
    )


def _evidence(pack: Pack, level: str, one: Compared, done: bool) -> dict[str, Any]:
    outcome, match = one.answer.outcome, one.match
    rows = [row.to_dict() for row in _measured(pack, level, [one])] if done else []
    return {
        "kind": "workload",
        "name": one.training.name,
        "title": one.training.title + ("" if one.answer.device else ", CPU practice"),
        "family": one.training.family,
        "status": outcome.status,
        "detail": one.detail,
        "device": one.answer.device or PRACTICE,
        "matches": one.useful,
        "first_step_off": None if match is None else match.first_off,
        "worst_step_off": None if match is None else round(match.worst_step, 6),
        "worst_prediction_off": None if match is None else round(match.worst_probe, 6),
        "measures": [
            {key: row[key] for key in ("key", "value", "naive", "reference", "score")}
            for row in rows
        ],
        "seconds": {
            name: None if trained.seconds is None else round(trained.seconds, 3)
            for name, trained in (
                ("answer", one.answer),
                ("naive", one.naive),
                ("reference", one.reference),
            )
        },
        "replay": _curves(one),
        "stderr": outcome.stderr[-ERROR_TAIL:] if outcome.status not in ("ok", *OURS) else "",
    }


def _curves(one: Compared) -> dict[str, Any]:
    """Both loss curves over the steps, to be drawn."""
    wanted = list(one.naive.losses)
    own: list[float | None] = [*one.answer.losses, *[None] * len(wanted)]
    series = [
        {"key": "loss", "label": "Your loss", "values": [_short(v) for v in own[: len(wanted)]]},
        {"key": "wanted", "label": "Shipped program", "values": [_short(v) for v in wanted]},
    ]
    off = None if one.match is None else one.match.first_off
    told = [] if off is None else [{"t": off, "kind": "rule", "text": "The curves part here."}]
    return {
        **EMPTY_TIMELINE,
        "axis": "step",
        "t": list(range(len(wanted))),
        "series": [{**row, "unit": "", "group": "loss"} for row in series],
        "marks": told,
    }


def _short(value: float | None) -> float | None:
    return None if value is None else round(value, 5)
