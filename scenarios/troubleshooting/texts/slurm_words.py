"""How Slurm 22.05 writes hosts, times, lengths and resources."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.calendar import SECOND, Calendar
from scenarios.troubleshooting.jobs import TEAMS, Job
from scenarios.troubleshooting.plant import NODE_MEMORY_MIB, THREADS, Plant
from scenarios.troubleshooting.truth import Incident

_NUMBERED = re.compile(r"^(.*?)(\d+)$")
_GROUPS = sorted(TEAMS)


def hostlist(names: Sequence[str]) -> str:
    """`gpu-n[003-005,009]` for names that differ in their last number; one name stays as it is."""
    parts = [_NUMBERED.match(name) for name in names]
    if len(names) < 2 or any(p is None for p in parts):
        return ",".join(names)
    found = [(p[1], p[2]) for p in parts if p is not None]
    prefix, width = found[0][0], len(found[0][1])
    if any(head != prefix for head, _ in found):
        return ",".join(names)
    numbers = sorted(int(digits) for _, digits in found)
    spans: list[list[int]] = []
    for number in numbers:
        if spans and number == spans[-1][1] + 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    text = ",".join(
        f"{a:0{width}d}" if a == b else f"{a:0{width}d}-{b:0{width}d}" for a, b in spans
    )
    return f"{prefix}[{text}]"


def stamp(calendar: Calendar, at_ms: int | None) -> str:
    """Local time as sacct and scontrol print it."""
    return "Unknown" if at_ms is None else f"{calendar.local(at_ms):%Y-%m-%dT%H:%M:%S}"


def length(ms: int) -> str:
    """`1-02:03:04`, days left out when there are none."""
    seconds = max(ms, 0) // SECOND
    days, rest = divmod(seconds, 86_400)
    clock = f"{rest // 3_600:02d}:{rest % 3_600 // 60:02d}:{rest % 60:02d}"
    return f"{days}-{clock}" if days else clock


def short_length(ms: int) -> str:
    """squeue's TIME: `2:03:04`, `3:04`, `1-02:03:04`."""
    text = length(ms)
    if "-" in text:
        return text
    short = text.lstrip("0:") if text.startswith("00:") else text.removeprefix("0")
    while short.count(":") < 1:
        short = f"0:{short:0>2}"
    return short


def gpu_type(plant: Plant) -> str:
    """Slurm's name of the GPU model: `h100`."""
    return plant.gpu_product.split()[1].split("-")[0].lower()


def allocated(plant: Plant, job: Job) -> str:
    """sacct's AllocTRES, in alphabetical order; empty for a job that never started."""
    if job.start_ms is None:
        return ""
    gpus, kind = job.gpu_count, gpu_type(plant)
    return (
        f"billing={job.cpus},cpu={job.cpus},gres/gpu:{kind}={gpus},gres/gpu={gpus},"
        f"mem={job.memory_mib}M,node={len(job.nodes)}"
    )


def configured(plant: Plant) -> str:
    """CfgTRES of every node."""
    gpus = plant.gpus_per_node
    return (
        f"cpu={THREADS},mem={NODE_MEMORY_MIB}M,billing={THREADS},gres/gpu={gpus},"
        f"gres/gpu:{gpu_type(plant)}={gpus}"
    )


def uid(incident: Incident, user: str) -> int:
    """The number that the nodes' journals name too."""
    return _uid(incident.seed, user)


@lru_cache(maxsize=1024)
def _uid(seed: str, user: str) -> int:
    return 20_000 + int(Stream(seed, f"uid {user}").between(100, 2_900))


def gid(account: str) -> int:
    return 2_001 + _GROUPS.index(account)


def state_at(job: Job, at_ms: int) -> str:
    """PENDING, RUNNING or the state in which it ended, seen at an instant."""
    if job.start_ms is None or at_ms < job.start_ms:
        return "PENDING"
    if job.end_ms is None or at_ms < job.end_ms:
        return "RUNNING"
    return job.state
