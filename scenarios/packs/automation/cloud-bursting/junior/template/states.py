"""Every cloud's word for a state in one vocabulary. Finished: you can use it as it is."""

from __future__ import annotations

from headnode_sdk import CloudRun

WORDS = {
    "PENDING": "queued",
    "RUNNING": "running",
    "COMPLETED": "completed",
    "CANCELLED": "cancelled",
    "NODE_FAIL": "interrupted",
    "FAILED": "interrupted",
    "provisioning": "starting",
    "active": "running",
    "preempted": "interrupted",
    "failed": "interrupted",
}
BEST_FIRST = ("completed", "running", "starting", "queued", "interrupted", "cancelled")


def state_of(run: CloudRun) -> str:
    """queued, starting, running, completed, interrupted or cancelled."""
    if run.state in WORDS:
        return WORDS[run.state]
    return "completed" if run.exit_code == 0 else "cancelled"


def job_of(run: CloudRun) -> int:
    """The job's number, which `key_for` put into the key."""
    return int(run.key.split("-")[1])


def key_for(job_id: int, attempt: int) -> str:
    """The key of a job's n-th attempt: the same for every repetition of a call, new for a new attempt."""
    return f"job-{job_id}-{attempt}"
