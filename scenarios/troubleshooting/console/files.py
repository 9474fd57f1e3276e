"""Files that `cat` shows on a host: configuration, logs, and what the kernel tells in /proc and /sys."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from scenarios.troubleshooting.console.command import (
    CONTROLLER,
    LOGIN,
    NODE,
    OSS,
    SWITCH,
    Call,
    joined,
)
from scenarios.troubleshooting.console.host.running import allowed, processes
from scenarios.troubleshooting.console.host.system import own_line
from scenarios.troubleshooting.console.host.told import told
from scenarios.troubleshooting.console.logs.journal import journalctl
from scenarios.troubleshooting.console.proc import proc
from scenarios.troubleshooting.console.site import Site, said, text
from scenarios.troubleshooting.plant import Hca, Node
from scenarios.troubleshooting.texts import (
    fabric_links,
    slurm_conf,
    slurm_log,
    train_files,
    train_log,
)
from scenarios.troubleshooting.texts.configs_hosts import host_files
from scenarios.troubleshooting.texts.disks import mdstat
from scenarios.troubleshooting.texts.smi_state import driver, value
from scenarios.troubleshooting.texts.system_commands import cgroup

Make = Callable[[], str]


class Files(Mapping[str, str]):
    """Path -> text; a text is made when it is first asked for."""

    def __init__(self, makers: Mapping[str, Make]) -> None:
        self._makers = makers
        self._made: dict[str, str] = {}

    def __getitem__(self, path: str) -> str:
        if path not in self._made:
            self._made[path] = self._makers[path]()
        return self._made[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)


def files(site: Site, host: str) -> Files:
    """All files of a host that the incident knows; empty for a host that does not exist."""
    kind = site.kind(host)
    if not kind:
        return Files({})
    found: dict[str, Make] = {"/etc/hostname": lambda: f"{host}\n"}
    found |= _configured(site, host)
    if kind == SWITCH:
        return Files(found)
    found |= _logs(site, host) | _system(site, host)
    if kind in (NODE, LOGIN, CONTROLLER):
        found |= {path: _after(pair) for path, pair in slurm_conf.files(site.incident).items()}
    if kind in (NODE, LOGIN):
        found |= _homes(site)
    if kind == NODE:
        found |= _kernel(site, site.nodes[host])
    if kind == OSS:
        found["/proc/mdstat"] = lambda: text(mdstat(site.incident, host, site.looked_ms).lines)
    if kind == CONTROLLER:
        found["/var/log/slurm/slurmctld.log"] = lambda: text(
            slurm_log.slurmctld(site.incident).lines
        )
    if host == "ufm01":
        found["/var/log/opensm.log"] = lambda: text(fabric_links.manager_log(site.incident).lines)
    return Files(dict(sorted(found.items())))


def _after(pair: tuple[str, str]) -> Make:
    return lambda: pair[1]


def _constant(content: str) -> Make:
    return lambda: content


def _configured(site: Site, host: str) -> dict[str, Make]:
    """What configuration management writes: for nodes what it writes on all of them, else the host's own."""
    owner = "nodes" if site.kind(host) == NODE else host
    found: dict[str, Make] = {}
    for pair in host_files(site.incident):
        shared = pair.host == "nodes" and pair.path in (
            "/etc/resolv.conf",
            "/etc/chrony/chrony.conf",
        )
        if pair.host == owner or (shared and site.kind(host) != SWITCH):
            line = own_line(site, host, pair.path)
            content = f"{line}\n" if line is not None else joined([now for _, now, _ in pair.lines])
            found[pair.path] = _constant(content)
    return found


def _logs(site: Site, host: str) -> dict[str, Make]:
    def read(*args: str) -> Make:
        return lambda: journalctl(Call(site, host, "journalctl", args))

    found = {"/var/log/syslog": read("-q"), "/var/log/kern.log": read("-k", "-q")}
    found["/var/log/auth.log"] = read("-q", "-t", "sshd", "-t", "CRON", "-t", "sudo", "-t", "su")
    if site.kind(host) == NODE:
        found["/var/log/slurm/slurmd.log"] = read(
            "-q", "-t", "slurmd", "-t", "slurmstepd", "-o", "cat"
        )
    return found


def _system(site: Site, host: str) -> dict[str, Make]:
    """What any Linux has in /etc, and in /proc."""
    versions = site.incident.plant.versions
    system = (
        f'PRETTY_NAME="{versions.system}"\nNAME="Ubuntu"\nVERSION_ID="22.04"\nID=ubuntu\n'
        "VERSION_CODENAME=jammy\n"
    )
    return {
        "/etc/os-release": _constant(system),
        "/etc/timezone": _constant(f"{site.incident.calendar.zone.name}\n"),
        "/etc/hosts": lambda: (
            "127.0.0.1 localhost\n"
            + joined(
                [
                    f"{address} {name}.{site.incident.plant.domain} {name}"
                    for name, address in site.addresses.items()
                ]
            )
        ),
    } | proc(site, host)


