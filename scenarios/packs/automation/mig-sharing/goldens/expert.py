"""Packs services, keeps nodes whole for gangs, moves before it breaks, and bills what was served."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import headnode_sdk
from headnode_sdk import ApiError, ApiTimeout, Cluster, Conflict, InvalidRequest, Job, MigGpu, MigInstance
from headnode_sdk import NotFound, RateLimited, Service, fits, size_of

WRITES, TRIES = 36, 3
LEAVE_EARLY = 6 * 60
REST = 33 * 60
PATIENCE = 4 * 60
CUT_EVERY = 30 * 60
RANK = {"critical": 0, "standard": 1, "batch": 2}
Spot = tuple[MigGpu, MigInstance]


def movable(job: Job) -> bool:
    return bool(job.state == "running" and job.checkpoint and not job.protected)


def filled(missing: list[str], asked: Counter[str], smallest: str) -> list[str]:
    """What is missing, largest first, then what is asked for most: seven compute, eight memory slices."""
    chosen, compute, memory = [], 7, 8 * size_of(smallest)[1] * 1.05
    usual = [profile for profile, _ in asked.most_common() if size_of(profile)[0] < 4]
    for profile in (*missing, *usual, *[smallest] * 7):
        need = size_of(profile)
        if need[0] <= compute and need[1] <= memory:
            chosen.append(profile)
            compute, memory = compute - need[0], memory - need[1]
    return chosen


class Books:
    """Seconds used by tenant, hour and profile: from what each reading shows and each event says."""

    def __init__(self) -> None:
        self.used: dict[tuple[str, int], Counter[str]] = defaultdict(Counter)
        self.open: dict[tuple[object, ...], tuple[str, str, int, int]] = {}
        self.filed: set[tuple[str, int]] = set()

    def add(self, tenant: str, what: str, begin: int, end: int, times: int) -> None:
        while begin < end:
            until = min(end, begin // 3600 * 3600 + 3600)
            self.used[tenant, begin // 3600][what] += (until - begin) * times
            begin = until

    def note(self, now: int, board: Board, ends: dict[str, int]) -> None:
        """Bring every account up to now; what is gone ended when its event says so."""
        seen = {}
        for key, since, tenant, what, times in board.accounts():
            since = self.open[key][2] if key in self.open else since
            self.add(tenant, what, since, now, times)
            seen[key] = (tenant, what, now, times)
        for key, (tenant, what, since, times) in self.open.items():
            if key not in seen:
                known = [ends[str(name)] for name in key[:-1] if str(name) in ends]
                self.add(tenant, what, since, min(known, default=since), times)
        self.open = seen


class Board:
    """One reading of the cluster, kept up to date with what this round changes."""

    def __init__(self, cluster: Cluster, read: Callable[[Callable[[], Any]], Any]) -> None:
        answers, fresh = [], True
        for what in (cluster.mig_gpus, cluster.services, cluster.nodes, cluster.jobs):
            answers.append(read(what))
            fresh = fresh and cluster.read_at == cluster.now
        self.fresh, self.gpus = fresh, answers[0]
        self.services: dict[str, Service] = {one.name: one for one in answers[1]}
        self.nodes = {one.name: one for one in answers[2]}
        self.jobs: dict[int, Job] = {one.id: one for one in answers[3]}
        self.changed: set[str] = set()
        self.on_gpu: dict[str, set[str]] = defaultdict(set)
        self.replicas: dict[str, list[Spot]] = defaultdict(list)
        for gpu in self.gpus:
            for one in gpu.instances:
                if one.service in self.services:
                    self.replicas[one.service].append((gpu, one))
                    self.on_gpu[gpu.name].add(self.services[one.service].tenant)
            if gpu.job in self.jobs:
                self.on_gpu[gpu.name].add(self.jobs[gpu.job].team)

    def accounts(self) -> Iterator[tuple[tuple[object, ...], int, str, str, int]]:
        """What is charged for now: (what may name its end, begin, tenant, line, times)."""
        for name, places in self.replicas.items():
            service = self.services[name]
            for gpu, one in places:
                if one.ready:
                    key = (name, one.name, gpu.name, gpu.node, one.ready_at)
                    yield key, one.ready_at, service.tenant, service.profile, 1
        for job in self.jobs.values():
            if job.state in ("running", "saving"):
                yield (job.id, job.started), job.started, job.team, "gpu", job.gpus

    def calm(self, gpu: MigGpu) -> bool:
        """Fit for new work: up, fresh, not about to be maintained, not touched this round."""
        node = self.nodes[gpu.node]
        up = node.state == "ready" and not node.cordoned and node.reclaim_at < 0
        return up and gpu.state == "ready" and gpu.stale_since < 0 and gpu.name not in self.changed

    def room(self, node: str) -> int:
        """Whole idle GPUs of a node."""
        return sum(gpu.whole and self.calm(gpu) for gpu in self.gpus if gpu.node == node)


class Controller:
    def __init__(self, cluster: Cluster) -> None:
        self.cluster, self.books = cluster, Books()
        self.rules, self.homes, self.ends, self.draining = {}, {}, {}, set()
        self.laid: dict[str, tuple[int, list[str]]] = {}
        self.left, self.cut_at, self.menu = WRITES, 0, False

    def read(self, ask: Callable[[], Any]) -> Any:
        for _ in range(TRIES - 1):
            with suppress(ApiTimeout):
                return ask()
        return ask()

    def write(self, act: Callable[..., object], *what: object) -> bool:
        """One write, repeated when it times out; what still fails is seen in the next round."""
        for _ in range(TRIES):
            if self.left <= 0:
                break
            self.left -= 1
            try:
                act(*what)
                return True
            except ApiTimeout:
                continue
            except RateLimited:
                self.left = 0
            except (Conflict, NotFound):
                return False
        return False

    def lay(self, board: Board, gpu: MigGpu, profiles: list[str]) -> None:
        board.changed.add(gpu.name)
        self.laid[gpu.name] = (self.cluster.now, profiles)
        self.draining.discard(gpu.name)
        try:
            self.write(self.cluster.set_layout, gpu.name, profiles)
        except InvalidRequest:
            self.menu = True

    def step(self) -> None:
        self.left = WRITES
        self.ends |= {event.node: event.at for event in self.cluster.events}
        if not self.rules:
            self.settle()
        board = Board(self.cluster, self.read)
        if not board.fresh:
            return
        self.books.note(self.cluster.now, board, self.ends)
        self.ends = {}
        self.repair(board)
        self.trim(board)
        missing = self.place_missing(board)
        self.partition(board, missing)
        self.leave_nodes(board)
        waiting = self.train(board)
        self.consolidate(board, waiting and not missing)
        self.file_bills()

    def settle(self) -> None:
        """Give the tenants that share no node a node of their own each, from the last on."""
        nodes = self.read(self.cluster.nodes)
        self.rules = {one.name: one.isolation for one in self.read(self.cluster.tenants)}
        alone = sorted(name for name, rule in self.rules.items() if rule == "node")
        self.homes = dict(zip(sorted((n.name for n in nodes), reverse=True), alone, strict=False))

    def allowed(self, board: Board, tenant: str, gpu: MigGpu) -> bool:
        """Whether the rules of isolation let the tenant onto the GPU."""
        here = board.on_gpu[gpu.name] | {tenant}
        if len(here) > 1 and any(self.rules[one] != "none" for one in here):
            return False
        return self.homes.get(gpu.node, tenant if self.rules[tenant] != "node" else "") == tenant

    def leaving(self, board: Board, gpu: MigGpu) -> bool:
        return gpu.name in self.draining or board.nodes[gpu.node].reclaim_at >= 0

    def repair(self, board: Board) -> None:
        for gpu in board.gpus:
            if gpu.state in ("failed", "faulty") and gpu.stale_since < 0:
                wanted = self.laid.get(gpu.name, (0, [one.profile for one in gpu.instances]))[1]
                self.lay(board, gpu, wanted)

    def leave_nodes(self, board: Board) -> None:
        """Save gangs from nodes soon to be maintained or without their second network; empty the former."""
        soon = self.cluster.now + LEAVE_EARLY
        due = {name for name, node in board.nodes.items() if 0 <= node.reclaim_at <= soon}
        for job in board.jobs.values():
            crawls = len(job.nodes) > 1 and any(not board.nodes[name].rdma for name in job.nodes)
            if movable(job) and (crawls or due & set(job.nodes)):
                self.write(self.cluster.preempt, job.id)
        last = {name for name in due if board.nodes[name].reclaim_at <= soon - LEAVE_EARLY // 2}
        for one in [one for gpu in board.gpus if gpu.node in last for one in gpu.instances]:
            if one.service:
                self.write(self.cluster.evict, one.service, one.name)

    def trim(self, board: Board) -> None:
        """End replicas beyond what is wanted; first those that stand where they should not."""
        for service in board.services.values():
            mine = board.replicas[service.name]
            spare, cover = len(mine) - service.wanted, service.ready - service.wanted
            keys = ((not self.leaving(board, g), one.ready, one.name, g, one) for g, one in mine)
            for *_, gpu, one in sorted(keys):
                if spare <= 0 or (one.ready and cover <= 0):
                    break
                if gpu.stale_since < 0 and self.write(self.cluster.evict, service.name, one.name):
                    spare, cover = spare - 1, cover - one.ready

    def spots(self, board: Board, service: Service) -> list[Spot]:
        """Free instances that the service may have and fits on."""
        found = [gpu for gpu in board.gpus if gpu.instances and board.calm(gpu)]
        found = [g for g in found if g.name not in self.draining and self.allowed(board, service.tenant, g)]
        free = [(gpu, one) for gpu in found for one in gpu.instances if one.free]
        return [(gpu, one) for gpu, one in free if fits(one.profile, service.profile)]

    def place_missing(self, board: Board) -> list[Service]:
        """Place what is missing; answers one entry for each replica that has no place."""
        homeless: list[Service] = []
        order = sorted(board.services.values(), key=lambda s: (RANK[s.slo], s.short_since, s.name))
        for service in order:
            staying = sum(not self.leaving(board, gpu) for gpu, _ in board.replicas[service.name])
            missing = range(service.wanted - staying)
            homeless += [service for _ in missing if not self.place(board, service)]
        return homeless

    def place(self, board: Board, service: Service) -> bool:
        """On the instance that wastes least, on the fullest GPU; none that is far too large."""
        most = size_of(service.profile)[0] + 2
        ranked = [
            (size_of(one.profile), sum(other.free for other in gpu.instances), one.name, gpu, one)
            for gpu, one in self.spots(board, service)
            if size_of(one.profile)[0] <= most
        ]
        for *_, gpu, one in sorted(ranked)[:2]:
            if self.write(self.cluster.place, service.name, one.name):
                gpu.instances[gpu.instances.index(one)] = one._replace(service=service.name)
                board.on_gpu[gpu.name].add(service.tenant)
                return True
        return False

    def partition(self, board: Board, missing: list[Service]) -> None:
        """Turn empty GPUs into the instances that are missing; make room if there are none."""
        left = list(missing)
        while left:
            found = self.unused(board, left[0].tenant)
            if not found:
                return self.make_room(board, left)
            gpu = min(found, key=lambda gpu: (not gpu.mig, board.room(gpu.node), gpu.name))
            apart = self.rules[left[0].tenant] != "none"
            mine = [s for s in left if not apart or s.tenant == left[0].tenant]
            profiles = self.layout(board, mine, apart)
            for profile in profiles:
                served = next((s for s in left if s.profile == profile and s in mine), None)
                if served:
                    left.remove(served)
            if mine[0].profile not in profiles:
                left.remove(mine[0])
            board.on_gpu[gpu.name].add(mine[0].tenant)
            self.lay(board, gpu, profiles)

    def unused(self, board: Board, tenant: str) -> list[MigGpu]:
        """Empty GPUs, cut or whole, that the tenant may have and that were not cut just now."""
        since = self.cluster.now - REST
        found = [gpu for gpu in board.gpus if board.calm(gpu) and gpu.empty]
        rested = [gpu for gpu in found if self.laid.get(gpu.name, (since, []))[0] <= since]
        return [gpu for gpu in rested if self.allowed(board, tenant, gpu)]

    def layout(self, board: Board, mine: list[Service], apart: bool) -> list[str]:
        """Profiles for one GPU: from the short list where only that is allowed."""
        peers = [s for s in board.services.values() if not apart or s.tenant == mine[0].tenant]
        asked = Counter(service.profile for service in peers for _ in range(service.wanted))
        wanted = sorted(mine, key=lambda service: size_of(service.profile)[1], reverse=True)
        names = sorted({s.profile for s in board.services.values()}, key=size_of)
        if not self.menu:
            return filled([s.profile for s in wanted], asked, names[0])
        mixed = len(names) > 2 and any(size_of(s.profile)[0] > 1 for s in mine)
        return [names[2], names[1], names[0], names[0]] if mixed else names[:1] * 7

    def make_room(self, board: Board, left: list[Service]) -> None:
        """Save a gang away when services that matter have stayed short for a while."""
        now = self.cluster.now
        urgent = [s for s in left if RANK[s.slo] < 2 and 0 <= s.short_since < now - PATIENCE]
        jobs = [job for job in board.jobs.values() if movable(job) and now - job.started > REST]
        if urgent and jobs and now - self.cut_at >= CUT_EVERY // len(board.nodes):
            self.cut_at = now
            self.write(self.cluster.preempt, min(jobs, key=lambda j: (j.gpus, -j.started)).id)

    def train(self, board: Board) -> bool:
        """Start gangs in order, later ones only if they do not delay the first that waits."""
        heads: dict[str, Job] = {}
        pending = [job for job in board.jobs.values() if job.state == "pending"]
        for job in sorted(pending, key=lambda job: job.id):
            group = job.team if job.team in self.homes.values() else ""
            head = heads.get(group)
            if head and self.cluster.now + job.limit > self.shadow(board, head):
                continue
            chosen = self.choose(board, job)
            if chosen and self.write(self.cluster.start_gang, job.id, [g.name for g in chosen]):
                for gpu in chosen:
                    board.changed.add(gpu.name)
                    board.on_gpu[gpu.name].add(job.team)
            elif head is None:
                heads[group] = job
                self.widen(board, job)
        return bool(heads)

    def shadow(self, board: Board, head: Job) -> int:
        """When the running gangs will have left enough GPUs for the one that waits first."""
        idle, apart = sum(map(len, self.halls(board, head).values())), set(self.homes.values())
        running = [job for job in board.jobs.values() if job.state == "running"]
        peers = [job for job in running if (job.team in apart) == (head.team in apart)]
        for job in sorted(peers, key=lambda job: job.started + job.limit):
            idle += job.gpus
            if idle >= head.gpus:
                return job.started + job.limit
        return 10**9

    def halls(self, board: Board, job: Job) -> dict[str, list[MigGpu]]:
        """Whole GPUs on which the job may run, by node."""
        found: dict[str, list[MigGpu]] = defaultdict(list)
        for gpu in board.gpus:
            if gpu.whole and board.calm(gpu) and self.allowed(board, job.team, gpu):
                found[gpu.node].append(gpu)
        return found

    def choose(self, board: Board, job: Job) -> list[MigGpu]:
        """GPUs for the gang on as few nodes as can be; none if it has to wait."""
        by_node = self.halls(board, job)
        single = [gpus for gpus in by_node.values() if len(gpus) >= job.gpus]
        if single:
            return min(single, key=len)[: job.gpus]
        if job.gpus <= board.nodes[board.gpus[0].node].gpus and job.waited < 15 * 60:
            return []
        names = sorted(by_node, key=lambda name: (-len(by_node[name]), name))
        chosen = [gpu for name in names if board.nodes[name].rdma for gpu in by_node[name]]
        return chosen[: job.gpus] if len(chosen) >= job.gpus else []

    def widen(self, board: Board, job: Job) -> None:
        """Make unused partitioned GPUs whole for the gang that waits first."""
        have = sum(map(len, self.halls(board, job).values()))
        have += sum(gpu.state == "changing" and not gpu.mig for gpu in board.gpus)
        unused = [gpu for gpu in self.unused(board, job.team) if gpu.mig]
        unused.sort(key=lambda gpu: (-board.room(gpu.node), gpu.name))
        for gpu in unused[: max(0, job.gpus - have)]:
            self.lay(board, gpu, [])

    def consolidate(self, board: Board, wanted: bool) -> None:
        """While a gang waits, empty the GPUs that few replicas hold."""
        self.draining &= {gpu.name for gpu in board.gpus if wanted and not gpu.empty}
        light = [
            (sum(size_of(one.profile)[0] for one in gpu.instances if one.service), gpu.name, gpu)
            for gpu in board.gpus
            if wanted and gpu.mig and not gpu.empty and board.calm(gpu) and gpu.name not in self.draining
        ]
        for *_, gpu in sorted(light)[: max(0, 2 - len(self.draining))]:
            held = [board.services[o.service] for o in gpu.instances if o.service in board.services]
            if self.could_move(board, gpu, held):
                self.draining.add(gpu.name)

    def could_move(self, board: Board, gpu: MigGpu, held: list[Service]) -> bool:
        """Whether every replica finds an instance of its own elsewhere."""
        used: set[str] = set()
        for service in held:
            same = [one for other, one in self.spots(board, service) if other.name != gpu.name]
            same = [one for one in same if one.profile == service.profile and one.name not in used]
            if not same:
                return False
            used.add(same[0].name)
        return True

    def file_bills(self) -> None:
        over, used = self.cluster.now // 3600, self.books.used
        due = {(tenant, hour) for tenant in self.rules for hour in range(max(0, over - 2), over)}
        for key in sorted(due - self.books.filed):
            if self.write(self.cluster.bill, *key, used[key]):
                self.books.filed.add(key)


def control(cluster: Cluster) -> None:
    controller = Controller(cluster)
    while cluster.tick():
        try:
            controller.step()
        except ApiError as error:
            cluster.log(f"no picture this round: {error}")


if __name__ == "__main__":
    control(headnode_sdk.connect())
