"""The five decisions. They know no API, so each can be tried with made-up values."""

from __future__ import annotations

from headnode_sdk import Checkpoint, Training


def cadence(run: Training) -> tuple[int, str]:
    """Steps between two saves, and "sync" or "async".

    Think of: how long the run stands still for a save of each kind, how long one step takes
    (run.step_time, in seconds), and how often the run stops without having been saved.
    """
    return 1000, "sync"


def save_now(run: Training, seconds_left: int, newest_step: int) -> bool:
    """Whether to save out of turn, `seconds_left` before a node of the gang is taken away.

    Think of: whether a complete save fits into the time that is left, and how many steps are
    not saved yet (run.step against newest_step). What happens to a save that is cut short?
    """
    return False


def resume_from(run: Training, saved: list[Checkpoint]) -> str | None:
    """Name of the checkpoint to resume from, "" for step 0, None to wait for a better answer.

    `saved` holds the run's checkpoints, oldest first. Think of: which are complete
    (checkpoint.gb against run.checkpoint_gb), which have been verified (checkpoint.checked), and
    what may be wrong with the one that run.latest names.
    """
    names = [checkpoint.name for checkpoint in saved]
    return run.latest if run.latest in names else ""


def go_on_demand(run: Training, now: int) -> bool:
    """Whether the deadline is so near that only on-demand nodes are safe enough.

    Think of: the work that is left, at about 3.6 s for a step, the time that is left until
    run.deadline, and what interruptions cost on the way.
    """
    return False


def deletable(run: Training, saved: list[Checkpoint]) -> list[str]:
    """Names of checkpoints that nobody needs any more.

    Think of: the quota, broken ones, and which ones you would still want if the newest turned out
    to be bad.
    """
    return [checkpoint.name for checkpoint in saved[:-10]]
