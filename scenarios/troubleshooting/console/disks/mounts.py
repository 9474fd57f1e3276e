"""`df`, `mount`, `nfsiostat`: file systems of a host as its fstab mounts them."""

from __future__ import annotations

from dataclasses import dataclass

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.console.command import LOGIN, NODE, Call, Failed, joined
from scenarios.troubleshooting.console.options import NONE, ONE, Grammar
from scenarios.troubleshooting.console.site import Site, text
from scenarios.troubleshooting.texts.configs_hosts import host_files
from scenarios.troubleshooting.texts.lustre import ost_used
from scenarios.troubleshooting.texts.nfs import nfsiostat as report

_SHARED = "/dev/shm"  # noqa: S108 - a mount point that is told of
_DF = Grammar(
    "df",
    "ahHiklmTPv",
    "tBx",
    {
        "human-readable": ("h", NONE),
        "inodes": ("i", NONE),
        "type": ("t", ONE),
        "print-type": ("T", NONE),
        "all": ("a", NONE),
        "local": ("l", NONE),
        "si": ("H", NONE),
        "block-size": ("B", ONE),
        "exclude-type": ("x", ONE),
        "total": ("total", NONE),
    },
    "Try 'df --help' for more information.",
)
_MOUNT = Grammar("mount", "lva", "to", {"types": ("t", ONE), "verbose": ("v", NONE)}, "", 1)


@dataclass(frozen=True, slots=True)
class Mounted:
    """One file system: source, type, where, options, and its size and use in GiB."""

    source: str
    kind: str
    where: str
    options: str
    size: float
    used: float


def mounted(site: Site, host: str) -> list[Mounted]:
    """What is mounted: the network file systems with the options that fstab gives them."""
    draw = Stream(site.incident.seed, f"df {host}")
    memory = 984.0 if site.kind(host) == NODE else 251.7
    shared = "rw,nosuid,nodev,inode64"
    found = [
        Mounted("/dev/mapper/vg0-root", "ext4", "/", "rw,relatime", 878.6, draw.between(38, 90)),
        Mounted("tmpfs", "tmpfs", _SHARED, shared, memory, draw.between(0.1, 3)),
    ]
    storage = site.incident.plant.storage
    if site.kind(host) not in (NODE, LOGIN):
        return found
    if site.kind(host) == NODE:
        options = "rw,noatime,attr2,inode64,noquota"
        scratch = Mounted("/dev/md0", "xfs", "/local", options, 28_616, draw.between(90, 2_000))
        found.append(scratch)
    sizes = [(ost.size_tib * 1024.0, ost_used(site.incident, ost)) for ost in storage.osts]
    whole = sum(size for size, _ in sizes)
    lustre = f"{storage.mds_ip}@tcp:/{storage.fsname}"
    options = "rw,checksum,flock,nouser_xattr,lruresize,lazystatfs,nouser_fid2path,verbose,encrypt"
    found.append(
        Mounted(lustre, "lustre", storage.mount, options, whole, sum(s * u for s, u in sizes))
    )
    home = Stream(site.incident.seed, "df home")
    source = f"{storage.nfs_server}:{storage.nfs_export}"
    found.append(
        Mounted(source, "nfs4", storage.home, _nfs(site), 61_440, home.between(30_000, 48_000))
    )
    return found


def _nfs(site: Site) -> str:
    """Options as the kernel shows them: fstab's, and those that nobody named as they come."""
    pair = next(pair for pair in host_files(site.incident) if pair.path == "/etc/fstab")
    told = next(now for _, now, _ in pair.lines if " nfs4 " in now).split()[3].split(",")
    named = dict(option.partition("=")[::2] for option in told)
    options = ["rw", "noatime" if "noatime" in named else "relatime", "vers=4.2"]
    options += [f"rsize={named.get('rsize', '1048576')}", f"wsize={named.get('wsize', '1048576')}"]
    options += ["namlen=255", "hard", "proto=tcp"]
    if "nconnect" in named:
        options.append(f"nconnect={named['nconnect']}")
    storage = site.incident.plant.storage
    return ",".join([*options, "timeo=600", "retrans=2", "sec=sys", f"addr={storage.nfs_ip}"])


def mount(call: Call) -> str:
    asked = _MOUNT.read(call.args)
    if asked.rest or asked.has("o", "a"):
        raise Failed(
            "mount: only root can do that"
            if asked.has("o", "a")
            else f"mount: {asked.rest[0]}: must be superuser to use mount."
        )
    kinds = (asked.get("t") or "").split(",") if asked.has("t") else None
    return joined(
        [
            f"{m.source} on {m.where} type {m.kind} ({m.options})"
            for m in mounted(call.site, call.host)
            if kinds is None or m.kind in kinds or (m.kind == "nfs4" and "nfs" in kinds)
        ]
    )


