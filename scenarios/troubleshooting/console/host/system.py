"""`uptime`, `hostname`, `uname`, `systemctl` and the like: facts of one host."""

from __future__ import annotations

import re

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.calendar import DAY, HOUR, MINUTE
from scenarios.troubleshooting.console.command import LOGIN, NODE, SWITCH, Call, Failed, joined
from scenarios.troubleshooting.console.host.told import told
from scenarios.troubleshooting.console.options import NONE, Grammar
from scenarios.troubleshooting.console.reply import Reply
from scenarios.troubleshooting.console.site import Site
from scenarios.troubleshooting.plant import THREADS
from scenarios.troubleshooting.texts.configs_hosts import host_files
from scenarios.troubleshooting.texts.system_host import boot_ms
from scenarios.troubleshooting.texts.system_journal import printed

_UPTIME = Grammar(
    "uptime", "pshV", "", {"pretty": ("p", NONE), "since": ("s", NONE), "help": ("h", NONE)}, ""
)
_UNAME = Grammar(
    "uname",
    "asnrvmpio",
    "",
    {
        "all": ("a", NONE),
        "kernel-name": ("s", NONE),
        "nodename": ("n", NONE),
        "kernel-release": ("r", NONE),
        "kernel-version": ("v", NONE),
        "machine": ("m", NONE),
        "operating-system": ("o", NONE),
    },
    "Try 'uname --help' for more information.",
)

SERVER_THREADS = 64


def uptime(call: Call) -> str:
    asked = _UPTIME.read(call.args)
    if asked.rest:
        raise Failed("\nUsage:\n uptime [options]\n")
    text = told(call.site, call.host)["uptime"]
    if asked.has("p"):
        match = re.search(r"up (\d+) days, +(?:(\d+):(\d+))?", text)
        parts = [int(part or 0) for part in match.groups()] if match else [0, 0, 0]
        words = [
            f"{n} {word}{'s' * (n != 1)}"
            for n, word in zip(parts, ("day", "hour", "minute"), strict=True)
            if n
        ]
        return f"up {', '.join(words)}\n"
    if asked.has("s"):
        boot = boot_ms(call.site.incident, call.host, call.site.traces)
        if call.site.kind(call.host) == LOGIN:
            days = re.search(r"up (\d+) days, +(\d+):(\d+)", text)
            boot = call.site.looked_ms - sum(
                int(n) * size
                for n, size in zip(days.groups() if days else (), (DAY, HOUR, MINUTE), strict=False)
            )
        return f"{call.site.clock(call.host, boot, '%Y-%m-%d %H:%M:%S')}\n"
    return text


def hostname(call: Call) -> str:
    site, host = call.site, call.host
    if not call.args or call.args == ("-s",):
        return f"{host}\n"
    domain = site.incident.plant.domain
    if call.args in (("-f",), ("--fqdn",), ("-A",)):
        return f"{host}.{domain}\n"
    if call.args in (("-d",),):
        return f"{domain}\n"
    if call.args in (("-i",), ("-I",), ("--all-ip-addresses",)):
        node = site.nodes.get(host)
        found = [node.host_ip, node.bond_ip] if node else [site.addresses.get(host, "10.20.0.9")]
        return " ".join(found[:1] if call.args == ("-i",) else found) + " \n"
    if call.args[0].startswith("-"):
        raise Failed(f"hostname: invalid option -- '{call.args[0].lstrip('-')[:1]}'", 255)
    raise Failed("hostname: you must be root to change the host name")


def uname(call: Call) -> str:
    asked = _UNAME.read(call.args)
    if asked.rest:
        raise Failed(f"uname: extra operand '{asked.rest[0]}'\n{_UNAME.hint}")
    kernel = call.site.incident.plant.versions.kernel
    if call.site.kind(call.host) == SWITCH:
        kernel = "5.10.0-cl-1-amd64"
    parts = {
        "s": "Linux",
        "n": call.host,
        "r": kernel,
        "v": "#135-Ubuntu SMP Fri Sep 27 13:53:58 UTC 2024",
        "m": "x86_64",
        "p": "x86_64",
        "i": "x86_64",
        "o": "GNU/Linux",
    }
    if asked.has("a"):
        return " ".join(parts.values()) + "\n"
    chosen = [parts[key] for key in parts if asked.has(key)]
    return " ".join(chosen or ["Linux"]) + "\n"


