"""`simulate`: run a trace of jobs through a policy and say how it went."""

from __future__ import annotations

import argparse
import json
import sys
import time
import tomllib
from collections.abc import Mapping
from pathlib import Path

from scenarios.simulator.engine import EVENT_ORDERS, Simulation
from scenarios.simulator.machine import Machine, Nodes, Pool
from scenarios.simulator.outputs import summary, write_rows
from scenarios.simulator.policies import POLICIES, open_policy
from scenarios.simulator.slurm.stepwise import hold_to
from scenarios.simulator.trace import Workload, read_trace

TICKS = {"s": 1, "ms": 1_000}
"""Ticks per second of each --time-unit."""

TABLES = ("cluster", "slurm", "kueue")
"""What a cluster file may hold; all but `cluster` are the settings of whoever has that name."""

MACHINE_KEYS = ("processors", "nodes", "gpus_per_node")


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command's arguments."""
    parser = commands.add_parser("simulate", help="run a trace through a scheduling policy")
    parser.add_argument("trace", type=Path, metavar="TRACE", help=".swf, .swf.gz or .csv")
    parser.add_argument("--policy", required=True, choices=tuple(POLICIES))
    parser.add_argument("--processors", type=int, help="a pool of so many processors")
    parser.add_argument("--nodes", type=int, help="so many nodes, each with --gpus-per-node")
    parser.add_argument("--gpus-per-node", type=int)
    parser.add_argument("--cluster", type=Path, help="a TOML file that describes the machine")
    parser.add_argument("--event-order", choices=EVENT_ORDERS, default="batch")
    parser.add_argument("--time-unit", choices=tuple(TICKS), default="s")
    parser.add_argument("--starts", type=Path, metavar="FILE", help="write one row for each job")
    parser.add_argument(
        "--stepwise",
        type=Path,
        metavar="REFERENCE",
        help="slurm only: hold each decision to a real scheduler's record",
    )
    parser.add_argument("--json", action="store_true")


def run(options: argparse.Namespace) -> int:
    """Simulate, write the rows, print the summary; ValueError and OSError for bad input."""
    if options.stepwise:
        return _hold_to_record(options)
    cluster = _read_cluster(options.cluster) if options.cluster else {}
    workload = read_trace(options.trace)
    simulation, figures = _simulate(options, cluster, workload)
    if options.starts:
        write_rows(simulation, options.starts)
    _warn(workload, figures)
    _print(figures, options.json)
    return 0


def _simulate(
    options: argparse.Namespace, cluster: Mapping[str, object], workload: Workload
) -> tuple[Simulation, dict[str, int | float]]:
    machine = _machine(options, cluster, workload)
    began = time.process_time()
    simulation = Simulation(
        workload,
        machine,
        open_policy(options.policy, cluster),
        options.event_order,
        ticks_per_second=TICKS[options.time_unit],
    )
    simulation.run()
    cpu_s = max(time.process_time() - began, 1e-9)
    figures = summary(simulation, TICKS[options.time_unit])
    return simulation, figures | {"cpu_s": cpu_s, "jobs_per_s": len(workload) / cpu_s}


def _hold_to_record(options: argparse.Namespace) -> int:
    if options.policy != "slurm":
        raise ValueError("--stepwise holds --policy slurm to a record; it knows no other policy.")
    tally = hold_to(options.stepwise, options.trace, options.nodes or options.processors)
    _print(tally.to_dict(), options.json)
    return 0


def _machine(
    options: argparse.Namespace, cluster: Mapping[str, object], workload: Workload
) -> Machine:
    """The machine of the arguments, else of the cluster file, else of the trace's header."""
    given = {
        "processors": options.processors,
        "nodes": options.nodes,
        "gpus_per_node": options.gpus_per_node,
    }
    given = {key: value for key, value in given.items() if value is not None}
    if given and "cluster" in cluster:
        raise ValueError("Give --cluster, or --processors, or --nodes and --gpus-per-node.")
    table = given or cluster.get("cluster") or {"processors": workload.processors or None}
    return _machine_of(table)


def _machine_of(table: object) -> Machine:
    if not isinstance(table, dict):
        raise ValueError("The cluster file's cluster entry must be a table, [cluster].")
    odd = [key for key in table if key not in MACHINE_KEYS]
    if odd:
        raise ValueError(f"[cluster] has no key {odd[0]}; it has {', '.join(MACHINE_KEYS)}.")
    for key, value in table.items():
        if value is not None and (not isinstance(value, int) or value is True or value < 1):
            raise ValueError(f"{key} is {value}; it must be a whole number of at least 1.")
    processors, nodes, per_node = (table.get(key) for key in MACHINE_KEYS)
    if processors and not nodes and not per_node:
        return Pool(processors)
    if nodes and per_node and not processors:
        return Nodes(nodes, per_node)
    raise ValueError("Say how large the machine is: --processors, or --nodes and --gpus-per-node.")


def _read_cluster(path: Path) -> dict[str, object]:
    try:
        cluster: dict[str, object] = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is not TOML: {error}.") from None
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}.") from None
    odd = [key for key in cluster if key not in TABLES]
    if odd:
        raise ValueError(f"{path} has no place for {odd[0]}; its tables are {', '.join(TABLES)}.")
    return cluster


def _warn(workload: Workload, figures: Mapping[str, int | float]) -> None:
    if workload.unusable:
        sys.stderr.write(f"{workload.unusable} records without a run time or size were left out.\n")
    if figures["refused"]:
        sys.stderr.write(f"{figures['refused']} jobs ask for more than the machine has: refused.\n")
    waiting = figures["jobs"] - figures["refused"] - figures["finished"]
    if waiting:
        sys.stderr.write(f"{waiting} jobs never ran to their end.\n")


def _print(figures: Mapping[str, int | float], as_json: bool) -> None:
    if as_json:
        text = json.dumps(figures, indent=2)
    else:
        text = "\n".join(f"{key:24}{_short(value):>18}" for key, value in figures.items())
    sys.stdout.write(text + "\n")


def _short(value: int | float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.3f}"
