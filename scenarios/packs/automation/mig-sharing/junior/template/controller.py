"""Runs the cluster's day: one function for each part of the work. Started as it is by Run and by the graders."""

from __future__ import annotations

import headnode_sdk
from headnode_sdk import ApiError, Cluster, MigGpu, Service
from layouts import LAYOUTS, learn


def place_missing(cluster: Cluster, gpus: list[MigGpu], services: list[Service]) -> None:
    """Give every missing replica a free instance."""
    # Hints: who should come first? Must the profile be the same, or may it be larger (fits())?
    # Which free instance is the best one to take, if GPUs should become empty again later?
    free = [one for gpu in gpus if gpu.state == "ready" for one in gpu.instances if one.free]
    for service in services:
        for _ in range(service.missing):
            fitting = [one for one in free if one.profile == service.profile]
            if fitting:
                free.remove(fitting[0])
                cluster.place(service.name, fitting[0].name)


def remove_surplus(cluster: Cluster, gpus: list[MigGpu], services: list[Service]) -> None:
    """End replicas that are no longer wanted."""
    # Hint: service.surplus says how many; the instances of a service are those that name it.


def start_training(cluster: Cluster, gpus: list[MigGpu]) -> None:
    """Start waiting jobs on whole GPUs (gpu.whole), all of a job's GPUs at once."""
    # Hints: cluster.jobs(), state "pending". What if the first job in line does not fit?


def change_layouts(cluster: Cluster, gpus: list[MigGpu], services: list[Service]) -> None:
    """Give empty GPUs (gpu.empty) the layout that is needed now."""
    # Hints: count what could not be placed. Leave a GPU alone for half an hour after a change.
    # cluster.set_layout(gpu.name, LAYOUTS["small"]), or "balanced", or "whole"


def repair(cluster: Cluster, gpus: list[MigGpu]) -> None:
    """Bring back GPUs that need a reset or whose layout ended half way."""
    # Hint: look at gpu.state.


def send_bills(cluster: Cluster) -> None:
    """File the hour that has just ended, for every tenant."""
    # Hint: to know what was used you have to keep count in every step, not only here.


def step(cluster: Cluster) -> None:
    """Two minutes' work."""
    gpus, services = cluster.mig_gpus(), cluster.services()
    learn(gpus)
    repair(cluster, gpus)
    remove_surplus(cluster, gpus, services)
    place_missing(cluster, gpus, services)
    start_training(cluster, gpus)
    change_layouts(cluster, gpus, services)
    if cluster.now % 3600 == 0:
        send_bills(cluster)
        short = sum(service.missing for service in services)
        print(f"{cluster.now // 3600:02d}:00  {short} replicas short, layouts {sorted(LAYOUTS)}")


def main() -> None:
    cluster = headnode_sdk.connect()
    while cluster.tick():
        try:
            step(cluster)
        except ApiError as error:
            # Enough to reach midnight. One failed call ends the whole step: is that good enough?
            print(f"{cluster.now // 60} min: {error}")


if __name__ == "__main__":
    main()
