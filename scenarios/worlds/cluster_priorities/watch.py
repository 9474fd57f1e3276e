"""Looks at the cluster every five minutes: is the agreement kept, does work wait beside idle GPUs?"""

from __future__ import annotations

from scenarios.simulator.agenda import DAY, HOUR, MINUTE
from scenarios.worlds.cluster_priorities.config import DEADLINE, KINDS, LONG
from scenarios.worlds.cluster_priorities.meter import Meter
from scenarios.worlds.cluster_priorities.record import Incident
from scenarios.worlds.cluster_priorities.state import CohortState
from scenarios.worlds.cluster_priorities.tables import PENDING, SAVING, Node, Stop, Work

EVERY = 5 * MINUTE
WITHHELD_AFTER = 30 * MINUTE
"""How long guaranteed GPUs may be kept from waiting work."""
PERSISTS = 10 * MINUTE
"""How long that has to be so before it counts: a controller sees what is free at its next tick."""
CALENDAR_WITHIN = 30 * MINUTE
"""How soon nominal quotas have to follow the calendar."""
IDLE_AFTER = 10 * MINUTE
"""How long a workload has waited before a free GPU beside it counts as idle."""
ANSWER_WITHIN = 25 * MINUTE
"""How soon a workload whose pods are not ready has to be requeued."""
NEEDED_WITHIN = 20 * MINUTE
"""How soon somebody else must use what a stop has freed."""
SAFE_WITHIN = 5 * MINUTE
"""Work that may be lost at a reclaim without the notice counting as unanswered."""


