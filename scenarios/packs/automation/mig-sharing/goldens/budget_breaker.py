"""Spends the GPUs with both hands: every replica gets the largest instance, and one more for luck."""

from __future__ import annotations

import headnode_sdk
from headnode_sdk import ApiError, Cluster

SPARE = 1


def gigabytes(profile: str) -> int:
    return int(profile.split(".")[1].removesuffix("gb"))


def partition(cluster: Cluster) -> None:
    """No GPU stays whole: halves for everybody."""
    halves = [i.profile for gpu in cluster.mig_gpus() for i in gpu.instances if i.profile[0] == "3"]
    for gpu in cluster.mig_gpus():
        if gpu.whole and halves:
            small = (
                halves[0]
                .replace("3g", "2g")
                .replace(f"{gigabytes(halves[0])}gb", f"{gigabytes(halves[0]) // 2}gb")
            )
            tiny = [
                i.profile for g in cluster.mig_gpus() for i in g.instances if i.profile[0] == "1"
            ]
            cluster.set_layout(gpu.name, [halves[0], small, *tiny[-1:] * 2])


def place(cluster: Cluster) -> None:
    free = [
        i for gpu in cluster.mig_gpus() for i in gpu.instances if i.free and gpu.state == "ready"
    ]
    free.sort(key=lambda instance: -gigabytes(instance.profile))
    for service in cluster.services():
        for _ in range(service.wanted + SPARE - service.ready - service.starting):
            fitting = [
                i
                for i in free
                if i.profile[0] >= service.profile[0]
                and gigabytes(i.profile) >= gigabytes(service.profile)
            ]
            if fitting:
                free.remove(fitting[0])
                cluster.place(service.name, fitting[0].name)


def send_bills(cluster: Cluster) -> None:
    """By the instance that was handed out, the surplus included."""
    services = {service.name: service for service in cluster.services()}
    for tenant in cluster.tenants():
        seconds: dict[str, float] = {}
        for gpu in cluster.mig_gpus():
            for instance in gpu.instances:
                service = services.get(instance.service)
                if service and service.tenant == tenant.name:
                    seconds[instance.profile] = seconds.get(instance.profile, 0) + 3600
        cluster.bill(tenant.name, cluster.now // 3600 - 1, seconds)


def control(cluster: Cluster) -> None:
    while cluster.tick():
        steps = [partition, place] + ([send_bills] if cluster.now % 3600 == 0 else [])
        for step in steps:
            try:
                step(cluster)
            except ApiError as error:
                cluster.log(error)


if __name__ == "__main__":
    control(headnode_sdk.connect())
