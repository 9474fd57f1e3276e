"""The servers' state as the usual tools print it: dcgm-exporter, squeue, sacct."""

from __future__ import annotations

from collections.abc import Iterator

from scenarios.worlds.gpu_idle_alerts import load
from scenarios.worlds.gpu_idle_alerts.episode import Episode
from scenarios.worlds.gpu_idle_alerts.fleet import Unit
from scenarios.worlds.gpu_idle_alerts.jobs import CORES, Job
from scenarios.worlds.gpu_idle_alerts.logs import at_s
from scenarios.worlds.gpu_idle_alerts.setting import TICK_S
from scenarios.worlds.gpu_idle_alerts.world import BUS

DRIVER = "580.95.05"
SHOWN_SERVERS = 2
SHOWN_JOBS = 40
_FIELDS = (
    ("DCGM_FI_DEV_SM_CLOCK", "SM clock frequency (in MHz).", 6),
    ("DCGM_FI_DEV_GPU_TEMP", "GPU temperature (in C).", 4),
    ("DCGM_FI_DEV_POWER_USAGE", "Power draw (in W).", 5),
    ("DCGM_FI_DEV_GPU_UTIL", "GPU utilization (in %).", 2),
    ("DCGM_FI_DEV_XID_ERRORS", "Value of the last XID error encountered.", 7),
    ("DCGM_FI_DEV_FB_USED", "Framebuffer memory used (in MiB).", 3),
)
"""Metric, help text, column of a reading; names and order of labels as in dcgm-exporter 4."""
_RATIO = ("DCGM_FI_PROF_GR_ENGINE_ACTIVE", "Ratio of time the graphics engine is active.")


def metrics(days: Episode) -> str:
    """One scrape, of the first servers and of one whose GPUs are cut into slices."""
    servers = days.world.fleet.servers
    shown = [n for n, s in enumerate(servers) if n < SHOWN_SERVERS or s.mig]
    units = [
        unit for unit in days.world.fleet.units if unit.server in shown and days.scrape.sees(unit)
    ]
    lines: list[str] = []
    for name, help_text, column in _FIELDS:
        lines += [f"# HELP {name} {help_text}", f"# TYPE {name} gauge"]
        lines += list(_samples(days, units, name, column))
    lines += [f"# HELP {_RATIO[0]} {_RATIO[1]}", f"# TYPE {_RATIO[0]} gauge"]
    for unit in (one for one in units if one.whole):
        value = float(days.world.util[unit.number])
        if value:
            value += 0.9999 * load.noise(unit.number, days.world.tick, 31)
        value /= 100
        lines.append(f"{_RATIO[0]}{{{_labels(days, unit)}}} {value:.6f}")
    return "\n".join(lines) + "\n"


def _samples(days: Episode, units: list[Unit], name: str, column: int) -> Iterator[str]:
    for unit in units:
        value = days.scrape.reading(unit)[column]
        sliced = unit.parent >= 0 and name != "DCGM_FI_DEV_FB_USED"
        if value is None or sliced:
            continue
        text = str(value)
        if column == 5:
            text += f".{int(1000 * load.noise(unit.number, days.world.tick, 32)):03d}"
        yield f"{name}{{{_labels(days, unit)}}} {text}"


def _labels(days: Episode, unit: Unit) -> str:
    whole = days.world.fleet.units[unit.parent] if unit.parent >= 0 else unit
    job = days.world.job[unit.number]
    rows = [
        ("gpu", str(unit.index)),
        ("UUID", whole.uuid),
        ("pci_bus_id", f"00000000:{BUS[unit.index].upper()}:00.0"),
        ("device", f"nvidia{unit.index}"),
        ("modelName", days.world.gpu.product),
    ]
    if unit.parent >= 0:
        instance = {"0": "3", "2": "4", "4": "2"}[unit.name.split("/")[-1]]
        rows += [("GPU_I_PROFILE", unit.profile), ("GPU_I_ID", instance)]
    rows.append(("Hostname", days.world.fleet.servers[unit.server].name))
    rows.append(("DCGM_FI_DRIVER_VERSION", DRIVER))
    if job is not None:
        rows.append(("hpc_job", str(job.id)))
    return ",".join(f'{key}="{value}"' for key, value in rows)