def nproc(call: Call) -> str:
    unknown = [word for word in call.args if word != "--all" and not word.startswith("--ignore=")]
    if unknown:
        raise Failed(
            f"nproc: unrecognized option '{unknown[0]}'\nTry 'nproc --help' for more information."
        )
    return f"{threads(call.site, call.host)}\n"


def threads(site: Site, host: str) -> int:
    """CPUs as the kernel counts them."""
    return THREADS if site.kind(host) == NODE else SERVER_THREADS


def who(call: Call) -> str:
    when = call.site.clock(call.host, call.site.now_ms, "%Y-%m-%d %H:%M")
    return f"ops      pts/0        {when} (10.20.250.11)\n"


def w(call: Call) -> str:
    site = call.site
    when = site.clock(call.host, site.now_ms, "%H:%M")
    if site.kind(call.host) == SWITCH:
        return who(call)
    return joined(
        [
            told(site, call.host)["uptime"].rstrip("\n"),
            "USER     TTY      FROM             LOGIN@   IDLE   JCPU   PCPU WHAT",
            f"ops      pts/0    10.20.250.11     {when}    1.00s  0.03s  0.00s w",
        ]
    )


def lscpu(call: Call) -> str:
    """The lines that matter; the full listing has flags and caches behind them."""
    if any(word not in ("-e", "--extended", "-p", "-J") for word in call.args):
        raise Failed(
            f"lscpu: unrecognized option '{call.args[0]}'\nTry 'lscpu --help' for more information."
        )
    if call.args:
        raise Failed(f"lscpu: failed to read /sys/devices/system/cpu for {call.args[0]}")
    return told(call.site, call.host)["lscpu | head -18"]


def cpupower(call: Call) -> str:
    words = [word for word in call.args if not word.startswith("-")]
    if words[:1] == ["frequency-info"]:
        return told(call.site, call.host)["cpupower frequency-info"]
    if words[:1] in (["frequency-set"], ["idle-set"], ["set"]):
        raise Failed("Subcommand needs to be run as root user")
    if words[:1] == ["monitor"]:
        raise Failed("No HW Cstate monitors found")
    raise Failed(
        "Usage:\tcpupower [-d|--debug] [-c|--cpu cpulist ] <command> [<args>]\n"
        "Supported commands are:\n\tfrequency-info\n\tfrequency-set\n\tmonitor"
    )


def own_line(site: Site, host: str, path: str) -> str | None:
    """A host's line of a file that the materials keep for all nodes together, without the host's name."""
    for pair in host_files(site.incident):
        if pair.host == "nodes" and pair.path == path:
            for _, now, _ in pair.lines:
                if now.startswith(f"{host}: "):
                    return now.partition(": ")[2]
    return None


def tuned_adm(call: Call) -> str | Reply:
    if call.args == ("active",):
        profile = (
            own_line(call.site, call.host, "/etc/tuned/active_profile") or "throughput-performance"
        )
        return f"Current active profile: {profile}\n"
    if call.args == ("verify",):
        return Reply("Verification succeeded, current system settings match the preset profile.\n")
    if call.args == ("list",):
        names = (
            "balanced",
            "hpc-compute",
            "latency-performance",
            "network-latency",
            "powersave",
            "throughput-performance",
            "virtual-guest",
        )
        return joined(["Available profiles:", *(f"- {name}" for name in names)])
    if call.args[:1] in (("profile",), ("off",)):
        raise Failed("You need to be root to switch the profile.")
    raise Failed(
        "usage: tuned-adm [-h] [--version] [--debug] [--async] [--timeout TIMEOUT]\n"
        "                 {list,active,off,profile,profile_info,recommend,verify,auto_profile,"
        "profile_mode,instance_acquire_devices} ..."
    )


