"""/proc of a host: what an engineer reads there first. What is not told here is not there."""

from __future__ import annotations

from collections.abc import Callable

from scenarios.troubleshooting.console.command import NODE
from scenarios.troubleshooting.console.disks.mounts import mounted
from scenarios.troubleshooting.console.host.network import bonding, net_dev
from scenarios.troubleshooting.console.host.system import kernel_settings
from scenarios.troubleshooting.console.proc.interrupts import interrupts
from scenarios.troubleshooting.console.proc.memory import meminfo, vmstat
from scenarios.troubleshooting.console.proc.processors import (
    cpuinfo,
    loadavg,
    pressure,
    stat,
    uptime,
)
from scenarios.troubleshooting.console.site import Site
from scenarios.troubleshooting.texts.kernel import command_line

Make = Callable[[], str]


def proc(site: Site, host: str) -> dict[str, Make]:
    """Path -> maker of every file that any Linux of the cluster has."""
    kernel = site.incident.plant.versions.kernel
    found: dict[str, Make] = {
        "/proc/version": lambda: (
            f"Linux version {kernel} (buildd@lcy02-amd64-103) (gcc (Ubuntu 11.4.0-1ubuntu1~22.04) 11.4.0) "
            "#135-Ubuntu SMP\n"
        ),
        "/proc/cmdline": lambda: f"{command_line(kernel)}\n",
        "/proc/cpuinfo": lambda: cpuinfo(site, host),
        "/proc/stat": lambda: stat(site, host),
        "/proc/uptime": lambda: uptime(site, host),
        "/proc/loadavg": lambda: loadavg(site, host),
        "/proc/meminfo": lambda: meminfo(site, host),
        "/proc/vmstat": lambda: vmstat(site, host),
        "/proc/interrupts": lambda: interrupts(site, host),
        "/proc/net/dev": lambda: net_dev(site, host),
        "/proc/net/bonding/bond0": lambda: bonding(site, host),
        "/proc/swaps": lambda: (
            "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"
            f"{'/dev/dm-1':<40}partition\t{65_535 * 1024}\t{_swapped(site, host)}\t\t-2\n"
        ),
    }
    for what in ("cpu", "io", "memory"):
        found[f"/proc/pressure/{what}"] = _pressure(site, host, what)
    for path in ("/proc/mounts", "/proc/self/mounts"):
        found[path] = lambda: "".join(
            f"{m.source} {m.where} {m.kind} {m.options} 0 0\n" for m in mounted(site, host)
        )
    if site.kind(host) == NODE:
        for name, value in kernel_settings(site, host).items():
            found[f"/proc/sys/{name.replace('.', '/')}"] = _line(value)
    return found


def _pressure(site: Site, host: str, what: str) -> Make:
    return lambda: pressure(site, host, what)


def _line(value: str) -> Make:
    return lambda: f"{value}\n"


def _swapped(site: Site, host: str) -> int:
    row = next(row for row in meminfo(site, host).splitlines() if row.startswith("SwapFree:"))
    return 65_535 * 1024 - int(row.split()[1])