def df(call: Call) -> str:
    asked = _DF.read(call.args)
    found = mounted(call.site, call.host)
    for path in asked.rest:
        if not any(path == m.where or path.startswith(f"{m.where.rstrip('/')}/") for m in found):
            raise Failed(f"df: {path}: No such file or directory")
    if asked.rest:
        found = [_holding(found, path) for path in asked.rest]
    if asked.has("l"):
        found = [m for m in found if m.kind not in ("lustre", "nfs4")]
    if asked.has("t"):
        found = [m for m in found if m.kind in asked.values["t"]]
    human, wide = asked.has("h", "H"), asked.has("T")
    rows = [
        (
            "Filesystem",
            "Type",
            "Size" if human else "1K-blocks",
            "Used",
            "Avail" if human else "Available",
            "Use%",
            "Mounted on",
        )
    ]
    for m in found:
        cells = [m.size, m.used, m.size - m.used]
        sizes = [_human(cell) if human else str(int(cell * 2**20)) for cell in cells]
        rows.append(
            (
                m.source,
                m.kind,
                sizes[0],
                sizes[1],
                sizes[2],
                f"{-int(-100 * m.used // m.size)}%",
                m.where,
            )
        )
    return joined(_aligned([row if wide else (row[0], *row[2:]) for row in rows], 2 if wide else 1))


def _holding(found: list[Mounted], path: str) -> Mounted:
    fits = [m for m in found if path == m.where or path.startswith(f"{m.where.rstrip('/')}/")]
    return max(fits, key=lambda m: len(m.where))


def _human(gib: float) -> str:
    """Rounded up as df does, with one decimal below ten."""
    if gib < 1:
        return f"{-int(-gib * 1024 // 1)}M"
    for unit in ("G", "T", "P"):
        if gib < 1000 or unit == "P":
            return f"{gib:.1f}{unit}" if gib < 10 else f"{-int(-gib // 1)}{unit}"
        gib /= 1024
    return ""


def _aligned(rows: list[tuple[str, ...]], left: int) -> list[str]:
    widths = [max(len(row[n]) for row in rows) for n in range(len(rows[0]))]
    widths[left : left + 3] = [max(width, 5) for width in widths[left : left + 3]]
    found = []
    for row in rows:
        cells = [
            cell.ljust(width) if n < left or n == len(row) - 1 else cell.rjust(width)
            for n, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        found.append(" ".join(cells).rstrip())
    return found


def nfsiostat(call: Call) -> str:
    """The homes' mount: `[INTERVAL [COUNT]] [MOUNT]`; time stands still, so one report says all."""
    site, host = call.site, call.host
    words = [word for word in call.args if not word.startswith("-")]
    if any(word in ("-h", "--help") for word in call.args):
        return "usage: nfsiostat [ interval [ count ] ] [ options ] [ <mount point> ]\n"
    home = site.incident.plant.storage.home
    paths = [word for word in words if not (word.isascii() and word.isdigit())]
    if any(path.rstrip("/") != home for path in paths):
        raise Failed("No NFS mount points were found")
    if site.own_job(host):
        return text(report(site.incident, site.now_ms, host).lines)
    return _quiet(site, host)


def _quiet(site: Site, host: str) -> str:
    """A client outside the slow job: few requests, none of which waits for a slot."""
    storage, draw = site.incident.plant.storage, Stream(site.incident.seed, f"nfsiostat {host}")
    columns = (
        "ops/s",
        "kB/s",
        "kB/op",
        "retrans",
        "avg RTT (ms)",
        "avg exe (ms)",
        "avg queue (ms)",
        "errors",
    )
    sent, reply = draw.between(2, 14), draw.between(2.6, 3.4)
    rows = [
        f"{storage.nfs_server}:{storage.nfs_export} mounted on {storage.home}:",
        "",
        f"{'ops/s':>16}{'rpc bklog':>17}",
        f"{sent * 1.2:>16.3f}{0:>17.3f}",
        "",
    ]
    for name, rate, size in (("read", sent, 38.0), ("write", sent * 0.3, 12.0)):
        rows.append(f"{name + ':':<7}" + "".join(f"{column:>16}" for column in columns))
        figures = (
            f"{rate:.3f}",
            f"{rate * size:.3f}",
            f"{size:.3f}",
            "0 (0.0%)",
            f"{reply:.3f}",
            f"{reply + 0.3:.3f}",
            "0.200",
            "0 (0.0%)",
        )
        rows.append(" " * 7 + "".join(f"{figure:>16}" for figure in figures))
    return joined(rows)
