"""Finds out why a GPU stands idle, and what shows it."""

from __future__ import annotations

from headnode_sdk import Evidence, Gpu, Job, Process, Sample


def find_cause(
    gpu: Gpu, job: Job | None, process: Process | None, samples: list[Sample], log: list[str]
) -> tuple[str, list[Evidence]] | None:
    """The cause and its evidence; None while nothing is certain.

    `job` is the scheduler's view, `process` what runs on the GPU, `samples` the last day, `log`
    the end of the job's output. Ask in this order: is there a process at all? Has the job
    ended? Has there been any work in the last hours? What does the log say at its end?
    """
    if job is not None and job.state == "completing" and process is not None:
        return "zombie_process", [
            Evidence("job", str(job.id), job.state),
            Evidence("process", gpu.name, str(process.pid)),
        ]
    return None
