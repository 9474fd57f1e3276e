"""`ibstat`, `ibstatus`, `ibv_devinfo`, `ibdev2netdev`: the adapters of one host."""

from __future__ import annotations

from scenarios.troubleshooting.console.command import NODE, Call, Failed, joined
from scenarios.troubleshooting.console.fabric.ports import has_adapter
from scenarios.troubleshooting.console.options import NONE, ONE, Grammar
from scenarios.troubleshooting.console.site import Site
from scenarios.troubleshooting.plant import Hca, Plant
from scenarios.troubleshooting.texts.fabric_links import ibstat_of

MANAGER = "b83fd20300a1c0de"
"""GUID of the subnet manager's adapter."""
_IBSTAT = Grammar(
    "ibstat",
    "lspVhd",
    "",
    {
        "list_of_cas": ("l", NONE),
        "short": ("s", NONE),
        "port_list": ("p", NONE),
        "version": ("V", NONE),
        "help": ("h", NONE),
        "debug": ("d", NONE),
    },
    "Usage: ibstat [options] <ca_name> [portnum]",
    255,
)
_DEVINFO = Grammar(
    "ibv_devinfo",
    "lvh",
    "di",
    {
        "list": ("l", NONE),
        "verbose": ("v", NONE),
        "ib-dev": ("d", ONE),
        "ib-port": ("i", ONE),
        "help": ("h", NONE),
    },
    "Usage: ibv_devinfo             print the ca attributes",
)


def adapters(site: Site, host: str) -> tuple[Hca, ...]:
    """The adapters of a host; those of the login node and of ufm01 only ask, no job's data passes them."""
    if site.kind(host) == NODE:
        return site.nodes[host].hcas
    return (_single(site.incident.plant, host),) if has_adapter(site, host) else ()


def _single(plant: Plant, host: str) -> Hca:
    """The one adapter of a host that is no node. ufm01's LID is the one that ports name as their manager's."""
    lid, guid = (1, MANAGER) if host == "ufm01" else (90, "b83fd20300a1c11a")
    firmware = plant.versions.hca_firmware
    return Hca(host, 0, guid, guid, lid, "0000:3b:00.0", firmware, "", 0)


def ibstat(call: Call) -> str:
    asked = _IBSTAT.read(call.args)
    if asked.has("V"):
        return "ibstat BUILD VERSION: 39.0 Build date: Feb  1 2022 10:11:12\n"
    found = adapters(call.site, call.host)
    if asked.has("h"):
        return "Usage: ibstat [options] <ca_name> [portnum]\n"
    name = asked.rest[0] if asked.rest else None
    if name is not None and name not in [hca.device for hca in found]:
        raise Failed(
            f"ibpanic: [{_pid(call)}] main: stat of IB device '{name}' failed: No such file or directory",
            255,
        )
    if asked.has("l"):
        return joined([hca.device for hca in found])
    if asked.has("p"):
        return joined([f"0x{hca.port_guid}" for hca in found])
    rows: list[str] = []
    for hca in found:
        if name in (None, hca.device):
            lines = list(ibstat_of(call.site.incident.plant, hca))
            rows += lines[:7] if asked.has("s") else lines
    if len(asked.rest) > 1 and asked.rest[1] != "1":
        raise Failed(
            f"ibpanic: [{_pid(call)}] main: stat of IB device '{name}' failed: Invalid argument",
            255,
        )
    return joined(rows)


def _pid(call: Call) -> int:
    return 20_000 + len(call.args) * 917


def _speed(plant: Plant) -> str:
    return {200: "200 Gb/sec (4X HDR)", 400: "400 Gb/sec (4X NDR)"}[plant.port_gbps]


def ibstatus(call: Call) -> str:
    """One block for each port; `DEVICE[:PORT]` names some."""
    found = adapters(call.site, call.host)
    names = [word.partition(":")[0] for word in call.args if not word.startswith("-")]
    if not found:
        raise Failed(
            "Fatal error:  device '*': sys files not found (/sys/class/infiniband/*/ports)"
        )
    for name in names:
        if name not in [hca.device for hca in found]:
            raise Failed(
                f"Fatal error:  device '{name}': sys files not found (/sys/class/infiniband/{name}/ports)"
            )
    rows = []
    for hca in found:
        if names and hca.device not in names:
            continue
        gid = ":".join(hca.port_guid[at : at + 4] for at in range(0, 16, 4))
        rows += [
            f"Infiniband device '{hca.device}' port 1 status:",
            f"\tdefault gid:\t fe80:0000:0000:0000:{gid}",
            f"\tbase lid:\t 0x{hca.lid:x}",
            "\tsm lid:\t\t 0x1",
            "\tstate:\t\t 4: ACTIVE",
            "\tphys state:\t 5: LinkUp",
            f"\trate:\t\t {_speed(call.site.incident.plant)}",
            "\tlink_layer:\t InfiniBand",
            "",
        ]
    return joined(rows)


def ibv_devinfo(call: Call) -> str:
    asked = _DEVINFO.read(call.args)
    found = adapters(call.site, call.host)
    if not found:
        raise Failed("No IB devices found", 255)
    if asked.has("l"):
        return joined([f"{len(found)} HCAs found:", *(f"\t{hca.device}" for hca in found), ""])
    name = asked.get("d")
    if name is not None and name not in [hca.device for hca in found]:
        raise Failed(f"IB device '{name}' wasn't found", 255)
    wide = call.site.incident.plant.port_gbps >= 400
    rows = []
    for hca in found:
        if name in (None, hca.device):
            guid = ":".join(hca.guid[at : at + 4] for at in range(0, 16, 4))
            rows += [
                f"hca_id:\t{hca.device}",
                "\ttransport:\t\t\tInfiniBand (0)",
                f"\tfw_ver:\t\t\t\t{hca.firmware}",
                f"\tnode_guid:\t\t\t{guid}",
                f"\tsys_image_guid:\t\t\t{guid}",
                "\tvendor_id:\t\t\t0x02c9",
                f"\tvendor_part_id:\t\t\t{4129 if wide else 4123}",
                "\thw_ver:\t\t\t\t0x0",
                "\tphys_port_cnt:\t\t\t1",
                "\t\tport:\t1",
                "\t\t\tstate:\t\t\tPORT_ACTIVE (4)",
                "\t\t\tmax_mtu:\t\t4096 (5)",
                "\t\t\tactive_mtu:\t\t4096 (5)",
                "\t\t\tsm_lid:\t\t\t1",
                f"\t\t\tport_lid:\t\t{hca.lid}",
                "\t\t\tport_lmc:\t\t0x00",
                "\t\t\tlink_layer:\t\tInfiniBand",
                "",
            ]
    return joined(rows)


def ibdev2netdev(call: Call) -> str:
    return joined(
        [f"{h.device} port 1 ==> {h.netdev} (Up)" for h in adapters(call.site, call.host)]
    )


def mlxlink(call: Call) -> str:
    """Reads the adapter's registers, which takes root."""
    words = list(call.args)
    if "-d" not in words[:-1]:
        raise Failed("\n-E- Missing device name. Please specify a device using the -d flag\n")
    name = words[words.index("-d") + 1]
    if name in [hca.device for hca in adapters(call.site, call.host)] or not has_adapter(
        call.site, call.host
    ):
        raise Failed(
            f'\n-E- Failed to open device: "{name}". Permission denied. Run the command as root.\n'
        )
    raise Failed(f'\n-E- Failed to open device: "{name}". No such file or directory\n')
