"""Who ran where: the slow job, the one to compare with, its neighbours, everybody else. No GPU is shared."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.calendar import DAY, HOUR, MINUTE, SECOND, Calendar
from scenarios.troubleshooting.hall import UNIT
from scenarios.troubleshooting.plant import Node, Plant

CPUS_PER_GPU = 28
MEMORY_PER_GPU_MIB = 240_000


@dataclass(frozen=True, slots=True)
class Job:
    """One line of sacct. `gpus` are (node, GPU indices); times in ms UTC, None: not yet.

    `role` is `slow`, `baseline`, `neighbour` or `other`; `tag` the fault or herring that a neighbour
    belongs to. `reason` is squeue's word for a job that waits. `end_ms` None with a start: runs on.
    """

    id: int
    name: str
    user: str
    account: str
    partition: str
    qos: str
    state: str
    exit_code: str
    submit_ms: int
    start_ms: int | None
    end_ms: int | None
    limit_ms: int
    gpus: tuple[tuple[str, tuple[int, ...]], ...]
    role: str = "other"
    tag: str | None = None
    reason: str = "None"
    wanted: int = 0

    @property
    def gpu_count(self) -> int:
        return sum(len(indices) for _, indices in self.gpus) or self.wanted

    @property
    def nodes(self) -> tuple[str, ...]:
        return tuple(node for node, _ in self.gpus)

    @property
    def cpus(self) -> int:
        return self.gpu_count * CPUS_PER_GPU

    @property
    def memory_mib(self) -> int:
        return self.gpu_count * MEMORY_PER_GPU_MIB

    def runs_at(self, at_ms: int) -> bool:
        started = self.start_ms is not None and self.start_ms <= at_ms
        return started and (self.end_ms is None or at_ms < self.end_ms)


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A job that a cause or herring needs, from start to end (ms UTC): whole nodes, or GPUs `only`."""

    tag: str
    name: str
    user: str
    account: str
    nodes: tuple[str, ...]
    start_ms: int
    end_ms: int
    state: str = "COMPLETED"
    only: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Training:
    """What the slow job and the one to compare with have in common, and where each ran.

    Mixture of experts: each layer exchanges tokens between all ranks, and the job script sets
    NCCL_PXN_DISABLE=1 in both runs, so part of the traffic changes rails and crosses the spines.
    """

    name: str
    user: str
    account: str
    script: str
    dataset: str
    checkpoints: str
    nodes: tuple[Node, ...]
    before: tuple[Node, ...]

    @property
    def ranks(self) -> int:
        return sum(len(node.gpus) for node in self.nodes)

    def place(self, rank: int) -> tuple[Node, int]:
        """Node and local GPU index of a rank: ranks are given out node by node."""
        node, index = divmod(rank, len(self.nodes[0].gpus))
        return self.nodes[node], index

    def rank(self, node: str, index: int) -> int:
        names = [n.name for n in self.nodes]
        return names.index(node) * len(self.nodes[0].gpus) + index


TEAMS = {
    "nlp": ("mkeller", "anovak", "jtanaka"),
    "vision": ("lrossi", "dpatel", "hsorensen"),
    "speech": ("fgarcia", "ywang"),
    "robotics": ("tokafor", "ebrandt"),
    "bio": ("clemaire", "sgupta"),
}
_WORK = {
    "nlp": ("sft-7b", "eval-harness", "tokenise-shards", "dpo-sweep"),
    "vision": ("vit-l-pretrain", "det-finetune", "aug-ablation"),
    "speech": ("asr-conformer", "tts-distil"),
    "robotics": ("ppo-sim", "policy-bc"),
    "bio": ("fold-infer", "protein-lm"),
}
_LABELS = [(f"{way}{n}", 1.0) for way in ("v", "r", "lr", "bs", "seed", "abl") for n in range(1, 7)]
_DAYS = [(0.0, 0.97), *((days, 0.005) for days in (1.25, 1.5, 1.75, 2.5, 3.0, 4.0))]
_SIZES = ((1, 0.42), (2, 0.12), (4, 0.14), (8, 0.20), (16, 0.08), (32, 0.04))
_ENDS = (("COMPLETED", 0.68), ("FAILED", 0.16), ("CANCELLED", 0.14), ("TIMEOUT", 0.02))
_EXIT = {"COMPLETED": "0:0", "FAILED": "1:0", "CANCELLED": "0:15", "TIMEOUT": "0:0"}
_SLOT = MINUTE
_LOAD = 0.78


