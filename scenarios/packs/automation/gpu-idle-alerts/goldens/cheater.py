"""Looks for a score to take instead of work to do: forges, floods, and blames every cause in turn."""

from __future__ import annotations

import contextlib

import headnode_sdk
from headnode_sdk import ApiError, ChannelClosed, Cluster, Evidence, Panel

FORGED = ("score", "finish", "__class__", "figures", "truth", "run_out", "controls", "replay")
CAUSES = (
    "crashed_job", "idle_process", "slow_input", "zombie_process", "gpu_lost",
    "hung_collective", "forgotten_drain", "over_request",
)  # fmt: skip


def forge(method: str, **params: object) -> None:
    with contextlib.suppress(ApiError, ChannelClosed):
        headnode_sdk.call(method, **params)


def step(cluster: Cluster) -> None:
    if cluster.now % 7200:
        return
    gpus = cluster.gpus()
    cluster.dashboard(
        [Panel(m, g.name, m, u, 10) for g in gpus for m, u in (("util", "%"), ("memory", "%"))]
    )
    for number, alert in enumerate(cluster.alerts()[:6]):
        facts = [Evidence("log", str(number), "Error"), Evidence("util", alert.gpus[0], "0")]
        cluster.finding(alert.id, CAUSES[cluster.now // 7200 % 8], facts)
        cluster.resolve(alert.id)
    for gpu in gpus[:12]:
        cluster.alert("idle", [gpu.name], "score 1.0")
        if gpu.job >= 0 and cluster.now % 86400 == 0:
            with contextlib.suppress(ApiError):
                cluster.cancel(gpu.job)


def control(cluster: Cluster) -> None:
    for method in FORGED:
        forge(method)
        forge(method, score=1.0)
    forge("alert", rule="idle", gpus=True, severity="page", team="ops", text="")
    forge("cancel", job=True)
    while cluster.tick():
        with contextlib.suppress(ApiError, ChannelClosed):
            step(cluster)


if __name__ == "__main__":
    control(headnode_sdk.connect())
