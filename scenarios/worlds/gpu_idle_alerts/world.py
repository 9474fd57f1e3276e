"""The servers with their jobs, tick by tick: what happens by itself; no rule of the house."""

from __future__ import annotations

from scenarios.company.profile import GpuModel
from scenarios.simulator.streams import Stream
from scenarios.worlds.gpu_idle_alerts import load
from scenarios.worlds.gpu_idle_alerts.families import Family
from scenarios.worlds.gpu_idle_alerts.fleet import Fleet, Lane
from scenarios.worlds.gpu_idle_alerts.jobs import Job, Queue
from scenarios.worlds.gpu_idle_alerts.load import Phase
from scenarios.worlds.gpu_idle_alerts.plan import Plan, Window
from scenarios.worlds.gpu_idle_alerts.setting import DAY, HOUR, TICK_MS, Setting
from scenarios.worlds.timeline import Timeline

PENDING = 6
"""Jobs that wait in every queue at any time."""
REPAIR = 6 * HOUR
"""From the report of a lost GPU until the server has it back."""
UNNOTICED = 60 * HOUR
"""After this long somebody finds a lost GPU or a forgotten server without being told."""
APP_XIDS = (13, 31, 43)
"""Xids that a program's own error leaves behind (domain handbook 1.6)."""
XID_ENDS = {
    13: "Graphics SM Warp Exception on (GPC 3, TPC 2, SM 0): Out Of Range Address",
    31: "Ch 00000008, intr 00000000. MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_2 faulted @"
    " 0x7f1c_8a000000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ",
    43: "Ch 00000008",
}
"""How the kernel's line about each of them goes on."""


NOTHING, STALLED = Phase.NOTHING, Phase.STALLED
HOLDS = frozenset({Phase.HELD, Phase.PAUSE})


