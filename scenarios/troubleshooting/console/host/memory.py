"""`free`, `numactl`, `numastat`: memory of a host, in all and by socket."""

from __future__ import annotations

from scenarios.troubleshooting.console.command import Call, Failed, joined
from scenarios.troubleshooting.console.host.told import told
from scenarios.troubleshooting.console.options import NONE, ONE, Grammar
from scenarios.troubleshooting.console.site import said
from scenarios.troubleshooting.texts.smi_state import gpu_now
from scenarios.troubleshooting.texts.system_commands import numastat as of_rank

_FREE = Grammar(
    "free",
    "bkmghtlwvV",
    "sc",
    {
        "bytes": ("b", NONE),
        "kibi": ("k", NONE),
        "mebi": ("m", NONE),
        "gibi": ("g", NONE),
        "human": ("h", NONE),
        "mega": ("m", NONE),
        "giga": ("g", NONE),
        "total": ("t", NONE),
        "wide": ("w", NONE),
        "lohi": ("l", NONE),
        "seconds": ("s", ONE),
        "count": ("c", ONE),
        "version": ("V", NONE),
    },
    "\nUsage:\n free [options]\n",
)
_HEAD = "               total        used        free      shared  buff/cache   available"


def numbers(call: Call) -> tuple[list[int], list[int]]:
    """(total, used, free, shared, cache, available) of memory and (total, used, free) of swap, MiB."""
    rows = told(call.site, call.host)["free -m"].splitlines()
    return tuple([int(word) for word in row.split()[1:]] for row in rows[1:3])  # type: ignore[return-value]


def free(call: Call) -> str:
    asked = _FREE.read(call.args)
    if asked.rest:
        raise Failed(_FREE.hint)
    if asked.has("V"):
        return "free from procps-ng 3.3.17\n"
    if asked.has("m") and not asked.has("t"):
        return told(call.site, call.host)["free -m"]
    memory, swap = numbers(call)

    def cell(mib: int) -> str:
        if asked.has("h"):
            return _human(mib)
        return str(
            mib // 1024
            if asked.has("g")
            else mib * 2**20
            if asked.has("b")
            else mib
            if asked.has("m")
            else mib * 1024
        )

    rows = [_HEAD, "Mem:    " + " ".join(f"{cell(n):>11}" for n in memory)]
    rows.append("Swap:   " + " ".join(f"{cell(n):>11}" for n in swap))
    if asked.has("t"):
        rows.append(
            "Total:  " + " ".join(f"{cell(a + b):>11}" for a, b in zip(memory, swap, strict=False))
        )
    return joined(rows)


def _human(mib: int) -> str:
    """Three significant places as free prints them: `1.9Ti`, `226Gi`, `11Gi`."""
    value, units = float(mib), ["Mi", "Gi", "Ti"]
    while value >= 1024 and len(units) > 1:
        value, units = value / 1024, units[1:]
    if mib == 0:
        return "0B"
    return f"{value:.1f}{units[0]}" if value < 10 else f"{value:.0f}{units[0]}"


def numactl(call: Call) -> str:
    if call.args in (("-H",), ("--hardware",)):
        return told(call.site, call.host)["numactl -H"]
    if call.args in (("-s",), ("--show",)):
        cpus = " ".join(str(n) for n in range(224))
        return joined(
            [
                "policy: default",
                "preferred node: current",
                f"physcpubind: {cpus} ",
                "cpubind: 0 1 ",
                "nodebind: 0 1 ",
                "membind: 0 1 ",
            ]
        )
    raise Failed(
        "usage: numactl [--all | -a] [--interleave= | -i <nodes>] [--preferred= | -p <node>]\n"
        "               [--show | -s] [--hardware | -H] command args ..."
    )


def numastat(call: Call) -> str:
    """The counters of the node's two sockets; `-p` the memory of the job's ranks."""
    words = list(call.args)
    if words[:1] != ["-p"]:
        if words and words[0] not in ("-n", "-m", "-c", "-v"):
            raise Failed(
                "Usage: numastat [-c] [-m] [-n] [-p <PID>|<pattern>] [-s[<node>]] [-v] [-V] [-z]"
            )
        return _counters(call)
    site, node = call.site, call.site.nodes[call.host]
    pattern = words[1] if len(words) > 1 else ""
    if not site.own_job(call.host) or not pattern:
        raise Failed(
            f'Can\'t find PID(s) for pattern "{pattern}"'
            if pattern
            else "numastat: option requires an argument -- 'p'"
        )
    for gpu in node.gpus:
        if str(gpu_now(site.incident, gpu, site.looked_ms).pid) == pattern:
            return said(of_rank(site.incident, node, site.looked_ms, gpu))
    if pattern in "/opt/trainer/train.py python3.10":
        # A name finds the rank that was started last, as in the materials; numbers find the others.
        return said(of_rank(site.incident, node, site.looked_ms))
    raise Failed(f'Can\'t find PID(s) for pattern "{pattern}"')


def _counters(call: Call) -> str:
    """Hits and misses since the start, from the same counters as the exporter's."""
    readings, at = call.site.readings(call.host), call.site.looked_ms
    local, other = (
        [int(readings.at(f"node_memory_numa_{name}_node_total", at, node=str(n))) for n in (0, 1)]
        for name in ("local", "other")
    )
    hit = [a + b for a, b in zip(local, other, strict=True)]
    rows = [f"{'':<16}{'node0':>16}{'node1':>16}"]
    for name, values in (
        ("numa_hit", hit),
        ("numa_miss", [0, 0]),
        ("numa_foreign", [0, 0]),
        ("interleave_hit", [2_114, 2_098]),
        ("local_node", local),
        ("other_node", other),
    ):
        rows.append(f"{name:<16}{values[0]:>16}{values[1]:>16}")
    return joined(rows)
