"""slurmctld.log over the window, in the site's local time."""

from __future__ import annotations

import re

from scenarios.troubleshooting.calendar import SECOND
from scenarios.troubleshooting.jobs import Job
from scenarios.troubleshooting.texts.lines import Document, Line, in_order
from scenarios.troubleshooting.texts.owners import shown
from scenarios.troubleshooting.texts.slurm_words import hostlist, uid
from scenarios.troubleshooting.truth import Incident

_NODES = re.compile(r"NodeList=(\S+)")


def slurmctld(incident: Incident) -> Document:
    """Submission, start and end of every job, and what causes and herrings made the controller say."""
    calendar = incident.calendar
    found: list[tuple[int, str, str | None]] = []
    said: set[str] = set()
    for trace in incident.traces():
        if trace.kind == "slurmctld.line":
            text = _compact(str(trace.fields["text"]))
            late = _within(trace.at_ms, trace.at_ms // SECOND, 0)
            found.append((trace.at_ms + late, text, trace.tag))
            said.add(text)
    for job in incident.jobs:
        for number, (at, text, tag) in enumerate(_life(incident, job)):
            if text not in said:
                found.append((at + _within(at, job.id, number), text, tag))
    lines = [
        Line(at, f"[{_stamp(incident, at)}] {text}", tag)
        for at, text, tag in found
        if calendar.window_start <= at < calendar.window_end
    ]
    return in_order("slurm/slurmctld.log", lines)


def _within(at_ms: int, job: int, number: int) -> int:
    """Milliseconds after the full second to which accounting rounds."""
    return (job * 379 + number * 4) % 890 if at_ms % SECOND == 0 else 0


def _stamp(incident: Incident, at_ms: int) -> str:
    return f"{shown(incident, incident.plant.controller, at_ms):%Y-%m-%dT%H:%M:%S.%f}"[:-3]


def _compact(text: str) -> str:
    """Node lists in brackets, as the controller writes them."""
    return _NODES.sub(lambda m: f"NodeList={hostlist(m[1].split(','))}", text)


def _life(incident: Incident, job: Job) -> list[tuple[int, str, str | None]]:
    found: list[tuple[int, str, str | None]] = [
        (
            job.submit_ms,
            f"_slurm_rpc_submit_batch_job: JobId={job.id} InitPrio={104_000 + job.id % 977} "
            f"usec={400 + job.id * 37 % 900}",
            None,
        )
    ]
    if job.start_ms is not None:
        found.append(
            (
                job.start_ms,
                f"sched: Allocate JobId={job.id} NodeList={hostlist(job.nodes)} #CPUs={job.cpus} "
                f"Partition={job.partition}",
                job.tag,
            )
        )
    if job.start_ms is not None and job.end_ms is not None:
        found += _end(incident, job, job.end_ms)
    return found


def _end(incident: Incident, job: Job, end: int) -> list[tuple[int, str, str | None]]:
    if job.state == "CANCELLED":
        kill = f"_slurm_rpc_kill_job: REQUEST_KILL_JOB JobId={job.id} uid {uid(incident, job.user)}"
        return [(end, kill, job.tag)]
    if job.state == "TIMEOUT":
        return [(end, f"Time limit exhausted for JobId={job.id}", job.tag)]
    status = f"WEXITSTATUS {1 if job.state == 'FAILED' else 0}"
    return [
        (end, f"_job_complete: JobId={job.id} {status}", job.tag),
        (end, f"_job_complete: JobId={job.id} done", job.tag),
    ]
