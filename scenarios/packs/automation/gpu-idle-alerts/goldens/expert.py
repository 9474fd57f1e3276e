"""Watches every GPU, looks for the cause before it speaks, and says each thing once."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from typing import TypeVar

import headnode_sdk
from headnode_sdk import (
    ApiError, ApiTimeout, Cluster, Conflict, Evidence, Gpu, InvalidRequest, Job, NotFound, Panel,
    Process, Sample, Window,
)  # fmt: skip

HOUR = 3600
DAY = 24 * HOUR
IDLE_BELOW = 10
HELD_FOR, HELD_MIB = 12 * HOUR, 1024
STALLED_FOR, LOST_FOR, GRACE = 2 * HOUR, HOUR, 4 * HOUR
STEP = 600
LONGEST_GAP, AROUND = 8 * HOUR, 24
OVER = 12
"""An idle GPU is idle until its mean is back at this: no flapping around the threshold."""
ENOUGH = 72
"""Samples of a day without which a mean says too little."""
TRIES = 4
T = TypeVar("T")
Found = tuple[str, list[Evidence]]
"""A cause and what shows it."""
Key = tuple[str, int | str]
"""What an alert is about: a job, a GPU or a server."""


class History:
    """One GPU's fresh samples of the last 24 hours, in the hands of one holder."""

    def __init__(self) -> None:
        self.rows: deque[Sample] = deque()
        self.sum, self.still_since, self.hot_since = 0, -1, -1
        self.seen = 0

    def clear(self) -> None:
        self.rows.clear()
        self.sum, self.still_since, self.hot_since = 0, -1, -1

    def add(self, sample: Sample, limit: int) -> None:
        if sample.at <= self.seen or sample.util is None:
            return
        before = self.rows[-1] if self.rows else None
        self.seen = sample.at
        if before is not None and STEP < sample.at - before.at <= LONGEST_GAP:
            self.bridge(before, sample)
        self.push(sample)
        begun = sample.at if before is None else (before.at + STEP + sample.at) // 2
        if sample.util > 0 or sample.memory < HELD_MIB:
            self.still_since = -1
        elif self.still_since < 0:
            self.still_since = begun
        weak = sample.power is not None and sample.power < limit / 2
        if sample.util < 90 or not weak:
            self.hot_since = -1
        elif self.hot_since < 0:
            self.hot_since = begun

    def bridge(self, before: Sample, after: Sample) -> None:
        """Fill a gap from what was seen around it: nothing is worse than zeros made up."""
        lately = list(self.rows)[-AROUND:]
        usual = sum(row.util or 0 for row in lately) // len(lately)
        middle = usual if usual < 30 else (usual + (after.util or 0)) // 2
        for at in range(before.at + STEP, after.at, STEP):
            self.push(before._replace(at=at, util=middle))

    def push(self, sample: Sample) -> None:
        self.rows.append(sample)
        self.sum += sample.util or 0
        while self.rows[0].at <= sample.at - DAY:
            self.sum -= self.rows.popleft().util or 0

    @property
    def mean(self) -> float:
        return self.sum / len(self.rows) if self.rows else 100.0


class Open:
    """An alert of ours that is not resolved."""

    def __init__(
        self, number: int, rule: str, gpus: list[str], job: int, team: str, found: Found
    ) -> None:
        self.id, self.rule, self.gpus = number, rule, gpus
        self.job, self.team = job, team
        self.cause, self.evidence = found
        self.filed = False
        self.warned = -1


