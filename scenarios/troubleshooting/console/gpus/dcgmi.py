"""`dcgmi`: the host engine of one node. Live readings agree with nvidia-smi, profiling with the exporter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from scenarios.troubleshooting.calendar import SECOND
from scenarios.troubleshooting.console.command import NODE, Call, Failed, joined
from scenarios.troubleshooting.console.gpus.smi import ROUNDS
from scenarios.troubleshooting.console.options import MAYBE, NONE, ONE, Grammar, Options, whole
from scenarios.troubleshooting.console.reply import Reply
from scenarios.troubleshooting.console.site import Site, text
from scenarios.troubleshooting.plant import Node
from scenarios.troubleshooting.texts.smi_health import diag, health
from scenarios.troubleshooting.texts.smi_state import GpuNow, gpu_now, links_down

VERSION = "3.3.8"
_IN_USE = (
    "Error: Unable to complete diagnostic for group 2147483647. Return: (-38) The requested "
    "operation cannot be completed because the affected resource is in use.\n"
)
_HELP = """\
    Usage: dcgmi
       dcgmi subsystem
       dcgmi -v

Flags:
  -v       vv         Get DCGMI version information
           subsystem  The desired subsystem to be accessed.
  Subsystems Available:
  discovery   Used for discovering and identifying GPUs and their attributes.
  health      Health monitoring for GPUs.
  diag        System validation and diagnostics.
  dmon        Stats monitoring of GPUs.
  nvlink      Displays NvLink link statuses and error counts for GPUs.
