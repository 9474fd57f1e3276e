"""Places what is missing, recuts idle GPUs for it, starts gangs that fit, repairs, bills by sampling."""

from __future__ import annotations

from collections import Counter, defaultdict

import headnode_sdk
from headnode_sdk import ApiError, Cluster, MigGpu, Service

REST = 30 * 60
MIXED = ("3g", "2g", "1g", "1g")


def compute(profile: str) -> int:
    return int(profile[0])


def memory(profile: str) -> int:
    return int(profile.split(".")[1].removesuffix("gb"))


def fits(profile: str, wanted: str) -> bool:
    return compute(profile) >= compute(wanted) and memory(profile) >= memory(wanted)


class Controller:
    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.used: dict[tuple[str, int], Counter[str]] = defaultdict(Counter)
        self.changed: dict[str, int] = {}
        self.layouts: dict[str, list[str]] = {}
        self.sampled = 0
        self.apart: dict[str, str] = {}

    def step(self) -> None:
        cluster = self.cluster
        if not self.apart:
            self.apart = {tenant.name: tenant.isolation for tenant in cluster.tenants()}
        self.gpus = cluster.mig_gpus()
        self.services = {service.name: service for service in cluster.services()}
        self.jobs = {job.id: job for job in cluster.jobs()}
        self.nodes = {node.name: node for node in cluster.nodes()}
        self.sample()
        if cluster.now % 3600 == 0:
            self.send_bills()
        self.repair()
        self.remove_surplus()
        self.place_missing()
        self.start_gangs()

    # -- who is where ----------------------------------------------------------------

    def tenants_on(self, gpus: list[MigGpu]) -> set[str]:
        names = {i.service for gpu in gpus for i in gpu.instances} & set(self.services)
        teams = {self.jobs[gpu.job].team for gpu in gpus if gpu.job in self.jobs}
        return {self.services[name].tenant for name in names} | teams

    def allowed(self, tenant: str, gpu: MigGpu) -> bool:
        if set(self.apart.values()) == {"none"}:
            return True
        others = self.tenants_on([one for one in self.gpus if one.node == gpu.node]) - {tenant}
        if others and (self.apart[tenant] == "node" or "node" in {self.apart[o] for o in others}):
            return False
        return self.tenants_on([gpu]) <= {tenant}

    def open(self, gpu: MigGpu) -> bool:
        node = self.nodes[gpu.node]
        return gpu.state == "ready" and node.state == "ready" and node.reclaim_at < 0

    # -- services --------------------------------------------------------------------

    def remove_surplus(self) -> None:
        for service in self.services.values():
            if service.surplus:
                mine = [i for gpu in self.gpus for i in gpu.instances if i.service == service.name]
                mine.sort(key=lambda instance: instance.ready)
                for instance in mine[: service.surplus]:
                    self.cluster.evict(service.name, instance.name)

    def place_missing(self) -> None:
        order = ("critical", "standard", "batch")
        homeless = []
        for service in sorted(self.services.values(), key=lambda s: order.index(s.slo)):
            for _ in range(service.missing):
                if not self.place(service):
                    homeless.append(service)
        for service in homeless:
            if not any(gpu.state == "changing" for gpu in self.gpus):
                self.recut(service)
                break

    def place(self, service: Service) -> bool:
        free = [
            (compute(i.profile), memory(i.profile), index, gpu, i)
            for gpu in self.gpus
            if self.open(gpu)
            for index, i in enumerate(gpu.instances)
            if i.free and fits(i.profile, service.profile)
        ]
        for _, _, index, gpu, instance in sorted(free, key=lambda spot: spot[:2]):
            if self.allowed(service.tenant, gpu):
                self.cluster.place(service.name, instance.name)
                gpu.instances[index] = instance._replace(service=service.name)
                return True
        return False

    def recut(self, service: Service) -> None:
        """Give an idle GPU a layout that has the profile."""
        now, wanted = self.cluster.now, service.profile
        idle = [
            gpu
            for gpu in self.gpus
            if self.open(gpu)
            and gpu.empty
            and self.allowed(service.tenant, gpu)
            and now - self.changed.get(gpu.name, -REST) >= REST
        ]
        if service.slo != "critical" and any(
            job.state == "pending" and job.waited > 45 * 60 for job in self.jobs.values()
        ):
            idle = [gpu for gpu in idle if gpu.mig]
        names = {s.profile for s in self.services.values()} | {wanted}
        smallest = min(names, key=memory)
        same = [name for name in names if name == wanted]
        if compute(wanted) == 1:
            profiles = same * (7 if wanted == smallest else 4)
        elif compute(wanted) in (2, 3):
            profiles = [
                f"{g}.{memory(smallest) * m}gb" for g, m in zip(MIXED, (4, 2, 1, 1), strict=True)
            ]
            if not self.known(profiles):
                profiles = same
        else:
            profiles = same
        for gpu in sorted(idle, key=lambda gpu: (not gpu.mig, gpu.name))[:1]:
            self.lay(gpu, profiles)

    def known(self, profiles: list[str]) -> bool:
        seen = {i.profile for gpu in self.gpus for i in gpu.instances}
        return set(profiles) <= seen | {s.profile for s in self.services.values()}

    def lay(self, gpu: MigGpu, profiles: list[str]) -> None:
        self.changed[gpu.name] = self.cluster.now
        self.layouts[gpu.name] = profiles
        self.cluster.set_layout(gpu.name, profiles)

    def repair(self) -> None:
        for gpu in self.gpus:
            if gpu.state in ("failed", "faulty"):
                before = [instance.profile for instance in gpu.instances]
                self.lay(gpu, self.layouts.get(gpu.name, before))

    # -- training --------------------------------------------------------------------

    def start_gangs(self) -> None:
        """In order of arrival, each one that fits now; unused partitioned GPUs are made whole."""
        busy: set[str] = set()
        for job in self.jobs.values():
            if job.state != "pending":
                continue
            whole = [
                gpu
                for gpu in self.gpus
                if gpu.whole
                and self.open(gpu)
                and gpu.name not in busy
                and self.allowed(job.team, gpu)
            ]
            if len(whole) >= job.gpus:
                counts = Counter(gpu.node for gpu in whole)
                whole.sort(key=lambda gpu: (-counts[gpu.node], gpu.name))
                chosen = [gpu.name for gpu in whole[: job.gpus]]
                self.cluster.start_gang(job.id, chosen)
                busy.update(chosen)
            elif job.waited > 10 * 60:
                self.widen(job.team)
                return

    def widen(self, team: str) -> None:
        for gpu in self.gpus:
            rested = self.cluster.now - self.changed.get(gpu.name, -REST) >= REST
            if gpu.mig and gpu.empty and self.open(gpu) and rested and self.allowed(team, gpu):
                self.lay(gpu, [])
                return

    # -- books -----------------------------------------------------------------------

    def sample(self) -> None:
        """Charge the time since the last look to whoever serves or trains now."""
        now = self.cluster.now
        passed, hour = now - self.sampled, (now - 1) // 3600
        self.sampled = now
        for gpu in self.gpus:
            for instance in gpu.instances:
                service = self.services.get(instance.service)
                if service and instance.ready:
                    self.used[service.tenant, hour][service.profile] += passed
        for job in self.jobs.values():
            if job.state == "running":
                self.used[job.team, hour]["gpu"] += passed * job.gpus

    def send_bills(self) -> None:
        hour = self.cluster.now // 3600 - 1
        for tenant in self.apart:
            self.cluster.bill(tenant, hour, self.used[tenant, hour])


def control(cluster: Cluster) -> None:
    controller = Controller(cluster)
    while cluster.tick():
        try:
            controller.step()
        except ApiError as error:
            cluster.log(f"trying again next round: {error}")


if __name__ == "__main__":
    control(headnode_sdk.connect())
