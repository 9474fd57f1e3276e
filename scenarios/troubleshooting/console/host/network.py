"""`ip`, `nstat`, /proc/net: interfaces of a host or a storage switch."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.console.command import NODE, SWITCH, Call, Failed, joined
from scenarios.troubleshooting.console.host.told import told
from scenarios.troubleshooting.console.site import Site
from scenarios.troubleshooting.signals.stage import slow_stage
from scenarios.troubleshooting.signals.storage import storage_blocks
from scenarios.troubleshooting.texts.configs_hosts import host_files

_HEAD = re.compile(r"^(\d+): ([^:@]+)(@[^:]+)?: ")


@dataclass(frozen=True, slots=True)
class Interface:
    """One interface: its name, and its line of `ip -o link`."""

    name: str
    line: str


def interfaces(site: Site, host: str) -> list[Interface]:
    """Those of `ip link`, in its order."""
    lines = (
        _ports(site, host)
        if site.kind(host) == SWITCH
        else told(site, host)["ip -o link"].splitlines()
    )
    found = []
    for line in lines:
        match = _HEAD.match(line)
        if match:
            found.append(Interface(match[2], line))
    return found


def _ports(site: Site, switch: str) -> list[str]:
    """The ports that the switch's configuration names, with the frames that they take."""
    pair = next(pair for pair in host_files(site.incident) if pair.host == switch)
    lines, name, number = [], "", 2
    for _, now, _ in pair.lines:
        if now.startswith("iface "):
            name = now.split()[1]
        elif now.strip().startswith("mtu ") and name:
            number += 1
            place = int(name.removeprefix("swp"))
            lines.append(
                f"{number}: {name}: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu {now.split()[1]} qdisc pfifo_fast "
                f"master bridge state UP mode DEFAULT group default qlen 1000\\    link/ether "
                f"1c:34:da:5f:10:{place:02x} brd ff:ff:ff:ff:ff:ff"
            )
            name = ""
    return lines


def ip(call: Call) -> str:
    flags = [word for word in call.args if word.startswith("-")]
    words = [word for word in call.args if not word.startswith("-")]
    letters = "".join(
        flag.lstrip("-")
        for flag in flags
        if flag not in ("-stats", "-details", "-oneline", "-brief")
    )
    stats, single = "s" in letters or "-stats" in flags, "o" in letters or "-oneline" in flags
    brief = "-br" in flags or "-brief" in flags
    if not words:
        raise Failed("Usage: ip [ OPTIONS ] OBJECT { COMMAND | help }", 255)
    thing, rest = (
        words[0],
        [word for word in words[1:] if word not in ("show", "list", "ls", "dev", "get")],
    )
    if any(
        word in ("set", "add", "del", "delete", "flush", "change", "replace") for word in words[1:]
    ):
        raise Failed("RTNETLINK answers: Operation not permitted", 2)
    if "route".startswith(thing):
        return _routes(call.site, call.host)
    chosen = interfaces(call.site, call.host)
    if rest:
        chosen = [one for one in chosen if one.name == rest[0]]
        if not chosen:
            raise Failed(f'Device "{rest[0]}" does not exist.')
    if "link".startswith(thing):
        if brief:
            return joined([_brief(one) for one in chosen])
        return "".join(_link(call, one, stats, single) for one in chosen)
    if "address".startswith(thing) or thing == "addr":
        return "".join(_address(call.site, call.host, one) for one in chosen)
    if "neighbour".startswith(thing):
        return ""
    raise Failed(f'Object "{thing}" is unknown, try "ip help".')


def _brief(one: Interface) -> str:
    address = re.search(r"link/\S+ (\S+)", one.line)
    flags = re.search(r"<(\S+)>", one.line)
    state = re.search(r"state (\w+)", one.line)
    cells = [match[1] if match else "" for match in (state, address, flags)]
    return f"{one.name:<16} {cells[0]:<14} {cells[1]} <{cells[2]}> "


def _link(call: Call, one: Interface, stats: bool, single: bool) -> str:
    rows = _statistics(call.site, call.host, one.name) if stats else []
    if single:
        return "\\".join([one.line, *rows]) + "\n"
    return joined([one.line.replace("\\    ", "\n    "), *rows])


def traffic(site: Site, host: str, name: str) -> tuple[int, int, int]:
    """(bytes received, bytes sent, frames refused as too large) of an interface."""
    if site.kind(host) == SWITCH:
        return _switch_port(site, host, name)
    if name.startswith("ib"):
        # Data of the training bypasses the network stack; the counters of the adapter are perfquery's.
        draw = Stream(site.incident.seed, f"ipoib {host} {name}")
        return int(draw.between(2e6, 9e6)), int(draw.between(2e6, 9e6)), 0
    draw = Stream(site.incident.seed, f"traffic {host} {name}")
    scale = {"lo": 2e9, "eno1": 4e10}.get(name, 3e14 if site.kind(host) == NODE else 6e15)
    return int(draw.between(0.4, 1) * scale), int(draw.between(0.2, 0.6) * scale), 0


def _switch_port(site: Site, host: str, name: str) -> tuple[int, int, int]:
    """From the switches' own exporter, at the instant at which time stands still."""
    counters = site.kept("storage switches", lambda: _switch_counters(site))
    received, refused = (
        counters.get((host, name, what), 0) for what in ("rx_bytes", "oversize_frames")
    )
    return received, received * 97 // 100, refused


def _switch_counters(site: Site) -> dict[tuple[str, str, str], int]:
    stage = slow_stage(site.incident)
    place = (site.now_ms - site.incident.calendar.window_start) // 60_000
    quanta = {"switch_port_rx_bytes_total": 2.0**26, "switch_port_oversize_frames_total": 1.0}
    found = {}
    for block in storage_blocks(stage):
        if block.metric in quanta:
            what = block.metric.removeprefix("switch_port_").removesuffix("_total")
            for own, row in zip(block.labels, block.values, strict=True):
                value = np.int64(row[place]) * quanta[block.metric]
                found[block.host, dict(own)["port"], what] = int(value)
    return found


