"""`ibdiagnet`: the whole fabric looked over, from the same counters and links as the other tools."""

from __future__ import annotations

import re

from scenarios.troubleshooting.console.command import Call, Failed, joined
from scenarios.troubleshooting.console.fabric.counters import ibqueryerrors
from scenarios.troubleshooting.console.fabric.links import iblinkinfo
from scenarios.troubleshooting.console.fabric.ports import opened
from scenarios.troubleshooting.console.site import Site

_VERSION = '"IBDIAGNET 2.9.1","IBDIAG 2.1.1","IBDM 2.1.1","IBIS 6.4.0"'
_COUNTERS = {
    "SymbolErrorCounter": "symbol_error_counter",
    "LinkErrorRecoveryCounter": "link_error_recovery_counter",
    "LinkDownedCounter": "link_down_counter",
    "PortRcvErrors": "port_rcv_errors",
}
"""What counts as a warning; waiting and discards are traffic's, not the links'."""
_RULE = "-" * 46
_STAGES = ("Discovery", "Lids Check", "Links Check", "Subnet Manager", "Port Counters", "Nodes Information",
           "Speed / Width checks", "Partition Keys", "Alias GUIDs", "Temperature Sensing")  # fmt: skip


def ibdiagnet(call: Call) -> str:
    """The summary on the screen; the files that it writes beside it need a folder of root's."""
    if any(word in ("-h", "--help") for word in call.args):
        return "SYNOPSYS\n  ibdiagnet [-i <dev-name>] [-p <port-num>] [--pc] [-r] [-o <dir>]\n"
    if any(word in ("-V", "--version") for word in call.args):
        return f"{_VERSION}\n"
    opened(call, "-E- Failed to open a port")
    if "--pc" in call.args or "-pc" in call.args:
        raise Failed("-E- Resetting port counters failed: Operation not permitted", 1)
    site = call.site
    found, slow = _warnings(call), _slow_links(call)
    rows = [
        f"Running version:   {_VERSION}",
        f"Running command:   {' '.join(('ibdiagnet', *call.args))}",
        f"Timestamp:         {site.clock(call.host, site.now_ms, '%Y-%m-%d %H:%M:%S')}",
        *_discovered(site),
        *_stage("Links Check", [], "Links Check finished successfully"),
        *_stage("Port Counters", found, "Ports counters Difference Check finished successfully"),
        *_stage("Speed / Width checks", slow, "Links Speed Check finished successfully"),
        *_summary({"Port Counters": len(found), "Speed / Width checks": len(slow)}),
    ]
    return joined(rows)


def _discovered(site: Site) -> list[str]:
    plant = site.incident.plant
    adapters = sum(len(node.hcas) for node in plant.nodes)
    switches = len(plant.leaves) + len(plant.spines)
    return [
        _RULE,
        "Discovery",
        f"-I- Discovering ... {adapters + switches} nodes ({switches} Switches & {adapters} CA-s) "
        "discovered.",
        "-I- Fabric Discover finished successfully",
    ]


def _stage(name: str, found: list[str], done: str) -> list[str]:
    return [
        _RULE,
        name,
        *found,
        f"-I- {done}" if not found else f"-W- {name} finished with warnings",
    ]


def _warnings(call: Call) -> list[str]:
    """One line for each counter of a port that errors have moved."""
    rows, device = [], ""
    for line in ibqueryerrors(Call(call.site, call.host, "ibqueryerrors", ())).splitlines():
        if line.startswith("Errors for"):
            device = line.partition('"')[2].rstrip('"')
        port = re.search(r"port (\d+|ALL):", line)
        if port is None or port[1] == "ALL":
            continue
        for name, value in re.findall(r"\[(\w+) == (\d+)", line):
            if name in _COUNTERS:
                rows.append(f"-W- {device}/P{port[1]} - {_COUNTERS[name]} is {value} (threshold 0)")
    return rows


def _slow_links(call: Call) -> list[str]:
    """Links that are slower or narrower than both of their ends could be."""
    lines = iblinkinfo(Call(call.site, call.host, "iblinkinfo", ())).splitlines()
    return [f"-W- {' '.join(line.split())}" for line in lines if "Could be" in line]


def _summary(warned: dict[str, int]) -> list[str]:
    rows = [_RULE, "Summary", "-I- Stage                     Warnings   Errors     Comment"]
    for stage in _STAGES:
        rows.append(f"-I- {stage:<25} {warned.get(stage, 0):<10} {0:<10}")
    return [
        *rows,
        "-I- You can find detailed errors/warnings in: /var/tmp/ibdiagnet2/ibdiagnet2.log",
        "-E- Output folder /var/tmp/ibdiagnet2 could not be written: Permission denied",
    ]
