"""`lfs` on a client: space, striping, pools."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.console.command import Call, Failed, joined
from scenarios.troubleshooting.console.options import NONE, ONE, Grammar
from scenarios.troubleshooting.console.site import Site, text
from scenarios.troubleshooting.texts.configs_hosts import host_files
from scenarios.troubleshooting.texts.lustre import ost_used, space

SHARDS = 40
"""Shards of the data set that a listing shows."""
_DF = Grammar(
    "lfs df",
    "hHilvP",
    "p",
    {"human-readable": ("h", NONE), "inodes": ("i", NONE), "pool": ("p", ONE), "lazy": ("l", NONE)},
    "usage: df [-hHilv] [--pool|-p <fsname>[.<pool>]] [path]",
)
_STRIPE = Grammar(
    "lfs getstripe",
    "cdDghHiLmMpqrRSvy",
    "O",
    {
        "stripe-count": ("c", NONE),
        "directory": ("d", NONE),
        "pool": ("p", NONE),
        "recursive": ("r", NONE),
        "stripe-size": ("S", NONE),
        "stripe-index": ("i", NONE),
        "quiet": ("q", NONE),
        "verbose": ("v", NONE),
        "ost": ("O", ONE),
        "yaml": ("y", NONE),
        "raw": ("R", NONE),
    },
    "usage: getstripe [--ost|-O UUID] [--quiet|-q] [--verbose|-v] [--recursive|-r] <directory|filename> ...",
)


def lfs(call: Call) -> str:
    if not call.args or call.args[0] in ("help", "--help", "--list-commands"):
        return "df\ngetstripe\npool_list\nosts\nmdts\ncheck\nquota\n"
    parts: dict[str, Callable[[Site, tuple[str, ...]], str]] = {
        "df": _df,
        "getstripe": _getstripe,
        "pool_list": _pools,
        "osts": _targets,
        "mdts": _metadata,
        "check": _check,
        "quota": _quota,
    }
    if call.args[0] in ("setstripe", "migrate", "mkdir", "setquota", "mirror"):
        raise Failed(f"error: {call.args[0]}: Operation not permitted")
    if call.args[0] in ("--version", "-V"):
        return "lfs 2.15.5\n"
    run = parts.get(call.args[0])
    if run is None:
        raise Failed(f"error: invalid command '{call.args[0]}'; try 'lfs help'", 2)
    return run(call.site, call.args[1:])


def _document(site: Site) -> list[str]:
    return site.kept("lfs df", lambda: text(space(site.incident, site.now_ms).lines).splitlines())


def _df(site: Site, args: tuple[str, ...]) -> str:
    asked = _DF.read(args)
    storage = site.incident.plant.storage
    for path in asked.rest:
        if path.rstrip("/") != storage.mount and not path.startswith(f"{storage.mount}/"):
            raise Failed(
                f"lfs df: {path}: not a Lustre filesystem"
                if path.startswith("/")
                else f"error: invalid path '{path}': No such file or directory",
                22,
            )
    lines = _document(site)
    table = lines[: next(n for n, line in enumerate(lines) if line.startswith("# "))]
    if asked.has("i"):
        return _inodes(site)
    if not asked.has("h", "H"):
        table = _kilobytes(site)
    if (pool := asked.get("p")) is not None:
        return _of_pool(site, table, pool)
    return joined(table)


def _of_pool(site: Site, table: list[str], pool: str) -> str:
    storage = site.incident.plant.storage
    name = pool.rpartition(".")[2]
    own = [ost for ost in storage.osts if ost.pool == name]
    if not own:
        raise Failed(f"lfs df: pool '{pool}' not found", 2)
    rows = [table[0]]
    rows += [line for line in table if any(line.startswith(f"{ost.name}_UUID") for ost in own)]
    return joined([*rows, ""])


def _kilobytes(site: Site) -> list[str]:
    storage = site.incident.plant.storage
    rows = [f"{'UUID':<20} {'1K-blocks':>15} {'Used':>15} {'Available':>15} Use% Mounted on"]
    total = used = 0

    def row(name: str, tib: float, part: float, where: str) -> tuple[int, int]:
        size = int(tib * 2**30)
        held = int(size * part)
        rows.append(f"{name:<20} {size:>15} {held:>15} {size - held:>15} {part:>4.0%} {where}")
        return size, held

    row(f"{storage.fsname}-MDT0000_UUID", 7.2, 0.31, f"{storage.mount}[MDT:0]")
    for ost in storage.osts:
        part = ost_used(site.incident, ost)
        size, held = row(
            f"{ost.name}_UUID", ost.size_tib, part, f"{storage.mount}[OST:{ost.index}]"
        )
        total, used = total + size, used + held
    share = used / total
    rows += [
        "",
        f"{'filesystem_summary:':<20} {total:>15} {used:>15} {total - used:>15} {share:>4.0%} {storage.mount}",
        "",
    ]
    return rows


def _inodes(site: Site) -> str:
    storage, draw = site.incident.plant.storage, Stream(site.incident.seed, "inodes")
    used = int(draw.between(310, 470) * 1e6)
    rows = [f"{'UUID':<22} {'Inodes':>11} {'IUsed':>11} {'IFree':>11} IUse% Mounted on"]
    whole = 3_865_470_976
    where = f"{storage.mount}[MDT:0]"
    share = f"{used / whole:.0%}"
    rows.append(
        f"{storage.fsname + '-MDT0000_UUID':<22} {whole:>11} {used:>11} {whole - used:>11} {share:>5} {where}"
    )
    rows += [
        "",
        f"{'filesystem_summary:':<22} {whole:>11} {used:>11} {whole - used:>11} {share:>5} {storage.mount}",
        "",
    ]
    return joined(rows)


def _pools(site: Site, args: tuple[str, ...]) -> str:
    storage = site.incident.plant.storage
    name = args[0] if args else ""
    if name in (storage.fsname, storage.mount):
        return joined(
            [
                f"Pools from {storage.fsname}:",
                f"{storage.fsname}.flash",
                f"{storage.fsname}.capacity",
            ]
        )
    lines = _document(site)
    marks = [n for n, line in enumerate(lines) if line == f"# lfs pool_list {name}"]
    if not marks:
        raise Failed(f"lfs pool_list: cannot find pool '{name}': No such file or directory", 2)
    rest = lines[marks[0] + 1 :]
    end = next((n for n, line in enumerate(rest) if line.startswith("# ")), len(rest))
    return joined(rest[:end])


def directories(site: Site) -> dict[str, str]:
    """Directory -> what new files in it get: the line of `lfs getstripe -d`."""
    pair = next(
        pair for pair in host_files(site.incident) if pair.path == "/lustre/directory-defaults"
    )
    now = [text for _, text, _ in pair.lines]
    return {folder: line for folder, line in pairwise(now) if folder.startswith("/")}


def shards(site: Site) -> dict[str, int]:
    """Shards of the data set and the target on which each lies: dealt out over the flash pool."""
    flash = [ost.index for ost in site.incident.plant.storage.flash()]
    first = int(Stream(site.incident.seed, "shards").between(0, len(flash)))
    root = site.incident.training.dataset
    return {f"{root}/shard-{n:05d}.tar": flash[(first + 7 * n) % len(flash)] for n in range(SHARDS)}


def _getstripe(site: Site, args: tuple[str, ...]) -> str:
    asked = _STRIPE.read(args)
    if not asked.rest:
        raise Failed(_STRIPE.hint)
    known, files = directories(site), shards(site)
    rows: list[str] = []
    for path in asked.rest:
        name = path.rstrip("/")
        if name in files:
            rows += _file(site, name, files[name])
        elif name in known:
            rows += [name, known[name], ""]
            if name == site.incident.training.dataset and not asked.has("d"):
                for shard, target in files.items():
                    rows += _file(site, shard, target)
        else:
            raise Failed(
                f"lfs getstripe: cannot open '{path}': No such file or directory (2)\n"
                f"error: getstripe failed for {path}.",
                2,
            )
    if asked.has("p") or asked.has("c"):
        word = "pool:" if asked.has("p") else "stripe_count:"
        rows = [row.partition(word)[2].split()[0] for row in rows if word in row]
    return joined(rows)


def _file(site: Site, path: str, target: int) -> list[str]:
    number = int(Stream(site.incident.seed, path).between(3e6, 9e7))
    return [
        path,
        "lmm_stripe_count:  1",
        "lmm_stripe_size:   4194304",
        "lmm_pattern:       raid0",
        "lmm_layout_gen:    0",
        f"lmm_stripe_offset: {target}",
        "lmm_pool:          flash",
        "\tobdidx\t\t objid\t\t objid\t\t group",
        f"\t{target:>6}\t{number:>14}\t{number:>#13x}\t             0",
        "",
    ]


def _targets(site: Site, args: tuple[str, ...]) -> str:
    rows = [f"{ost.index}: {ost.name}_UUID ACTIVE" for ost in site.incident.plant.storage.osts]
    return joined(["OBDS:", *rows])


def _metadata(site: Site, args: tuple[str, ...]) -> str:
    return f"MDTS:\n0: {site.incident.plant.storage.fsname}-MDT0000_UUID ACTIVE\n"


def _check(site: Site, args: tuple[str, ...]) -> str:
    storage = site.incident.plant.storage
    if args[:1] not in (("osts",), ("mdts",), ("servers",), ("all",)):
        raise Failed("usage: check {mgts|mdts|osts|all} [path]")
    rows = [f"{ost.name}-osc-ffff9a1c: active" for ost in storage.osts]
    return joined(
        [f"{storage.fsname}-MDT0000-mdc-ffff9a1c: active", *rows] if args[0] != "osts" else rows
    )


def _quota(site: Site, args: tuple[str, ...]) -> str:
    raise Failed("quotas are not enabled.\nSome errors happened when getting quota info.")
