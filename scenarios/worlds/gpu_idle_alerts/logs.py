"""Log lines of jobs and of the servers' kernels; each knows whether it tells what is wrong.

A step on the GPU takes about two and a half seconds. A job that computes without pause prints a
line every 240 steps, which are ten minutes; one that waits for its data prints a line after each
burst of steps. The numbers of a line agree with the time since the one before.
"""

from __future__ import annotations

from hashlib import sha256

from scenarios.worlds.gpu_idle_alerts import load
from scenarios.worlds.gpu_idle_alerts.crashes import crash
from scenarios.worlds.gpu_idle_alerts.jobs import CORES, Job
from scenarios.worlds.gpu_idle_alerts.load import Phase, noise
from scenarios.worlds.gpu_idle_alerts.setting import DAY, HOUR, TICK_S
from scenarios.worlds.gpu_idle_alerts.world import IdleWorld

Line = tuple[str, bool]
TAIL = 19
"""Lines of progress that a log's end shows."""
FIRST_DAY = 14
"""Monday, 14 September 2026."""
STEPS = 240
"""Steps in ten minutes of uninterrupted work."""
COMPUTE_S = 2.3
"""What a step takes on the GPU; the rest of its time is waiting for data."""
WORKERS = 16


def at_s(seconds: int) -> str:
    """Date and time of a second since the first Monday, as logs write it."""
    day, rest = seconds // 86_400, seconds % 86_400
    return f"2026-09-{FIRST_DAY + day:02d} {rest // 3600:02d}:{rest // 60 % 60:02d}:{rest % 60:02d}"


def stamp(tick: int, salt: int = 0) -> str:
    """Date and time within the ten minutes before the tick."""
    return at_s(tick * TICK_S - 1 - int(noise(salt, tick, 21) * 500))


def node_lines(world: IdleWorld, server: int) -> list[Line]:
    """The last kernel messages of a server about its GPUs."""
    return [
        (f"{stamp(tick, server)} kernel: {text}", "Xid" in text and " 79," in text)
        for tick, text in world.kernel[server][-30:]
    ]


def job_lines(world: IdleWorld, job: Job) -> list[Line]:
    """Head and tail of the job's output as they are now."""
    last = world.tick if job.ended < 0 else job.ended
    if job.kind == "notebook":
        return _notebook(job, last)
    if job.kind == "serve":
        return [(f"{at_s(job.begun_s + 14)} Started HTTPService at 0.0.0.0:8000", False)]
    if job.fate == "nightly":
        return [*_head(world, job), _nightly(job, last)]
    return [*_head(world, job), *_Training(job).lines(last), *_ending(world, job, last)]


def head_length(world: IdleWorld, job: Job) -> int:
    """How many of the job's lines are from its beginning."""
    return 0 if job.kind in ("notebook", "serve") else len(_head(world, job))


def _head(world: IdleWorld, job: Job) -> list[Line]:
    launched, ready = at_s(job.begun_s + 3), at_s(job.begun_s + 21)
    unit = world.fleet.units[job.units[0]]
    devices = ",".join(str(i) for i in range(job.size))
    product = world.gpu.product
    if unit.parent >= 0:
        devices, product = unit.uuid, f"{product} MIG {unit.profile}"
    alone = job.fate == "over_request"
    ranks = 1 if alone else job.size
    rows: list[Line] = [
        (f"{launched} INFO launch: job={job.id} allocated CUDA_VISIBLE_DEVICES={devices}", False),
        (f"{ready} INFO train: world_size={ranks} rank=0 device=cuda:0 ({product})", alone),
    ]
    if job.fate in ("bursty", "slow_input"):
        text = f"UserWarning: This DataLoader will create {WORKERS} worker processes in total. Our"
        text += (
            f" suggested max number of worker in current system is {CORES}, which is smaller than"
        )
        text += " what this DataLoader is going to create."
        rows.append((f"{ready} {text}", job.fate == "slow_input"))
    elif job.fate == "hung_collective":
        rows.append((f"{launched} WARNING launch: TORCH_NCCL_ASYNC_ERROR_HANDLING=0", False))
    elif job.text % 4 == 0:
        rows.append((f"{ready} WARNING data: ConnectionError, attempt 2 of 5, retrying", False))
    return rows


