"""Spends everybody's patience: pages for each idle hour, and ends what has been still for two."""

from __future__ import annotations

import headnode_sdk
from headnode_sdk import ApiError, Cluster, InvalidRequest

PATIENCE = 12


def step(cluster: Cluster, still: dict[str, int]) -> None:
    open_for = {gpu: alert.id for alert in cluster.alerts() for gpu in alert.gpus}
    jobs = {gpu.name: gpu.job for gpu in cluster.gpus()}
    for sample in cluster.samples():
        still[sample.gpu] = 0 if sample.util else still.get(sample.gpu, 0) + 1
        if still[sample.gpu] == 0 and sample.gpu in open_for:
            cluster.resolve(open_for.pop(sample.gpu))
        if still[sample.gpu] == PATIENCE:
            page(cluster, sample.gpu, jobs.get(sample.gpu, -1))


def page(cluster: Cluster, gpu: str, job: int) -> None:
    alert = cluster.alert("idle", [gpu], f"{gpu} does nothing", "page")
    cluster.finding(alert, "idle_process", [])
    if job >= 0:
        try:
            cluster.cancel(job)
        except InvalidRequest:
            cluster.log("jobs cannot be cancelled here")


def control(cluster: Cluster) -> None:
    still: dict[str, int] = {}
    while cluster.tick():
        try:
            step(cluster, still)
        except ApiError as error:
            cluster.log(error)


if __name__ == "__main__":
    control(headnode_sdk.connect())
