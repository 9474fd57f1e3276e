"""`ping`: whether a host answers, and whether a frame of a size comes through in one piece."""

from __future__ import annotations

from scenarios.troubleshooting.console.command import Call, Failed
from scenarios.troubleshooting.console.host.lookup import resolve
from scenarios.troubleshooting.console.options import Grammar, whole
from scenarios.troubleshooting.console.reply import Reply
from scenarios.troubleshooting.console.site import Site, said
from scenarios.troubleshooting.texts.system_login import ping as text_of

_PING = Grammar(
    "ping",
    "46abDfhLnOqrRUvVn",
    "cISiIlMmpQsSTtwW",
    {},
    "\nUsage\n  ping [options] <destination>\n",
    2,
)
_HEADERS = 28
MTU = 9_000
"""Largest frame of the storage network; the management network takes 1500."""


def ping(call: Call) -> Reply:
    asked = _PING.read(call.args)
    if len(asked.rest) != 1:
        raise Failed("ping: usage error: Destination address required", 1)
    site, name = call.site, asked.rest[0]
    found = resolve(site, name)
    address = found[1] if found else name
    if found is None and not _looks_like_address(name):
        raise Failed(f"ping: {name}: Name or service not known", 2)
    size, count = whole(asked.get("s"), 56, 0, 65_507), whole(asked.get("c"), 4, 1, 20)
    forbidden = asked.get("M") == "do"
    if asked.get("M") not in (None, "do", "dont", "want"):
        raise Failed(f"ping: invalid -M argument: {asked.get('M')}", 2)
    if forbidden and size + _HEADERS > _mtu(site, address):
        return _too_long(address, size, count, _mtu(site, address))
    if found is None and address not in _bonds(site):
        return _unreachable(address, size, count)
    text = said(text_of(site.incident, address, size, count, call.host, forbidden))
    return Reply(text, "", 1 if "100% packet loss" in text else 0)


def _looks_like_address(name: str) -> bool:
    parts = name.split(".")
    return len(parts) == 4 and all(
        part.isascii() and part.isdigit() and int(part[:4]) < 256 for part in parts
    )


def _bonds(site: Site) -> set[str]:
    return {node.bond_ip for node in site.nodes.values()}


def _mtu(site: Site, address: str) -> int:
    """The outgoing interface's: storage addresses go over the bond."""
    storage = site.incident.plant.storage
    large = {*storage.oss_ips, storage.mds_ip, storage.nfs_ip, *_bonds(site)}
    return MTU if address in large else 1_500


def _too_long(address: str, size: int, count: int, mtu: int) -> Reply:
    rows = [f"PING {address} ({address}) {size}({size + _HEADERS}) bytes of data."]
    errors = [f"ping: local error: message too long, mtu={mtu}"] * count
    lost = f"0 received, +{count} errors, 100% packet loss, time {1023 * (count - 1)}ms"
    tail = f"{count} packets transmitted, {lost}"
    rows += ["", f"--- {address} ping statistics ---", tail, ""]
    return Reply("\n".join(rows) + "\n", "\n".join(errors) + "\n", 1)


def _unreachable(address: str, size: int, count: int) -> Reply:
    rows = [
        f"PING {address} ({address}) {size}({size + _HEADERS}) bytes of data.",
        "",
        f"--- {address} ping statistics ---",
        f"{count} packets transmitted, 0 received, 100% packet loss, time {1023 * (count - 1)}ms",
        "",
    ]
    return Reply("\n".join(rows) + "\n", "", 1)
