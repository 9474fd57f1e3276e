"""The five decisions. They know no API, so each can be tried with made-up workloads."""

from __future__ import annotations

from headnode_sdk import Flavor, Room, Workload


def order(pending: list[Workload]) -> list[Workload]:
    """Waiting workloads, the one to try first at the front.

    Think of: deadlines, priority, and how long somebody has waited (work.pending_since). Who
    would wait for ever in your order?
    """
    return sorted(pending, key=lambda work: work.submitted)


def flavor_for(
    work: Workload, flavors: dict[str, Flavor], room: dict[tuple[str, str], Room]
) -> str:
    """The flavour to admit it to, or "" to let it wait.

    Think of: room[work.queue, name].total, which is what quota and borrowing still allow; what
    spot costs and what it risks; which workloads can be saved (work.checkpoint above 0).
    """
    for name in work.flavors:
        if flavors[name].free >= work.gpus:
            return name
    return ""


def to_save(work: Workload, going: set[str]) -> bool:
    """Whether to save a running workload now; `going` are nodes that will be taken back.

    Think of: the nodes it runs on (work.nodes), and what a save helps one without checkpoints.
    """
    return False


def to_requeue(work: Workload, now: int) -> bool:
    """Whether its pods will never get ready, so that it should be sent back to wait.

    Think of: how long pods take to start, how long a checkpoint takes to load (environment page), and
    work.admitted_at. Too early a guess stops something that was nearly there.
    """
    return False


def to_preempt(work: Workload, works: list[Workload]) -> list[Workload]:
    """Who makes room for a workload with a deadline.

    Think of: who is allowed to be stopped for it, how many GPUs are needed in which flavour, who has been
    asked already (state "saving"), and whose stop costs least.
    """
    return []
