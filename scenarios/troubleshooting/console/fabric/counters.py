"""`perfquery` and `ibqueryerrors`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple

from scenarios.troubleshooting.console.command import Call, Failed, joined
from scenarios.troubleshooting.console.fabric.adapters import adapters
from scenarios.troubleshooting.console.fabric.ports import (
    Seen,
    cabled,
    extended,
    hcas,
    of_adapter,
    of_switch,
    opened,
    short,
    switches,
)
from scenarios.troubleshooting.console.options import NONE, ONE, Grammar, whole
from scenarios.troubleshooting.console.site import Site, text
from scenarios.troubleshooting.plant import Switch
from scenarios.troubleshooting.texts.fabric_ports import query_errors

_USAGE = "Usage: perfquery [options]  [<lid|guid> [[port(s)] [reset_mask]]]"
_PERFQUERY = Grammar(
    "perfquery",
    "xalrRSTXEDcehdvV",
    "CPtsoG",
    {
        "extended": ("x", NONE),
        "all_ports": ("a", NONE),
        "loop_ports": ("l", NONE),
        "reset_after_read": ("r", NONE),
        "Reset_only": ("R", NONE),
        "Ca": ("C", ONE),
        "Port": ("P", ONE),
        "Guid": ("G", NONE),
        "timeout": ("t", ONE),
        "help": ("h", NONE),
        "version": ("V", NONE),
        "xmtsl": ("X", NONE),
        "rcvsl": ("S", NONE),
        "errors": ("e", NONE),
        "verbose": ("v", NONE),
    },
    _USAGE,
    255,
)
_ERRORS = Grammar(
    "ibqueryerrors",
    "cdrRkKeuhV",
    "CPtsSGoD",
    {
        "suppress": ("s", ONE),
        "suppress-common": ("c", NONE),
        "node-name-map": ("map", ONE),
        "port-guid": ("S", ONE),
        "Ca": ("C", ONE),
        "Port": ("P", ONE),
        "report-port": ("r", NONE),
        "GNDN": ("R", NONE),
        "data": ("data", NONE),
        "threshold-file": ("threshold", ONE),
        "switch": ("switch", NONE),
        "ca": ("ca", NONE),
        "router": ("router", NONE),
        "clear-errors": ("k", NONE),
        "clear-counts": ("K", NONE),
        "counters": ("counters", NONE),
        "details": ("details", NONE),
        "help": ("h", NONE),
        "version": ("V", NONE),
        "load-cache": ("load", ONE),
    },
    "Usage: ibqueryerrors [options] ",
    255,
)
COMMON = ("PortRcvSwitchRelayErrors", "PortXmitDiscards", "PortXmitWait")
"""What `-c` leaves out: counts that do not mean a fault."""


def perfquery(call: Call) -> str:
    asked = _PERFQUERY.read(call.args)
    if asked.has("h"):
        return f"{_USAGE}\n"
    if asked.has("V"):
        return "perfquery BUILD VERSION: 39.0 Build date: Feb  1 2022 10:11:12\n"
    opened(call)
    if asked.has("r", "R", "k"):
        raise Failed("perfquery: iberror: failed: perfreset: Operation not permitted", 255)
    if asked.has("X", "S", "E", "D", "T"):
        raise Failed("perfquery: iberror: failed: AllPortSelect not supported", 255)
    words = list(asked.rest)
    if asked.has("G") and asked.get("G"):
        words.insert(0, asked.get("G") or "")
    found = _found(
        call, words, asked.get("C"), "l" if asked.has("l") else "a" if asked.has("a") else ""
    )
    return "".join(_printed(seen, asked.has("x")) for seen in found)


def _printed(seen: Seen, wide: bool) -> str:
    kind = "extended counters" if wide else "counters"
    rows = [f"# Port {kind}: Lid {seen.lid} port {seen.port} (CapMask: 0x5A00)"]
    for name, value in extended(seen) if wide else short(seen):
        rows.append(f"{name}:{'.' * (31 - len(name) - len(str(value)))}{value}")
    return joined(rows)


def _found(call: Call, words: list[str], device: str | None, every: str) -> list[Seen]:
    """The ports asked for: this host's own, or those of a LID or GUID. Raises Failed."""
    site = call.site
    own = adapters(site, call.host)
    if not words:
        chosen = [hca for hca in own if device in (None, hca.device)]
        if not chosen:
            raise Failed(f"perfquery: iberror: failed: Failed to open '{device}' port '0'", 255)
        if call.host not in site.nodes:
            return [Seen(chosen[0].lid, 1, 41_220_118, 38_911_422, 0, 0, 0)]
        return [of_adapter(site, chosen[0])]
    lid = _lid(site, words[0])
    ports = _ports(words[1]) if len(words) > 1 else None
    switch, hca = switches(site).get(lid), hcas(site).get(lid)
    if hca is not None:
        if ports and ports != [1]:
            raise Failed(
                f"perfquery: iberror: failed: smp query nodeinfo: bad port {ports[0]}", 255
            )
        return [of_adapter(site, hca)]
    if switch is None:
        raise Failed(
            f"ibwarn: [41207] mad_rpc: _do_madrpc failed; dport (Lid {lid})\n"
            "perfquery: iberror: failed: smp query nodeinfo failed",
            255,
        )
    if ports is None:
        return _whole_switch(site, switch, every)
    if any(not 0 <= port <= switch.ports for port in ports):
        raise Failed("perfquery: iberror: failed: port select out of range", 255)
    return [of_switch(site, switch, port) for port in ports]


