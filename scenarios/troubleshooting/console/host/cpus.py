"""How the time of a host's CPUs goes, in all and of each."""

from __future__ import annotations

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.calendar import MINUTE, SECOND
from scenarios.troubleshooting.console.command import NODE
from scenarios.troubleshooting.console.host.system import threads
from scenarios.troubleshooting.console.host.told import told
from scenarios.troubleshooting.console.site import Site
from scenarios.troubleshooting.signals.node import CPUS


def load(site: Site, host: str) -> float:
    """The load of the last minute, as uptime prints it."""
    return float(told(site, host)["uptime"].rpartition("load average: ")[2].split(",")[0])


def socket_of(cpu: int, total: int) -> int:
    """First the cores of both sockets, then their second threads."""
    return cpu % (total // 2) // (total // 4)


def shares_of_each(site: Site, host: str) -> list[dict[str, float]]:
    """How the time of each CPU goes now: a node's as its exporter shows it for two CPUs of each socket."""
    total, draw = threads(site, host), Stream(site.incident.seed, f"cpu {host}")
    if site.kind(host) != NODE:
        part = load(site, host) / total
        one = {"user": 0.6 * part, "system": 0.4 * part, "iowait": 0.1 * part}
        return [
            {mode: share * draw.between(0.8, 1.2) for mode, share in one.items()}
            for _ in range(total)
        ]
    readings, span = site.readings(host), 10 * MINUTE
    seen = []
    for cpu in CPUS:
        now = {
            mode: readings.at("node_cpu_seconds_total", site.now_ms + span, cpu=str(cpu), mode=mode)
            - readings.at("node_cpu_seconds_total", site.now_ms, cpu=str(cpu), mode=mode)
            for mode in ("user", "system", "iowait")
        }
        seen.append({mode: max(seconds, 0.0) / (span / SECOND) for mode, seconds in now.items()})
    found = []
    for cpu in range(total):
        like = seen[2 * socket_of(cpu, total) + cpu % 2]
        found.append(
            {mode: min(share * draw.between(0.97, 1.03), 0.98) for mode, share in like.items()}
        )
    return found


def shares(site: Site, host: str) -> tuple[float, float, float]:
    """How much of all CPUs goes to programs, to the kernel and to waiting for disks now, in per cent."""
    rows = shares_of_each(site, host)
    user, system, waits = (
        100 * sum(row.get(mode, 0.0) for row in rows) / len(rows)
        for mode in ("user", "system", "iowait")
    )
    return user, system, waits