def draw_training(plant: Plant, seed: str) -> Training:
    """64 GPUs, or half of a small cluster, within one scalable unit; nodes in order of name."""
    draw = Stream(seed, "training")
    count = min(64 // plant.gpus_per_node, len(plant.nodes) // 2)
    pool = list(plant.nodes[:UNIT])
    nodes = _sample(draw, pool, count)
    user = draw.pick([("mkeller", 1.0), ("anovak", 1.0), ("jtanaka", 1.0)])
    name = draw.pick(
        [("moe-8x3b-pretrain", 1.0), ("moe-16x2b-pretrain", 1.0), ("moe-32b-base", 1.0)]
    )
    root = plant.storage.mount
    return Training(
        name=name,
        user=user,
        account="nlp",
        script=f"/home/{user}/runs/{name}/train.sbatch",
        dataset=f"{root}/datasets/{draw.pick([('webmix-v3', 1.0), ('corpus-26q3', 1.0)])}",
        checkpoints=f"{root}/checkpoints/{name}",
        nodes=tuple(nodes),
        before=tuple(_sample(draw, pool, count)),
    )


def _sample(draw: Stream, pool: list[Node], count: int) -> list[Node]:
    left, found = list(pool), []
    for _ in range(count):
        found.append(left.pop(int(draw.between(0, len(left)))))
    return sorted(found, key=lambda node: node.index)


def draw_jobs(
    plant: Plant,
    calendar: Calendar,
    training: Training,
    ends: tuple[int, int],
    neighbours: Iterable[Neighbour],
    seed: str,
) -> tuple[Job, ...]:
    """Every job in Slurm's accounts around the window, by id. `ends`: of the slow job, of the baseline."""
    floor = _Floor(plant, calendar)
    fixed = [_training_job(training, calendar, ends[0])]
    fixed += [_neighbour_job(plant, neighbour, seed) for neighbour in neighbours]
    for job in fixed:
        floor.book(job)
    jobs = fixed + _others(plant, calendar, floor, Stream(seed, "jobs"))
    jobs.sort(key=lambda job: (job.submit_ms, job.name, job.nodes))
    first = 90_000 + int(Stream(seed, "job-ids").between(0, 8_000))
    numbered = [replace(job, id=first + number) for number, job in enumerate(jobs)]
    ago = (calendar.window_start - calendar.baseline_start) // HOUR
    numbered.insert(0, _baseline_job(training, calendar, ends[1], first - 60 - ago * 9))
    return tuple(_seen(job, calendar) for job in numbered)


def _whole(nodes: Sequence[Node]) -> tuple[tuple[str, tuple[int, ...]], ...]:
    return tuple((node.name, tuple(range(len(node.gpus)))) for node in nodes)


def _training_job(training: Training, calendar: Calendar, end_ms: int) -> Job:
    start = calendar.job_start
    return Job(
        0,
        training.name,
        training.user,
        training.account,
        "train",
        "high",
        "COMPLETED",
        "0:0",
        start - 4 * MINUTE,
        start,
        end_ms,
        24 * HOUR,
        _whole(training.nodes),
        "slow",
    )


def _baseline_job(training: Training, calendar: Calendar, end_ms: int, number: int) -> Job:
    start = calendar.baseline_start
    return Job(
        number,
        training.name,
        training.user,
        training.account,
        "train",
        "high",
        "COMPLETED",
        "0:0",
        start - 2 * MINUTE,
        start,
        end_ms,
        24 * HOUR,
        _whole(training.before),
        "baseline",
    )


def _neighbour_job(plant: Plant, job: Neighbour, seed: str) -> Job:
    wait = int(Stream(seed, f"wait {job.tag} {job.start_ms}").between(20, 900)) * SECOND
    gpus = _whole([plant.node(name) for name in job.nodes])
    if job.only:
        gpus = ((job.nodes[0], job.only),)
    return Job(
        0,
        job.name,
        job.user,
        job.account,
        "dev" if job.only else "train",
        "normal",
        job.state,
        _EXIT[job.state],
        job.start_ms - wait,
        job.start_ms,
        job.end_ms,
        48 * HOUR,
        gpus,
        "neighbour",
        job.tag,
    )


def _seen(job: Job, calendar: Calendar) -> Job:
    """As accounting shows it at the end of the window: what runs on has no end."""
    if job.start_ms is not None and job.end_ms is not None and job.end_ms > calendar.window_end:
        return replace(job, end_ms=None, state="RUNNING", exit_code="0:0")
    return job


class _Floor:
    """Which GPU is booked in which minute: one long integer for each GPU, one bit for each minute."""

    def __init__(self, plant: Plant, calendar: Calendar) -> None:
        self.origin = calendar.window_start - 12 * HOUR
        self.largest = len(plant.nodes) * plant.gpus_per_node // 4
        self.busy = {node.name: [0] * len(node.gpus) for node in plant.nodes}
        self.held = dict.fromkeys(self.busy, 0)

    def mask(self, start_ms: int, end_ms: int) -> int:
        first = max((start_ms - self.origin) // _SLOT, 0)
        last = max(-(-(end_ms - self.origin) // _SLOT), first + 1)
        return ((1 << (last - first)) - 1) << first

    def book(self, job: Job) -> None:
        if job.start_ms is None or job.end_ms is None:
            return
        mask = self.mask(job.start_ms, job.end_ms)
        for node, indices in job.gpus:
            for index in indices:
                self.busy[node][index] |= mask
            self.held[node] |= mask

    def find(self, wanted: int, mask: int) -> tuple[tuple[str, tuple[int, ...]], ...]:
        """The fullest node that fits, or whole nodes in order; empty when there is no room."""
        size = len(next(iter(self.busy.values())))
        if wanted >= size:
            free = [name for name, held in self.held.items() if not held & mask]
            need = -(-wanted // size)
            return tuple((n, tuple(range(size))) for n in free[:need]) if len(free) >= need else ()
        best: tuple[int, str, tuple[int, ...]] | None = None
        for name, gpus in self.busy.items():
            free_here = [i for i, b in enumerate(gpus) if not b & mask]
            if len(free_here) >= wanted and (best is None or len(free_here) < best[0]):
                best = (len(free_here), name, tuple(free_here[:wanted]))
        return ((best[1], best[2]),) if best else ()


def labelled(jobs: Iterable[Job], seed: str) -> tuple[Job, ...]:
    """The same jobs, where everybody marks their runs by what they try in them, and some ask for days."""
    return tuple(
        _labelled(job, Stream(seed, f"label {job.id}"))
        if job.role == "other" and job.tag is None
        else job
        for job in jobs
    )


def _labelled(job: Job, draw: Stream) -> Job:
    name, days = f"{job.name}-{draw.pick(_LABELS)}", draw.pick(_DAYS)
    asks = days and job.state != "TIMEOUT"
    return replace(job, name=name, limit_ms=int(days * DAY) if asks else job.limit_ms)


def _others(plant: Plant, calendar: Calendar, floor: _Floor, draw: Stream) -> list[Job]:
    """Jobs of everybody else from twelve hours before the window on: about four fifths of what is free."""
    gpus = len(plant.nodes) * plant.gpus_per_node
    mean = 7.5 * HOUR / (gpus * _LOAD * 0.75)
    at, jobs = float(floor.origin), []
    while at < calendar.window_end - 5 * MINUTE:
        jobs.append(_other(int(at) // SECOND * SECOND, calendar, floor, draw))
        at += draw.exponential(mean)
    return jobs


def _other(submit: int, calendar: Calendar, floor: _Floor, draw: Stream) -> Job:
    account = draw.pick([(name, float(len(users))) for name, users in TEAMS.items()])
    user = draw.pick([(u, 1.0) for u in TEAMS[account]])
    name = draw.pick([(w, 1.0) for w in _WORK[account]])
    wanted = min(draw.pick(_SIZES), floor.largest)
    length = (
        int(min(draw.lognormal(38 * MINUTE, 1.25), 20.0 * HOUR)) // SECOND * SECOND + 20 * SECOND
    )
    state = draw.pick(_ENDS)
    limit = next(h for h in (1, 2, 4, 8, 12, 24) if h * HOUR >= length) * HOUR
    length = limit if state == "TIMEOUT" else length
    partition = "dev" if wanted <= 2 and length < 2 * HOUR else "train"
    start, gpus = _place(submit, length, wanted, floor, draw)
    job = Job(
        0,
        name,
        user,
        account,
        partition,
        "normal",
        state,
        _EXIT[state],
        submit,
        start,
        None if start is None else start + length,
        limit,
        gpus,
        wanted=wanted,
    )
    if start is None or start >= calendar.window_end:
        reason = draw.pick([("Resources", 0.3), ("Priority", 0.7)])
        return replace(job, state="PENDING", start_ms=None, end_ms=None, gpus=(), reason=reason)
    floor.book(job)
    return job


def _place(
    submit: int, length: int, wanted: int, floor: _Floor, draw: Stream
) -> tuple[int | None, tuple[tuple[str, tuple[int, ...]], ...]]:
    """Start at once or at a later try, a quarter of an hour apart on average; None after two days."""
    wait = int(draw.between(1, 6)) * SECOND
    while wait < 48 * HOUR:
        start = (submit + wait) // SECOND * SECOND
        gpus = floor.find(wanted, floor.mask(start, start + length))
        if gpus:
            return start, gpus
        wait += int(draw.between(5, 20 + wait / HOUR * 4) * MINUTE)
    return None, ()
