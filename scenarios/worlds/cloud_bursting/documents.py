"""Documents that the world makes for a pack: a day of prices, and the queue as an operator sees it."""

from __future__ import annotations

from functools import lru_cache

from scenarios.company.profile import Profile
from scenarios.simulator.agenda import DAY, HOUR, MINUTE, SECOND
from scenarios.worlds.cloud_bursting.market import Market
from scenarios.worlds.cloud_bursting.setting import Setting, burst_config, open_period
from scenarios.worlds.cloud_bursting.shape import PRICE_SHARE, PRICE_STEP
from scenarios.worlds.cloud_bursting.tables import Run
from scenarios.worlds.cloud_bursting.workload import KINDS, JobSpec


def prices(profile: Profile, setting: Setting, seed: str) -> str:
    """Prices of a day before the period, every quarter of an hour, as comma-separated values.

    Every cloud's price stands in the unit in which that cloud sells.
    """
    config = burst_config(profile, setting)
    market = Market(config, f"{seed} the day before")
    units = [f"{shape.name}_usd_per_{shape.unit}" for shape in config.remotes]
    rows = [",".join(["time_utc", "primary_spot_usd_per_gpu_hour", "limit_70_percent", *units])]
    for now in range(0, DAY, PRICE_STEP):
        spot = market.price(-1, now)
        cells = [f"2026-03-01T{now // HOUR:02d}:{now % HOUR // MINUTE:02d}:00Z"]
        cells += [f"{spot:.4f}", f"{PRICE_SHARE * spot:.4f}"]
        for number, shape in enumerate(config.remotes):
            times = config.gpus_per_node if shape.unit == "node_hour" else 1
            cells.append(f"{market.price(number, now) * times:.4f}")
        rows.append(",".join(cells))
    return "\n".join(rows) + "\n"


SQUEUE_AT = DAY + 10 * HOUR
SENT_EVERY = 97 * SECOND
"""How often everything that came in is sent to the primary for the picture; no round time."""
SQUEUE_FORMAT = "%.8i %.9P %.16j %.9u %.2t %.10M %.10l %.5D %R"
"""What squeue is asked for: its default columns, wide enough for the names, and the time limit."""


@lru_cache(maxsize=32)
def squeue(profile: Profile, setting: Setting, seed: str) -> str:
    """The primary's queue at ten on the second morning of a period in which all was sent there.

    Rows as squeue sorts them: pending ones first, then by priority.
    """
    episode = open_period(profile, setting, "diurnal", f"{seed} squeue", faults=False)
    world = episode.world
    while world.now < SQUEUE_AT:
        for job in range(world.jobs.seen):
            if not world.jobs.runs[job] and len(world.queue.waiting) < world.config.most_pending:
                episode.broker.place(job, "primary", f"job-{job}")
        world.advance(min(SQUEUE_AT, world.now + SENT_EVERY))
    titles = ("JOBID", "PARTITION", "NAME", "USER", "ST", "TIME", "TIME_LIMIT", "NODES")
    rows = [f'$ squeue -o "{SQUEUE_FORMAT}"', _squeue_row(*titles, "NODELIST(REASON)")]
    pending = [world.runs[number] for _, _, number in world.queue.waiting]
    running = sorted(world.running.values(), key=lambda run: _place(world.jobs.spec[run.job], run))
    for place, run in enumerate([*pending, *running]):
        spec = world.jobs.spec[run.job]
        elapsed = world.now - run.begun if run.nodes else 0
        waits = "(Priority)" if place else "(Resources)"
        rows.append(
            _squeue_row(
                run.name,
                "gpu",
                f"{KINDS[spec.priority]}-{run.job:04d}",
                f"{spec.team}{run.job % 7 + 1}",
                "R" if run.nodes else "PD",
                _duration(elapsed // SECOND),
                _duration(spec.limit // SECOND),
                str(max(1, run.gpus // world.config.gpus_per_node)),
                _nodelist(run.nodes) if run.nodes else waits,
            )
        )
    return "\n".join(rows) + "\n"


def _place(spec: JobSpec, run: Run) -> tuple[int, int, int]:
    """Where a run stood in the queue."""
    return spec.priority, spec.submit, run.number


def _squeue_row(*cells: str) -> str:
    """One line in `SQUEUE_FORMAT`."""
    widths = (8, 9, 16, 9, 2, 10, 10, 5, 0)
    return " ".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))


def _duration(seconds: int) -> str:
    """Seconds as Slurm writes them: 4:05, 1:04:05 or 2-01:04:05."""
    minutes, rest = divmod(seconds, 60)
    if minutes < 60:
        return f"{minutes}:{rest:02d}"
    hours = f"{minutes // 60 % 24}:{minutes % 60:02d}:{rest:02d}"
    days = minutes // (24 * 60)
    return f"{days}-{hours:>08}" if days else hours


def _nodelist(nodes: tuple[int, ...]) -> str:
    """Node numbers as Slurm folds them: gpu-03 or gpu-[01-04,07]."""
    spans: list[list[int]] = []
    for node in sorted(nodes):
        if spans and spans[-1][1] == node - 1:
            spans[-1][1] = node
        else:
            spans.append([node, node])
    if len(nodes) == 1:
        return f"gpu-{nodes[0] + 1:02d}"
    parts = [f"{a + 1:02d}" if a == b else f"{a + 1:02d}-{b + 1:02d}" for a, b in spans]
    return f"gpu-[{','.join(parts)}]"
