"""`iblinkinfo`, `ibnetdiscover` and what lists devices: the fabric as the subnet manager sees it."""

from __future__ import annotations

from collections.abc import Iterator

from scenarios.troubleshooting.console.command import Call, joined
from scenarios.troubleshooting.console.fabric.adapters import MANAGER
from scenarios.troubleshooting.console.fabric.ports import opened
from scenarios.troubleshooting.console.options import NONE, ONE, Grammar
from scenarios.troubleshooting.console.site import Site, text
from scenarios.troubleshooting.plant import Hca, Node, Switch
from scenarios.troubleshooting.texts.fabric_links import down, peers
from scenarios.troubleshooting.texts.fabric_links import iblinkinfo as link_table

_LINKS = Grammar(
    "iblinkinfo",
    "dDlphVRG",
    "SCPtn",
    {
        "switches-only": ("switches", NONE),
        "cas-only": ("cas", NONE),
        "down": ("d", NONE),
        "line": ("l", NONE),
        "print-port-guids": ("p", NONE),
        "switch": ("S", ONE),
        "port-guid": ("G", ONE),
        "Ca": ("C", ONE),
        "Port": ("P", ONE),
        "help": ("h", NONE),
        "version": ("V", NONE),
        "additional": ("additional", NONE),
    },
    "Usage: iblinkinfo [options] ",
    255,
)
_ANY = Grammar(
    "{0}",
    "lspgHSRmVhfc",
    "CPtno",
    {"help": ("h", NONE), "version": ("V", NONE), "list": ("l", NONE)},
    "",
    255,
)
_DISCOVER = "ibnd_discover_fabric failed"


def iblinkinfo(call: Call) -> str:
    """Switches' blocks as the materials have them, then one block for each adapter."""
    asked = _LINKS.read(call.args)
    if asked.has("h"):
        return "Usage: iblinkinfo [options] \n"
    if asked.has("V"):
        return "iblinkinfo BUILD VERSION: 39.0 Build date: Feb  1 2022 10:11:12\n"
    opened(call, _DISCOVER)
    site = call.site
    blocks = [] if asked.has("cas") else _switch_blocks(site)
    if not asked.has("switches") and not asked.has("S"):
        blocks += _adapter_blocks(site)
    if (guid := asked.get("S")) is not None:
        bare = guid.lower().removeprefix("0x").zfill(16)
        blocks = [block for block in blocks if f"0x{bare}" in block[0]]
    if asked.has("d"):
        blocks = [[head, *(row for row in rows if "Down/" in row)] for head, *rows in blocks]
        blocks = [block for block in blocks if len(block) > 1]
    if asked.has("l"):
        return joined(
            [
                f"{head.split()[2].rstrip(':')} {row.strip()}"
                for head, *rows in blocks
                for row in rows
            ]
        )
    return joined([line for block in blocks for line in block])


def _switch_blocks(site: Site) -> list[list[str]]:
    lines = site.kept(
        "iblinkinfo", lambda: text(link_table(site.incident, site.now_ms).lines).splitlines()
    )
    blocks: list[list[str]] = []
    for line in lines:
        if line.startswith("Switch:"):
            blocks.append([])
        blocks[-1].append(line)
    return blocks


def _adapter_blocks(site: Site) -> list[list[str]]:
    lanes = {200: "53.125", 400: "106.25"}[site.incident.plant.port_gbps]
    switches = {switch.name: switch for switch in site.incident.plant.leaves}
    found = []
    for node in site.incident.plant.nodes:
        for hca in node.hcas:
            leaf = switches[hca.leaf]
            found.append(
                [
                    f"CA: {node.name} {hca.device}:",
                    f"      0x{hca.port_guid} {hca.lid:>6}    1[  ] ==( 4X {lanes:>10} Gbps Active/  "
                    "LinkUp)==> "
                    f'{leaf.lid:>7} {hca.leaf_port:>4}[  ] "{leaf.name}" ( )',
                ]
            )
    return found


def _alive(site: Site) -> list[tuple[Switch, list[int]]]:
    """Switches that the manager reaches, with the ports whose links are up."""
    plant = site.incident.plant
    dead = set()
    for leaf in plant.leaves:
        for cable in plant.uplinks(leaf.name):
            if down(site.incident, cable, site.now_ms) is not None:
                dead |= {cable.a, cable.b}
    found = []
    for switch in (*plant.leaves, *plant.spines):
        ports = sorted(number for name, number in peers(plant) if name == switch.name)
        ports = [number for number in ports if f"{switch.name}/{number}" not in dead]
        if ports:
            found.append((switch, ports))
    return found


