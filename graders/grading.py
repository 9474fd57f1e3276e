"""Runs an answer on a public day, or grades it on the hidden ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from graders import VERSION
from graders.measures import Measured
from graders.playing import (
    OURS,
    BadAnswer,
    Played,
    measured,
    play,
    sdk_version,
    spec_for,
    summary,
)
from graders.report import GradeReport, RunReport, Versions, timeline
from graders.workloads import hidden_workloads, public_workload
from sandbox import Backend
from scenarios.packs import Pack, load_pack
from scenarios.profile import DEFAULT, Profile
from scenarios.simulator import VERSION as SIMULATOR

Progress = Callable[[int, int], None]
ERROR_TAIL = 4000
"""Characters of a failed program's error output that the evidence keeps."""


def run_public(
    pack: str,
    level: str,
    seed: int,
    files: Mapping[str, str],
    backend: Backend,
    workload: str = "public-1",
    profile: Profile | None = None,
) -> RunReport:
    """One public day with the candidate's files (path -> text).

    Raises PackNotFound for an unknown pack or level, ValueError for an unknown workload;
    whatever the program does is a report.
    """
    chosen, company = load_pack(pack), profile or DEFAULT
    day = public_workload(chosen, level, seed, workload)
    try:
        spec = spec_for(chosen, files)
    except BadAnswer as error:
        return _unrun(str(error), backend)
    played = play(spec, day, backend, company)
    found = measured(chosen, level, [played], company) if played.counts else []
    return _run_report(played, found)


def _unrun(detail: str, backend: Backend) -> RunReport:
    empty = timeline([], {key: [] for key in _COLUMNS}, [])
    return RunReport(
        "candidate_error", detail, "", "", False, 0.0, 0.0, 0, backend.name, [], [], empty
    )


_COLUMNS = (
    "queue_high", "queue_normal", "queue_low", "nodes_ondemand", "nodes_spot", "nodes_starting",
    "gpus_busy", "gpus_total", "cost",
)  # fmt: skip


def _run_report(played: Played, found: list[Measured]) -> RunReport:
    outcome, record = played.outcome, played.episode.world.record
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
        marks=list(outcome.reduced),
        measures=found,
        timeline=timeline(record.times, record.columns, record.marks),
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
) -> GradeReport:
    """Run the answer on every hidden day of the variant and measure it between the anchors.

    `hidden` is the number of days (default the pack's), `progress(done, of)` is told after
    each. A day on which the program failed counts as a day that ran on without it; when it
    failed on every day there is nothing to measure and the status is candidate_error.
    Trouble of the sandbox ends the grading as infrastructure_error. Raises PackNotFound for
    an unknown pack or level and ValueError for a number of days out of range.
    """
    chosen, company = load_pack(pack), profile or DEFAULT
    days = hidden_workloads(chosen, level, seed, hidden)
    note = progress or (lambda done, of: None)
    try:
        spec = spec_for(chosen, files)
    except BadAnswer as error:
        return _report(chosen, level, seed, [], backend, "candidate_error", str(error))
    played: list[Played] = []
    for number, day in enumerate(days, start=1):
        played.append(play(spec, day, backend, company))
        note(number, len(days))
        if played[-1].outcome.status in OURS:
            break
    status, detail = verdict(played)
    found = measured(chosen, level, played, company) if status == "done" else []
    report = _report(chosen, level, seed, played, backend, status, detail)
    report.measures.extend(found)
    report.evidence.extend(_evidence(chosen, level, day, company, status) for day in played)
    return report


def verdict(played: list[Played]) -> tuple[str, str]:
    """Status of the whole grade and the sentence that explains it."""
    last = played[-1]
    if last.outcome.status in OURS:
        said = last.outcome.detail or "The sandbox failed."
        return "infrastructure_error", f"{said} Nothing was graded; this is not the answer's fault."
    counting = [day for day in played if day.counts]
    if not counting:
        return "candidate_error", f"Not measured: {_first_failure(played)}"
    failed = [day for day in played if day.stopped_at is not None]
    if not failed:
        return "done", f"Measured on {len(played)} hidden days."
    return "done", (
        f"Measured on {len(played)} hidden days; the program left {len(failed)} of them before"
        f" their end, and those ran on without a controller. {_first_failure(failed)}"
    )


def _first_failure(played: list[Played]) -> str:
    day = played[0]
    return f"On {day.workload.name}: {day.detail}"


def _report(
    pack: Pack, level: str, seed: int, played: list[Played], backend: Backend, status: str,
    detail: str,
) -> GradeReport:  # fmt: skip
    outcomes = [day.outcome for day in played]
    versions = Versions(
        pack=f"{pack.version}+{pack.digest[:12]}",
        grader=VERSION,
        simulator=SIMULATOR,
        sdk=sdk_version(),
        image=next((outcome.image for outcome in outcomes if outcome.image), ""),
        backend=outcomes[0].backend if outcomes else backend.name,
    )
    marks = sorted({mark for outcome in outcomes for mark in outcome.reduced})
    return GradeReport(pack.name, level, seed, status, detail, versions, marks=marks)


def _evidence(pack: Pack, level: str, day: Played, profile: Profile, status: str) -> dict[str, Any]:
    record, outcome = day.episode.world.record, day.outcome
    failed = outcome.status not in ("ok", *OURS)
    rows = measured(pack, level, [day], profile) if status == "done" else []
    return {
        "kind": "workload",
        "name": day.workload.name,
        "title": day.workload.title,
        "family": day.workload.family,
        "status": outcome.status,
        "detail": day.detail,
        "stopped_at": day.stopped_at,
        "measures": [_short(row) for row in rows],
        "summary": summary(day.figures),
        "series": {"t": list(record.times), **{k: list(v) for k, v in record.columns.items()}},
        "marks": [{"t": mark.t, "kind": mark.kind, "text": mark.text} for mark in record.marks],
        "stderr": outcome.stderr[-ERROR_TAIL:] if failed else "",
    }


def _short(row: Measured) -> dict[str, object]:
    plain = row.to_dict()
    return {key: plain[key] for key in ("key", "value", "naive", "reference", "score")}
