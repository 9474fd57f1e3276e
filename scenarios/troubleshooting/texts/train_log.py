"""The training's own log, written by rank 0, and the timing of all ranks beside it."""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter
from zlib import crc32

import numpy as np

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.calendar import SECOND
from scenarios.troubleshooting.condition import JOB
from scenarios.troubleshooting.faults.transport import DriverMismatch
from scenarios.troubleshooting.jobs import Job
from scenarios.troubleshooting.physics import OTHER, SAVE_EVERY, STEPS
from scenarios.troubleshooting.steps import Run
from scenarios.troubleshooting.texts import fleet
from scenarios.troubleshooting.texts.lines import Document, Line, in_order
from scenarios.troubleshooting.texts.owners import owner, shown
from scenarios.troubleshooting.texts.train_timing import Timing, baseline_timing, means, slow_timing
from scenarios.troubleshooting.truth import Incident

LOG_EVERY, REPORT_EVERY = 20, 250
_COLUMNS = "step,time,rank,host,gpu,fwd_bwd,allreduce_exposed,data_time,ckpt,other,step_time"


def train_log(incident: Incident, run: str) -> Document:
    """`train.log` of the slow run or the baseline: every figure is a mean over the last 20 steps."""
    slow = run == "slow"
    timing = slow_timing(incident) if slow else baseline_timing(incident)
    job = incident.slow if slow else incident.before
    condition = incident.condition if slow else None
    save_every = int(condition.constant(JOB, "save_every")) if condition else SAVE_EVERY
    respawn = int(condition.constant(JOB, "respawn_every")) if condition else 250
    lines = [*_opening(incident, timing, job), *_steps(incident, timing, run)]
    lines += _saves(incident, timing.run, save_every, slow)
    lines += _respawns(incident, timing.run, respawn, slow)
    if slow:
        said = {line.text.partition("] ")[2] for line in lines}
        lines += [line for line in _traced(incident) if line.text.partition("] ")[2] not in said]
        for number, (at, said_by_one) in enumerate(fleet.in_run(incident, "train")):
            rank = number * 13 % incident.training.ranks
            lines.append(_line(incident, job, at, "WARNING", said_by_one, rank=rank))
    hours = timing.run.hours
    text = f"finished {STEPS} steps in {hours:.2f} h, mean step {hours * 3600 / STEPS:.3f} s"
    lines.append(_line(incident, job, timing.run.end_ms, "INFO", f"trainer: {text}"))
    return in_order(f"runs/{run}/train.log", lines)