"""


def dcgmi(call: Call) -> str | Reply:
    """The subsystem named first, on this host or on the one of `--host`."""
    name, args = (call.args[0], call.args[1:]) if call.args else ("", ())
    if name in ("-v", "--version"):
        return f"Version : {VERSION}\nBuild ID : 66\nBuild Type : Release\n\n"
    if name in ("", "-h", "--help"):
        return Reply(_HELP, "", 0 if name else 1)
    if name not in _SUBSYSTEMS:
        raise Failed(
            f"PARSE ERROR: Argument: {name}\n             Couldn't find match for argument", 255
        )
    grammar, run = _SUBSYSTEMS[name]
    asked = grammar.read(args)
    host = asked.get("host") or call.host
    host = call.host if host in ("localhost", "127.0.0.1") else host.partition(":")[0]
    if call.site.kind(host) != NODE:
        raise Failed(
            "",
            255,
            "Error: unable to establish a connection to the specified host: "
            f"{asked.get('host') or 'localhost'}\n"
            "Error: Unable to connect to host engine. Host engine connection invalid/disconnected.\n",
        )
    return run(call.site, call.site.nodes[host], asked)


def _discovery(site: Site, node: Node, asked: Options) -> str:
    """`-l`: GPUs with name, bus id and UUID; the switches of the tray are named by the fabric manager."""
    if not asked.has("l"):
        raise Failed("PARSE ERROR:\n             One of the arguments -l, -c must be given", 255)
    rule = f"+{'-' * 8}+{'-' * 70}+"
    rows = [f"{len(node.gpus)} GPUs found.", rule, f"| GPU ID | {'Device Information':<69}|", rule]
    for gpu in node.gpus:
        facts = (
            f"Name: {site.incident.plant.gpu_product}",
            f"PCI Bus ID: {gpu.bus_id}",
            f"Device UUID: {gpu.uuid}",
        )
        for number, fact in enumerate(facts):
            rows.append(f"| {gpu.index if number == 0 else '':<7}| {fact:<69}|")
        rows.append(rule)
    switch = "+-----------+"
    found = 4 if len(node.gpus) == 8 else 0
    rows += [f"{found} NvSwitches found.", switch, "| Switch ID |", switch]
    rows += [f"| {number + len(node.gpus):<10}|" for number in range(found)]
    return joined([*rows, switch] if found else rows)


def _health(site: Site, node: Node, asked: Options) -> str:
    if asked.has("f"):
        return "Health monitor systems report\n" + joined(
            [
                f"{name:<16}: On"
                for name in ("PCIe", "NVLINK", "Memory", "InfoROM", "Thermal", "Power")
            ]
        )
    if asked.has("s"):
        return "Error: Unable to set health watches for group 0. Return: Insufficient permissions\n"
    if not asked.has("c"):
        raise Failed(
            "PARSE ERROR:\n             One of the arguments -c, -f, -s must be given", 255
        )
    return text(health(site.incident, node, site.looked_ms))


def _diag(site: Site, node: Node, asked: Options) -> str | Reply:
    """Level 1 looks at the deployment alone; anything above needs GPUs that nobody uses."""
    level = {"short": 1, "medium": 2, "long": 3}.get(asked.get("r") or "", whole(asked.get("r"), 0))
    if not 1 <= level <= 4:
        raise Failed("", 255, "Error: 'requested' is not a valid test name or run level.\n")
    busy = any(gpu_now(site.incident, gpu, site.looked_ms).job for gpu in node.gpus)
    if level > 1 and busy:
        return Reply(_IN_USE, "", 218)
    # The prolog of the slow job ran the same test a few seconds before the job.
    return text(diag(site.incident, node, site.looked_ms, min(level, 2)))


@dataclass(frozen=True, slots=True)
class _Field:
    """A field of `dmon`: its heading and unit, and the reading."""

    name: str
    unit: str
    read: Callable[[GpuNow], object]


def _number(read: Callable[[GpuNow], float]) -> Callable[[GpuNow], object]:
    return lambda now: f"{read(now):.3f}"


_FIELDS: dict[int, _Field] = {
    100: _Field("SMCLK", "", lambda n: n.sm_mhz),
    101: _Field("MMCLK", "", lambda n: n.memory_mhz),
    112: _Field("DVCCTR", "", lambda n: n.reasons),
    140: _Field("MMTMP", "C", lambda n: n.memory_c),
    150: _Field("TMPTR", "C", lambda n: n.core_c),
    155: _Field("POWER", "W", _number(lambda n: n.watts)),
    160: _Field("PMLMT", "W", _number(lambda n: n.limit_w)),
    202: _Field("PCRPL", "", lambda n: n.replays),
    203: _Field("GPUTL", "", lambda n: n.util),
    204: _Field("MCUTL", "", lambda n: n.memory_util),
    237: _Field("PCIGN", "", lambda n: n.pcie_gen),
    238: _Field("PCIWD", "", lambda n: n.pcie_width),
    250: _Field("FBTTL", "MB", lambda n: n.total_mib),
    251: _Field("FBFRE", "MB", lambda n: n.free_mib),
    252: _Field("FBUSD", "MB", lambda n: n.used_mib),
    253: _Field("FBRSV", "MB", lambda n: n.reserved_mib),
    310: _Field("SBVTL", "", lambda n: 0),
    311: _Field("DBVTL", "", lambda n: 0),
    312: _Field("SBATL", "", lambda n: n.corrected),
    313: _Field("DBATL", "", lambda n: n.remapped),
    393: _Field("URMPS", "", lambda n: n.remapped),
    394: _Field("CRMPS", "", lambda n: 0),
    395: _Field("RRMPF", "", lambda n: 0),
}
_SCRAPED: dict[int, tuple[str, str, str]] = {
    156: ("TOTEC", "mJ", "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION"),
    230: ("XIDER", "", "DCGM_FI_DEV_XID_ERRORS"),
    449: ("NBWLT", "", "DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL"),
    1001: ("GRACT", "", "DCGM_FI_PROF_GR_ENGINE_ACTIVE"),
    1004: ("TENSO", "", "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE"),
    1005: ("DRAMA", "", "DCGM_FI_PROF_DRAM_ACTIVE"),
    1009: ("PCITX", "", "DCGM_FI_PROF_PCIE_TX_BYTES"),
    1010: ("PCIRX", "", "DCGM_FI_PROF_PCIE_RX_BYTES"),
}
"""Fields of which the exporter's last scrape is told: heading, unit, metric."""
_Share = Callable[[float, float], float]
_MULTIPROCESSORS: dict[int, tuple[str, str, _Share]] = {
    1002: ("SMACT", "", lambda graphics, tensor: min(graphics, 0.12 * graphics + 1.65 * tensor)),
    1003: ("SMOCC", "", lambda graphics, tensor: 0.03 * graphics + 0.42 * tensor),
    1006: ("FP64A", "", lambda graphics, tensor: 0.0),
    1007: ("FP32A", "", lambda graphics, tensor: 0.11 * tensor),
    1008: ("FP16A", "", lambda graphics, tensor: 0.02 * tensor),
}
"""Profiling fields that the exporter does not scrape, from those that it does: a collective keeps few
multiprocessors busy, matrix products most of them at low occupancy."""
_WIDTH = 14


def _dmon(site: Site, node: Node, asked: Options) -> str:
    """`-e FIELDS [-c N] [-d MS] [-i GPUS]`; `-l` lists the fields."""
    if asked.has("l"):
        return _listed()
    fields = _asked_fields(asked.get("e"))
    count = whole(asked.get("c"), ROUNDS, 1, 120)
    every = whole(asked.get("d"), SECOND, 100, 60_000)
    chosen = [whole(part, -1) for part in (asked.get("i") or "").split(",") if part]
    if any(not 0 <= index < len(node.gpus) for index in chosen):
        raise Failed(
            "",
            255,
            "Error: Unable to add GPU to the group. Return: Bad parameter passed to function.\n",
        )
    heads = [_head(field) for field in fields]
    rows = ["#Entity   " + "".join(f"{name:<{_WIDTH}}" for name, _ in heads)]
    rows.append("ID        " + "".join(f"{unit:<{_WIDTH}}" for _, unit in heads))
    for number in range(count):
        at = site.looked_ms + number * every
        for gpu in node.gpus:
            if not chosen or gpu.index in chosen:
                cells = [_cell(site, gpu_now(site.incident, gpu, at), field) for field in fields]
                rows.append(f"GPU {gpu.index:<6}" + "".join(f"{cell:<{_WIDTH}}" for cell in cells))
    return joined(rows)