def _span(seconds: int, *, full: bool) -> str:
    """Slurm's [D-]HH:MM:SS; `squeue` leaves leading zeros out, `sacct` does not."""
    days, rest = divmod(max(0, seconds), 86_400)
    hours, minutes, left = rest // 3600, rest // 60 % 60, rest % 60
    clock = f"{hours:02d}:{minutes:02d}:{left:02d}"
    if days:
        return f"{days}-{clock}"
    if full:
        return clock
    return clock.lstrip("0:") if hours or minutes > 9 else f"{minutes}:{left:02d}"


def _is_over(job: Job, tick: int) -> bool:
    """Whether all that is, or was, left of the job is a process that would not go."""
    last = tick if job.ended < 0 else job.ended
    return job.fate == "zombie_process" and last - job.started >= job.turn


def _ended_s(job: Job, tick: int) -> int:
    """The second at which the job ended, as accounting has it; `tick` while it runs."""
    if _is_over(job, tick):
        return (job.started + job.turn) * TICK_S - 240
    if job.ended < 0:
        return tick * TICK_S
    if job.state == "timeout":
        return job.begun_s + job.limit * TICK_S
    return job.ended * TICK_S - 20 - int(200 * load.noise(job.id, job.ended, 33))


def squeue(days: Episode) -> str:
    """The queue in squeue's default columns and order: by partition, waiting jobs first."""
    world = days.world
    head = f"{'JOBID':>18} {'PARTITION':>9} {'NAME':>8} {'USER':>8} {'ST':>2} {'TIME':>10}"
    lines = [f"{head} {'NODES':>6} NODELIST(REASON)"]
    for pool, line in world.waiting.items():
        for number, job in enumerate(line):
            lines.append(_queue_row(job, "PD", 0, "(Resources)" if number == 0 else "(Priority)"))
        mine = (job for job in world.jobs.values() if job.pool == pool)
        for job in sorted(mine, key=lambda job: (job.state == "completing", job.id)):
            server = world.fleet.servers[world.fleet.units[job.units[0]].server].name
            state = "CG" if job.state == "completing" else "R"
            seconds = _ended_s(job, world.tick) - job.begun_s
            lines.append(_queue_row(job, state, seconds, server))
    return "\n".join(lines) + "\n"


def _queue_row(job: Job, state: str, seconds: int, where: str) -> str:
    return (
        f"{job.id:>18} {job.pool[:9]:>9} {job.name[:8]:>8} {job.user[:8]:>8} {state:>2}"
        f" {_span(seconds, full=False):>10} {1:>6} {where}"
    )


_STATES = {
    "completed": ("COMPLETED", "0:0"),
    "timeout": ("TIMEOUT", "0:0"),
    "cancelled": ("CANCELLED by 0", "0:15"),
    "requeued": ("REQUEUED", "0:0"),
    "failed": ("FAILED", "1:0"),
}


def sacct(days: Episode) -> str:
    """`sacct -X -P -o JobID,User,Account,State,AllocTRES,Elapsed,Start,End,ExitCode,NodeList`."""
    world = days.world
    lines = ["JobID|User|Account|State|AllocTRES|Elapsed|Start|End|ExitCode|NodeList"]
    jobs = [*world.ended.values(), *world.jobs.values()]
    for job in sorted(jobs, key=lambda one: one.id)[:SHOWN_JOBS]:
        how = "completed" if _is_over(job, world.tick) else job.state
        state, code = _STATES.get(how, ("RUNNING", "0:0"))
        last = _ended_s(job, world.tick)
        end = at_s(last).replace(" ", "T") if state != "RUNNING" else "Unknown"
        begin = at_s(job.begun_s).replace(" ", "T")
        cores = CORES * job.size
        tres = f"billing={cores},cpu={cores},gres/gpu={job.size},mem={120 * job.size}G,node=1"
        elapsed = _span(last - job.begun_s, full=True)
        server = world.fleet.servers[world.fleet.units[job.units[0]].server].name
        lines.append(
            f"{job.id}|{job.user}|{job.team}|{state}|{tres}|{elapsed}|{begin}|{end}|{code}|{server}"
        )
    return "\n".join(lines) + "\n"
