"""Runs an answer on a public workload, or grades it on the hidden ones, part by part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graders import VERSION
from graders.automation.parts import Part, part_of
from graders.kinds import Asked, PartedGrader
from graders.measures import Measured, measure_workloads
from graders.own_tests import own_tests
from graders.playing import BadAnswer, play, sdk_version, spec_for
from graders.quality import code_quality
from graders.report import GradeReport, Json, RunReport, Versions, run_report, unrun
from graders.workloads import hidden_workloads, public_workload
from scenarios.packs import Pack
from scenarios.simulator import VERSION as SIMULATOR


class AutomationGrader(PartedGrader):
    """Programs that steer a simulated cluster, each hidden workload in the sandbox."""

    needs_sandbox = True

    def run_public(self, asked: Asked, workload: str) -> RunReport:
        """Raises ValueError for an unknown workload; whatever the program does is a report."""
        pack, backend = asked.pack, asked.sandbox
        day = public_workload(pack, asked.level, asked.seed, workload)
        try:
            spec = spec_for(pack, asked.files)
        except BadAnswer as error:
            return unrun(str(error), backend.name)
        played = play(spec, day, backend, asked.profile, asked.cancel)
        part = part_of(pack, asked.level, played, asked.profile)
        measures = _measured(asked, [part]) if part.counts else []
        return run_report(played.outcome, played.detail, part.marks, measures, part.replay)

    def grade(self, asked: Asked) -> GradeReport:
        """Every hidden workload of the round, measured between the anchors.

        A workload on which the program failed counts as one that ran on without it; when it failed on
        every one there is nothing to measure and the status is candidate_error. Trouble of the sandbox
        ends the grading as infrastructure_error.
        """
        count = len(
            hidden_workloads(asked.pack, asked.level, asked.seed, asked.hidden, asked.round)
        )
        parts: list[Part] = []
        for number in range(1, count + 1):
            part = self.grade_part(asked, number)
            if part is None:
                break
            parts.append(part)
            asked.progress(number, count)
            if part.ours:
                break
        ours = bool(parts) and parts[-1].ours
        return self.assemble(asked, parts, [] if ours else self.of_code(asked))

    def grade_part(self, asked: Asked, number: int) -> Part | None:
        """One hidden workload (from 1); None where the files cannot be a program."""
        pack, level, round = asked.pack, asked.level, asked.round
        workload = hidden_workloads(pack, level, asked.seed, number, round)[-1]
        try:
            spec = spec_for(pack, asked.files)
        except BadAnswer:
            return None
        played = play(spec, workload, asked.sandbox, asked.profile, asked.cancel)
        return part_of(pack, level, played, asked.profile)

    def part_from(self, data: Mapping[str, Any]) -> Part:
        """The part of its plain data."""
        return Part(**data)

    def of_code(self, asked: Asked) -> list[Json]:
        """Evidence about the code itself and the candidate's own tests; no part of any measure."""
        quality = code_quality(asked.files, asked.pack.template(asked.level))
        return [quality, own_tests(asked.files, asked.sandbox)]

    def assemble(
        self, asked: Asked, parts: Sequence[Part], code: Sequence[Json] = ()
    ) -> GradeReport:
        """The report of the parts. Without any the files could not be a program, and the report says why."""
        pack, level = asked.pack, asked.level
        if not parts:
            status, detail = "candidate_error", _why_not(pack, asked.files)
        else:
            status, detail = verdict(pack, parts)
        done = status == "done"
        return GradeReport(
            pack=pack.name,
            level=level,
            seed=asked.seed,
            status=status,
            detail=detail,
            versions=_versions(pack, parts, asked.sandbox.name),
            measures=_measured(asked, parts) if done else [],
            evidence=[*(_evidence(asked, part, done) for part in parts), *code],
            marks=sorted({mark for part in parts for mark in part.marks}),
        )


KIND = AutomationGrader()


def _why_not(pack: Pack, files: Mapping[str, str]) -> str:
    try:
        spec_for(pack, files)
    except BadAnswer as error:
        return str(error)
    return "No workload was played."


def verdict(pack: Pack, parts: Sequence[Part]) -> tuple[str, str]:
    """Status of the whole grade and the sentence that explains it."""
    spans = f"hidden {pack.world.spans(len(parts))}"
    if parts[-1].ours:
        said = parts[-1].detail or "The sandbox failed."
        return "infrastructure_error", f"{said} Nothing was graded; this is not the answer's fault."
    if not any(part.counts for part in parts):
        return "candidate_error", f"Not measured: {_first_failure(parts)}"
    failed = [part for part in parts if part.stopped_at is not None]
    if not failed:
        return "done", f"Measured on {len(parts)} {spans}."
    return "done", (
        f"Measured on {len(parts)} {spans}; the program left {len(failed)} of them before"
        f" their end, and those ran on without a controller. {_first_failure(failed)}"
    )


def _first_failure(parts: Sequence[Part]) -> str:
    return f"On {parts[0].name}: {parts[0].detail}"


def _measured(asked: Asked, parts: Sequence[Part]) -> list[Measured]:
    """The measures of the workloads, each with the anchors of the same ones."""
    return measure_workloads(
        asked.pack.measures(asked.level, asked.profile),
        asked.pack.world.measures,
        [part.figures for part in parts],
        [part.naive for part in parts],
        [part.reference for part in parts],
    )


def _versions(pack: Pack, parts: Sequence[Part], backend_name: str) -> Versions:
    return Versions(
        pack=f"{pack.version}+{pack.digest[:12]}",
        grader=VERSION,
        simulator=SIMULATOR,
        sdk=sdk_version(),
        image=next((part.image for part in parts if part.image), ""),
        backend=parts[0].backend if parts else backend_name,
    )


def _evidence(asked: Asked, part: Part, done: bool) -> dict[str, Any]:
    rows = _measured(asked, [part]) if done else []
    return {
        "kind": "workload",
        "name": part.name,
        "title": part.title,
        "family": part.family,
        "status": part.status,
        "detail": part.detail,
        "stopped_at": part.stopped_at,
        "measures": [_short(row) for row in rows],
        "summary": asked.pack.world.summary(part.figures),
        "replay": part.replay,
        "stderr": part.stderr,
    }


def _short(row: Measured) -> dict[str, object]:
    plain = row.to_dict()
    return {key: plain[key] for key in ("key", "value", "naive", "reference", "score")}