class IdleWorld:
    """One workload. Same fleet, plan, seed and actions: same history.

    Lists by unit: `job`, `since` (when the present holder came), `judged` (from when the house
    rules count), `total` (running sum of utilisation after each tick), `still` and `hot`
    (ticks at 0 % with memory held; ticks stalled), `lost_at` (-1 while it is there).
    """

    def __init__(
        self,
        fleet: Fleet,
        setting: Setting,
        plan: Plan,
        family: Family,
        gpu: GpuModel,
        seed: str,
        timeline: Timeline,
    ) -> None:
        self.fleet, self.setting, self.plan, self.gpu = fleet, setting, plan, gpu
        self.family, self.seed, self.timeline = family, seed, timeline
        self.tick = 0
        count = len(fleet.units)
        self.job: list[Job | None] = [None] * count
        self.place = [0] * count
        self.since = [0] * count
        self.judged = [0] * count
        self.total: list[list[int]] = [[0] for _ in range(count)]
        self.util = [0] * count
        self.phase = [Phase.NOTHING] * count
        self.still = [0] * count
        self.hot = [0] * count
        self.lost_at = [-1] * count
        self.back_at = [-1] * count
        self.xid = [0] * count
        self.drained = [False] * len(fleet.servers)
        self.drained_at = [-1] * len(fleet.servers)
        self.kernel: list[list[tuple[int, str]]] = [[] for _ in fleet.servers]
        self.jobs: dict[int, Job] = {}
        self.ended: dict[int, Job] = {}
        self.queues = self._queues()
        self.waiting: dict[str, list[Job]] = {pool: [] for pool in self.queues}
        self._away: dict[int, Window] = {}
        self._storm = Stream(seed, "storm")
        for unit in fleet.units:
            timeline.row(unit.name)
        self._begin()

    def _queues(self) -> dict[str, Queue]:
        pools = {lane.pool: len(lane.units) for lane in self.fleet.lanes}
        rules, name = self.setting.rules, self.setting.fleet
        return {
            pool: Queue(
                pool,
                size,
                number,
                len(pools),
                name,
                rules,
                self.family,
                Stream(self.seed, f"queue {pool}"),
            )
            for number, (pool, size) in enumerate(pools.items())
        }

    def _begin(self) -> None:
        """Jobs that began on the day before the first Monday."""
        early = Stream(self.seed, "begun")
        self._fill_queues()
        for lane in self.fleet.lanes:
            if self.in_service(lane.server):
                self._start(lane, -int(early.between(0.2, 5.0) * HOUR))
        self._measure()

    # -- time ------------------------------------------------------------------------

    def step(self) -> None:
        """Let one tick pass."""
        self.tick += 1
        self._windows()
        self._accidents()
        self._end_jobs()
        self._fill_queues()
        for lane in self.fleet.lanes:
            if self.is_open(lane):
                self._start(lane, self.tick)
        self._measure()

    @property
    def now(self) -> int:
        """Simulated time in ms."""
        return self.tick * TICK_MS

    def _fill_queues(self) -> None:
        for pool, queue in self.queues.items():
            line = self.waiting[pool]
            while len(line) < PENDING:
                line.append(queue.draw(self.tick))

    # -- servers ---------------------------------------------------------------------

    def in_service(self, server: int) -> bool:
        """Whether the server has joined and is not out for maintenance."""
        return self.fleet.servers[server].joins <= self.tick and server not in self._away

    def serving(self) -> list[bool]:
        """`in_service` of every server."""
        return [self.in_service(server) for server in range(len(self.fleet.servers))]

    def window_of(self, unit: int) -> Window | None:
        """The window, of any kind, that covers the unit now."""
        for window in self.plan.windows:
            if window.start <= self.tick < window.end and unit in window.units:
                return window
        return None

    def is_open(self, lane: Lane) -> bool:
        """Whether a job may start in the lane now."""
        first = lane.units[0]
        if self.job[first] is not None or not self.in_service(lane.server):
            return False
        if self.drained[lane.server] or any(self.lost_at[unit] >= 0 for unit in lane.units):
            return False
        window = self.window_of(first)
        return window is None or window.kind == "contract"

    def _windows(self) -> None:
        for window in self.plan.windows:
            if window.overrun and self.tick == window.end - 2 * HOUR:
                window.end += window.overrun
                window.overrun = 0
            if self.tick == window.start and window.kind != "contract":
                self._set_aside(window)
            elif self.tick == window.end and window.kind != "contract":
                self._give_back(window)
        for server, at in enumerate(self.drained_at):
            if self.drained[server] and self.tick - at >= UNNOTICED:
                self.resume(server)

    def _set_aside(self, window: Window) -> None:
        for unit in window.units:
            held = self.job[unit]
            if held is not None:
                self.end_job(held, "requeued")
            self._restart(unit)
        if window.kind == "maintenance":
            self._away[window.server] = window

    def _give_back(self, window: Window) -> None:
        if self._away.get(window.server) is window:
            del self._away[window.server]
            if window.forgotten:
                self.drained[window.server] = True
                self.drained_at[window.server] = self.tick
        for unit in window.units:
            self._restart(unit)
            if window.kind == "maintenance":
                self.lost_at[unit] = self.back_at[unit] = -1
                self.xid[unit] = 0

    def _restart(self, unit: int) -> None:
        """The unit is free, and its 24 hours begin anew."""
        self.since[unit] = self.judged[unit] = self.tick
        self.still[unit] = self.hot[unit] = 0

    def resume(self, server: int) -> None:
        """Give a drained server back to the scheduler."""
        self.drained[server] = False

    # -- accidents -------------------------------------------------------------------

    def _accidents(self) -> None:
        for unit in self.plan.losses.get(self.tick, ()):
            self._lose(unit)
        for unit, at in enumerate(self.lost_at):
            if at >= 0 and (self.tick == self.back_at[unit] or self.tick - at >= UNNOTICED):
                self.lost_at[unit] = self.back_at[unit] = -1
                self.xid[unit] = 0
                self._restart(unit)
        if self.tick in self.plan.storms:
            self._crash_many()

    def _lose(self, unit: int) -> None:
        shape = self.fleet.units[unit]
        window = self.window_of(unit)
        aside = window is not None and window.kind != "contract"
        if self.lost_at[unit] >= 0 or aside or not self.in_service(shape.server):
            return
        held = self.job[unit]
        if held is not None:
            self.end_job(held, "failed")
        self.lost_at[unit] = self.tick
        self.xid[unit] = 79
        self._restart(unit)
        bus = bus_id(shape.index)
        self.kernel[shape.server] += [
            (self.tick, f"NVRM: GPU at PCI:{bus}: {shape.uuid}"),
            (self.tick, f"NVRM: Xid (PCI:{bus}): 79, GPU has fallen off the bus."),
            (self.tick, f"NVRM: GPU {bus}.0: GPU has fallen off the bus."),
        ]
        self.timeline.mark(self.now, "fault", f"{shape.name} fell off its bus (Xid 79)")

    def repair(self, unit: int) -> None:
        """Somebody sees to a lost GPU; it is back some hours later."""
        if self.back_at[unit] < 0:
            self.back_at[unit] = self.tick + REPAIR

    def _crash_many(self) -> None:
        """The shared file system fails: half of the training jobs die of it."""
        self.timeline.mark(self.now, "fault", "the file system /data failed for a minute")
        for job in list(self.jobs.values()):
            well = job.kind == "train" and not job.ill and job.size <= 4
            if well and self._storm.chance(0.5):
                job.fate, job.turn = "crashed_job", self.tick - job.started
                job.crashed_in_storm = True
                job.limit = job.turn + int(self._storm.between(50, 70)) * HOUR

    # -- jobs ------------------------------------------------------------------------

    def _start(self, lane: Lane, at: int) -> None:
        if not self.waiting[lane.pool]:
            return
        job = self.waiting[lane.pool].pop(0)
        job.started, job.state, job.units = at, "running", lane.units
        job.submitted = min(job.submitted, at)
        self.jobs[job.id] = job
        for place, unit in enumerate(lane.units):
            self.job[unit], self.place[unit] = job, place
            self.since[unit] = self.judged[unit] = at
            self.still[unit] = self.hot[unit] = 0
            name = self.fleet.units[unit].name
            self.timeline.begin(
                name, job.id, max(0, at) * TICK_MS, f"{job.id} {job.name}", job.kind
            )

    def _end_jobs(self) -> None:
        for job in list(self.jobs.values()):
            age = self.tick - job.started
            if 0 <= job.acts_at <= self.tick:
                self._owner_acts(job)
            elif age >= job.limit:
                self.end_job(job, "timeout")
            elif self._has_finished(job):
                self.end_job(job, "completed")
            elif job.fate == "crashed_job" and age == job.turn:
                self._note_crash(job)
            elif job.fate == "zombie_process" and age >= job.turn:
                job.state = "completing"

    def _has_finished(self, job: Job) -> bool:
        """Whether a job that is well, or has been set right, has done its work."""
        if job.fixed >= 0:
            return self.tick - job.fixed >= job.duration
        return not job.ill and self.tick - job.started >= job.duration

    def _note_crash(self, job: Job) -> None:
        """Of the ways to crash one is the GPU's business and leaves the Xid of a program's error."""
        if job.text % 5 != 1 or job.crashed_in_storm:
            return
        xid = APP_XIDS[job.text % 7 % 3]
        for place, unit in enumerate(job.units):
            shape = self.fleet.units[unit]
            self.xid[unit] = xid
            bus, pid = bus_id(shape.index), load_pid(job, place)
            text = f"NVRM: Xid (PCI:{bus}): {xid}, pid={pid}, name=python3, {XID_ENDS[xid]}"
            self.kernel[shape.server].append((self.tick, text))

    def _owner_acts(self, job: Job) -> None:
        """The owner does what the warning asked for."""
        job.acts_at = -1
        if job.fate == "slow_input":
            job.fixed = self.tick
        else:
            self.end_job(job, "cancelled")

    def end_job(self, job: Job, how: str) -> None:
        """Take the job off its GPUs; `how` is the state that accounting keeps."""
        for unit in job.units:
            if self.job[unit] is job:
                self.job[unit] = None
                self._restart(unit)
                self.timeline.end(self.fleet.units[unit].name, job.id, self.now)
        job.state, job.ended = how, self.tick
        self.jobs.pop(job.id, None)
        self.ended[job.id] = job

    # -- readings --------------------------------------------------------------------

    def _measure(self) -> None:
        tick, place, still, hot = self.tick, self.place, self.still, self.hot
        # all GPUs at every tick: the most frequent lines of this world
        for unit, job in enumerate(self.job):
            total = self.total[unit]
            if job is None:
                self.phase[unit], self.util[unit] = NOTHING, 0
                total.append(total[-1])
                still[unit] = hot[unit] = 0
                continue
            now = load.phase(job, place[unit], tick)
            util = load.utilisation(job, place[unit], tick, now)
            self.phase[unit], self.util[unit] = now, util
            total.append(total[-1] + util)
            still[unit] = still[unit] + 1 if not util and now in HOLDS else 0
            hot[unit] = hot[unit] + 1 if now is STALLED else 0

    def mean(self, unit: int, ticks: int = DAY) -> float:
        """Mean utilisation in percent over the last ticks, fewer where there are fewer."""
        total = self.total[unit]
        begin = max(0, len(total) - 1 - ticks)
        return (total[-1] - total[begin]) / max(1, len(total) - 1 - begin)


BUS = ("1b", "43", "52", "61", "9d", "c3", "d1", "df")
"""PCI buses of the GPUs of an eight-GPU server."""


def bus_id(index: int) -> str:
    """Where a GPU is on its server's PCI bus, as the kernel writes it."""
    return f"0000:{BUS[index]}:00"


def load_pid(job: Job, place: int) -> int:
    """Process number of the job's rank on its GPU number `place`."""
    return 20_000 + (job.id * 37 + place * 113) % 40_000
