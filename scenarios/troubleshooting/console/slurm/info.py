"""`sinfo`: partitions and nodes, grouped by what the columns tell apart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from scenarios.troubleshooting.console.command import Call, Failed, joined
from scenarios.troubleshooting.console.options import NONE, ONE, Grammar, Options
from scenarios.troubleshooting.console.site import Site
from scenarios.troubleshooting.console.slurm.control import nodes_text
from scenarios.troubleshooting.console.slurm.words import (
    Column,
    Reader,
    coded,
    heading,
    known_hosts,
    named,
    row,
)
from scenarios.troubleshooting.jobs import CPUS_PER_GPU, MEMORY_PER_GPU_MIB
from scenarios.troubleshooting.plant import CORES_PER_SOCKET, NODE_MEMORY_MIB, SOCKETS, THREADS
from scenarios.troubleshooting.texts.slurm_nodes import taken
from scenarios.troubleshooting.texts.slurm_words import gpu_type, hostlist

GRAMMAR = Grammar(
    "sinfo",
    "adehlNrRsTvV",
    "iMnoOpSt",
    {
        "all": ("a", NONE),
        "dead": ("d", NONE),
        "exact": ("e", NONE),
        "noheader": ("h", NONE),
        "iterate": ("i", ONE),
        "long": ("l", NONE),
        "clusters": ("M", ONE),
        "nodes": ("n", ONE),
        "Node": ("N", NONE),
        "format": ("o", ONE),
        "Format": ("O", ONE),
        "partition": ("p", ONE),
        "responding": ("r", NONE),
        "list-reasons": ("R", NONE),
        "summarize": ("s", NONE),
        "sort": ("S", ONE),
        "states": ("t", ONE),
        "reservation": ("T", NONE),
        "verbose": ("v", NONE),
        "version": ("V", NONE),
        "help": ("help", NONE),
        "usage": ("help", NONE),
    },
    'Try "sinfo --help" for more information',
)
_DEFAULT = "%9P %.5a %.10l %.6D %.6t %N"
_NODES = "%20N %.6D %.9P %6t"
_NODES_LONG = "%20N %.6D %.9P %.11T %4c %.8z %.7m %.8d %.6w %.8f %20E"
_LONG = "%9P %.5a %.10l %.10s %.4r %.8h %.10g %.6D %.11T %N"
_REASONS = "%20E %9u %19H %N"
_SUMMARY = "%9P %.5a %.10l %.16F %N"
_PARTITIONS = (("train", "*"), ("dev", ""))
_STATES = {"idle": "idle", "mix": "mixed", "alloc": "allocated"}
_ORDER = ("mix", "alloc", "idle")
_KNOWN = tuple(
    (
        "alloc allocated all comp completing down drain drained draining fail futr future idle maint "
        "mix mixed no_respond npc perfctrs plnd planned power_down powering_down powered_down "
        "powering_up reboot resv reserved unk unknown"
    ).split()
)


@dataclass(frozen=True, slots=True)
class _Own:
    """One node as the controller knows it."""

    name: str
    gpus: int
    state: str
    load: str
    free: str


@dataclass(frozen=True, slots=True)
class _Group:
    """Nodes of one partition that a row tells of together."""

    partition: str
    mark: str
    nodes: tuple[_Own, ...]


def sinfo(call: Call) -> str:
    asked, site = GRAMMAR.read(call.args), call.site
    if asked.has("V"):
        return f"slurm {site.incident.plant.versions.slurm}\n"
    if asked.has("help"):
        return (
            "Usage: sinfo [-abdelNRrsTv] [-i seconds] [-t states] [-p partition] [-n nodes]\n"
            + ("             [-S fields] [-o format] [-O Format]\n")
        )
    form = _form(asked)
    known = _readers(site)
    if asked.get("O"):
        before, columns = "", named("sinfo", asked.get("O") or "", _words(known))
    else:
        before, columns = coded(asked.get("o") or form, known)
    rows = [
        row(columns, [c.read(g) for c in columns], before) for g in _groups(site, asked, columns)
    ]
    heads = [] if asked.has("h") else [heading(columns, before)]
    if asked.has("l") and not asked.has("h"):
        heads.insert(0, f"{site.incident.calendar.local(site.now_ms):%a %b %d %H:%M:%S %Y}")
    # No node is drained or down, so nothing has a reason.
    return joined(heads if asked.has("R", "d") else [*heads, *rows])


def _form(asked: Options) -> str:
    if asked.has("R"):
        return _REASONS
    if asked.has("s"):
        return _SUMMARY
    if asked.has("N"):
        return _NODES_LONG if asked.has("l") else _NODES
    return _LONG if asked.has("l") else _DEFAULT


def _nodes(site: Site) -> list[_Own]:
    used, whole = taken(site.incident, site.now_ms), site.incident.plant.gpus_per_node
    blocks = site.kept("scontrol show node", lambda: nodes_text(site))
    found = []
    for name, gpus in used.items():
        state = "idle" if not gpus else "alloc" if len(gpus) == whole else "mix"
        words = dict(word.partition("=")[::2] for word in blocks[name].split())
        found.append(_Own(name, len(gpus), state, words["CPULoad"], words["FreeMem"]))
    return found


def _groups(site: Site, asked: Options, columns: list[Column]) -> list[_Group]:
    """Rows of the output: one for each node with `-N`, else as few as the columns tell apart."""
    nodes = _nodes(site)
    if asked.has("n"):
        names = known_hosts(site, "sinfo", asked.get("n") or "")
        nodes = [node for node in nodes if node.name in names]
    if asked.has("t"):
        nodes = [node for node in nodes if node.state in _wanted(asked.get("t") or "")]
    chosen = (asked.get("p") or "").split(",") if asked.has("p") else None
    parts = [pair for pair in _PARTITIONS if chosen is None or pair[0] in chosen]
    if asked.has("N"):
        return [_Group(name, mark, (node,)) for node in nodes for name, mark in parts]
    found = []
    for name, mark in parts:
        rows: dict[tuple[str, ...], list[_Own]] = {}
        ordered = sorted(nodes, key=lambda node: _ORDER.index(node.state))
        for node in ordered:
            one = _Group(name, mark, (node,))
            told = tuple(c.read(one) for c in columns if c.head not in _SHARED)
            rows.setdefault(told, []).append(node)
        found += [
            _Group(name, mark, tuple(sorted(own, key=lambda n: n.name))) for own in rows.values()
        ]
        if not rows and chosen is not None and not asked.has("n", "t"):
            found.append(_Group(name, mark, ()))
    return found


_SHARED = (
    "NODES",
    "NODELIST",
    "NODES(A/I/O/T)",
    "NODES(A/I)",
    "CPUS(A/I/O/T)",
    "CPU_LOAD",
    "FREE_MEM",
    "ALLOCMEM",
    "GRES_USED",
)
"""Headings of columns that do not tell nodes apart."""


def _wanted(text: str) -> set[str]:
    found = set()
    for word in text.lower().split(","):
        plain = word.strip().rstrip("*~#%$@^")
        if plain not in _KNOWN:
            raise Failed(f'sinfo: error: Bad state string: "{word}"')
        found |= (
            set(_STATES)
            if plain == "all"
            else {plain, plain.removesuffix("ated").removesuffix("ed")}
        )
    return found


def _each(read: Callable[[_Own], str]) -> Callable[[_Group], str]:
    """What all nodes of a row share; a plus where they differ."""

    def shared(group: _Group) -> str:
        found = sorted({read(node) for node in group.nodes})
        return found[0] if len(found) == 1 else f"{found[0]}+" if found else "n/a"

    return shared


def _counts(group: _Group, size: int) -> str:
    """allocated/idle/other/total, counted in nodes (size 1) or CPUs."""
    if size == 1:
        given = sum(node.state != "idle" for node in group.nodes)
    else:
        given = sum(node.gpus * CPUS_PER_GPU for node in group.nodes)
    whole = len(group.nodes) * size
    return f"{given}/{whole - given}/0/{whole}"


def _readers(site: Site) -> dict[str, tuple[str, Reader]]:
    plant = site.incident.plant
    kind = gpu_type(plant)
    gres = f"gpu:{kind}:{plant.gpus_per_node}(S:0-1)"
    found: dict[str, tuple[str, Callable[[_Group], str]]] = {
        "P": ("PARTITION", lambda g: f"{g.partition}{g.mark}"), "R": ("PARTITION", lambda g: g.partition),
        "a": ("AVAIL", lambda g: "up"), "l": ("TIMELIMIT", lambda g: "2-00:00:00"),
        "L": ("DEFAULTTIME", lambda g: "04:00:00" if g.mark else "01:00:00"),
        "D": ("NODES", lambda g: str(len(g.nodes))), "t": ("STATE", _each(lambda n: n.state)),
        "T": ("STATE", _each(lambda n: _STATES[n.state])),
        "N": ("NODELIST", lambda g: hostlist([n.name for n in g.nodes])),
        "n": ("HOSTNAMES", _each(lambda n: n.name)), "o": ("NODE_ADDR", _each(lambda n: n.name)),
        "c": ("CPUS", lambda g: str(THREADS)), "C": ("CPUS(A/I/O/T)", lambda g: _counts(g, THREADS)),
        "X": ("SOCKETS", lambda g: str(SOCKETS)), "Y": ("CORES", lambda g: str(CORES_PER_SOCKET)),
        "Z": ("THREADS", lambda g: "2"), "z": ("S:C:T", lambda g: f"{SOCKETS}:{CORES_PER_SOCKET}:2"),
        "m": ("MEMORY", lambda g: str(NODE_MEMORY_MIB)), "e": ("FREE_MEM", _each(lambda n: n.free)),
        "d": ("TMP_DISK", lambda g: "28000000"), "w": ("WEIGHT", lambda g: "1"),
        "f": ("AVAIL_FEATURES", lambda g: f"{kind},ib"), "b": ("ACTIVE_FEATURES", lambda g: f"{kind},ib"),
        "G": ("GRES", lambda g: gres), "O": ("CPU_LOAD", _each(lambda n: n.load)),
        "E": ("REASON", lambda g: "none"), "H": ("TIMESTAMP", lambda g: "Unknown"),
        "u": ("USER", lambda g: "Unknown"), "U": ("USER", lambda g: "Unknown"),
        "F": ("NODES(A/I/O/T)", lambda g: _counts(g, 1)),
        "A": ("NODES(A/I)", lambda g: "/".join(_counts(g, 1).split("/")[:2])),
        "g": ("GROUPS", lambda g: "all"), "s": ("JOB_SIZE", lambda g: "1-infinite"),
        "r": ("ROOT", lambda g: "no"), "h": ("OVERSUBS", lambda g: "NO"), "p": ("PRIO_TIER", lambda g: "1"),
        "v": ("VERSION", lambda g: plant.versions.slurm),
        "I": ("PRIO_JOB_FACTOR", lambda g: "1" if g.mark else "100"),
        "M": ("PREEMPT_MODE", lambda g: "OFF"),
        "_gresused": ("GRES_USED", _each(lambda n: _given(site, n))),
        "_allocmem": ("ALLOCMEM", _each(lambda n: str(n.gpus * MEMORY_PER_GPU_MIB))),
    }  # fmt: skip
    return {letter: (head, _reader(read)) for letter, (head, read) in found.items()}


def _reader(read: Callable[[_Group], str]) -> Reader:
    return lambda group: read(cast(_Group, group))


def _given(site: Site, node: _Own) -> str:
    """GresUsed: how many GPUs jobs hold, and which."""
    kind = gpu_type(site.incident.plant)
    held = taken(site.incident, site.now_ms)[node.name]
    which = hostlist([f"g{index}" for index in held]).removeprefix("g").strip("[]") or "N/A"
    return f"gpu:{kind}:{len(held)}(IDX:{which})"


_NAMES = {
    "partition": "P",
    "partitionname": "R",
    "available": "a",
    "time": "l",
    "defaulttime": "L",
    "nodes": "D",
    "statecompact": "t",
    "statelong": "T",
    "nodelist": "N",
    "nodehost": "n",
    "nodeaddr": "o",
    "cpus": "c",
    "cpusstate": "C",
    "sockets": "X",
    "cores": "Y",
    "threads": "Z",
    "socketcorethread": "z",
    "memory": "m",
    "freemem": "e",
    "disk": "d",
    "weight": "w",
    "features": "f",
    "features_act": "b",
    "gres": "G",
    "cpusload": "O",
    "reason": "E",
    "timestamp": "H",
    "user": "u",
    "userlong": "U",
    "nodeaiot": "F",
    "nodeai": "A",
    "groups": "g",
    "size": "s",
    "root": "r",
    "oversubscribe": "h",
    "prioritytier": "p",
    "version": "v",
    "priorityjobfactor": "I",
    "preemptmode": "M",
    "gresused": "_gresused",
    "allocmem": "_allocmem",
    "statecomplete": "T",
}


def _words(letters: dict[str, tuple[str, Reader]]) -> dict[str, tuple[str, Reader]]:
    return {name: letters[letter] for name, letter in _NAMES.items()}
