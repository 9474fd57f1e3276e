"""Log lines of jobs and of the servers' kernels; each knows whether it tells what is wrong."""

from __future__ import annotations

from scenarios.worlds.idlewatch import load
from scenarios.worlds.idlewatch.jobs import Job
from scenarios.worlds.idlewatch.load import Phase, noise
from scenarios.worlds.idlewatch.setting import DAY, HOUR
from scenarios.worlds.idlewatch.world import IdleWorld, load_pid

Line = tuple[str, bool]
TAIL = 18
"""Lines of progress that a log's end shows; a line comes every ten minutes of work."""
FIRST_DAY = 14
"""Monday, 14 September 2026."""
CRASHES: tuple[tuple[str, ...], ...] = (
    (
        'File "/work/src/model.py", line 214, in forward',
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has a total"
        " capacity of 79.10 GiB of which 1.32 GiB is free.",
    ),
    (
        'File "/work/src/train.py", line 388, in train_step',
        "RuntimeError: CUDA error: an illegal memory access was encountered",
    ),
    (
        'File "/work/src/data.py", line 97, in __getitem__',
        "FileNotFoundError: [Errno 2] No such file or directory: '/data/shards/train-00412.tar'",
    ),
    (
        'File "/work/src/checkpoint.py", line 41, in save',
        "OSError: [Errno 28] No space left on device: '/scratch/ckpt/step_41000.pt'",
    ),
    (
        'File "/work/src/train.py", line 402, in main',
        "RuntimeError: DataLoader worker (pid 21133) is killed by signal: Killed.",
    ),
)
STORM = (
    'File "/work/src/data.py", line 88, in read_shard',
    "OSError: [Errno 116] Stale file handle: '/data/shards'",
)


def stamp(tick: int, salt: int = 0) -> str:
    """Date and time within the ten minutes before the tick, as logs write it."""
    seconds = tick * 600 - 1 - int(noise(salt, tick, 21) * 500)
    day, rest = seconds // 86_400, seconds % 86_400
    return f"2026-09-{FIRST_DAY + day:02d} {rest // 3600:02d}:{rest // 60 % 60:02d}:{rest % 60:02d}"


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
        return [(f"{stamp(1, job.id)} Started HTTPService at 0.0.0.0:8000", False)]
    return [*_head(world, job), *_progress(job, last), *_ending(world, job, last)]


def _head(world: IdleWorld, job: Job) -> list[Line]:
    at = stamp(job.started + 1, job.id)
    devices = ",".join(str(i) for i in range(job.size))
    alone = job.fate == "over_request"
    ranks = 1 if alone else job.size
    rows: list[Line] = [
        (f"{at} INFO launch: job={job.id} allocated CUDA_VISIBLE_DEVICES={devices}", False),
        (f"{at} INFO train: world_size={ranks} rank=0 device=cuda:0 ({world.gpu.product})", alone),
    ]
    if job.fate in ("bursty", "slow_input"):
        text = "UserWarning: This DataLoader will create 16 worker processes in total."
        text += " Our suggested max number of worker in current system is 4"
        rows.append((f"{at} {text}", job.fate == "slow_input"))
    elif job.fate == "hung_collective":
        rows.append((f"{at} WARNING launch: TORCH_NCCL_ASYNC_ERROR_HANDLING=0", False))
    elif job.text % 4 == 0:
        rows.append((f"{at} WARNING data: ConnectionError, attempt 2 of 5, retrying", False))
    return rows


def _progress(job: Job, last: int) -> list[Line]:
    """One line for each ten minutes of work, the newest ones."""
    turned = job.fate in _STOPS and last - job.started >= job.turn
    end = min(last, job.started + job.turn - 1) if turned else last
    if job.fate == "nightly":
        return _nightly(job, last)
    rows: list[Line] = []
    for tick in range(max(job.started + 1, end - TAIL), end + 1):
        rows.append(_step(job, tick))
    if job.text % 5 == 1 and len(rows) > 6 and not turned:
        # a crash that the job recovered from: a traceback is not yet a dead job
        at = stamp(end - 5, job.id + 1)
        rows[-5:-5] = [
            (f"{at} Traceback (most recent call last):", False),
            (f"{at} RuntimeError: NCCL communicator was aborted on rank 0.", False),
            (f"{at} INFO launch: restarting from checkpoint (attempt 2 of 3)", False),
        ]
    return rows


