"""Runs an answer on a public workload, or grades it on the hidden ones, part by part."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from graders import VERSION
from graders.measures import Measured, measure_workloads
from graders.own_tests import own_tests
from graders.parts import Part, part_of
from graders.playing import BadAnswer, play, sdk_version, spec_for
from graders.quality import code_quality
from graders.report import EMPTY_TIMELINE, GradeReport, Json, RunReport, Versions
from graders.workloads import hidden_workloads, public_workload
from sandbox import Backend
from scenarios.company.profile import DEFAULT, Profile
from scenarios.packs import Pack, load_pack
from scenarios.simulator import VERSION as SIMULATOR

Progress = Callable[[int, int], None]


def run_public(
    pack: str,
    level: str,
    seed: int,
    files: Mapping[str, str],
    backend: Backend,
    workload: str = "public-1",
    profile: Profile | None = None,
    cancel: threading.Event | None = None,
) -> RunReport:
    """One public workload with the candidate's files (path -> text).

    Raises PackNotFound for an unknown pack or level, ValueError for an unknown workload;
    whatever the program does is a report.
    """
    chosen, company = load_pack(pack), profile or DEFAULT
    day = public_workload(chosen, level, seed, workload)
    try:
        spec = spec_for(chosen, files)
    except BadAnswer as error:
        return _unrun(str(error), backend)
    played = play(spec, day, backend, company, cancel)
    part = part_of(chosen, level, played, company)
    outcome = played.outcome
    return RunReport(
        status=outcome.status,
        detail=played.detail,
        stdout=outcome.stdout,
        stderr=outcome.stderr,
        stdout_truncated=outcome.stdout_truncated,
        wall_s=round(outcome.wall_s, 3),
        cpu_s=round(outcome.cpu_s, 3),
        calls=outcome.calls,
        backend=outcome.backend,
        marks=part.marks,
        measures=_measured(chosen, level, [part]) if part.counts else [],
        timeline=part.replay,
        waited_s=round(outcome.waited_s, 3),
    )


def _unrun(detail: str, backend: Backend) -> RunReport:
    return RunReport(
        "candidate_error", detail, "", "", False, 0.0, 0.0, 0, backend.name, [], [], EMPTY_TIMELINE
    )


def grade(
    pack: str,
    level: str,
    seed: int,
    files: Mapping[str, str],
    backend: Backend,
    hidden: int | None = None,
    profile: Profile | None = None,
    progress: Progress | None = None,
    round: int = 1,
    cancel: threading.Event | None = None,
) -> GradeReport:
    """Run the answer on every hidden workload of the variant in the round, 1 or 2, and measure it
    between the anchors.

    `hidden` is their number (default the pack's), `progress(done, of)` is told after
    each. A workload on which the program failed counts as one that ran on without it; when it
    failed on every one there is nothing to measure and the status is candidate_error.
    Trouble of the sandbox ends the grading as infrastructure_error. Raises PackNotFound for
    an unknown pack or level and ValueError for a number of workloads out of range.
    """
    count = len(hidden_workloads(load_pack(pack), level, seed, hidden, round))
    note = progress or (lambda done, of: None)
    parts: list[Part] = []
    for number in range(1, count + 1):
        part = grade_part(pack, level, seed, files, backend, number, profile, round, cancel)
        if part is None:
            break
        parts.append(part)
        note(number, count)
        if part.ours:
            break
    ours = bool(parts) and parts[-1].ours
    code = [] if ours else of_code(pack, level, files, backend)
    return assemble(pack, level, seed, files, parts, backend.name, code)


def of_code(pack: str, level: str, files: Mapping[str, str], backend: Backend) -> list[Json]:
    """Evidence about the code itself and the candidate's own tests; no part of any measure."""
    return [code_quality(files, load_pack(pack).template(level)), own_tests(files, backend)]


def grade_part(
    pack: str,
    level: str,
    seed: int,
    files: Mapping[str, str],
    backend: Backend,
    number: int,
    profile: Profile | None = None,
    round: int = 1,
    cancel: threading.Event | None = None,
) -> Part | None:
    """One hidden workload (from 1) of a round's grading; None where the files cannot be a program."""
    chosen, company = load_pack(pack), profile or DEFAULT
    workload = hidden_workloads(chosen, level, seed, number, round)[-1]
    try:
        spec = spec_for(chosen, files)
    except BadAnswer:
        return None
    return part_of(chosen, level, play(spec, workload, backend, company, cancel), company)


def assemble(
    pack: str,
    level: str,
    seed: int,
    files: Mapping[str, str],
    parts: Sequence[Part],
    backend_name: str,
    code: Sequence[Json] = (),
) -> GradeReport:
    """The report of the parts, in the order of their numbers, whoever made them.

    `code` is evidence about the code (`of_code`). Without parts the files could not be a
    program, and the report says why.
    """
    chosen = load_pack(pack)
    if not parts:
        status, detail = "candidate_error", _why_not(chosen, files)
    else:
        status, detail = verdict(chosen, parts)
    done = status == "done"
    return GradeReport(
        pack=chosen.name,
        level=level,
        seed=seed,
        status=status,
        detail=detail,
        versions=_versions(chosen, parts, backend_name),
        measures=_measured(chosen, level, parts) if done else [],
        evidence=[*(_evidence(chosen, level, part, done) for part in parts), *code],
        marks=sorted({mark for part in parts for mark in part.marks}),
    )


def _why_not(pack: Pack, files: Mapping[str, str]) -> str:
    try:
        spec_for(pack, files)
    except BadAnswer as error:
        return str(error)
    return "No workload was played."


def verdict(pack: Pack, parts: Sequence[Part]) -> tuple[str, str]:
    """Status of the whole grade and the sentence that explains it."""
    spans = f"hidden {pack.world.span}s"
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


def _measured(pack: Pack, level: str, parts: Sequence[Part]) -> list[Measured]:
    """The measures of the workloads, each with the anchors of the same ones."""
    return measure_workloads(
        pack.measures(level),
        pack.world.measures,
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


def _evidence(pack: Pack, level: str, part: Part, done: bool) -> dict[str, Any]:
    rows = _measured(pack, level, [part]) if done else []
    return {
        "kind": "workload",
        "name": part.name,
        "title": part.title,
        "family": part.family,
        "status": part.status,
        "detail": part.detail,
        "stopped_at": part.stopped_at,
        "measures": [_short(row) for row in rows],
        "summary": pack.world.summary(part.figures),
        "replay": part.replay,
        "stderr": part.stderr,
    }


def _short(row: Measured) -> dict[str, object]:
    plain = row.to_dict()
    return {key: plain[key] for key in ("key", "value", "naive", "reference", "score")}
