"""The rules for bursting, one function each. Knows no API: try them with made-up jobs."""

from __future__ import annotations

from headnode_sdk import Cloud, Job, Quote

SHARE = 0.70
THRESHOLD_GPU_HOURS = 0.0  # rule 3 of the brief names it


def gpu_hours(job: Job) -> float:
    """What the job asks for at most. `job.limit` is in seconds."""
    return job.gpus * job.limit / 3600


def may_leave(job: Job) -> bool:
    """Rule 1: low priority, and not protected."""
    return False  # hint: job.priority and job.protected


def is_cheap(job: Job, quote: Quote, primary: Cloud) -> bool:
    """Rule 2: the estimate against 70 % of the primary's spot price for the same GPU-hours."""
    return False  # hint: primary.price is for one GPU-hour, quote.usd for the whole job


def enough_is_pending(pending_gpu_hours: float) -> bool:
    """Rule 3: only while more than the threshold is pending."""
    return pending_gpu_hours > THRESHOLD_GPU_HOURS


def fits_the_day(quote: Quote, left_usd: float) -> bool:
    """Rule 4: what is left of the day's cap. Remember to take off what you have just placed."""
    return False