def _statistics(site: Site, host: str, name: str) -> list[str]:
    received, sent, refused = traffic(site, host, name)
    return [
        "    RX:  bytes packets errors dropped  missed   mcast           ",
        f"    {received} {received // 4_100} {refused:>6} {0:>7} {0:>7} {received // 90_000_000:>7} ",
        "    TX:  bytes packets errors dropped carrier collsns           ",
        f"    {sent} {sent // 4_100} {0:>6} {0:>7} {0:>7} {0:>7} ",
    ]


def _address(site: Site, host: str, one: Interface) -> str:
    node, vlan = site.nodes.get(host), site.incident.plant.storage.vlan
    rows = [one.line.partition(" mode DEFAULT")[0] + " group default qlen 1000"]
    link = re.search(r"link/.*$", one.line)
    rows += [f"    {link[0]}"] if link else []
    address = None
    if one.name == "lo":
        address = "127.0.0.1/8 scope host lo"
    elif node and one.name == "eno1":
        address = f"{node.host_ip}/24 brd 10.20.1.255 scope global eno1"
    elif node and one.name == f"bond0.{vlan}":
        address = f"{node.bond_ip}/23 brd 10.20.17.255 scope global {one.name}"
    elif one.name in (f"bond0.{vlan}", "eno1") and node is None and host in site.addresses:
        own = site.addresses[host]
        fits = own.startswith("10.20.17.") == (one.name != "eno1")
        address = f"{own}/23 scope global {one.name}" if fits else None
    rows += (
        [f"    inet {address}", "       valid_lft forever preferred_lft forever"] if address else []
    )
    return joined(rows)


def _routes(site: Site, host: str) -> str:
    node, vlan = site.nodes.get(host), site.incident.plant.storage.vlan
    if node is None:
        return "default via 10.20.0.1 dev eno1 proto static \n"
    return joined(
        [
            "default via 10.20.1.1 dev eno1 proto static ",
            f"10.20.1.0/24 dev eno1 proto kernel scope link src {node.host_ip} ",
            f"10.20.16.0/23 dev bond0.{vlan} proto kernel scope link src {node.bond_ip} ",
        ]
    )


def nstat(call: Call) -> str:
    """TcpRetransSegs is the exporter's counter; the others come as they may."""
    site, host = call.site, call.host
    draw = Stream(site.incident.seed, f"nstat {host}")
    again = int(site.readings(host).at("node_netstat_Tcp_RetransSegs", site.now_ms))
    sent = int(draw.between(4e9, 9e9))
    known = {
        "TcpActiveOpens": int(draw.between(2e5, 9e5)),
        "TcpInSegs": sent * 97 // 100,
        "TcpOutSegs": sent,
        "TcpRetransSegs": again,
        "TcpInErrs": 0,
        "TcpExtTCPTimeouts": again // 9,
        "TcpExtTCPLostRetransmit": again // 400,
    }
    names = [word for word in call.args if not word.startswith("-")]
    chosen = {name: value for name, value in known.items() if not names or name in names}
    return joined(["#kernel", *(f"{name:<32}{value:<19}0.0" for name, value in chosen.items())])


def net_dev(site: Site, host: str) -> str:
    """/proc/net/dev: the same bytes that `ip -s link` shows."""
    rows = [
        "Inter-|   Receive                                                |  Transmit",
        " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo "
        "colls carrier compressed",
    ]
    for one in interfaces(site, host):
        received, sent, refused = traffic(site, host, one.name)
        rows.append(
            f"{one.name:>6}: {received:>7} {received // 4_100:>7} {refused:>4} {0:>4} {0:>4} {0:>5} {0:>10} "
            f"{received // 90_000_000:>9} {sent:>8} {sent // 4_100:>7} {0:>4} {0:>4} {0:>4} {0:>5} {0:>7} "
            f"{0:>10}"
        )
    return joined(rows)


def bonding(site: Site, host: str) -> str:
    """Both ports of the bond are up and of one aggregator, as switches and dashboards show them."""
    found = {one.name: re.search(r"link/ether (\S+)", one.line) for one in interfaces(site, host)}
    mac = str(match[1]) if (match := found.get("bond0")) else "00:00:00:00:00:00"
    kernel = site.incident.plant.versions.kernel
    rows = [
        f"Ethernet Channel Bonding Driver: v{kernel}", "",
        "Bonding Mode: IEEE 802.3ad Dynamic link aggregation",
        "Transmit Hash Policy: layer3+4 (1)", "MII Status: up", "MII Polling Interval (ms): 100",
        "Up Delay (ms): 0", "Down Delay (ms): 0", "Peer Notification Delay (ms): 0", "", "802.3ad info",
        "LACP active: on", "LACP rate: fast", "Min links: 0", "Aggregator selection policy (ad_select): stable",
    ]  # fmt: skip
    last = int(mac[-2:], 16)
    for place, name in enumerate(name for name in found if name.startswith("ens1f")):
        rows += [
            "", f"Slave Interface: {name}", "MII Status: up", "Speed: 100000 Mbps", "Duplex: full",
            "Link Failure Count: 0", f"Permanent HW addr: {mac[:-2]}{(last + place) % 256:02x}",
            "Slave queue ID: 0", "Aggregator ID: 1", "Actor Churn State: none", "Partner Churn State: none",
            "Actor Churned Count: 0", "Partner Churned Count: 0",
        ]  # fmt: skip
    return joined(rows)
