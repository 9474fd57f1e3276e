"""Draws a plant from a profile: names, addresses, identifiers, cabling. Sizing: domain handbook, 2.4."""

from __future__ import annotations

import re

from scenarios.company.profile import Profile
from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.plant import (
    Cable,
    Gpu,
    Hca,
    Node,
    Ost,
    Plant,
    Rack,
    Storage,
    Switch,
    Versions,
)

UNIT = 32
"""Nodes of a scalable unit: each has leaves of its own, one for each rail."""
_GPU_BUS = ("1B", "43", "52", "61", "9D", "C3", "D1", "DF")
_HCA_BUS = ("18", "40", "4F", "5E", "9A", "C0", "CE", "DC")
_SPARSE = (0, 2, 4, 6)
"""Slots that a node of four GPUs fills."""
_MODELS = {
    "A100": ("520.61.05", 12, 200, "92.00.9E.00.01", 4),
    "H100": ("550.127.08", 18, 400, "96.00.99.00.01", 4),
    "H200": ("550.127.08", 18, 400, "96.00.A5.00.01", 4),
    "B200": ("570.133.20", 18, 400, "97.00.88.00.0F", 2),
}
"""Driver, NVLinks of a GPU, rate of an adapter in Gb/s, VBIOS, nodes that one rack can cool."""
_PREFIXES = ("gpu-n", "hgx-", "gn", "node-g", "h-n")
_FILE_SYSTEMS = ("scratch", "data", "lake", "work")


