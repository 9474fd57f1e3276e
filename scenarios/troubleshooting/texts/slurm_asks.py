"""What other people ask of sbatch and srun beside resources; the training asks for none of it."""

from __future__ import annotations

from dataclasses import dataclass

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.jobs import Job
from scenarios.troubleshooting.truth import Incident

_LEAST = (("N/A", 0.75), ("00:30:00", 0.15), ("01:00:00", 0.1))
_LIMITS = (("UNLIMITED", 0.7), ("12:00:00", 0.15), ("1-00:00:00", 0.15))
_CLOCKS = (("Default", 0.7), ("Performance", 0.15), ("High", 0.15))
_SPREADS = (("Block", 0.7), ("Cyclic", 0.15), ("Block:Block", 0.15))


@dataclass(frozen=True, slots=True)
class Asked:
    """--requeue, --contiguous and --time-min of a job; --time, --cpu-freq and --distribution of its step."""

    again: int = 1
    together: int = 0
    least: str = "N/A"
    limit: str = "UNLIMITED"
    clocks: str = "Default"
    spread: str = "Block"


def asked(incident: Incident, job: Job) -> Asked:
    """What Slurm shows of a job's wishes, the same while it waits and runs."""
    if not incident.settings.fleet or job.role != "other":
        return Asked()
    draw = Stream(incident.seed, f"asked {job.id}")
    return Asked(
        int(draw.chance(0.75)),
        int(draw.chance(0.2)),
        *(draw.pick(ways) for ways in (_LEAST, _LIMITS, _CLOCKS, _SPREADS)),
    )