def _homes(site: Site) -> dict[str, Make]:
    """The training's files in the home directory: what the slow job was started with, and both logs."""
    incident = site.incident
    folder = incident.training.script.rpartition("/")[0]
    return {
        incident.training.script: lambda: train_files.batch(incident, "slow").text(),
        f"{folder}/config.yaml": lambda: train_files.config(incident, "slow").text(),
        f"{folder}/requirements.txt": lambda: train_files.requirements(incident, "slow").text(),
        f"{folder}/slurm-{incident.slow.id}.out": lambda: train_log.train_log(
            incident, "slow"
        ).text(),
        f"{folder}/slurm-{incident.before.id}.out": lambda: train_log.train_log(
            incident, "baseline"
        ).text(),
    }


def _kernel(site: Site, node: Node) -> dict[str, Make]:
    """A node's own: processors, adapters, the job's control group and ranks."""
    found: dict[str, Make] = {}
    version, _ = driver(site.incident, node.name, site.looked_ms)
    found["/proc/driver/nvidia/version"] = _constant(
        f"NVRM version: NVIDIA UNIX x86_64 Kernel Module  {version}\nGCC version:  gcc version 11.4.0\n"
    )
    governor = (
        "powersave"
        if 'governor "powersave"' in told(site, node.name)["cpupower frequency-info"]
        else "performance"
    )
    mhz = value(site.incident, node.name, "core_mhz", site.looked_ms)
    for cpu in (0, 1, 55, 56, 111, 223):
        root = f"/sys/devices/system/cpu/cpu{cpu}/cpufreq"
        found |= {
            f"{root}/scaling_governor": _constant(f"{governor}\n"),
            f"{root}/scaling_cur_freq": _constant(f"{mhz * 1000:.0f}\n"),
            f"{root}/scaling_max_freq": _constant("3800000\n"),
            f"{root}/scaling_driver": _constant("intel_pstate\n"),
        }
    for hca in node.hcas:
        found |= _adapter(site, hca)
    if site.own_job(node.name):
        found |= _job(site, node)
    return found


_COUNTERS = {
    "port_xmit_data": ("port_data_transmitted_bytes_total", 4),
    "port_rcv_data": ("port_data_received_bytes_total", 4),
    "link_downed": ("link_downed_total", 1),
    "symbol_error": ("", 1),
    "port_rcv_errors": ("", 1),
    "link_error_recovery": ("link_downed_total", 1),
    "port_xmit_discards": ("", 1),
}


def _adapter(site: Site, hca: Hca) -> dict[str, Make]:
    root = f"/sys/class/infiniband/{hca.device}/ports/1"
    rate = site.incident.plant.port_gbps
    found = {
        f"{root}/state": _constant("4: ACTIVE\n"),
        f"{root}/phys_state": _constant("5: LinkUp\n"),
        f"{root}/rate": _constant(f"{rate} Gb/sec (4X {'NDR' if rate >= 400 else 'HDR'})\n"),
        f"{root}/lid": _constant(f"0x{hca.lid:x}\n"),
        f"{root}/link_layer": _constant("InfiniBand\n"),
        f"/sys/class/net/{hca.netdev}/mtu": _constant("4092\n"),
        f"/sys/class/infiniband/{hca.device}/fw_ver": _constant(f"{hca.firmware}\n"),
    }
    for name, (metric, unit) in _COUNTERS.items():
        found[f"{root}/counters/{name}"] = _counter(site, hca, metric, unit)
    return found


def _counter(site: Site, hca: Hca, metric: str, unit: int) -> Make:
    def read() -> str:
        if not metric:
            return "0\n"
        whole = site.readings(hca.node).at(
            f"node_infiniband_{metric}", site.now_ms, device=hca.device
        )
        return f"{int(whole) // unit}\n"

    return read


def _job(site: Site, node: Node) -> dict[str, Make]:
    """The slow job's control group, and the status of each of its ranks."""
    scope = f"/sys/fs/cgroup/system.slice/slurmstepd.scope/job_{site.incident.slow.id}"
    whole = said(cgroup(site.incident, node, site.looked_ms)).splitlines()
    found = {
        f"{scope}/cpu.max": _constant(f"{whole[0]}\n"),
        f"{scope}/cpu.stat": _constant(joined(whole[1:])),
    }
    for pid, cpus in allowed(site, node.name).items():
        process = next(p for p in processes(site, node.name) if str(p.pid) == pid)
        status = (
            f"Name:\tpython3.10\nState:\tR (running)\nPid:\t{pid}\nPPid:\t{process.parent}\n"
            f"VmRSS:\t{int(process.memory * 1024)} kB\nThreads:\t{process.threads}\n"
            f"Cpus_allowed_list:\t{cpus}\nMems_allowed_list:\t0-1\n"
        )
        found[f"/proc/{pid}/status"] = _constant(status)
        found[f"/proc/{pid}/cmdline"] = _constant(process.args.replace(" ", "\0") + "\0")
    return found