def ibnetdiscover(call: Call) -> str:
    """The topology file; `-l` lists devices, `-p` ports."""
    asked = Grammar(call.name, _ANY.flags, _ANY.takes, _ANY.long, "", 255).read(call.args)
    if asked.has("h"):
        return "Usage: ibnetdiscover [options] [topology-file]\n"
    opened(call, "discover failed")
    site = call.site
    if asked.has("l"):
        return _switch_list(site) + _host_list(site)
    when = f"{site.incident.calendar.local(site.now_ms):%a %b %e %H:%M:%S %Y}"
    plant = site.incident.plant
    rows = [
        "#",
        "# Topology file: generated on " + when,
        "#",
        f"# Initiated from node {plant.nodes[0].hcas[0].guid} port {plant.nodes[0].hcas[0].port_guid}",
        "",
    ]
    for switch, ports in _alive(site):
        rows += [*_switch_record(site, switch, ports), ""]
    for node in plant.nodes:
        for hca in node.hcas:
            rows += [*_adapter_record(site, node, hca), ""]
    return joined(rows)


def _speed(site: Site) -> str:
    return {200: "4xHDR", 400: "4xNDR"}[site.incident.plant.port_gbps]


def _switch_record(site: Site, switch: Switch, ports: list[int]) -> Iterator[str]:
    plant = site.incident.plant
    guids = {s.name: s.guid for s in (*plant.leaves, *plant.spines)}
    guids |= {f"{h.node} {h.device}": h.guid for node in plant.nodes for h in node.hcas}
    yield "vendid=0x2c9"
    yield "devid=0xd2f2"
    yield f"sysimgguid=0x{switch.guid}"
    yield f"switchguid=0x{switch.guid}({switch.guid})"
    who = f'"{switch.name}" enhanced port 0 lid {switch.lid} lmc 0'
    yield f'Switch\t{switch.ports} "S-{switch.guid}"\t\t# {who}'
    ends = peers(plant)
    for number in ports:
        peer = ends[switch.name, number]
        sign = "S" if peer.name in (s.name for s in (*plant.leaves, *plant.spines)) else "H"
        yield (
            f'[{number}]\t"{sign}-{guids[peer.name]}"[{peer.port}]\t\t# "{peer.name}" lid {peer.lid} '
            f"{_speed(site)}"
        )


def _adapter_record(site: Site, node: Node, hca: Hca) -> Iterator[str]:
    leaf = next(s for s in site.incident.plant.leaves if s.name == hca.leaf)
    yield "vendid=0x2c9"
    yield f"devid={'0x1021' if site.incident.plant.port_gbps >= 400 else '0x101b'}"
    yield f"sysimgguid=0x{hca.guid}"
    yield f"caguid=0x{hca.guid}"
    yield f'Ca\t1 "H-{hca.guid}"\t\t# "{node.name} {hca.device}"'
    yield (
        f'[1]({hca.port_guid}) \t"S-{leaf.guid}"[{hca.leaf_port}]\t\t# lid {hca.lid} lmc 0 '
        f'"{leaf.name}" lid {leaf.lid} {_speed(site)}'
    )


def ibswitches(call: Call) -> str:
    opened(call, "discover failed")
    return _switch_list(call.site)


def ibhosts(call: Call) -> str:
    opened(call, "discover failed")
    return _host_list(call.site)


def _switch_list(site: Site) -> str:
    return joined(
        [
            f'Switch\t: 0x{switch.guid} ports {switch.ports} "{switch.name}" enhanced port 0 '
            f"lid {switch.lid} lmc 0"
            for switch, _ in _alive(site)
        ]
    )


def _host_list(site: Site) -> str:
    return joined(
        [
            f'Ca\t: 0x{hca.guid} ports 1 "{node.name} {hca.device}"'
            for node in site.incident.plant.nodes
            for hca in node.hcas
        ]
    )


def sminfo(call: Call) -> str:
    opened(call)
    manager = f"sm lid 1 sm guid 0x{MANAGER}"
    return f"sminfo: {manager}, activity count 1184201 priority 14 state 3 SMINFO_MASTER\n"
