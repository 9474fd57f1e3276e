"""`nvidia-smi`: reads its options the way the tool does and asks the texts for the answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from scenarios.troubleshooting.calendar import SECOND
from scenarios.troubleshooting.console.command import NODE, Call, Failed, joined
from scenarios.troubleshooting.console.options import whole
from scenarios.troubleshooting.console.reply import Reply
from scenarios.troubleshooting.console.site import Site, text
from scenarios.troubleshooting.plant import Gpu, Node
from scenarios.troubleshooting.texts.lines import Line
from scenarios.troubleshooting.texts.smi_csv import (
    BAD_FIELD,
    NO_DEVICES,
    UnknownField,
    known_fields,
    query_apps,
    query_gpu,
)
from scenarios.troubleshooting.texts.smi_live import UnknownGroup, dmon, pmon
from scenarios.troubleshooting.texts.smi_query import SECTIONS, query
from scenarios.troubleshooting.texts.smi_state import driver
from scenarios.troubleshooting.texts.smi_table import INVALID, listed, table
from scenarios.troubleshooting.texts.topo import nvlink_errors, nvlink_status, topo

ROUNDS = 10
"""What runs until it is stopped elsewhere stops here after so many rounds."""
NO_DRIVER = (
    "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that "
    "the latest NVIDIA driver is installed and running.\n"
)
_CODES = {"no device": 6, "permission": 4, "no driver": 9}
_HELP = """\
NVIDIA System Management Interface -- v{version}

NVSMI provides monitoring information for Tesla and select Quadro devices.

nvidia-smi [OPTION1 [ARG1]] [OPTION2 [ARG2]] ...

    -h,   --help                Print usage information and exit.
          --version             Print version information and exit.
    -L,   --list-gpus           Display a list of GPUs connected to the system.
    -q,   --query               Display GPU or Unit info.
    -i,   --id=                 Target a specific GPU.
    -d,   --display=            Display only selected information: MEMORY,
                                    UTILIZATION, ECC, TEMPERATURE, POWER, CLOCK, ...
    -l,   --loop=               Probe until Ctrl+C at specified second interval.
          --query-gpu=          Information about GPU. --help-query-gpu for more info.
          --query-compute-apps= List of currently active compute processes.
          --format=             Comma separated list of format options: csv,
                                    noheader, nounits
    dmon                        Displays device stats in scrolling format.
    pmon                        Displays process stats in scrolling format.
    topo                        Displays device/system topology.
    nvlink                      Displays device nvlink information.
    mig                         Provides controls for MIG management.