def _whole_switch(site: Site, switch: Switch, every: str) -> list[Seen]:
    """Without a port: port 0, which carries no data; `-a` all ports added up, `-l` one after the other."""
    if not every:
        return [Seen(switch.lid, 0, 0, 0, 0, 0, 0)]
    found = [of_switch(site, switch, port) for port in cabled(site)[switch.name]]
    if every == "l":
        return found
    sums = [sum(values) for values in zip(*(astuple(seen)[2:] for seen in found), strict=True)]
    return [Seen(switch.lid, 255, *sums)]


def _lid(site: Site, word: str) -> int:
    """A LID in decimal or hex, or the GUID of a device."""
    try:
        number = int(word, 0)
    except ValueError:
        raise Failed(
            f"perfquery: iberror: failed: can't resolve destination port {word}", 255
        ) from None
    guids = {int(switch.guid, 16): lid for lid, switch in switches(site).items()}
    guids |= {int(hca.guid, 16): lid for lid, hca in hcas(site).items()}
    return guids.get(number, number)


def _ports(word: str) -> list[int]:
    found = []
    for part in word.split(","):
        first, _, last = part.partition("-")
        low = whole(first, -1)
        found += list(range(low, min(whole(last, low), low + 64) + 1))
    return found


def ibqueryerrors(call: Call) -> str:
    """All switches' ports beyond the thresholds, then adapters whose link went down."""
    asked = _ERRORS.read(call.args)
    if asked.has("h"):
        return "Usage: ibqueryerrors [options] \n"
    if asked.has("V"):
        return "ibqueryerrors BUILD VERSION: 39.0 Build date: Feb  1 2022 10:11:12\n"
    opened(call, "ibnd_discover_fabric failed")
    if asked.has("k", "K"):
        raise Failed(
            "ibqueryerrors: iberror: failed: clearing counters: Operation not permitted", 255
        )
    site = call.site
    lines = site.kept("ibqueryerrors", lambda: _lines(site))
    left_out = set(COMMON) if asked.has("c") else set()
    for value in asked.values.get("s", []):
        left_out |= set(value.split(","))
    guid = asked.get("G") or asked.get("S")
    rows = _without(lines, left_out, int(guid, 16) if guid and _hex(guid) else None)
    if not asked.has("switch"):
        rows = [*rows[:-2], *_adapters(site), *rows[-2:]] if asked.has("ca") or not guid else rows
    return joined(rows)


def _hex(word: str) -> bool:
    try:
        int(word, 16)
    except ValueError:
        return False
    return True


def _lines(site: Site) -> list[str]:
    document = query_errors(site.incident, site.counters, site.now_ms, "ibqueryerrors")
    # The first line is a remark of whoever kept the output.
    return text(document.lines).splitlines()[1:]


def _without(lines: list[str], left_out: set[str], guid: int | None) -> list[str]:
    """Rows without some counters; a port that counts nothing else is left out, and other devices."""
    found, own = [], True
    for line in lines:
        if line.startswith("Errors for"):
            own = guid is None or int(line.split()[2], 16) == guid
        if line.startswith("##"):
            found.append(line)
        elif own and "[" in line:
            head, _, rest = line.partition(": [")
            parts = [
                part for part in rest.rstrip("]").split("] [") if part.split()[0] not in left_out
            ]
            if parts:
                found.append(f"{head}: [{'] ['.join(parts)}]")
        elif own:
            found.append(line)
    return found


def _adapters(site: Site) -> Iterable[str]:
    """Adapters whose link has been down: read only where the condition says that something happened."""
    for node in site.incident.plant.nodes:
        for hca in node.hcas:
            if site.incident.condition.over(hca.name, "symbol_errors") is not None:
                seen = of_adapter(site, hca)
                if seen.downs:
                    counts = f"[LinkErrorRecoveryCounter == {seen.downs}] [LinkDownedCounter == {seen.downs}]"
                    yield f'Errors for "{node.name} {hca.device}"'
                    yield f"   GUID 0x{hca.guid} port 1: {counts}"
