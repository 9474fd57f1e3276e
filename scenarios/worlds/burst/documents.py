"""Documents that the world makes for a pack: a day of prices, and the queue as an operator sees it."""

from __future__ import annotations

from scenarios.profile import Profile
from scenarios.simulator.agenda import DAY, HOUR
from scenarios.worlds.burst.market import Market
from scenarios.worlds.burst.setting import Setting, burst_config, open_period
from scenarios.worlds.burst.shape import PRICE_SHARE, TICK
from scenarios.worlds.burst.views import run_rows
from scenarios.worlds.burst.workload import KINDS


def prices(profile: Profile, setting: Setting, seed: str) -> str:
    """Prices of a day before the period, every half hour, as comma-separated values.

    Every cloud's price stands in the unit in which that cloud sells.
    """
    config = burst_config(profile, setting)
    market = Market(config, f"{seed} the day before")
    units = [f"{shape.name}_usd_per_{shape.unit}" for shape in config.remotes]
    rows = [",".join(["time_utc", "primary_spot_usd_per_gpu_hour", "limit_70_percent", *units])]
    for now in range(0, DAY, HOUR // 2):
        spot = market.price(-1, now)
        cells = [f"2026-03-01T{now // HOUR:02d}:{now % HOUR // 60_000:02d}:00Z"]
        cells += [f"{spot:.4f}", f"{PRICE_SHARE * spot:.4f}"]
        for number, shape in enumerate(config.remotes):
            times = config.gpus_per_node if shape.unit == "node_hour" else 1
            cells.append(f"{market.price(number, now) * times:.4f}")
        rows.append(",".join(cells))
    return "\n".join(rows) + "\n"


def squeue(profile: Profile, setting: Setting, seed: str) -> str:
    """The primary's queue two hours into a period in which everything was simply sent there."""
    episode = open_period(profile, setting, "diurnal", f"{seed} squeue", faults=False)
    world = episode.world
    while world.now < 2 * HOUR:
        for job in range(world.jobs.seen):
            if not world.jobs.runs[job] and len(world.primary.queue) < world.config.most_pending:
                episode.broker.place(job, "primary", f"job-{job}")
        world.advance(world.now + TICK)
    head = (
        f"{'JOBID':>8} {'PARTITION':>9} {'NAME':>16} {'USER':>9} {'ST':>2} {'TIME':>8} {'NODES':>5}"
    )
    rows = [f"{head} NODELIST(REASON)"]
    shown = {row[0] for row in run_rows(world, -1) if row[2] in ("RUNNING", "PENDING")}
    blocked = False
    for run in sorted(
        (r for r in world.runs if r.name in shown), key=lambda r: (r.begun < 0, r.number)
    ):
        spec = world.jobs.spec[run.job]
        name = f"{KINDS[spec.priority]}-{run.job:04d}"
        nodes = max(1, run.gpus // world.config.gpus_per_node)
        if run.nodes:
            seconds = (world.now - run.begun) // 1000
            elapsed = f"{seconds // 3600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
            state, where = "R", _nodelist(run.nodes)
        else:
            elapsed, state = "0:00", "PD"
            where = "(Priority)" if blocked else "(Resources)"
            blocked = True
        user = f"{spec.team}{run.job % 7 + 1}"
        rows.append(
            f"{run.name:>8} {'gpu':>9} {name:>16} {user:>9} {state:>2} {elapsed:>8} {nodes:>5} {where}"
        )
    return "\n".join(rows) + "\n"


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
