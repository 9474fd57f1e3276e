"""`iostat`, `mdadm --detail`, `lsblk`: block devices of storage servers, and the quiet local disks of nodes."""

from __future__ import annotations

import re

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.calendar import SECOND
from scenarios.troubleshooting.console.command import NODE, OSS, Call, Failed, joined
from scenarios.troubleshooting.console.site import Site, text
from scenarios.troubleshooting.plant import THREADS
from scenarios.troubleshooting.texts.disks import iostat as report
from scenarios.troubleshooting.texts.disks import mdstat

_USAGE = "Usage: iostat [ options ] [ <interval> [ <count> ] ]"
_FLAGS = set("cdhkmtVxyzNps")
_EVERY = 10
_MOST = 30


def iostat(call: Call) -> str:
    """`-x` as the materials have it, without `-x` the short table of the same figures."""
    flags, numbers = _read(call.args)
    if "V" in flags:
        return "sysstat version 12.5.2\n(C) Sebastien Godard (sysstat <at> orange.fr)\n"
    every = numbers[0] if numbers else _EVERY
    count = 1 if not numbers else numbers[1] if len(numbers) > 1 else 3
    site, host = call.site, call.host
    count = min(count, _MOST)
    lines = _report(site, host, count, every)
    if "x" not in flags:
        lines = _short(lines)
    if "c" in flags and "d" not in flags:
        lines = [line for line in lines if not line.startswith(("Device", "md", "nvme", "dm-"))]
    elif "d" in flags and "c" not in flags:
        lines = [line for line in lines if not line.startswith(("avg-cpu", "        "))]
    if "m" in flags:
        lines = [line.replace("kB", "MB") if line.startswith("Device") else line for line in lines]
    return joined(lines)


def _read(args: tuple[str, ...]) -> tuple[str, list[int]]:
    flags, numbers, words = "", [], list(args)
    while words:
        word = words.pop(0)
        if word.startswith("-") and not word.startswith("--"):
            if set(word[1:]) - _FLAGS:
                raise Failed(
                    f"{_USAGE}\nOptions are:\n"
                    "[ -c ] [ -d ] [ -h ] [ -k | -m ] [ -t ] [ -V ] [ -x ] [ -y ] [ -z ]"
                )
            flags += word[1:]
        elif word.isascii() and word.isdigit() and len(word) < 7:
            numbers.append(int(word))
        elif re.match(r"^(md|nvme|dm-|sd)[0-9a-z]*$", word):
            continue
        else:
            raise Failed(_USAGE)
    if numbers and not numbers[0]:
        raise Failed(_USAGE)
    return flags, numbers[:2]


def _report(site: Site, host: str, count: int, every: int) -> list[str]:
    if site.kind(host) == OSS:
        return text(report(site.incident, host, site.looked_ms, count, every).lines).splitlines()
    return _quiet(site, host, count, every)


def _short(lines: list[str]) -> list[str]:
    """The table without `-x`, made of the long one: transfers and kilobytes a second, and totals since."""
    found = []
    for line in lines:
        cells = line.split()
        if line.startswith("Device"):
            found.append(
                "Device             tps    kB_read/s    kB_wrtn/s    kB_dscd/s    kB_read    kB_wrtn    kB_dscd"
            )
        elif len(cells) == 23:
            reads, read, writes, wrote = (float(cells[place]) for place in (1, 2, 7, 8))
            found.append(
                f"{cells[0]:<12} {reads + writes:>9.2f} {read:>12.2f} {wrote:>12.2f} {0:>12.2f} "
                f"{read * _EVERY:>10.0f} {wrote * _EVERY:>10.0f} {0:>10}"
            )
        else:
            found.append(line)
    return found


def _quiet(site: Site, host: str, count: int, every: int) -> list[str]:
    """Local disks: container layers and scratch, hardly anything beside the training's own reads."""
    plant = site.incident.plant
    threads = THREADS if site.kind(host) == NODE else 64
    at = site.clock(host, site.looked_ms, "%m/%d/%y")
    lines = [f"Linux {plant.versions.kernel} ({host}) \t{at} \t_x86_64_\t({threads} CPU)", ""]
    head = text(report(site.incident, plant.storage.oss[0], site.looked_ms, 1, 1).lines)
    columns = next(line for line in head.splitlines() if line.startswith("Device"))
    for number in range(count):
        draw = Stream(
            site.incident.seed, f"disks {host} {site.looked_ms // SECOND + number * every}"
        )
        user = (38.0 if site.own_job(host) else 6.0) * draw.between(0.95, 1.05)
        system = draw.between(1.2, 2.4)
        cells = (user, 0.0, system, 0.02, 0.0, 100 - user - system - 0.02)
        lines += [
            "avg-cpu:  %user   %nice %system %iowait  %steal   %idle",
            "        " + "".join(f"{cell:8.2f}" for cell in cells),
            "",
            columns,
        ]
        for name in _disks(site, host):
            reads, writes = draw.between(0.1, 3), draw.between(1, 14)
            lines.append(_row(name, reads, writes, draw))
        lines += ["", ""]
    return lines


