"""`lctl get_param`: counters of a Lustre client on nodes, of the targets on the servers."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable

from scenarios.troubleshooting.console.command import MDS, NODE, OSS, Call, Failed, joined
from scenarios.troubleshooting.console.site import Site, text
from scenarios.troubleshooting.texts import lustre


def lctl(call: Call) -> str:
    words = [word for word in call.args if not word.startswith("-")]
    if not words:
        raise Failed("lctl > this terminal takes one command at a time; try lctl help", 1)
    if words[0] == "help":
        return "Available commands are: get_param list_param ping list_nids dl\n"
    if words[0] in (
        "set_param",
        "conf_param",
        "dk",
        "clear",
        "debug_kernel",
        "mark",
        "pool_new",
        "pool_add",
    ):
        raise Failed(
            f"error: {words[0]}: {words[1] if len(words) > 1 else ''}: Permission denied", 13
        )
    if words[0] == "list_nids":
        return _nids(call.site, call.host)
    if words[0] == "get_param":
        return _get(call, words[1:], "-n" in call.args)
    if words[0] == "list_param":
        names = [
            name for name in parameters(call.site, call.host) if _matches(name, words[1:] or ["*"])
        ]
        return joined(names)
    if words[0] == "dl":
        return _devices(call.site, call.host)
    raise Failed(f"error: No such command '{words[0]}', type help", 1)


def _nids(site: Site, host: str) -> str:
    address = site.nodes[host].bond_ip if host in site.nodes else site.addresses[host]
    return f"{address}@tcp\n"


def parameters(site: Site, host: str) -> dict[str, str]:
    """Name of each parameter that this host has -> its text, name included."""
    incident, kind = site.incident, site.kind(host)
    plant = incident.plant
    found: dict[str, str] = {
        "version": "version=2.15.5\n",
        "jobid_var": f"jobid_var={'SLURM_JOB_ID' if kind == NODE else 'procname_uid'}\n",
    }
    if kind == NODE:
        part = 1.0 if host in incident.slow.nodes else 0.04
        found |= _blocks(
            site, f"osc {host}", lambda: text(lustre.waits(incident, site.now_ms, host, part).lines)
        )
    if kind == OSS:
        own = {ost.name for ost in plant.storage.osts if ost.oss == host}
        blocks = _blocks(site, "jobs", lambda: text(lustre.job_stats(incident, site.now_ms).lines))
        blocks |= _blocks(site, "sizes", lambda: text(lustre.sizes(incident, site.now_ms).lines))
        found |= {key: block for key, block in blocks.items() if key.split(".")[1] in own}
        for ost in plant.storage.osts:
            if ost.oss == host:
                found |= _space(site, ost.name)
    if kind == MDS:
        found |= _blocks(site, "mdt", lambda: text(lustre.metadata(incident, site.now_ms).lines))
    return found


def _blocks(site: Site, name: str, make: Callable[[], str]) -> dict[str, str]:
    """A document of several parameters, each begun by its name and `=`."""
    parts = re.split(r"(?m)^(?=[a-z]+\.[\w\-*.]+=$)", site.kept(f"lctl {name}", make))
    return {part.partition("=")[0]: (part) for part in parts if part}


def _space(site: Site, name: str) -> dict[str, str]:
    ost = next(ost for ost in site.incident.plant.storage.osts if ost.name == name)
    total = ost.size_tib * 2**30
    free = int(total * (1 - lustre.ost_used(site.incident, ost)))
    values = {"kbytestotal": total, "kbytesfree": free, "kbytesavail": free}
    return {
        f"obdfilter.{name}.{key}": (f"obdfilter.{name}.{key}={value}\n")
        for key, value in values.items()
    }


def _matches(name: str, patterns: list[str]) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern.replace("/", ".")) for pattern in patterns)


def _get(call: Call, patterns: list[str], bare: bool) -> str:
    """Every parameter that a pattern matches, in order of name. Raises Failed."""
    if not patterns:
        raise Failed("usage: get_param [-F|-H|-n|-N|-R] <param_path1 param_path2 ...>", 1)
    known = parameters(call.site, call.host)
    found = ""
    for pattern in patterns:
        names = [name for name in known if _matches(name, [pattern])]
        if not names:
            path = pattern.replace(".", "/")
            raise Failed(
                f"error: get_param: param_path '{path}': No such file or directory", 2, found
            )
        for name in names:
            block = known[name]
            found += block.partition("=")[2].removeprefix("\n") if bare else block
    return found


def _devices(site: Site, host: str) -> str:
    storage = site.incident.plant.storage
    if site.kind(host) == OSS:
        own = [ost.name for ost in storage.osts if ost.oss == host]
        return joined(
            [f"{n:>3} UP obdfilter {name} {name}_UUID 5" for n, name in enumerate(own, start=4)]
        )
    if site.kind(host) == MDS:
        return f"  4 UP mdt {storage.fsname}-MDT0000 {storage.fsname}-MDT0000_UUID 43\n"
    names = [f"{ost.name}-osc-ffff9a1c" for ost in storage.osts]
    return joined(
        [f"{n:>3} UP osc {name} 7c1e0c52-0a11 4" for n, name in enumerate(names, start=4)]
    )