class Watch:
    """The auditor. It changes nothing but the record."""

    def __init__(self, world: CohortState, meter: Meter) -> None:
        self._world, self._meter = world, meter
        self.stops: list[Stop] = []
        self._withheld_since: dict[tuple[int, int, int], int] = {}
        self._finished = dict.fromkeys(range(len(world.config.teams)), 0)
        self.done_by_day: list[dict[int, int]] = []

    # -- every five minutes ----------------------------------------------------------

    def look(self) -> None:
        """One look: agreement, idle GPUs, trouble that nobody answered, a sample for the charts."""
        world = self._world
        if world.now and world.now % DAY == 0:
            self._close_day()
        waiting = [work for work in world.open.values() if work.state == PENDING]
        self._find_needless(world.now)
        self._expire_incidents()
        withheld = self._withheld(waiting)
        kept = [
            not self._over_quota(),
            not withheld,
            self._calendar_kept(),
            self._within_budget(),
        ]
        if not all(kept) and 0 < world.now < world.config.length:
            world.record.out_ms += EVERY
        if 0 < world.now < world.config.length:
            world.record.idle_gpu_ms += self._idle(waiting) * EVERY
        world.record.timeline.sample(world.now, self._values(waiting, withheld))

    def _over_quota(self) -> bool:
        """Whether a queue uses more than all limits allow; after a quota change there is time."""
        world = self._world
        over = [
            (queue, flavor)
            for (queue, flavor), nominal in world.nominal.items()
            if world.tree.used[queue][flavor] > nominal and self.overdrawn(queue, flavor)
        ]
        if not over or self._since_change() < CALENDAR_WITHIN:
            return False
        queue, flavor = over[0]
        name, what = world.config.queues[queue].name, world.config.flavors[flavor].name
        world.record.rule(world.now, f"{name} used more {what} than its quota allows")
        return True

    def overdrawn(self, queue: int, flavor: int) -> bool:
        """Whether the queue uses more than its limits and those of its cohorts allow."""
        return self._world.room(queue, flavor) < 0

    def _since_change(self) -> int:
        """ms since the calendar last asked for other quotas; a day if it never does."""
        config = self._world.config
        if not config.calendar:
            return DAY
        clock = self._world.now % DAY
        return min((clock - at) % DAY for at in (config.night_begins, config.night_ends))

    def _withheld(self, waiting: list[Work]) -> int:
        """GPUs of nominal quota that are up, unused or lent out, while work that may have them waits."""
        world, most = self._world, 0
        since: dict[tuple[int, int, int], int] = {}
        for number, least in self._groups(waiting, WITHHELD_AFTER):
            team = world.config.teams[number]
            for flavor in team.flavors:
                if not self._could_have(team.queue, flavor, least):
                    continue
                key = number, flavor, least
                since[key] = self._withheld_since.get(key, world.now)
                if world.now - since[key] >= PERSISTS:
                    name = world.config.queues[team.queue].name
                    what = world.config.flavors[flavor].name
                    world.record.rule(world.now, f"{name} did not get its guaranteed {what}")
                    most = max(most, least)
        self._withheld_since = since
        return most

    def _groups(self, waiting: list[Work], after: int) -> dict[tuple[int, int], int]:
        """(team, fewest GPUs) -> GPUs asked for by workloads that have waited for `after` ms."""
        found: dict[tuple[int, int], int] = {}
        for work in waiting:
            if self._world.now - work.waiting_since >= after:
                key = work.request.team, work.request.least
                found[key] = found.get(key, 0) + work.request.gpus
        return found

    def _could_have(self, queue: int, flavor: int, least: int) -> bool:
        """Whether nominal quota is unused and whole gaps for the workload are free or lent out.

        Of on-demand flavours nothing is asked while a budget excuses them.
        """
        world = self._world
        own = world.nominal.get((queue, flavor), 0) - world.tree.used[queue][flavor]
        if own < least or self._frugal(flavor):
            return False
        lent = 0
        for node in world.nodes:
            if node.flavor == flavor and node.open:
                foreign = sum(
                    gpus
                    for number, gpus in node.holders.items()
                    if self._may_be_reclaimed(world.works[number], flavor, queue)
                )
                room = node.free + foreign
                lent += room if room >= min(least, node.gpus) else 0
        return lent >= least

    def _may_be_reclaimed(self, work: Work, flavor: int, queue: int) -> bool:
        """Borrowed GPUs can be had back, but deadline work is not stopped for the sake of others."""
        world, owner = self._world, self._world.queue_of(work)
        team = world.config.teams[work.request.team]
        if owner == queue or team.kind == DEADLINE:
            return False
        return world.tree.used[owner][flavor] > world.nominal.get((owner, flavor), 0)

    def _calendar_kept(self) -> bool:
        world = self._world
        if self._since_change() < CALENDAR_WITHIN:
            return True
        for (queue, flavor), nominal in world.nominal.items():
            if nominal != world.config.planned(queue, flavor, world.now):
                name = world.config.queues[queue].name
                world.record.rule(world.now, f"{name} did not have the quota of the calendar")
                return False
        return True

    def _within_budget(self) -> bool:
        world = self._world
        if not world.config.budget or self._meter.ondemand_today() <= world.config.budget:
            return True
        world.record.rule(world.now, "the day's budget for on-demand nodes was exceeded")
        return False

    def _frugal(self, flavor: int) -> bool:
        """Whether a budget excuses on-demand GPUs from being used: spending is ahead of an even pace."""
        world = self._world
        if not world.config.budget or world.config.flavors[flavor].spot:
            return False
        pace = world.config.budget * (world.now % DAY) / DAY
        return self._meter.ondemand_today() > 0.9 * pace

    def _idle(self, waiting: list[Work]) -> int:
        """Free GPUs that some waiting workload could have had, by room and by quota."""
        world, groups, idle = self._world, self._groups(waiting, IDLE_AFTER), 0
        teams = world.config.teams
        for flavor in range(len(world.config.flavors)):
            free = 0 if self._frugal(flavor) else world.free(flavor)
            if not free:
                continue
            wanted = sum(
                gpus
                for (number, least), gpus in groups.items()
                if flavor in teams[number].flavors
                and world.room(teams[number].queue, flavor) >= least
                and world.places(flavor, least) is not None
            )
            idle += min(free, wanted)
        return idle

    # -- stops -----------------------------------------------------------------------

    def stopped(self, work: Work) -> None:
        """The controller stops a workload; was there need on its side?"""
        world = self._world
        world.record.stops += 1
        troubled = work.stuck_since >= 0 or any(
            not world.nodes[node].open for node, _ in work.nodes
        )
        team = world.config.teams[work.request.team]
        if troubled or self.overdrawn(team.queue, work.flavor):
            return
        self.stops.append(
            Stop(world.now, work.number, work.flavor, work.gpus, team.priority, team.queue)
        )
        if team.protected:
            world.record.rule(world.now, f"{work.request.name} is protected and was stopped")
            world.record.out_ms += HOUR

    def admitted(self, work: Work) -> None:
        """An admission shows that stops in its flavour were needed, up to its size."""
        world = self._world
        team = world.config.teams[work.request.team]
        left = work.gpus
        own = world.tree.used[team.queue][work.flavor] <= world.nominal.get(
            (team.queue, work.flavor), 0
        )
        for stop in self.stops:
            outranked = team.priority > stop.priority
            entitled = outranked or (own and team.queue != stop.queue)
            if left > 0 and not stop.needed and stop.flavor == work.flavor and entitled:
                stop.needed = True
                left -= stop.gpus

    def _find_needless(self, now: int) -> None:
        world, left = self._world, []
        for stop in self.stops:
            if stop.needed:
                continue
            if now - stop.at < NEEDED_WITHIN:
                left.append(stop)
                continue
            world.works[stop.work].needless = True
            world.record.needless_stops += 1
            name = world.works[stop.work].request.name
            world.record.timeline.mark(stop.at, "alert", f"{name} was stopped and nobody needed it")
        self.stops = left

    # -- trouble ---------------------------------------------------------------------

    def trouble(self, kind: str, subject: str, work: Work) -> None:
        """Something that wants an answer."""
        self._world.record.incidents.append(
            Incident(self._world.now, kind, subject, work.number, work.version)
        )

    def judge_notice(self, node: Node, reclaimed: bool) -> None:
        """The two minutes are up: was the work on the node safe?"""
        world = self._world
        if not reclaimed:
            return
        for number in sorted(node.holders):
            work = world.works[number]
            if work.request.checkpoint == 0 or work.stuck_since >= 0:
                continue
            risk = work.done(world.now) - work.safe(world.now)
            handled = work.state != SAVING and risk <= SAFE_WITHIN * max(1, work.gpus)
            self._note_notice(work, handled)

    def _note_notice(self, work: Work, handled: bool) -> None:
        found = Incident(self._world.now, "reclaim notice", work.request.name, handled=handled)
        self._world.record.incidents.append(found)

    def saved_in_time(self, work: Work) -> None:
        """The controller moved a workload off a node that will be taken back."""
        times = [self._world.nodes[node].reclaim_at for node, _ in work.nodes]
        left = [at - self._world.now for at in times if at >= 0]
        if left and min(left) >= self._world.config.save:
            self._note_notice(work, True)

    def dropped(self, work: Work, allowed: int) -> None:
        """The controller stops a workload without a save on a node that will be taken back."""
        noticed = any(self._world.nodes[node].reclaim_at >= 0 for node, _ in work.nodes)
        if noticed and work.request.checkpoint and work.stuck_since < 0:
            risk = work.done(self._world.now) - work.safe(self._world.now)
            self._note_notice(work, risk <= allowed * work.gpus)

    def answered(self, work: Work) -> None:
        """The controller requeued a workload whose pods were not ready."""
        for one in self._world.record.incidents:
            if one.work == work.number and one.handled is None:
                one.handled = self._world.now - one.at <= ANSWER_WITHIN

    def _expire_incidents(self) -> None:
        world = self._world
        for one in world.record.incidents:
            if one.handled is None and world.now - one.at > ANSWER_WITHIN:
                one.handled = False

    # -- progress and charts ---------------------------------------------------------

    def _close_day(self) -> None:
        self.done_by_day.append(self.done_by_team())

    def done_by_team(self) -> dict[int, int]:
        """GPU-ms of work that each team has done and not lost so far."""
        world = self._world
        done = dict(self._finished)
        for work in world.open.values():
            if work.base or work.holds:
                done[work.request.team] += work.done(world.now)
        return done

    def finished(self, work: Work) -> None:
        """All of a workload's work is done."""
        self._finished[work.request.team] += work.total

    def _values(self, waiting: list[Work], withheld: int) -> tuple[float, ...]:
        world = self._world
        teams = world.config.teams
        pending, held = dict.fromkeys(KINDS, 0), dict.fromkeys(KINDS, 0)
        for work in waiting:
            pending[teams[work.request.team].kind] += work.request.gpus
        for work in world.open.values():
            held[teams[work.request.team].kind] += work.gpus
        spot = [flavor.spot for flavor in world.config.flavors]
        free = [world.free(flavor) for flavor in range(len(spot))]
        borrowed = sum(
            max(0, world.tree.used[queue][flavor] - nominal)
            for (queue, flavor), nominal in world.nominal.items()
        )
        long_teams = [number for number, team in enumerate(teams) if team.kind == LONG]
        done = self.done_by_team() if long_teams else {}
        plan = sum(teams[number].plan for number in long_teams) * world.now
        away = sum(node.gpus for node in world.nodes if node.state != "ready")
        return (
            *(pending[kind] for kind in KINDS),
            *(held[kind] for kind in KINDS),
            sum(gpus for gpus, cheap in zip(free, spot, strict=True) if not cheap),
            sum(gpus for gpus, cheap in zip(free, spot, strict=True) if cheap),
            away,
            borrowed,
            withheld,
            round(100 * sum(done[n] for n in long_teams) / plan, 2) if plan else 0.0,
            round(self._meter.spend(), 2),
        )