def _asked_fields(words: str | None) -> list[int]:
    if not words:
        raise Failed("", 255, "Error: The field Ids provided are invalid\n")
    found = [whole(word.strip(), -1) for word in words.split(",")]
    known = {*_FIELDS, *_SCRAPED, *_MULTIPROCESSORS}
    unknown = [field for field in found if field not in known]
    if unknown:
        raise Failed("", 255, "Error: The field Ids provided are invalid\n")
    return found


def _head(field: int) -> tuple[str, str]:
    if field in _FIELDS:
        return _FIELDS[field].name, _FIELDS[field].unit
    return (_SCRAPED.get(field) or _MULTIPROCESSORS[field])[:2]


def _cell(site: Site, now: GpuNow, field: int) -> str:
    if field in _FIELDS:
        return str(_FIELDS[field].read(now))
    if field in _MULTIPROCESSORS:
        return f"{_MULTIPROCESSORS[field][2](_scraped(site, now, 1001), _scraped(site, now, 1004)):.3f}"
    value = _scraped(site, now, field)
    return f"{value:.3f}" if field in (1001, 1004, 1005) else f"{value:.0f}"


def _scraped(site: Site, now: GpuNow, field: int) -> float:
    name = _SCRAPED[field][2]
    return site.readings(now.gpu.node).at(name, now.at_ms, gpu=str(now.gpu.index))


def _listed() -> str:
    found = {
        number: _head(number)[0] for number in sorted((*_FIELDS, *_SCRAPED, *_MULTIPROCESSORS))
    }
    rows = [f"{'Short Name':<14}{'Field ID':>8}"]
    return joined([*rows, *(f"{name:<14}{number:>8}" for number, name in found.items())])


def _nvlink(site: Site, node: Node, asked: Options) -> str:
    if asked.has("s"):
        return _link_states(site, node)
    if not asked.has("e"):
        raise Failed("PARSE ERROR:\n             One of the arguments -e, -s must be given", 255)
    ids = asked.get("g")
    chosen = [gpu for gpu in node.gpus if ids is None or str(gpu.index) == ids]
    if not chosen:
        raise Failed(
            "",
            255,
            "Error: Unable to get GPU NvLink error codes. Return: Bad parameter passed to function.\n",
        )
    rule, rows = f"+{'-' * 61}+", []
    for gpu in chosen:
        rows += [rule, f"| GPU ID: {gpu.index:<2}| {'NVLINK Error Counts':<48}|", rule]
        down = links_down(site.incident, gpu, site.looked_ms)
        for link in range(site.incident.plant.nvlinks):
            if link not in down:
                for kind in ("CRC FLIT", "CRC Data", "Replay", "Recovery"):
                    rows.append(f"|Link {link:<6}| {kind + ' Error':<17}| {0:<29}|")
        rows.append(rule)
    return joined(rows)


def _link_states(site: Site, node: Node) -> str:
    rows = [
        "+----------------------+",
        "|  NvLink Link Status  |",
        "+----------------------+",
        "GPUs:",
    ]
    for gpu in node.gpus:
        down = links_down(site.incident, gpu, site.looked_ms)
        signs = ("D" if link in down else "U" for link in range(site.incident.plant.nvlinks))
        rows += [f"    gpuId {gpu.index}:", f"        {' '.join(signs)}"]
    return joined([*rows, "", "Key: Up=U, Down=D, Disabled=X, Not Supported=_"])


_HOST = {"host": ("host", ONE)}
_SUBSYSTEMS: dict[str, tuple[Grammar, Callable[[Site, Node, Options], str | Reply]]] = {
    "discovery": (
        Grammar("dcgmi", "lcv", "gi", _HOST | {"list": ("l", NONE)}, code=255),
        _discovery,
    ),
    "health": (
        Grammar(
            "dcgmi",
            "cfj",
            "gs",
            _HOST
            | {
                "check": ("c", NONE),
                "fetch": ("f", NONE),
                "group": ("g", ONE),
                "set": ("s", ONE),
                "json": ("j", NONE),
            },
            code=255,
        ),
        _health,
    ),
    "diag": (
        Grammar(
            "dcgmi", "vj", "rgip", _HOST | {"run": ("r", ONE), "verbose": ("v", MAYBE)}, code=255
        ),
        _diag,
    ),
    "dmon": (
        Grammar(
            "dcgmi",
            "l",
            "ecdigf",
            _HOST
            | {
                "field-id": ("e", ONE),
                "count": ("c", ONE),
                "delay": ("d", ONE),
                "gpu-id": ("i", ONE),
                "list": ("l", NONE),
            },
            code=255,
        ),
        _dmon,
    ),
    "nvlink": (
        Grammar(
            "dcgmi",
            "es",
            "g",
            _HOST | {"errors": ("e", NONE), "link-status": ("s", NONE), "gpuid": ("g", ONE)},
            code=255,
        ),
        _nvlink,
    ),
}