"""
_CHANGES = tuple(
    (
        "-pm --persistence-mode -pl --power-limit -lgc --lock-gpu-clocks -rgc --reset-gpu-clocks -lmc "
        "--lock-memory-clocks -rmc -ac --applications-clocks -rac --reset-applications-clocks -r "
        "--gpu-reset -e --ecc-config -p --reset-ecc-errors -c --compute-mode -mig "
        "--multi-instance-gpu -am"
    ).split()
)
"""Options that would change a GPU."""
_WITHOUT_VALUE = ("-rgc", "--reset-gpu-clocks", "-rmc", "-rac", "-r", "--gpu-reset")
_TARGETS = {
    "-pl": "power management limit",
    "--power-limit": "power management limit",
    "-lgc": "locked GPU clocks",
    "--lock-gpu-clocks": "locked GPU clocks",
    "-ac": "applications clocks",
    "--applications-clocks": "applications clocks",
    "-pm": "persistence mode",
    "--persistence-mode": "persistence mode",
}


def nvidia_smi(call: Call) -> str | Reply:
    """Every form of the tool; on a host without GPUs it says that there is no driver."""
    if call.site.kind(call.host) != NODE:
        return Reply(NO_DRIVER, "", _CODES["no driver"])
    node = call.site.nodes[call.host]
    if call.args and call.args[0] in _PARTS:
        return _PARTS[call.args[0]](call.site, node, call.args[1:])
    return _whole(call.site, node, _read(call.args))


@dataclass(slots=True)
class _Asked:
    """Options by their short name, with values; `""` for one without."""

    options: dict[str, str] = field(default_factory=dict)

    def get(self, name: str) -> str | None:
        return self.options.get(name)


_LONG = {
    "--help": "-h",
    "--list-gpus": "-L",
    "--query": "-q",
    "--id": "-i",
    "--display": "-d",
    "--loop": "-l",
    "--loop-ms": "-lms",
    "--unit": "-u",
    "--filename": "-f",
    "--xml-format": "-x",
    "--list-excluded-gpus": "-B",
}
_TAKES = ("-i", "-d", "-l", "-lms", "-f", "--format", "--query-gpu", "--query-compute-apps")
_FLAGS = ("-h", "-L", "-q", "-B", "--version", "--help-query-gpu", "--help-query-compute-apps")


def _read(args: tuple[str, ...]) -> _Asked:
    """Raises Failed: what the tool does not know makes the whole call invalid."""
    found, words = _Asked(), iter(args)
    for word in words:
        name, sign, value = word.partition("=")
        name = _LONG.get(name, name)
        if name in _CHANGES:
            found.options["change"] = name
            if not sign and name not in _WITHOUT_VALUE:
                next(words, None)
        elif name in _TAKES:
            given = value if sign else next(words, None) if not name.startswith("--") else None
            if given is None:
                raise Failed("", 1, f"{INVALID}\n\n")
            found.options[name] = given
        elif name in _FLAGS and not sign:
            found.options[name] = ""
        else:
            raise Failed("", 1, f"{INVALID}\n\n")
    return found


def _whole(site: Site, node: Node, asked: _Asked) -> str | Reply:
    """The tool without a word for one of its parts."""
    version, _ = driver(site.incident, node.name, site.looked_ms)
    cuda = site.incident.plant.versions.cuda
    if asked.get("-h") is not None:
        return _HELP.format(version=version)
    if asked.get("--version") is not None:
        nvml = version.rsplit(".", 1)[0] if version.count(".") > 1 else version
        return joined(
            [
                f"NVIDIA-SMI version  : {version}",
                f"NVML version        : {nvml}",
                f"DRIVER version      : {version}",
                f"CUDA Version        : {cuda}",
            ]
        )
    if asked.get("--help-query-gpu") is not None:
        return _fields_help()
    chosen = choose(node, asked.get("-i"))
    if "change" in asked.options:
        return _refused(chosen, asked.options["change"])
    if asked.get("-B") is not None:
        return "No excluded devices found.\n"
    show = _shown(site, node, asked, chosen)
    every = whole(asked.get("-l"), 5, 1, 3_600) * SECOND
    rounds = ROUNDS if asked.get("-l") is not None or asked.get("-lms") is not None else 1
    return "".join(show(site.looked_ms + number * every) for number in range(rounds))


def _shown(site: Site, node: Node, asked: _Asked, chosen: list[Gpu]) -> Callable[[int], str]:
    """What the options ask for, as a function of the instant."""
    incident, indices = site.incident, [gpu.index for gpu in chosen]
    fields, apps = asked.get("--query-gpu"), asked.get("--query-compute-apps")
    if asked.get("-L") is not None:
        return lambda at: text(listed(incident, node, at)[i] for i in indices)
    if fields is not None or apps is not None:
        header, units = _format(asked.get("--format"))
        names = [name.strip() for name in (fields or apps or "").split(",")]
        if fields is not None:
            return lambda at: _table(
                lambda: query_gpu(
                    incident, node, at, names, indices=indices, header=header, units=units
                )
            )
        return lambda at: _table(
            lambda: query_apps(
                incident, node, at, names, indices=indices, header=header, units=units
            )
        )
    if asked.get("-q") is not None:
        sections = _sections(asked.get("-d"))
        return lambda at: text(query(incident, node, at, indices, sections))
    if asked.get("-d") is not None or asked.get("--format") is not None:
        raise Failed("", 1, f"{INVALID}\n\n")
    return lambda at: text(table(incident, node, at, indices))


def choose(node: Node, ids: str | None) -> list[Gpu]:
    """GPUs by index, UUID, serial or bus id, several with commas between. Raises Failed."""
    if ids is None:
        return list(node.gpus)
    found = []
    for one in ids.split(","):
        known = [gpu for gpu in node.gpus if _is(gpu, one.strip())]
        if not known:
            raise Failed("", _CODES["no device"], f"{NO_DEVICES}\n")
        found += known
    return sorted(set(found), key=lambda gpu: gpu.index)


def _is(gpu: Gpu, name: str) -> bool:
    bus = gpu.bus_id.lower()
    known = (str(gpu.index), gpu.uuid.lower(), gpu.serial, bus, bus[4:], bus[9:])
    return bool(name) and name.lower() in known


def _format(words: str | None) -> tuple[bool, bool]:
    """(with a heading, with units). Raises Failed."""
    if words is None:
        raise Failed(
            "", 1, "\"--format=\" switch is missing. Please run 'nvidia-smi -h' for help.\n\n"
        )
    found = [word.strip() for word in words.split(",")]
    if "csv" not in found or set(found) - {"csv", "noheader", "nounits"}:
        raise Failed("", 1, f"{INVALID}\n\n")
    return "noheader" not in found, "nounits" not in found


def _table(ask: Callable[[], tuple[Line, ...]]) -> str:
    try:
        return text(ask())
    except UnknownField as unknown:
        raise Failed("", BAD_FIELD, f"{unknown}\n\n") from None


def _sections(words: str | None) -> list[str]:
    found = [word.strip().upper() for word in words.split(",")] if words is not None else []
    if any(word not in SECTIONS for word in found):
        raise Failed("", 1, f"{INVALID}\n\n")
    return found


def _refused(chosen: list[Gpu], option: str) -> Reply:
    """The account may look and nothing else."""
    what = _TARGETS.get(option)
    said = [
        f"Unable to set {what} for GPU {gpu.bus_id}: Insufficient Permissions"
        if what
        else f"Insufficient Permissions for GPU {gpu.bus_id}."
        for gpu in chosen[:1]
    ]
    return Reply(
        joined([*said, "Terminating early due to previous errors."]), "", _CODES["permission"]
    )


def _fields_help() -> str:
    rows = ['List of valid properties to query for the switch "--query-gpu=":', ""]
    for name in known_fields():
        rows += [f'"{name}"', ""]
    return joined(rows)


def _letters(args: tuple[str, ...], takes: str) -> dict[str, str]:
    """Options of a part of the tool: one letter each, all of them with a value. Raises Failed."""
    found, words = {}, iter(args)
    for word in words:
        if len(word) != 2 or word[0] != "-" or word[1] not in takes:
            raise Failed("", 1, f"{INVALID}\n\n")
        value = next(words, None)
        if value is None:
            raise Failed("", 1, f"{INVALID}\n\n")
        found[word[1]] = value
    return found


def _dmon(site: Site, node: Node, args: tuple[str, ...]) -> str:
    asked = _letters(args, "iscdog")
    chosen = [gpu.index for gpu in choose(node, asked.get("i"))]
    count = whole(asked.get("c"), ROUNDS, 1, 120)
    try:
        lines = dmon(
            site.incident, node, site.looked_ms, count, asked.get("s", "puc"), indices=chosen
        )
    except UnknownGroup as unknown:
        raise Failed("", 1, f"{unknown}\n\n") from None
    return text(lines)


def _pmon(site: Site, node: Node, args: tuple[str, ...]) -> str:
    asked = _letters(args, "iscdo")
    chosen = [gpu.index for gpu in choose(node, asked.get("i"))]
    count = whole(asked.get("c"), ROUNDS, 1, 120)
    return text(pmon(site.incident, node, site.looked_ms, count, indices=chosen))


def _topo(site: Site, node: Node, args: tuple[str, ...]) -> str:
    if args not in (("-m",), ("--matrix",)):
        raise Failed("", 1, f"{INVALID}\n\n")
    return text(topo(site.incident, node, site.looked_ms))


def _nvlink(site: Site, node: Node, args: tuple[str, ...]) -> str:
    """`-s`, `-e`, `--status`, `--errorcounters`, each with `-i`."""
    makers = {"-s": nvlink_status, "--status": nvlink_status}
    makers |= {"-e": nvlink_errors, "--errorcounters": nvlink_errors}
    words, make, ids = iter(args), None, None
    for word in words:
        if word in makers:
            make = makers[word]
        elif word in ("-i", "--id"):
            ids = next(words, "")
        elif word.startswith("--id="):
            ids = word[5:]
        else:
            raise Failed("", 1, f"{INVALID}\n\n")
    if make is None:
        raise Failed("", 1, f"{INVALID}\n\n")
    chosen = [gpu.index for gpu in choose(node, ids)]
    return text(make(site.incident, node, site.looked_ms, indices=chosen))


def _mig(site: Site, node: Node, args: tuple[str, ...]) -> Reply:
    return Reply("No MIG-enabled devices found.\n", "", _CODES["no device"])


_PARTS: dict[str, Callable[[Site, Node, tuple[str, ...]], str | Reply]] = {
    "dmon": _dmon,
    "pmon": _pmon,
    "topo": _topo,
    "nvlink": _nvlink,
    "mig": _mig,
}
