"""The processes of a host: its units', its jobs' and, on the login node, people's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.calendar import DAY, SECOND
from scenarios.troubleshooting.console.command import CONTROLLER, LOGIN, NODE
from scenarios.troubleshooting.console.host.told import told
from scenarios.troubleshooting.console.site import Site, said
from scenarios.troubleshooting.jobs import Job
from scenarios.troubleshooting.plant import Node
from scenarios.troubleshooting.texts.smi_state import gpu_now, value
from scenarios.troubleshooting.texts.system_commands import affinity
from scenarios.troubleshooting.texts.system_host import boot_ms

_LASTING = {
    "slurmd": "/usr/sbin/slurmd -D -s",
    "chronyd": "/usr/sbin/chronyd -F 1",
    "nv-hostengine": "/usr/bin/nv-hostengine -n --service-account nvidia-dcgm",
    "nvidia-persistenced": "/usr/bin/nvidia-persistenced --user nvidia-persistenced",
    "nvidia-fabricmanager": "/usr/bin/nv-fabricmanager -c /usr/share/nvidia/nvswitch/fabricmanager.cfg",
    "rsyslogd": "/usr/sbin/rsyslogd -n -iNONE",
    "smartd": "/usr/sbin/smartd -n",
    "puppet-agent": "/opt/puppetlabs/puppet/bin/ruby agent --no-daemonize",
    "dbus-daemon": "@dbus-daemon --system --address=systemd: --nofork",
    "systemd-networkd": "/lib/systemd/systemd-networkd",
    "multipathd": "/sbin/multipathd -d -s",
    "lustre_exporter": "/usr/local/bin/lustre_exporter",
    "prometheus": "/usr/bin/prometheus",
}
"""Units that keep their process, and how they were started."""

_EXPORTERS = (
    "/usr/local/bin/k3s agent",
    "/usr/bin/cadvisor -port=8080 -logtostderr",
    "/bin/node_exporter --path.rootfs=/host",
    "/bin/ipmi_exporter --web.listen-address=:9290",
    "/usr/bin/dcgm-exporter -f /etc/dcgm-exporter/default-counters.csv",
)
_MANAGERS = ("/usr/local/bin/k3s server", "/usr/sbin/slurmctld -D -s", "/usr/sbin/slurmdbd -D -s")


@dataclass(frozen=True, slots=True)
class Process:
    """One process: memory in MiB, `cpu` in per cent of one CPU, `since_ms` when it began."""

    user: str
    pid: int
    parent: int
    since_ms: int
    cpu: float
    memory: float
    args: str
    threads: int = 1
    cores: int = 0


def processes(site: Site, host: str) -> list[Process]:
    """What runs on a host now, busiest first."""
    return site.kept(
        f"processes {host}", lambda: sorted(_found(site, host), key=lambda p: (-p.cpu, p.pid))
    )


def _found(site: Site, host: str) -> Iterator[Process]:
    boot = boot_ms(site.incident, host, site.traces)
    if site.kind(host) == LOGIN:
        yield from _people(site, host)
        return
    yield Process("root", 1, 0, boot, 0.0, 13.1, "/sbin/init")
    for args in (
        _EXPORTERS
        if site.kind(host) == NODE
        else _MANAGERS
        if site.kind(host) == CONTROLLER
        else ()
    ):
        pid = int(Stream(site.incident.seed, f"pid {host} {args}").between(7_000, 9_800))
        yield Process("root", pid, 1, boot + 90 * SECOND, 0.4, 88.0, args, 21)
    seen: dict[str, int] = {}
    for entry in site.journal(host):
        if entry.unit in _LASTING and entry.pid and entry.at_ms <= site.looked_ms:
            seen[entry.unit] = entry.pid
    for unit, pid in seen.items():
        load = Stream(site.incident.seed, f"ps {host} {unit}").between(0.0, 0.9)
        yield Process("root", pid, 1, boot + 30 * SECOND, load, 20 + 90 * load, _LASTING[unit])
    if site.kind(host) == NODE:
        node = site.nodes[host]
        for job in site.incident.jobs:
            if job.runs_at(site.looked_ms) and host in job.nodes:
                yield from _of_job(site, node, job, seen.get("slurmd", 1))


def _people(site: Site, host: str) -> Iterator[Process]:
    """The login node's list among the materials."""
    rows = next(text for command, text in told(site, host).items() if command.startswith("ps "))
    for row in rows.splitlines()[1:]:
        user, pid, elapsed, cpu, args = row.split(None, 4)
        own = 1 if pid != "1" else 0
        yield Process(
            user, int(pid), own, site.looked_ms - _milliseconds(elapsed), float(cpu), 14.0, args
        )


def _milliseconds(elapsed: str) -> int:
    days, _, clock = elapsed.rpartition("-")
    parts = [int(part) for part in clock.split(":")]
    hours, minutes, seconds = [0] * (3 - len(parts)) + parts
    return int(days or 0) * DAY + (hours * 3_600 + minutes * 60 + seconds) * SECOND


def _of_job(site: Site, node: Node, job: Job, parent: int) -> Iterator[Process]:
    """slurmstepd and the job's processes, one for each of its GPUs on this node."""
    start = job.start_ms or site.looked_ms
    step = 18_000 + job.id * 7 % 1_900
    yield Process("root", step, parent, start + 1_400, 0.1, 9.0, f"slurmstepd: [{job.id}.0]")
    own = job.role in ("slow", "baseline")
    if node.name == job.nodes[0]:
        yield Process("root", step - 9, parent, start, 0.0, 9.0, f"slurmstepd: [{job.id}.batch]")
    for index in dict(job.gpus)[node.name]:
        now = gpu_now(site.incident, node.gpus[index], site.looked_ms)
        cpus = value(site.incident, node.name, "rank_cpus", site.looked_ms) if own else 28
        # A rank's load, as uptime shows it, is its loader's workers'.
        cpu = 1_130.0 if cpus >= 28 else 94.0 * cpus
        if own:
            cpu *= 1 - 0.75 * value(site.incident, node.name, "throttled", site.looked_ms)
        else:
            cpu = 640.0 if now.util else 95.0
        draw = Stream(site.incident.seed, f"rank {job.id} {node.name} {index}")
        folder = site.incident.training.script.rpartition("/")[0]
        args = (
            f"/opt/conda/bin/python3.10 /opt/trainer/train.py --config {folder}/config.yaml"
            if own
            else (f"python /home/{job.user}/{job.name}/main.py")
        )
        memory = 25_317.0 if own else draw.between(6_000, 21_000)
        yield Process(
            job.user,
            now.pid,
            step,
            start + 9_000,
            round(cpu * draw.between(0.98, 1.02), 1),
            memory,
            args,
            96 if own else 38,
            index,
        )


def allowed(site: Site, host: str) -> dict[str, str]:
    """Number of a rank's process -> the CPUs on which it may run."""
    if not site.own_job(host):
        return {}
    rows = said(affinity(site.incident, site.nodes[host], site.looked_ms)).splitlines()
    return {row.split("/")[2]: row.rpartition("\t")[2] for row in rows}
