"""What the existing script does, kept alive when a call fails: the zero of every measure."""

from __future__ import annotations

import headnode_sdk
from headnode_sdk import ApiError, Cluster

EVERY = 4 * 60


def place_services(cluster: Cluster) -> None:
    """Give each missing replica the first free instance of exactly its profile."""
    free = [i for gpu in cluster.mig_gpus() for i in gpu.instances if i.free]
    for service in cluster.services():
        for _ in range(service.missing):
            fitting = [i for i in free if i.profile == service.profile]
            if not fitting:
                break
            free.remove(fitting[0])
            cluster.place(service.name, fitting[0].name)


def remove_surplus(cluster: Cluster) -> None:
    gpus = cluster.mig_gpus()
    for service in cluster.services():
        mine = [i for gpu in gpus for i in gpu.instances if i.service == service.name]
        for instance in mine[: service.surplus]:
            cluster.evict(service.name, instance.name)


def start_training(cluster: Cluster) -> None:
    """First come, first served, on the first whole GPUs there are."""
    whole = [gpu.name for gpu in cluster.mig_gpus() if gpu.whole]
    for job in cluster.jobs():
        if job.state == "pending":
            if len(whole) < job.gpus:
                break
            cluster.start_gang(job.id, whole[: job.gpus])
            whole = whole[job.gpus :]


def send_bills(cluster: Cluster) -> None:
    """Once an hour, by what each service asks for now."""
    hour = cluster.now // 3600 - 1
    services = cluster.services()
    for tenant in cluster.tenants():
        seconds: dict[str, float] = {}
        for service in services:
            if service.tenant == tenant.name:
                lines = seconds.get(service.profile, 0)
                seconds[service.profile] = lines + service.wanted * 3600
        cluster.bill(tenant.name, hour, seconds)


def control(cluster: Cluster) -> None:
    while cluster.tick():
        steps = [place_services, remove_surplus, start_training] if cluster.now % EVERY == 0 else []
        if cluster.now % 3600 == 0:
            steps.append(send_bills)
        for step in steps:
            try:
                step(cluster)
            except ApiError as error:
                cluster.log(f"{step.__name__} gave up this round: {error}")


if __name__ == "__main__":
    control(headnode_sdk.connect())
