"""What a monitor sees: plain rows in the field order of the SDK's objects, times in s."""

from __future__ import annotations

from scenarios.company.profile import GpuModel
from scenarios.worlds.gpu_idle_alerts import load
from scenarios.worlds.gpu_idle_alerts.fleet import GPUS, Fleet
from scenarios.worlds.gpu_idle_alerts.jobs import Job
from scenarios.worlds.gpu_idle_alerts.logs import job_lines, node_lines
from scenarios.worlds.gpu_idle_alerts.register import Register
from scenarios.worlds.gpu_idle_alerts.setting import HOUR, TICK_S
from scenarios.worlds.gpu_idle_alerts.world import IdleWorld, load_pid
from scenarios.worlds.refusal import Refused

Rows = list[list[object]]
Inventory = list[tuple[int, list[object], list[object]]]
"""By unit: when its server joins, and the parts of its row that never change."""
COMMANDS = {"notebook": "python3 -m ipykernel_launcher", "serve": "tritonserver"}


def gpu_rows(world: IdleWorld, inventory: Inventory) -> Rows:
    """The inventory, with the job that the scheduler gave each GPU to (-1: none)."""
    rows: Rows = []
    for number, (joins, before, after) in enumerate(inventory):
        if joins <= world.tick:
            job = world.job[number]
            rows.append(
                [*before, -1 if job is None else job.id, world.since[number] * TICK_S, *after]
            )
    return rows


def inventory_of(fleet: Fleet, gpu: GpuModel) -> Inventory:
    """What `gpu_rows` needs of every unit."""
    found: Inventory = []
    for unit in fleet.units:
        server = fleet.servers[unit.server]
        parent = fleet.units[unit.parent].name if unit.parent >= 0 else ""
        what = unit.profile if unit.parent >= 0 else ("" if unit.whole else "mig")
        before: list[object] = [
            unit.name,
            server.name,
            unit.index,
            unit.uuid,
            gpu.product,
            unit.memory,
        ]
        limits = [gpu.top_w, GPUS[gpu.name]["hottest"]]
        found.append((server.joins, [*before, *limits], [what, parent]))
    return found


def process_rows(world: IdleWorld) -> Rows:
    """Processes that have a GPU open."""
    rows: Rows = []
    for unit, job in enumerate(world.job):
        now = world.phase[unit]
        if job is None or not load.has_process(now):
            continue
        shape = world.fleet.units[unit]
        if not world.in_service(shape.server):
            continue
        rows.append(
            [
                load_pid(job, world.place[unit]),
                shape.name,
                job.id,
                job.user,
                COMMANDS.get(job.kind, f"python3 {job.kind}.py --name {job.name}"),
                load.memory(job, now, shape.memory),
                (job.started + 1) * TICK_S - 540,
                _state(job, now),
            ]
        )
    return rows


def _state(job: Job, now: load.Phase) -> str:
    """As `ps` writes it: running, sleeping, or uninterruptible."""
    if job.state == "completing":
        return "D"
    return "S" if now in (load.Phase.HELD, load.Phase.PAUSE) else "R"


def job_rows(world: IdleWorld) -> Rows:
    """Jobs on the servers and jobs that wait, by number."""
    running = [_job_row(world, job) for job in world.jobs.values()]
    waiting = [_job_row(world, job) for line in world.waiting.values() for job in line]
    return sorted(running + waiting, key=lambda row: int(str(row[0])))


def _job_row(world: IdleWorld, job: Job) -> list[object]:
    begun = job.started if job.state != "pending" else world.tick
    nodes = [world.fleet.servers[world.fleet.units[job.units[0]].server].name] if job.units else []
    return [
        job.id,
        job.priority,
        job.size,
        job.state,
        job.submitted * TICK_S,
        (begun - job.submitted) * TICK_S,
        job.started * TICK_S if job.state != "pending" else -1,
        job.limit * TICK_S,
        False,
        job.checkpoint,
        False,
        nodes,
        job.name,
        job.team,
        job.user,
        job.pool,
        job.kind,
    ]


def node_rows(world: IdleWorld) -> Rows:
    """Servers that have joined. A cordoned one takes no new jobs; one in maintenance is down."""
    rows: Rows = []
    for number, server in enumerate(world.fleet.servers):
        if server.joins > world.tick:
            continue
        up = world.in_service(number)
        units = [u for u in world.fleet.units if u.server == number and u.parent < 0]
        takes = [u for u in world.fleet.units if u.server == number and u.whole]
        free = sum(world.job[u.number] is None for u in takes) if up else 0
        rows.append(
            [
                server.name,
                "contract" if server.contract else "shared",
                "ready" if up else "down",
                len(units),
                free,
                world.drained[number] or not up,
                server.joins * TICK_S,
                -1,
                world.gpu.product,
                server.zone,
            ]
        )
    return rows


def window_rows(world: IdleWorld) -> Rows:
    """Windows announced so far and not over for more than a day."""
    units = world.fleet.units
    return [
        [
            window.id,
            window.kind,
            world.fleet.servers[window.server].name,
            [units[unit].name for unit in window.units],
            window.start * TICK_S,
            window.end * TICK_S,
            window.note,
        ]
        for window in world.plan.windows
        if window.announced <= world.tick < window.end + 72 * HOUR
    ]


def contact_rows(world: IdleWorld) -> Rows:
    """The teams with the hours of their desks."""
    return [[c.team, c.zone, c.opens, c.closes, c.cancel] for c in world.fleet.contacts]


def alert_rows(world: IdleWorld, register: Register) -> Rows:
    """Alerts that are not resolved."""
    return [
        [
            alert.id,
            alert.rule,
            [world.fleet.units[unit].name for unit in alert.units],
            alert.severity,
            alert.team,
            alert.raised * TICK_S,
            alert.handled >= 0,
            alert.findings[-1].cause if alert.findings else "",
        ]
        for alert in register.open()
    ]


def log_rows(world: IdleWorld, subject: str) -> list[str]:
    """Head and tail of a job's output, or the kernel's messages of a server."""
    for number, server in enumerate(world.fleet.servers):
        if server.name == subject and server.joins <= world.tick:
            return [text for text, _ in node_lines(world, number)]
    if subject.isdigit() and len(subject) < 10:
        job = world.jobs.get(int(subject)) or world.ended.get(int(subject))
        if job is not None:
            return [text for text, _ in job_lines(world, job)]
    raise Refused("not_found", f"There is no job or server {subject[:40]!r} with a log.")