def _line(
    incident: Incident,
    job: Job,
    at_ms: int,
    severity: str,
    text: str,
    tag: str | None = None,
    rank: int = 0,
) -> Line:
    host = job.nodes[rank // incident.plant.gpus_per_node]
    clock = shown(incident, host, at_ms) if job.role == "slow" else incident.calendar.local(at_ms)
    stamp = f"{clock:%Y-%m-%d %H:%M:%S},{clock.microsecond // 1000:03d}"
    return Line(at_ms, f"{stamp} {severity:<7} [rank {rank}] {text}", tag)


def _opening(incident: Incident, timing: Timing, job: Job) -> Iterator[Line]:
    training, start, first = incident.training, job.start_ms or 0, timing.run.first_ms
    tokens, _ = timing.tokens()
    versions = incident.plant.versions
    cuda = versions.cuda.replace(".", "")
    driver = _driver(incident, job)
    deprecated = "torch: UserWarning: TypedStorage is deprecated, use UntypedStorage directly"
    order = "torch: UserWarning: lr_scheduler.step() was called before optimizer.step()"
    said: tuple[tuple[int, str, str], ...] = (
        (
            start + 34_412,
            "INFO",
            f"launcher: job {job.id} on {len(job.nodes)} nodes, {training.ranks} ranks",
        ),
        (start + 41_087, "INFO", f"launcher: rendezvous on {job.nodes[0]}:29517"),
        (
            start + 58_341,
            "INFO",
            f"trainer: torch 2.5.1+cu{cuda}, NCCL {versions.nccl}, driver {driver}",
        ),
        (start + 58_579, "WARNING", deprecated),
        (first - 45_731, "INFO", f"data: {training.dataset}, index read, 8 workers per rank"),
        (first - 30_614, "INFO", f"trainer: weights read from {training.checkpoints}"),
        (first - 3_882, "WARNING", order),
        (first - 2_046, "INFO", f"trainer: {tokens} tokens per GPU and step, {STEPS} steps"),
        (
            first - 2_045,
            "INFO",
            f"trainer: times below are means over {LOG_EVERY} steps, in seconds",
        ),
    )
    for at, severity, text in said:
        yield _line(incident, job, at, severity, text)


def _driver(incident: Incident, job: Job) -> str:
    """Of the first rank's host, which an update may have left out."""
    for cause in incident.causes:
        if (
            isinstance(cause.fault, DriverMismatch)
            and job.role == "slow"
            and job.nodes[0] in cause.fault.nodes
        ):
            return cause.fault.driver
    return incident.plant.versions.driver


def _steps(incident: Incident, timing: Timing, run: str) -> Iterator[Line]:
    """One line every 20 steps: together they are the whole wall time."""
    job = incident.slow if run == "slow" else incident.before
    step = means(timing.run.step_s, LOG_EVERY)
    compute, wait = means(timing.compute(0), LOG_EVERY), means(timing.data(0), LOG_EVERY)
    save = means(timing.run.save, LOG_EVERY)
    comm = step - compute - wait - save - OTHER
    losses = _losses(incident, run, len(step))
    for row in range(len(step)):
        number = (row + 1) * LOG_EVERY
        rate, mfu = timing.speed(float(step[row]))
        text = (
            f"trainer: step={number} loss={losses[row]:.4f} step_time={step[row]:.3f} "
            f"data_time={wait[row]:.3f} fwd_bwd={compute[row]:.3f} allreduce_exposed={comm[row]:.3f} "
            f"ckpt={save[row]:.3f} other={OTHER:.3f} tok/s/gpu={rate:.0f} mfu={mfu:.3f}"
        )
        yield _line(incident, job, int(timing.run.starts[number]), "INFO", text)


def _losses(incident: Incident, run: str, count: int) -> list[float]:
    """A loss that falls slowly, with noise of whole units from one generator: the same everywhere."""
    key = int(Stream(incident.seed, f"loss {run}").between(0, 2**40))
    noise = (np.random.Philox(key=key).random_raw(count) >> np.uint64(44)).astype(
        np.int64
    ) % 4001 - 2000
    start = 24_000 if run == "baseline" else 36_000
    steps = start + LOG_EVERY * np.arange(1, count + 1)
    found = 1.62 + 22.0 / np.sqrt(steps) * 3.0 + noise * 6e-6
    return [float(value) for value in found]


def _saves(incident: Incident, run: Run, every: int, slow: bool) -> Iterator[Line]:
    job = incident.slow if slow else incident.before
    tag = owner(incident.condition, JOB, "save_stall_s", "save_every") if slow else None
    for step in range(every - 1, STEPS, every):
        seconds, end = float(run.save[step]), int(run.starts[step + 1])
        text = (
            f"checkpoint step={step + 1} saved to {incident.training.checkpoints} in {seconds:.1f}s"
        )
        yield _line(incident, job, end - SECOND, "INFO", text, tag)


def _respawns(incident: Incident, run: Run, every: int, slow: bool) -> Iterator[Line]:
    """The loader starts its workers anew every so many steps; in health nobody waits for it."""
    job = incident.slow if slow else incident.before
    stall = incident.condition.constant(JOB, "respawn_s") if slow else 0.0
    tag = owner(incident.condition, JOB, "respawn_s") if slow else None
    for step in range(0, STEPS, every):
        rank = step // every % len(job.nodes) * incident.plant.gpus_per_node
        text = "data: workers started anew for the next shards"
        text += f" in {stall:.1f}s (getaddrinfo retried)" if stall else " while training goes on"
        severity = "WARNING" if stall else "INFO"
        yield _line(incident, job, int(run.starts[step]), severity, text, tag, rank)


def _traced(incident: Incident) -> Iterator[Line]:
    """Lines that causes and herrings made; those that repeat a save or a start of workers are there already."""
    for trace in incident.traces():
        if trace.kind != "train.line":
            continue
        text = str(trace.fields["text"])
        if text.startswith("data: workers started anew"):
            continue
        rank = int(trace.fields["rank"])
        within = crc32(text.encode()) % 900 if trace.at_ms % SECOND == 0 else 0
        yield _line(
            incident,
            incident.slow,
            trace.at_ms + within,
            str(trace.fields["severity"]),
            text,
            trace.tag,
            rank,
        )


def rank_table(incident: Incident, run: str) -> Document:
    """`timing-by-rank.csv`: means over each 250 steps for every rank; the parts add up to the step."""
    slow = run == "slow"
    timing = slow_timing(incident) if slow else baseline_timing(incident)
    step, save = means(timing.run.step_s, REPORT_EVERY), means(timing.run.save, REPORT_EVERY)
    rows = [Line(timing.run.first_ms, _COLUMNS)]
    ends = [int(at) for at in timing.run.starts[REPORT_EVERY::REPORT_EVERY]]
    times = [f"{incident.calendar.local(at):%Y-%m-%dT%H:%M:%S}" for at in ends]
    size = incident.plant.gpus_per_node
    for rank in range(incident.training.ranks):
        node, index = timing.nodes[rank // size], rank % size
        fields = ("clock", "power_limit_w", "sluggish")
        tag = owner(incident.condition, node.gpus[index].name, *fields) if slow else None
        compute = means(timing.compute(rank), REPORT_EVERY)
        wait = means(timing.data(rank), REPORT_EVERY)
        comm = step - compute - wait - save - OTHER
        parts = np.stack([compute, comm, wait, save, np.full(len(step), OTHER), step], axis=1)
        for row, values in enumerate(parts.tolist()):
            told = "%.3f,%.3f,%.3f,%.3f,%.3f,%.3f" % tuple(values)  # noqa: UP031  a third of the time
            number = (row + 1) * REPORT_EVERY
            text = f"{number},{times[row]},{rank},{node.name},{index},{told}"
            rows.append(Line(ends[row], text, tag))
    ordered = sorted(rows[1:], key=itemgetter(0))
    return Document(f"runs/{run}/timing-by-rank.csv", (rows[0], *ordered))
