"""How programs end: the last lines of a job's output, in agreement with the job that wrote them."""

from __future__ import annotations

from scenarios.worlds.gpu_idle_alerts import load
from scenarios.worlds.gpu_idle_alerts.jobs import Job
from scenarios.worlds.gpu_idle_alerts.load import Phase
from scenarios.worlds.gpu_idle_alerts.world import IdleWorld, load_pid

USABLE_GIB = {"A100": 79.25, "H100": 79.19, "H200": 139.80, "B200": 178.35}
"""Total capacity that PyTorch names when a whole GPU is full, as messages on the net have it: a
little less than nvidia-smi shows. A MIG slice is named at its full size."""
Crash = tuple[str, str, str]
"""Where it happened, the line of the program, the error."""
STORM: Crash = (
    'File "/work/src/data.py", line 88, in read_shard',
    "with open(path, 'rb') as shard:",
    "OSError: [Errno 116] Stale file handle: '/data/shards'",
)


def crash(world: IdleWorld, job: Job, step: int) -> Crash:
    """How the job crashed after that step: the same answer whenever it is asked for."""
    if job.crashed_in_storm:
        return STORM
    kinds = (_out_of_memory, _illegal_access, _no_file, _no_space, _worker_killed)
    return kinds[job.text % len(kinds)](world, job, step)


def _out_of_memory(world: IdleWorld, job: Job, step: int) -> Crash:
    unit = world.fleet.units[job.units[0]]
    held = load.memory(job, Phase.WORK, unit.memory) / 1024
    total = unit.memory / 1024 if unit.parent >= 0 else USABLE_GIB[world.gpu.name]
    free = total - held
    asked = (int(2 * free) + 1) / 2
    return (
        'File "/work/src/model.py", line 214, in forward',
        "scores = query @ key.transpose(-2, -1)",
        f"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {asked:.2f} GiB. GPU 0 has a"
        f" total capacity of {total:.2f} GiB of which {free:.2f} GiB is free. Including non-PyTorch"
        f" memory, this process has {held:.2f} GiB memory in use.",
    )


def _illegal_access(world: IdleWorld, job: Job, step: int) -> Crash:
    return (
        'File "/work/src/train.py", line 388, in train_step',
        "loss_value = loss.item()",
        "torch.AcceleratorError: CUDA error: an illegal memory access was encountered",
    )


def _no_file(world: IdleWorld, job: Job, step: int) -> Crash:
    shard = job.text * 7 % 1000
    return (
        'File "/work/src/data.py", line 97, in __getitem__',
        "with open(path, 'rb') as shard:",
        f"FileNotFoundError: [Errno 2] No such file or directory: '/data/shards/train-{shard:05d}.tar'",
    )


def _no_space(world: IdleWorld, job: Job, step: int) -> Crash:
    return (
        'File "/work/src/checkpoint.py", line 41, in save',
        "file.write(buffer)",
        f"OSError: [Errno 28] No space left on device: '/scratch/{job.id}/ckpt/step_{step}.pt'",
    )


def _worker_killed(world: IdleWorld, job: Job, step: int) -> Crash:
    pid = load_pid(job, 0) + 41
    return (
        'File "/work/src/train.py", line 402, in main',
        "for batch in loader:",
        f"RuntimeError: DataLoader worker (pid {pid}) is killed by signal: Killed.",
    )
