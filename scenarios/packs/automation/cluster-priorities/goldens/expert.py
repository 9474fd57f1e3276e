"""A strong admission controller: the one of every measure, when it meets no API faults."""

from __future__ import annotations

import contextlib

import headnode_sdk
from headnode_sdk import ApiError, Cluster, Flavor, Node, Quota, Room, Workload

DAY = 86_400
UNREADY_AFTER = 660
"""Seconds after which pods that ought to be ready never will be: start and load take up to 7 min."""
DEAR_UNREADY_AFTER = 1260
PATIENCE = {"deadline": 0, "adhoc": 300, "long": 1200}
"""Seconds a workload waits before somebody has to make room for it."""
BUDGETS = {"ondemand-east": 450.0}
"""USD a day for on-demand nodes, known by a flavour of the cluster that has such a budget."""
RESERVES = ((5 * 3600, 80.0), (17 * 3600, 50.0))
"""USD kept for the retrainings of the night and of the afternoon until those run."""
START = 900
"""Seconds until pods work, and a little more."""
NODE = 4
CLAIM = 700
"""Seconds for which freed GPUs are kept for whom they were freed."""
PLANS = {5: {"team-c": 6.5}, 10: {"team-c": 14.0}, 14: {"team-c": 6.0, "team-e": 12.0}}
"""Mean GPUs promised to long-running teams, by the number of nodes of the cluster."""
LONG_WAIT = 4500
"""Seconds after which an experiment goes before long work that is behind its plan."""
SLACK_H = 6.0
"""Hours that such a team may be behind its plan of the day before it goes before experiments."""
MOST_WRITES = 24