class _Training:
    """The lines of a training job between its head and its end. Ages are ticks since its start."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.slow = job.fate in ("slow_input", "bursty")
        self.first = job.turn if job.fate == "prep" else 0
        self.mended = job.fixed - job.started if job.fixed >= 0 else -1
        self.burst = max(1, round(TICK_S * job.level / 100 / COMPUTE_S))
        restarts = job.text % 5 == 1 and not self.first
        self.restart = (2 * job.every if self.slow else 9 + job.text % 40) if restarts else -1

    def lines(self, last: int) -> list[Line]:
        """The newest lines of progress at tick `last`."""
        job = self.job
        turned = job.fate in _STOPS and last - job.started >= job.turn
        end = job.turn - 1 if turned else last - job.started
        return [line for age in self._ages(end)[-TAIL:] for line in self._at(age)]

    def _ages(self, end: int) -> list[int]:
        """Ages up to `end` at which something is printed, the newest ones."""
        if not self.slow:
            return list(range(max(1 if self.first else 2, end - TAIL), end + 1))
        if 0 <= self.mended <= end:
            bursts = range(self.job.every - 1, self.mended, self.job.every)
            return [*bursts, *range(self.mended + 1, end + 1)][-TAIL:]
        return list(range(self.job.every - 1, end + 1, self.job.every))[-TAIL:]

    def _at(self, age: int) -> list[Line]:
        if age == self.restart and not self.slow:
            return self._restarted(age)
        if age <= self.first:
            text = f"INFO prepare: tokenised shard {age * 3} of {self.first * 3} (cpu)"
            return [(f"{self._time(age)} {text}", False)]
        again = self._restarted(age + 1) if self.slow and age + 1 == self.restart else []
        return [self._step(age), *again]

    def steps(self, age: int) -> int:
        """Steps done by the line of that age."""
        if self.slow and not 0 <= self.mended < age:
            return self.burst * ((age + 1) // self.job.every)
        if self.slow:
            bursts = self.burst * (self.mended // self.job.every)
            return bursts + STEPS * (age - self.mended)
        lost = int(0 <= self.restart <= age)
        return STEPS * (age - max(1, self.first) - lost)

    def _step(self, age: int) -> Line:
        job = self.job
        waits = self.slow and not 0 <= self.mended < age
        ticks, steps = (job.every, self.burst) if waits else (1, STEPS)
        step_s = (ticks * TICK_S + self._late(age) - self._late(age - ticks)) / steps
        compute = COMPUTE_S + 0.06 * noise(job.id, age, 23)
        if load.phase(job, 0, job.started + age) == Phase.MIXED:
            compute *= 0.6
        loss = 0.9 + 1.8 / (1 + self.steps(age) / 12_000) + 0.05 * noise(job.id, age, 22)
        text = f"step={self.steps(age)} loss={loss:.3f} step_time={step_s:.2f}"
        text += f" data_time={max(0.02, step_s - compute):.2f}"
        return (f"{self._time(age)} INFO train: {text}", waits and job.fate == "slow_input")

    def _restarted(self, age: int) -> list[Line]:
        """A crash that the job recovered from: a traceback is not yet a dead job."""
        error = "RuntimeError: NCCL communicator was aborted on rank 0."
        if self.job.size == 1:
            error = "ConnectionResetError: [Errno 104] Connection reset by peer"
        at, after = self._time(age, -240), self._time(age, -205)
        return [
            (f"{at} Traceback (most recent call last):", False),
            (f"{at} {error}", False),
            (f"{after} INFO launch: restarting from checkpoint (attempt 2 of 3)", False),
        ]

    def _time(self, age: int, more: int = 0) -> str:
        """A steady moment within the tick, after the time that the job needed to begin."""
        return at_s(self.began + TICK_S * (age - 1) + self._late(age) + more)

    @property
    def began(self) -> int:
        """Second of the first step: a few minutes after the start of the job."""
        return self.job.begun_s + 250 + int(noise(self.job.id, 0, 24) * 120)

    def _late(self, age: int) -> int:
        return int(noise(self.job.id, age, 25) * 20)


_STOPS = ("crashed_job", "idle_process", "zombie_process", "hung_collective")


def _nightly(job: Job, last: int) -> Line:
    hour = f"{job.hour:02d}:00"
    if load.is_up(job, last):
        done = (last % DAY - job.hour * HOUR) % DAY * 96 // job.every
        text = f"INFO batch: started at {hour}, shard {done} of 96"
    else:
        text = f"INFO batch: done for today, next run at {hour}"
    return (f"{stamp(last, job.id)} {text}", False)


def _ending(world: IdleWorld, job: Job, last: int) -> list[Line]:
    if last - job.started < job.turn:
        return []
    training = _Training(job)
    ended = (job.started + job.turn) * TICK_S - 260 + int(noise(job.id, job.turn, 21) * 40)
    at = at_s(ended)
    if job.fate == "crashed_job":
        place, code, error = crash(world, job, training.steps(job.turn - 1))
        return [
            (f"{at} Traceback (most recent call last):", True),
            (f"{at}   {place}", True),
            (f"{at}     {code}", True),
            (f"{at} {error}", True),
            (
                f"{at_s(ended + 4)} run.sh: training ended with exit code 1, keeping the node for"
                " inspection",
                True,
            ),
        ]
    if job.fate == "zombie_process":
        server = world.fleet.servers[world.fleet.units[job.units[0]].server].name
        stepd = f"slurmstepd: error: *** STEP {job.id}.0 STEPD TERMINATED ON {server}"
        when = f"AT {at_s(ended + 92).replace(' ', 'T')} DUE TO JOB NOT ENDING WITH SIGNALS ***"
        return [
            (f"{at} INFO train: finished, best val_loss=1.204, model saved", False),
            (f"{stepd} {when}", True),
        ]
    return []


def _notebook(job: Job, last: int) -> list[Line]:
    """What a Jupyter server says: it saves the notebook while somebody works."""
    kernel, session = (_uuid(f"{what} {job.id}") for what in ("kernel", "session"))
    begun = at_s(job.begun_s + 48)
    rows: list[Line] = [(f"[I {begun}.118 ServerApp] Kernel started: {kernel}", False)]
    for tick in range(max(job.started + 1, last - 10 * HOUR), last + 1):
        if load.phase(job, 0, tick) == Phase.MIXED and tick % 3 == 0:
            text = f"[I {stamp(tick, job.id)}.412 ServerApp] Saving file at /explore.ipynb"
            rows.append((text, False))
    if job.fate == "idle_process" and last - job.started >= job.turn:
        when = stamp(job.started + job.turn, job.id)
        text = f"[I {when}.902 ServerApp] Starting buffering for {kernel}:{session}"
        rows.append((text, True))
    return rows[-TAIL:]


def _uuid(text: str) -> str:
    code = sha256(text.encode()).hexdigest()
    return f"{code[:8]}-{code[8:12]}-4{code[13:16]}-a{code[17:20]}-{code[20:32]}"
