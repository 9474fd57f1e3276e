"""How programs end: the last lines of a job's output, in agreement with the job that wrote them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scenarios.worlds import reading
from scenarios.worlds.gpu_idle_alerts import load
from scenarios.worlds.gpu_idle_alerts.fleet import GPUS
from scenarios.worlds.gpu_idle_alerts.jobs import Job
from scenarios.worlds.gpu_idle_alerts.load import Phase
from scenarios.worlds.gpu_idle_alerts.world import IdleWorld, load_pid

CRASHES: Mapping[str, Sequence[str]] = reading.table(__file__, "data.toml")["crashes"]
KINDS = ("out_of_memory", "illegal_access", "no_file", "no_space", "worker_killed")


def crash(world: IdleWorld, job: Job, step: int) -> tuple[str, str, str]:
    """How the job crashed after that step: where it happened, the line of the program, the error.

    The same answer whenever it is asked for.
    """
    kind = "storm" if job.crashed_in_storm else KINDS[job.text % len(KINDS)]
    unit = world.fleet.units[job.units[0]]
    held = load.memory(job, Phase.WORK, unit.memory) / 1024
    # a MIG slice is named at its full size
    total = unit.memory / 1024 if unit.parent >= 0 else float(GPUS[world.gpu.name]["usable_gib"])
    free = total - held
    place, line, error = CRASHES[kind]
    said = error.format(
        asked=(int(2 * free) + 1) / 2,
        total=total,
        free=free,
        held=held,
        shard=job.text * 7 % 1000,
        job=job.id,
        step=step,
        pid=load_pid(job, 0) + 41,
    )
    return place, line, said