_STOPS = ("crashed_job", "idle_process", "zombie_process", "hung_collective")


def _step(job: Job, tick: int) -> Line:
    at, age = stamp(tick, job.id), tick - job.started
    phase = load.phase(job, 0, tick)
    if phase == Phase.CONTEXT:
        return (f"{at} INFO prepare: tokenised shard {age * 3} of {job.turn * 3} (cpu)", False)
    loss = 0.9 + 1.8 / (1 + 0.02 * max(1, age)) + 0.05 * noise(job.id, tick, 22)
    slow = phase in (Phase.BURST, Phase.PAUSE)
    step = 2.2 + 0.4 * noise(job.id, tick, 23)
    data = 0.1
    if slow:
        step = 100 * step / max(3, job.level / job.every)
        data = step - 2.3
    number = 40 * age if slow else 240 * age
    text = f"step={number} loss={loss:.3f} step_time={step:.2f} data_time={data:.2f}"
    return (f"{at} INFO train: {text}", slow and job.fate == "slow_input")


def _nightly(job: Job, last: int) -> list[Line]:
    hour = f"{job.hour:02d}:00"
    if load.is_up(job, last):
        text = f"INFO batch: started at {hour}, embedding shard {last % DAY % 40} of 96"
    else:
        text = f"INFO batch: done for today, next run at {hour}"
    return [(f"{stamp(last, job.id)} {text}", False)]


def _ending(world: IdleWorld, job: Job, last: int) -> list[Line]:
    if last - job.started < job.turn:
        return []
    turned = job.started + job.turn
    at = stamp(turned, job.id)
    if job.fate == "crashed_job":
        place, error = STORM if job.crashed_in_storm else CRASHES[job.text % len(CRASHES)]
        return [
            (f"{at} Traceback (most recent call last):", True),
            (f"{at}   {place}", True),
            (f"{at} {error}", True),
            (
                f"{at} run.sh: training ended with exit code 1, keeping the node for inspection",
                True,
            ),
        ]
    if job.fate == "zombie_process":
        server = world.fleet.servers[world.fleet.units[job.units[0]].server].name
        stepd = f"slurmstepd: error: *** STEP {job.id}.0 STEPD TERMINATED ON {server}"
        when = f"AT {at.replace(' ', 'T')} DUE TO JOB NOT ENDING WITH SIGNALS ***"
        return [
            (f"{at} INFO train: finished, best val_loss=1.204, model saved", False),
            (f"{stepd} {when}", True),
        ]
    return []


def _notebook(job: Job, last: int) -> list[Line]:
    """What a Jupyter server says: it saves the notebook while somebody works."""
    at = stamp(job.started + 1, job.id)
    pid = load_pid(job, 0)
    rows: list[Line] = [(f"[I {at}.118 ServerApp] Kernel started: pid {pid}", False)]
    for tick in range(max(job.started + 1, last - 10 * HOUR), last + 1):
        if load.phase(job, 0, tick) == Phase.MIXED and tick % 3 == 0:
            text = f"[I {stamp(tick, job.id)}.412 ServerApp] Saving file at /explore.ipynb"
            rows.append((text, False))
    if job.fate == "idle_process" and last - job.started >= job.turn:
        when = stamp(job.started + job.turn, job.id)
        kernel = f"{job.id * 2_654_435_761 % 2**32:08x}"
        rows.append((f"[I {when}.902 ServerApp] Starting buffering for {kernel}", True))
    return rows[-TAIL:]