def systemctl(call: Call) -> str | Reply:
    """What failed, and how one unit is doing; the journal knows its last lines."""
    site, host = call.site, call.host
    flags = [word for word in call.args if word.startswith("-")]
    words = [word for word in call.args if not word.startswith("-")]
    failed = told(site, host).get("systemctl --failed --no-legend", "")
    if "--failed" in flags or words[:1] == ["is-system-running"]:
        if words:
            return Reply("degraded\n" if failed else "running\n", "", 1 if failed else 0)
        if "--no-legend" in flags:
            return failed
        count = len(failed.splitlines())
        head = (
            "  UNIT LOAD ACTIVE SUB DESCRIPTION\n"
            if not failed
            else ("  UNIT                         LOAD   ACTIVE SUB    DESCRIPTION\n")
        )
        return f"{head}{failed}{count} loaded units listed.\n"
    if not words:
        raise Failed("Too few arguments.")
    if words[0] in (
        "start",
        "stop",
        "restart",
        "reload",
        "enable",
        "disable",
        "mask",
        "daemon-reload",
        "kill",
        "reboot",
    ):
        raise Failed(f"Failed to {words[0]} {words[1] if len(words) > 1 else 'unit'}: Access denied\n"
                     "See system logs and 'systemctl status' for details.", 4)  # fmt: skip
    if words[0] in ("status", "is-active", "is-enabled", "is-failed", "show") and len(words) > 1:
        return _unit(site, host, words[0], words[1].removesuffix(".service"), failed)
    if words[0] in ("list-units", "status"):
        names = sorted({entry.unit for entry in site.journal(host)} - {"kernel", "CRON"})
        return joined([f"  {name}.service  loaded active running" for name in names])
    raise Failed(f"Unknown command verb {words[0]}.")


def _unit(site: Site, host: str, word: str, unit: str, failed: str) -> str | Reply:
    entries = [
        entry
        for entry in site.journal(host)
        if entry.unit == unit and entry.at_ms <= site.looked_ms
    ]
    broken = unit in failed
    if not entries and not broken:
        if word == "is-active":
            return Reply("inactive\n", "", 3)
        raise Failed(f"Unit {unit}.service could not be found.", 4)
    if word == "is-active":
        return Reply("failed\n" if broken else "active\n", "", 3 if broken else 0)
    if word == "is-failed":
        return Reply("failed\n" if broken else "active\n", "", 0 if broken else 1)
    if word == "is-enabled":
        return "enabled\n"
    since = boot_ms(site.incident, host, site.traces)
    stamp = site.clock(host, since, "%a %Y-%m-%d %H:%M:%S %Z")
    state = "failed (Result: exit-code)" if broken else "active (running)"
    rows = [
        f"{'×' if broken else '●'} {unit}.service",
        f"     Loaded: loaded (/lib/systemd/system/{unit}.service; enabled; vendor preset: enabled)",
        f"     Active: {state} since {stamp}; {(site.looked_ms - since) // 86_400_000} days ago",
    ]
    pids = [entry.pid for entry in entries if entry.pid]
    rows += [f"   Main PID: {pids[-1]} ({unit})"] if pids and not broken else []
    rows += ["", *(printed(site.incident, entry).text for entry in entries[-10:])]
    return Reply(joined(rows), "", 3 if broken else 0)


def kernel_settings(site: Site, host: str) -> dict[str, str]:
    """The settings of /etc/sysctl.d, and a few that people ask for."""
    pair = next(p for p in host_files(site.incident) if p.path == "/etc/sysctl.d/90-hpc.conf")
    known = dict(line.split(" = ") for _, line, _ in pair.lines)
    draw = Stream(site.incident.seed, f"sysctl {host}")
    return known | {
        "kernel.hostname": host,
        "kernel.osrelease": site.incident.plant.versions.kernel,
        "net.ipv4.tcp_congestion_control": "cubic",
        "vm.overcommit_memory": "0",
        "kernel.random.entropy_avail": str(int(draw.between(240, 256))),
        "fs.file-max": "9223372036854775807",
    }


def sysctl(call: Call) -> str:
    known = kernel_settings(call.site, call.host)
    if any(word in ("-w", "-p", "--system") or "=" in word for word in call.args):
        raise Failed("sysctl: permission denied on key, ignoring", 255)
    if any(word in ("-a", "-A", "--all") for word in call.args):
        return joined([f"{name} = {value}" for name, value in sorted(known.items())])
    bare = "-n" in call.args
    names = [word.replace("/", ".") for word in call.args if not word.startswith("-")]
    if not names:
        raise Failed("\nUsage:\n sysctl [options] [variable[=value] ...]")
    missing = [name for name in names if name not in known]
    if missing:
        path = missing[0].replace(".", "/")
        raise Failed(f"sysctl: cannot stat /proc/sys/{path}: No such file or directory")
    return joined([known[name] if bare else f"{name} = {known[name]}" for name in names])