def draw_plant(profile: Profile, seed: str) -> Plant:
    """The plant of one variant. Same profile and seed: same names and numbers."""
    draw = Stream(seed, "plant")
    prefix = draw.pick([(p, 1.0) for p in _PREFIXES])
    names = [f"{prefix}{n + 1:03d}" for n in range(profile.nodes)]
    model = profile.gpu_model
    driver, nvlinks, rate, _, per_rack = _MODELS[model.name]
    racks = _racks(names, per_rack, draw)
    leaves, spines = _switches(profile, draw)
    versions = _versions(driver, draw)
    nodes = tuple(
        _node(name, index, racks[index // per_rack], per_rack, profile, versions, draw)
        for index, name in enumerate(names)
    )
    return Plant(
        cluster=_slug(profile.cluster),
        domain=f"{_slug(profile.cluster)}.hpc.internal",
        gpu_product=model.product,
        top_mhz=model.top_mhz,
        top_w=model.top_w,
        idle_w=model.idle_w,
        idle_mhz=model.idle_mhz,
        memory_mib=model.memory_mib,
        nvlinks=nvlinks,
        port_gbps=rate,
        versions=versions,
        racks=racks,
        nodes=nodes,
        leaves=leaves,
        spines=spines,
        cables=_cables(nodes, leaves, spines, draw),
        storage=_storage(draw),
        login=f"login{1 + int(draw.between(0, 2)):02d}",
        controller="slurmctl01",
        management_switch="mgmt-sw01",
        storage_switches=("stor-sw01", "stor-sw02"),
    )


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "cluster"


def _hex(draw: Stream, digits: int) -> str:
    return "".join("0123456789abcdef"[int(draw.between(0, 16))] for _ in range(digits))


def _digits(draw: Stream, count: int) -> str:
    return "".join(str(int(draw.between(0, 10))) for _ in range(count))


def _versions(driver: str, draw: Stream) -> Versions:
    return Versions(
        driver=driver,
        cuda=".".join({"520": "11.8", "550": "12.4", "570": "12.8"}[driver[:3]].split(".")),
        nccl=draw.pick([("2.21.5+cuda12.4", 1.0), ("2.23.4+cuda12.4", 1.0)])
        if driver[:3] != "520"
        else "2.16.2+cuda11.8",
        kernel="5.15.0-125-generic",
        system="Ubuntu 22.04.5 LTS",
        slurm="22.05.8",
        hca_firmware="28.41.1000" if driver[:3] != "520" else "20.38.1900",
        bios=draw.pick([("2.1.6", 1.0), ("2.2.3", 1.0)]),
    )


def _racks(names: list[str], per_rack: int, draw: Stream) -> tuple[Rack, ...]:
    row = draw.pick([(r, 1.0) for r in "ABCD"])
    first = int(draw.between(1, 9))
    racks = []
    for number, start in enumerate(range(0, len(names), per_rack)):
        name = f"{row}{first + number:02d}"
        racks.append(
            Rack(
                name=name,
                cooler=f"CRAH-{row}{first + number:02d}",
                pdus=(f"pdu-{name.lower()}-a", f"pdu-{name.lower()}-b"),
                nodes=tuple(names[start : start + per_rack]),
            )
        )
    return tuple(racks)


def _node(
    name: str,
    index: int,
    rack: Rack,
    per_rack: int,
    profile: Profile,
    versions: Versions,
    draw: Stream,
) -> Node:
    slots = range(8) if profile.gpus_per_node == 8 else _SPARSE
    host = index + 11
    return Node(
        name=name,
        index=index,
        rack=rack.name,
        unit=3 + 10 * (index % per_rack),
        serial=f"S{_digits(draw, 3)}HG{_digits(draw, 6)}",
        host_ip=f"10.20.1.{host}",
        bond_ip=f"10.20.16.{host}",
        bond_mac=f"b8:3f:d2:{_hex(draw, 2)}:{_hex(draw, 2)}:{_hex(draw, 2)}",
        bmc=f"{name}-bmc",
        bmc_ip=f"10.20.240.{host}",
        fans=tuple(f"FAN{n}" for n in range(1, 11)),
        power_supplies=tuple(f"PSU{n}" for n in range(1, 7)),
        gpus=tuple(_gpu(name, i, slot, profile, draw) for i, slot in enumerate(slots)),
        hcas=tuple(_hca(name, index, i, slot, versions, draw) for i, slot in enumerate(slots)),
    )


def _gpu(node: str, index: int, slot: int, profile: Profile, draw: Stream) -> Gpu:
    parts = [_hex(draw, n) for n in (8, 4, 4, 4, 12)]
    half = profile.gpus_per_node // 2
    return Gpu(
        node=node,
        index=index,
        uuid="GPU-" + "-".join(parts),
        bus_id=f"00000000:{_GPU_BUS[slot]}:00.0",
        serial=f"165{_digits(draw, 10)}",
        vbios=_MODELS[profile.gpu_model.name][3],
        numa=0 if index < half else 1,
        warmth=round(draw.between(-2.0, 1.0) + (3.0 if index >= half else 0.0), 1),
        pace=round(draw.between(0.97, 1.0), 4),
    )


def _hca(node: str, place: int, rail: int, slot: int, versions: Versions, draw: Stream) -> Hca:
    """Leaves serve `UNIT` nodes; a node takes the same port on each of its leaves."""
    unit, port = divmod(place, UNIT)
    guid = f"a088c20300{_hex(draw, 6)}"
    rails = 8
    return Hca(
        node=node,
        index=rail,
        guid=guid,
        port_guid=guid,
        lid=100 + place * rails + rail,
        bus_id=f"0000:{_HCA_BUS[slot].lower()}:00.0",
        firmware=versions.hca_firmware,
        leaf=f"leaf{unit * rails + rail + 1:02d}",
        leaf_port=port + 1,
    )


def _switches(profile: Profile, draw: Stream) -> tuple[tuple[Switch, ...], tuple[Switch, ...]]:
    """One leaf for each rail of each unit, four spines for one unit and eight for two."""
    units = -(-profile.nodes // UNIT)
    rails = profile.gpus_per_node
    leaves = [
        Switch(f"leaf{u * 8 + r + 1:02d}", "leaf", f"fc6a1c0300{_hex(draw, 6)}", 2 + u * 8 + r, 64)
        for u in range(units)
        for r in range(rails)
    ]
    spines = [
        Switch(f"spine{s + 1:02d}", "spine", f"fc6a1c0300{_hex(draw, 6)}", 40 + s, 64)
        for s in range(4 * units)
    ]
    return tuple(leaves), tuple(spines)


def _cables(
    nodes: tuple[Node, ...],
    leaves: tuple[Switch, ...],
    spines: tuple[Switch, ...],
    draw: Stream,
) -> tuple[Cable, ...]:
    """Node to leaf, then leaf to spine: as many up as down, the same number to each spine."""
    cables = []
    for node in nodes:
        for hca in node.hcas:
            serial = f"MT{_digits(draw, 4)}FT{_digits(draw, 5)}"
            end = f"{hca.leaf}/{hca.leaf_port}"
            cables.append(Cable(hca.name, end, serial, "MFP7E10-N015", 15))
    down = min(len(nodes), UNIT)
    each = -(-down // len(spines))
    for number, leaf in enumerate(leaves):
        for place in range(each * len(spines)):
            serial = f"MT{_digits(draw, 4)}FS{_digits(draw, 5)}"
            spine = spines[place // each]
            port = number * each + place % each + 1
            cables.append(
                Cable(
                    f"{leaf.name}/{33 + place}", f"{spine.name}/{port}", serial, "MFP7E10-N030", 30
                )
            )
    return tuple(cables)


def _storage(draw: Stream) -> Storage:
    """Four object servers with five flash and three capacity targets each."""
    fsname = draw.pick([(f, 1.0) for f in _FILE_SYSTEMS])
    osts = []
    for server in range(4):
        for place in range(8):
            flash = place < 5
            number = server * 8 + place
            osts.append(
                Ost(
                    name=f"{fsname}-OST{number:04x}",
                    index=number,
                    oss=f"oss{server + 1:02d}",
                    pool="flash" if flash else "capacity",
                    device=f"md{120 + place}",
                    size_tib=110 if flash else 460,
                    used=round(draw.between(0.55, 0.66), 3),
                )
            )
    return Storage(
        fsname=fsname,
        mount=f"/lustre/{fsname}",
        mds="mds01",
        mds_ip="10.20.17.10",
        oss=tuple(f"oss{n:02d}" for n in range(1, 5)),
        oss_ips=tuple(f"10.20.17.{20 + n}" for n in range(1, 5)),
        osts=tuple(osts),
        nfs_server="nfs01",
        nfs_ip="10.20.17.40",
        nfs_export="/export/home",
        home="/home",
        vlan=210,
    )