class Monitor:
    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.history: dict[str, History] = defaultdict(History)
        self.missing: dict[str, int] = defaultdict(int)
        self.holder: dict[str, tuple[int, int]] = {}
        self.judged: dict[str, int] = {}
        self.open: dict[Key, Open] = {}
        self.inventory: dict[str, Gpu] = {}
        self.windows: list[Window] = []
        self.shown: frozenset[str] = frozenset()
        self.acts = True
        self.agreed: dict[str, bool] = {}
        self.kept: set[int] = set()

    def again(self, ask: Callable[[], T]) -> T:
        for _ in range(TRIES - 1):
            try:
                return ask()
            except ApiTimeout:
                continue
        return ask()

    def attempt(self, act: Callable[[], object]) -> bool:
        """A write that may be repeated without harm; False if it has to wait."""
        try:
            self.again(act)
        except (Conflict, NotFound):
            return True
        except ApiError as error:
            self.cluster.log(f"will try again: {error}")
            return False
        return True

    def start(self) -> None:
        try:
            contacts = self.again(self.cluster.contacts)
            self.agreed = {one.team: one.cancel for one in contacts}
        except InvalidRequest:
            self.acts = False

    def step(self) -> None:
        for event in self.cluster.events:
            if event.kind == "kept":
                self.kept.add(int(event.node))
        self.take_samples()
        self.draw_dashboard()
        self.close_what_is_over()
        suspects = list(self.suspects())
        if suspects:
            self.examine(suspects)
        self.follow_up()

    def take_samples(self) -> None:
        cluster = self.cluster
        self.inventory = {gpu.name: gpu for gpu in self.again(cluster.gpus)}
        if cluster.now % HOUR == 0 or not self.windows:
            self.windows = self.again(cluster.maintenance)
        # a frozen exporter, and series that come twice, show an earlier time
        fresh = {one.gpu: one for one in self.again(cluster.samples) if one.at == cluster.now}
        reporting = {self.inventory[name].node for name in fresh if name in self.inventory}
        for name, gpu in self.inventory.items():
            self.note(gpu, fresh.get(name), gpu.node in reporting)

    def note(self, gpu: Gpu, sample: Sample | None, reporting: bool) -> None:
        now, name = self.cluster.now, gpu.name
        history, holder = self.history[name], (gpu.job, gpu.since)
        if self.holder.get(name) != holder:
            self.holder[name] = holder
            history.clear()
            self.judged[name] = max(gpu.since, 0 if gpu.since < now - HOUR else now)
        for window in self.windows:
            if window.covers(name, now):
                self.judged[name] = now
                history.clear()
        if sample is not None:
            if self.missing[name] > LOST_FOR // 600:
                self.judged[name] = now
            self.missing[name] = 0
            history.add(sample, gpu.power_limit)
        elif reporting:
            self.missing[name] += 1

    def suspects(self) -> Iterator[tuple[str, Gpu]]:
        now = self.cluster.now
        for name, gpu in self.inventory.items():
            history = self.history[name]
            if self.missing[name] > LOST_FOR // 600 and not gpu.parent:
                if ("gpu", name) not in self.open:
                    yield "lost", gpu
                continue
            if not gpu.takes_jobs or self.key(gpu) in self.open or gpu.job in self.kept:
                continue
            if history.seen != now or not history.rows:
                continue
            full = now - self.judged[name] >= DAY and len(history.rows) >= ENOUGH
            if self.acts and 0 <= history.hot_since <= now - STALLED_FOR:
                yield "stalled", gpu
            elif full and history.mean < IDLE_BELOW:
                yield "idle", gpu
            elif self.acts and 0 <= history.still_since <= now - HELD_FOR:
                yield "held", gpu

    def set_aside(self, name: str) -> bool:
        return any(window.covers(name, self.cluster.now) for window in self.windows)

    def key(self, gpu: Gpu) -> Key:
        return ("job", gpu.job) if gpu.job >= 0 else ("node", gpu.node)

    def examine(self, suspects: list[tuple[str, Gpu]]) -> None:
        jobs = {job.id: job for job in self.again(self.cluster.jobs)}
        processes = {process.gpu: process for process in self.again(self.cluster.processes)}
        groups: dict[Key, list[tuple[str, Gpu]]] = defaultdict(list)
        for rule, gpu in suspects:
            groups[("gpu", gpu.name) if rule == "lost" else self.key(gpu)].append((rule, gpu))
        for key, members in groups.items():
            (rule, first), gpus = members[0], [gpu for _, gpu in members]
            job = jobs.get(first.job)
            if rule == "lost":
                found = self.lost(first)
            elif job is None:
                found = self.drained(first)
            else:
                found = self.diagnose(rule, job, gpus, processes)
            if found is not None:
                self.speak(key, rule, first, job, gpus, found, processes)

    def lost(self, gpu: Gpu) -> Found:
        lines = self.again(lambda: self.cluster.logs(gpu.node))
        facts = [Evidence("last_sample", gpu.name, str(self.history[gpu.name].seen))]
        # other GPUs of the server may be lost too: the kernel notes the bus address beside the UUID
        marked = [line for line in lines if "Xid" in line and " 79," in line]
        known = [line for line in lines if gpu.uuid in line]
        if known:
            bus = known[-1].split("PCI:")[1].split(": ")[0]
            marked = [line for line in marked if bus in line]
        facts += [Evidence("log", gpu.node, line) for line in marked[-1:]]
        return "gpu_lost", facts

    def drained(self, gpu: Gpu) -> Found | None:
        nodes = {node.name: node for node in self.again(self.cluster.nodes)}
        if not nodes[gpu.node].cordoned:
            return None
        facts = [Evidence("node", gpu.node, "cordoned")]
        for window in self.again(self.cluster.maintenance):
            over = window.end <= self.cluster.now and window.kind == "maintenance"
            if window.node == gpu.node and over:
                facts.append(Evidence("window", str(window.id), "ended"))
        return "forgotten_drain", facts

    def diagnose(
        self, rule: str, job: Job, gpus: list[Gpu], processes: dict[str, Process]
    ) -> Found | None:
        name = gpus[0].name
        mine = processes.get(name)
        rows = self.history[name].rows
        if mine is None:
            return self.without_process(job, name, processes)
        facts = [Evidence("process", name, str(mine.pid))]
        if job.state == "completing":
            return "zombie_process", [*facts, Evidence("job", str(job.id), "completing")]
        last = rows[-1]
        if self.history[name].hot_since >= 0 and last.power is not None:
            power = Evidence("power", name, str(last.power))
            return "hung_collective", [power, Evidence("util", name, str(last.util))]
        if job.kind == "train" or any(row.util for row in list(rows)[-48:]):
            # between two bursts, or in a gap, a slow job looks like a forgotten one
            return None if rule == "held" else self.slow(job, facts)
        return "idle_process", [*facts, Evidence("memory", name, str(last.memory))]

    def without_process(
        self, job: Job, name: str, processes: dict[str, Process]
    ) -> Found | None:
        lines = self.again(lambda: self.cluster.logs(job.id))
        nothing = Evidence("process", name, "none")
        if any(process.job == job.id for process in processes.values()):
            alone = [line for line in lines if "world_size=1 " in line]
            return "over_request", [nothing, *(Evidence("log", str(job.id), x) for x in alone[:1])]
        ended = [line for line in lines[-4:] if "Error" in line]
        if not ended:
            return None
        return "crashed_job", [nothing, Evidence("log", str(job.id), ended[-1])]

    def slow(self, job: Job, facts: list[Evidence]) -> Found | None:
        lines = self.again(lambda: self.cluster.logs(job.id))
        steps = [line for line in lines if "data_time=" in line][-1:]
        log = [Evidence("log", str(job.id), line) for line in steps]
        return ("slow_input", [*facts, *log]) if log else None

    def speak(
        self, key: Key, rule: str, gpu: Gpu, job: Job | None, gpus: list[Gpu], found: Found,
        processes: dict[str, Process],
    ) -> None:  # fmt: skip
        cause, _ = found
        names = [one.name for one in gpus]
        if job is not None:
            names = [one.name for one in self.inventory.values() if one.job == job.id]
        elif cause == "forgotten_drain":
            names = [n.name for n in self.inventory.values() if n.node == gpu.node and n.takes_jobs]
        if cause == "over_request":
            names = [name for name in names if name not in processes]
        severity = "page" if self.urgent(rule, gpu, job) else "ticket"
        team = job.team if job is not None and self.acts else "ops"
        text = f"{', '.join(names)}: {cause.replace('_', ' ')}"
        try:
            number = self.raised(rule, names, text, severity, team)
        except ApiError as error:
            self.cluster.log(f"will raise it again: {error}")
            return
        self.open[key] = Open(number, rule, names, job.id if job else -1, team, found)

    def raised(self, rule: str, names: list[str], text: str, severity: str, team: str) -> int:
        """The number of the alert; after a timeout the list of open alerts decides."""
        for _ in range(TRIES):
            try:
                return self.cluster.alert(rule, names, text, severity, team)
            except (ApiTimeout, Conflict):
                for alert in self.again(self.cluster.alerts):
                    if alert.rule == rule and set(alert.gpus) & set(names):
                        return alert.id
        raise ApiError("timeout", "the alert did not go out")

    def urgent(self, rule: str, gpu: Gpu, job: Job | None) -> bool:
        strict = len(self.agreed) > 3
        if rule == "lost":
            contracts = [w for w in self.windows if w.kind == "contract"]
            return not strict or any(gpu.name in window.gpus for window in contracts)
        return strict and rule == "stalled" and job is not None and job.priority == "high"

    def follow_up(self) -> None:
        for one in self.open.values():
            if not one.filed:
                file = self.cluster.finding
                one.filed = self.attempt(lambda one=one: file(one.id, one.cause, one.evidence))
            if self.acts and one.filed and one.job >= 0:
                self.free(one)

    def free(self, one: Open) -> None:
        """Warn the owner of a dead job, wait, and end it where the team has agreed."""
        now = self.cluster.now
        dead = one.cause in ("crashed_job", "idle_process", "hung_collective")
        if not dead or 0 <= one.warned and now - one.warned < GRACE:
            return
        if not self.agreed.get(one.team, False):
            return
        if one.warned >= 0:
            self.attempt(lambda: self.cluster.cancel(one.job))
        elif self.attempt(lambda: self.cluster.warn(one.job, f"{one.cause}: ends in four hours")):
            one.warned = now

    def close_what_is_over(self) -> None:
        for key, one in list(self.open.items()):
            if self.is_over(one) and self.attempt(lambda one=one: self.cluster.resolve(one.id)):
                del self.open[key]

    def is_over(self, one: Open) -> bool:
        name = one.gpus[0]
        gpu, history = self.inventory[name], self.history[name]
        if one.rule == "lost":
            return self.missing[name] == 0
        taken = one.job < 0 and any(self.inventory[each].job >= 0 for each in one.gpus)
        if taken or gpu.job != one.job or one.job in self.kept:
            return True
        if all(self.set_aside(each) for each in one.gpus):
            return True
        if not history.rows:
            return False
        if one.rule == "held":
            idle = self.cluster.now - self.judged[name] >= DAY and history.mean < OVER
            return history.still_since < 0 and not idle
        if one.rule == "stalled":
            return history.hot_since < 0
        return len(history.rows) >= ENOUGH and history.mean >= OVER

    def draw_dashboard(self) -> None:
        if self.inventory.keys() == self.shown:
            return
        panels = [panel for gpu in self.inventory.values() for panel in self.panels(gpu)]
        if self.attempt(lambda: self.cluster.dashboard(panels)):
            self.shown = frozenset(self.inventory)

    def panels(self, gpu: Gpu) -> Iterator[Panel]:
        if gpu.takes_jobs:
            yield Panel(f"{gpu.name} utilisation", gpu.name, "util", "%", IDLE_BELOW)
            yield Panel(f"{gpu.name} memory", gpu.name, "memory", "MiB", gpu.memory)
        if not gpu.parent:
            heat = gpu.max_temperature
            yield Panel(f"{gpu.name} temperature", gpu.name, "temperature", "C", heat)
            if self.acts:
                yield Panel(f"{gpu.name} power", gpu.name, "power", "W", gpu.power_limit)


def control(cluster: Cluster) -> None:
    monitor = Monitor(cluster)
    monitor.start()
    while cluster.tick():
        try:
            monitor.step()
        except ApiError as error:
            cluster.log(f"no picture this time: {error}")


if __name__ == "__main__":
    control(headnode_sdk.connect())