def _row(name: str, reads: float, writes: float, draw: Stream) -> str:
    waited, wrote = draw.between(0.08, 0.2), draw.between(0.02, 0.06)
    first = f"{reads:8.2f} {reads * 42:9.2f} {0:8.2f} {0:6.2f} {waited:7.2f} {42:8.2f}"
    second = f"{writes:7.2f} {writes * 19:9.2f} {0:8.2f} {0:6.2f} {wrote:7.2f} {19:8.2f}"
    rest = f"{0:7.2f} {0:9.2f} {0:8.2f} {0:6.2f} {0:7.2f} {0:8.2f} {0:7.2f} {0:7.2f}"
    queue = (reads * waited + writes * wrote) / 1000
    return f"{name:<12} {first} {second} {rest} {queue:7.2f} {min(writes / 20, 1):6.2f}"


def _disks(site: Site, host: str) -> list[str]:
    return [f"nvme{n}n1" for n in range(8 if site.kind(host) == NODE else 2)] + ["md0"]


def mdadm(call: Call) -> str:
    """`--detail DEVICE` from the same array as /proc/mdstat."""
    site, words = call.site, [w for w in call.args if not w.startswith("-")]
    if not any(word in ("--detail", "-D", "-QD") for word in call.args):
        raise Failed("mdadm: must be super-user to perform this action")
    if not words:
        raise Failed("mdadm: No devices given.", 2)
    name = words[0].removeprefix("/dev/")
    ost = next(
        (o for o in site.incident.plant.storage.osts if (o.oss, o.device) == (call.host, name)),
        None,
    )
    if ost is None:
        raise Failed(f"mdadm: cannot open {words[0]}: No such file or directory")
    lines = text(mdstat(site.incident, call.host, site.looked_ms).lines).splitlines()
    at = next(n for n, line in enumerate(lines) if line.startswith(f"{name} :"))
    block = lines[at : lines.index("", at)]
    disks = re.findall(r"(\S+?)\[(\d+)\](\(F\))?", block[0])
    failed = [disk for disk, _, mark in disks if mark]
    rebuild = re.search(r"recovery = +([0-9.]+)%", "\n".join(block))
    state = "active, degraded, recovering" if rebuild else "active"
    rows = [
        f"{words[0]}:", "           Version : 1.2", "        Raid Level : raid6", "      Raid Devices : 10",
        f"     Total Devices : {len(disks)}", f"             State : {state} ",
        f"    Active Devices : {9 if rebuild else 10}", f"    Failed Devices : {len(failed)}",
        f"     Spare Devices : {1 if rebuild else 0}", "            Layout : left-symmetric",
        "        Chunk Size : 512K",
    ]  # fmt: skip
    rows += [f"    Rebuild Status : {float(rebuild[1]):.0f}% complete"] if rebuild else []
    rows += [f"              Name : {call.host}:{ost.name}", "", "    Number   Raid Device   State"]
    for disk, number, mark in sorted(disks, key=lambda own: int(own[1])):
        word = (
            "faulty"
            if mark
            else "spare rebuilding"
            if rebuild and number == "10"
            else "active sync"
        )
        rows.append(f"{number:>8} {word:>20}   /dev/{disk}")
    return joined(rows)


def lsblk(call: Call) -> str:
    """Disks, and the arrays that hold them together."""
    site, host = call.site, call.host
    rows = ["NAME        MAJ:MIN RM   SIZE RO TYPE  MOUNTPOINTS"]
    if site.kind(host) == NODE:
        for number in range(8):
            rows.append(f"nvme{number}n1     259:{number}    0   3.5T  0 disk  ")
            rows.append("└─md0         9:0    0  27.9T  0 raid0 /local")
        return joined(
            [
                *rows,
                "sda           8:0    0 894.3G  0 disk  ",
                "└─vg0-root  253:0    0 894.3G  0 lvm   /",
            ]
        )
    for ost in site.incident.plant.storage.osts:
        if ost.oss == host:
            rows.append(f"{ost.device:<11} 9:{ost.device[2:]}  0 {ost.size_tib:>5}T  0 raid6 ")
    return joined(rows)
