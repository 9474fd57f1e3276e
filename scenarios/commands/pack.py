"""The command `pack`: nodes and arriving pods in, a node for each pod out."""

from __future__ import annotations

import argparse
import csv
import io
import json
import sys
from pathlib import Path
from typing import Any

from scenarios.simulator.placement.packing import POLICIES, Packed, pack
from scenarios.simulator.placement.tables import (
    Arrivals,
    NodeTable,
    read_arrivals,
    read_demands,
    read_nodes,
)


def add_parser(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Declare the command and its options."""
    parser = subparsers.add_parser("pack", help="place pods on nodes with GPUs")
    parser.add_argument("nodes", type=Path, metavar="NODES", help="CSV; its order breaks ties")
    parser.add_argument("arrivals", type=Path, metavar="ARRIVALS", help="CSV of pods in order")
    parser.add_argument("--policy", required=True, choices=POLICIES)
    parser.add_argument(
        "--typical", type=Path, metavar="PODS", help="CSV of pods fgd takes as typical (ARRIVALS)"
    )
    parser.add_argument("--placements", required=True, type=Path, metavar="FILE")
    parser.add_argument("--json", action="store_true")


def run(options: argparse.Namespace) -> int:
    """Write FILE and print the summary; ValueError or OSError where a table cannot be used."""
    nodes, arrivals = read_nodes(options.nodes), read_arrivals(options.arrivals)
    typical = read_demands(options.typical) if options.typical else arrivals.demands
    if options.policy == "fgd" and not typical and arrivals.demands:
        raise ValueError(f"{options.typical} names no pod, and fgd needs typical ones.")
    packed = pack(nodes, arrivals.demands, options.policy, typical)
    options.placements.write_text(_placements(nodes, arrivals, packed), encoding="utf-8")
    summary = _summary(options.policy, nodes, packed)
    if options.json:
        sys.stdout.write(json.dumps(summary, indent=2) + "\n")
    else:
        rows = (f"{key:20} {value}\n" for key, value in summary.items() if key != "curve")
        sys.stdout.write("".join(rows))
    return 0


def _placements(nodes: NodeTable, arrivals: Arrivals, packed: Packed) -> str:
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(("seq", "pod", "node"))
    for seq, pod, node in zip(arrivals.seq, arrivals.pods, packed.nodes, strict=True):
        table.writerow((seq, pod, nodes.names[node] if node >= 0 else ""))
    return text.getvalue()


def _summary(policy: str, nodes: NodeTable, packed: Packed) -> dict[str, object]:
    """Counts, GPU thousandths, per cent of all GPUs, and how fast it went."""
    given, pods = (packed.allocated or [0])[-1], len(packed.nodes)
    return {
        "policy": policy,
        "nodes": len(nodes.names),
        "gpus": sum(nodes.gpus),
        "arrivals": pods,
        "placed": packed.placed,
        "refused": pods - packed.placed,
        "allocated_gpu_milli": given,
        "total_gpu_milli": packed.total,
        "allocated_percent": 100 * given / packed.total if packed.total else None,
        "cpu_s": packed.cpu_s,
        "pods_per_s": pods / packed.cpu_s if packed.cpu_s else None,
        "curve": [
            {"arrived_percent": arrived, "allocated_percent": allocated}
            for arrived, allocated in packed.curve()
        ],
    }
