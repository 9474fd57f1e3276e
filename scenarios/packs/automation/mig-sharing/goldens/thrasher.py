"""Cuts GPUs anew at every twitch: whatever waits gets room at once, whoever is in the way goes."""

from __future__ import annotations

import headnode_sdk
from headnode_sdk import ApiError, Cluster, MigGpu

COPIES = {"1": 7, "2": 3, "3": 2}


def clear(cluster: Cluster, gpu: MigGpu) -> None:
    for instance in gpu.instances:
        if not instance.free:
            cluster.evict(instance.service, instance.name)


def give_room_to_services(cluster: Cluster) -> None:
    gpus = cluster.mig_gpus()
    free = [i for gpu in gpus if gpu.state == "ready" for i in gpu.instances if i.free]
    for service in cluster.services():
        for _ in range(service.missing):
            fitting = [i for i in free if i.profile == service.profile]
            if fitting:
                free.remove(fitting[0])
                cluster.place(service.name, fitting[0].name)
                continue
            gpu = next((g for g in gpus if g.state == "ready" and g.job < 0), None)
            if gpu is not None:
                gpus.remove(gpu)
                free = [i for i in free if not i.name.startswith(gpu.name + "/")]
                clear(cluster, gpu)
                cluster.set_layout(gpu.name, [service.profile] * COPIES.get(service.profile[0], 1))
                break


def give_room_to_training(cluster: Cluster) -> None:
    gpus = cluster.mig_gpus()
    whole = [gpu.name for gpu in gpus if gpu.whole]
    for job in cluster.jobs():
        if job.state != "pending":
            continue
        if len(whole) >= job.gpus:
            cluster.start_gang(job.id, whole[: job.gpus])
            whole = whole[job.gpus :]
            continue
        for gpu in gpus[::-1]:
            if gpu.mig and gpu.state == "ready":
                clear(cluster, gpu)
                cluster.set_layout(gpu.name, [])
                return


def send_bills(cluster: Cluster) -> None:
    for tenant in cluster.tenants():
        seconds: dict[str, float] = {}
        for service in cluster.services():
            if service.tenant == tenant.name:
                seconds[service.profile] = seconds.get(service.profile, 0) + service.ready * 3600
        cluster.bill(tenant.name, cluster.now // 3600 - 1, seconds)


def control(cluster: Cluster) -> None:
    while cluster.tick():
        try:
            give_room_to_services(cluster)
            give_room_to_training(cluster)
            if cluster.now % 3600 == 0:
                send_bills(cluster)
        except ApiError as error:
            cluster.log(error)


if __name__ == "__main__":
    control(headnode_sdk.connect())