class Controller:
    """One round: look, answer trouble, follow the calendar, admit, make room."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.works: list[Workload] = []
        self.nodes: dict[str, Node] = {}
        self.flavors: dict[str, Flavor] = {}
        self.room: dict[tuple[str, str], Room] = {}
        self.quotas: dict[tuple[str, str], Quota] = {}
        self.free: dict[str, int] = {}
        self.claims: dict[int, tuple[int, str, str, int]] = {}
        """Workload -> when, queue, flavour, GPUs: others were asked to make room for it."""
        self.promised: dict[tuple[str, str], int] = {}
        """GPUs of claims by (queue, flavour) that are not admitted yet."""
        self.asked: dict[tuple[str, str], int] = {}
        """GPUs that borrowers have been told to leave in this round."""
        self.had: dict[str, float] = {}
        """GPU-seconds that each team has had since midnight."""
        self.looked_at = 0
        self.writes = 0

    # -- looking ---------------------------------------------------------------------

    def look(self) -> bool:
        """Read everything; False if an answer is stale and nothing should be built on it."""
        cluster, fresh = self.cluster, True
        self.writes = 0
        self.works = cluster.workloads()
        fresh &= cluster.read_at == cluster.now
        self.nodes = {node.name: node for node in cluster.nodes()}
        fresh &= cluster.read_at == cluster.now
        self.flavors = cluster.flavors()
        self.quotas = {(quota.queue, quota.flavor): quota for quota in cluster.quotas()}
        self.room = cluster.room()
        fresh &= cluster.read_at == cluster.now
        self.free = {
            node.name: node.free
            for node in self.nodes.values()
            if node.state == "ready" and node.reclaim_at < 0
        }
        return fresh

    def write(self, verb: str, *args: object) -> bool:
        """One write; what fails is seen by the next round, which starts from what is read."""
        if self.writes >= MOST_WRITES:
            return False
        self.writes += 1
        try:
            getattr(self.cluster, verb)(*args)
        except ApiError as error:
            self.cluster.log(f"{verb} {args}: {error}")
            return False
        return True

    def keep_books(self) -> None:
        """Who has had how much since midnight."""
        now = self.cluster.now
        if now // DAY != self.looked_at // DAY:
            self.had = {}
        for work in self.works:
            if work.ready:
                gained = work.admitted_gpus * (now - self.looked_at)
                self.had[work.team] = self.had.get(work.team, 0.0) + gained
        self.looked_at = now

    def behind(self, team: str) -> bool:
        """Whether a long-running team has had clearly less than its plan of the day."""
        nodes = sum(flavor.nodes for flavor in self.flavors.values())
        plan = PLANS.get(nodes, {}).get(team, 0.0)
        clock = self.cluster.now % DAY
        return self.had.get(team, 0.0) < plan * (clock - SLACK_H * 3600)

    def held(self, flavor: str = "") -> list[Workload]:
        return [w for w in self.works if w.flavor and flavor in ("", w.flavor)]

    # -- trouble ---------------------------------------------------------------------

    def answer_trouble(self) -> None:
        going = {node.name for node in self.nodes.values() if node.reclaim_at >= 0}
        patience = DEAR_UNREADY_AFTER if self.budget() else UNREADY_AFTER
        for work in self.held():
            dead = any(
                name not in self.nodes or self.nodes[name].state != "ready" for name in work.nodes
            )
            late = self.cluster.now - work.admitted_at > patience
            if work.state == "starting" and (dead or late):
                self.write("requeue", work.id)
            elif going.intersection(work.nodes) and work.state != "saving" and work.checkpoint:
                self.write("preempt", work.id)

    # -- quotas ----------------------------------------------------------------------

    def follow_calendar(self) -> None:
        """Set the quotas of this time of day, those that shrink first."""
        clock, plan = self.cluster.now % DAY, self.cluster.calendar()
        wanted: dict[tuple[str, str], int] = {}
        for row in sorted(plan, key=lambda row: row.begins):
            if (row.queue, row.flavor) not in wanted or row.begins <= clock:
                wanted[row.queue, row.flavor] = row.nominal
        if plan and clock < min(row.begins for row in plan):
            last = max(row.begins for row in plan)
            wanted = {(row.queue, row.flavor): row.nominal for row in plan if row.begins == last}
        changes = [
            (nominal - self.quotas[key].nominal, key, nominal)
            for key, nominal in wanted.items()
            if nominal != self.quotas[key].nominal
        ]
        for _, key, nominal in sorted(changes):
            self.write("set_quota", *key, nominal)
        if changes:
            self.room = self.cluster.room()
            self.quotas = {(quota.queue, quota.flavor): quota for quota in self.cluster.quotas()}

    def shrink(self) -> None:
        """Bring queues back under their limits, the lowest priority and the newest first."""
        for (queue, flavor), room in self.room.items():
            over, quota = -room.total, self.quotas[queue, flavor]
            mine = [w for w in self.held(flavor) if w.queue == queue and not w.protected]
            over -= sum(work.admitted_gpus for work in mine if work.state == "saving")
            mine = [work for work in mine if work.state != "saving"]
            if quota.borrowed <= 0:
                continue
            for work in sorted(mine, key=lambda w: (w.priority, not w.checkpoint, -w.admitted_at)):
                if over <= 0:
                    break
                if self.write("preempt", work.id):
                    over -= work.admitted_gpus

    # -- admission -------------------------------------------------------------------

    def budget(self) -> float:
        return next((usd for name, usd in BUDGETS.items() if name in self.flavors), 0.0)

    def committed(self) -> float:
        """USD for on-demand nodes until midnight if nothing more is admitted to them."""
        left = DAY - self.cluster.now % DAY
        usd = sum(flavor.spent_today for flavor in self.flavors.values() if not flavor.spot)
        for node in self.nodes.values():
            here = [work for work in self.held(node.pool) if node.name in work.nodes]
            if here and not self.flavors[node.pool].spot:
                longest = max(work.estimate * (1 - work.progress) for work in here)
                usd += self.flavors[node.pool].price * min(longest, left) / 3600
        return usd

    def affordable(self, work: Workload, flavor: Flavor) -> bool:
        """On-demand nodes within the day's budget; what deadlines will need is kept for them."""
        budget, clock = self.budget(), self.cluster.now % DAY
        if flavor.spot or not budget or work.kind == "deadline":
            return True
        kept = sum(usd for begins, usd in RESERVES if clock < begins)
        seconds = min(work.estimate * (1 - work.progress), DAY - clock)
        cost = flavor.price * work.gpus / NODE * seconds / 3600
        share = 1.0 if work.kind == "adhoc" else max(0.35, clock / DAY)
        return self.committed() + cost < (budget * 0.97 - kept) * share

    def choices(self, work: Workload) -> list[Flavor]:
        """Flavours in the order in which they suit the workload."""
        cheap_first = work.kind == "long" or (work.kind == "adhoc" and work.checkpoint > 0)
        found = [self.flavors[name] for name in work.flavors if name in self.flavors]
        found = [flavor for flavor in found if self.affordable(work, flavor)]
        return sorted(found, key=lambda flavor: flavor.spot != cheap_first)

    def order(self) -> list[Workload]:
        """Deadlines by urgency, then those for whom room was made, then by priority and age."""

        def rank(work: Workload) -> tuple[int, int, int]:
            if work.kind == "deadline":
                return 0, work.deadline - self.seconds(work, work.min_gpus), work.id
            if work.id in self.claims:
                return 1, self.claims[work.id][0], work.id
            if work.kind == "adhoc" and self.waiting(work) > LONG_WAIT:
                return 2, 0, work.pending_since
            if work.kind == "long" and self.behind(work.team):
                return 2, work.pending_since, work.id
            return (3 if work.kind == "adhoc" else 4), work.pending_since, work.id

        return sorted((w for w in self.works if w.state == "pending"), key=rank)

    @staticmethod
    def seconds(work: Workload, gpus: int) -> int:
        """What it will still run on so many GPUs, by its owner's estimate."""
        return round(work.estimate * (1 - work.progress) * work.gpus / gpus)

    def sizes(self, work: Workload) -> list[int]:
        """Numbers of GPUs to admit it with, most first: those that keep its deadline, if any does."""
        found = range(work.gpus, work.min_gpus - 1, -1)
        whole = [gpus for gpus in found if gpus <= NODE or gpus % NODE == 0]
        if work.kind != "deadline":
            return whole
        left = work.deadline - self.cluster.now - START
        return [gpus for gpus in whole if self.seconds(work, gpus) <= left] or whole

    def fits(self, flavor: str, gpus: int) -> bool:
        free = [free for name, free in self.free.items() if self.nodes[name].pool == flavor]
        whole, rest = divmod(gpus, NODE)
        empty = sum(one == NODE for one in free)
        return empty >= whole + (1 if rest and not any(rest <= f < NODE for f in free) else 0)

    def place(self, work: Workload) -> bool:
        """Admit it where quota and nodes have room, with as many GPUs as possible."""
        for gpus in self.sizes(work):
            for flavor in self.choices(work):
                room = self.room.get((work.queue, flavor.name))
                if room is None or room.total < gpus or not self.fits(flavor.name, gpus):
                    continue
                if self.admit(work, flavor.name, gpus):
                    return True
        return False

    def admit(self, work: Workload, flavor: str, gpus: int) -> bool:
        if not self.write("admit", work.id, flavor, gpus):
            return False
        with contextlib.suppress(ApiError):
            self.room = self.cluster.room()
            for node in self.cluster.nodes():
                if node.name in self.free:
                    self.free[node.name] = node.free
        return True

    # -- making room -----------------------------------------------------------------

    def waiting(self, work: Workload) -> int:
        """Seconds of its present wait."""
        return self.cluster.now - work.pending_since

    def make_room(self, work: Workload) -> bool:
        """Have somebody save and leave for it, if the rules allow and it is worth it."""
        if self.waiting(work) < PATIENCE[work.kind] or work.id in self.claims:
            return False
        for flavor in self.choices(work):
            for gpus in self.sizes(work):
                room = self.room.get((work.queue, flavor.name))
                if room is not None and self.clear(work, flavor.name, gpus, room):
                    self.claims[work.id] = self.cluster.now, work.queue, flavor.name, gpus
                    return True
        return False

    def clear(self, work: Workload, flavor: str, gpus: int, room: Room) -> bool:
        """Empty the nodes that cost least until `gpus` fit; True if that is under way."""
        promised = self.promised.get((work.queue, flavor), 0)
        room = room._replace(own=room.own - promised, total=room.total - promised)
        plans = []
        for name in self.free:
            if self.nodes[name].pool != flavor:
                continue
            plan = self.victims(work, name, min(gpus, NODE), room)
            if plan is not None:
                cost = sum(self.cost(victim) for victim in plan)
                plans.append((cost, name, plan))
        wanted = -(-gpus // NODE)
        chosen = sorted(plans, key=lambda row: row[:2])[:wanted]
        if len(chosen) < wanted:
            return False
        leaving = {victim.id: victim for _, _, plan in chosen for victim in plan}
        gained = sum(victim.admitted_gpus for victim in leaving.values() if victim.queue == work.queue)
        if room.own < gpus and room.total + gained < gpus:
            return False
        for victim in leaving.values():
            if victim.state != "saving" and self.write("preempt", victim.id):
                key = victim.queue, flavor
                self.asked[key] = self.asked.get(key, 0) + victim.admitted_gpus
        self.promised[work.queue, flavor] = promised + gpus
        for _, name, _ in chosen:
            del self.free[name]
        return True

    def victims(self, work: Workload, name: str, gpus: int, room: Room) -> list[Workload] | None:
        """Who would have to leave a node so that `gpus` are free there; None if nobody may."""
        missing = gpus - self.free[name]
        here = [one for one in self.held() if name in one.nodes]
        leaving = [one for one in here if one.state == "saving"]
        missing -= sum(one.admitted_gpus for one in leaving)
        may = [one for one in here if one.state != "saving" and self.may_stop(work, one, gpus, room)]
        for one in sorted(may, key=self.cost):
            if missing <= 0:
                break
            leaving.append(one)
            missing -= one.admitted_gpus
        return None if missing > 0 else leaving

    def may_stop(self, work: Workload, victim: Workload, gpus: int, room: Room) -> bool:
        if victim.protected or not victim.checkpoint or victim.kind == "deadline":
            return False
        if victim.queue == work.queue:
            young = self.waiting(work) <= LONG_WAIT
            spared = young and work.kind == "adhoc" and self.behind(victim.team)
            return victim.priority < work.priority and not spared
        key = victim.queue, victim.flavor
        return room.own >= gpus and self.quotas[key].borrowed > self.asked.get(key, 0)

    @staticmethod
    def cost(victim: Workload) -> float:
        """GPU-seconds that a stop wastes, roughly; one that is nearly done is left alone."""
        nearly = 10_000 if victim.estimate * (1 - victim.progress) < 1200 else 0
        return victim.admitted_gpus * 400 + victim.priority + nearly

    # -- a round ---------------------------------------------------------------------

    def step(self) -> None:
        fresh = self.look()
        self.keep_books()
        self.answer_trouble()
        if not fresh:
            return
        self.follow_calendar()
        self.shrink()
        pending = {work.id for work in self.works if work.state == "pending"}
        self.claims = {
            number: claim
            for number, claim in self.claims.items()
            if number in pending and self.cluster.now - claim[0] <= CLAIM
        }
        self.promised, self.asked = {}, {}
        for _, queue, flavor, gpus in self.claims.values():
            self.promised[queue, flavor] = self.promised.get((queue, flavor), 0) + gpus
        blocked: set[tuple[str, int]] = set()
        for work in self.order():
            if (work.team, work.gpus) in blocked:
                continue
            if self.place(work) or self.make_room(work):
                continue
            if self.waiting(work) >= PATIENCE[work.kind]:
                blocked.add((work.team, work.gpus))


def control(cluster: Cluster) -> None:
    controller = Controller(cluster)
    while cluster.tick():
        try:
            controller.step()
        except ApiError as error:
            cluster.log(f"round given up: {error}")


if __name__ == "__main__":
    control(headnode_sdk.connect())
