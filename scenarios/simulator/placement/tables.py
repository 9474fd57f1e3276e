"""Reads the tables of a packing run: nodes, arrivals, and the pods that count as typical.

A table is read whole or refused with the number of the line at fault.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

WHOLE = 1000
"""Thousandths of a GPU in a whole one."""
LARGEST = 10**12

NODE_COLUMNS = ("tie_name", "cpu_milli", "memory_mib", "gpu")
DEMAND_COLUMNS = ("cpu_milli", "memory_mib", "num_gpu", "gpu_milli")
ARRIVAL_COLUMNS = ("seq", "pod", *DEMAND_COLUMNS)
MOST_GPUS = 64


@dataclass(frozen=True, slots=True, order=True)
class Demand:
    """What a pod asks: CPU in thousandths, memory in MiB, GPUs, and of each `milli`."""

    cpu: int
    memory: int
    gpus: int
    milli: int

    @property
    def gpu_milli(self) -> int:
        """All GPU thousandths together."""
        return self.gpus * self.milli

    @property
    def shares(self) -> bool:
        """True when it asks for part of one GPU."""
        return self.gpus == 1 and self.milli < WHOLE


@dataclass(frozen=True, slots=True)
class NodeTable:
    """Nodes in the order that breaks ties: parallel lists of name, CPU, memory, GPUs."""

    names: list[str]
    cpu: list[int]
    memory: list[int]
    gpus: list[int]


@dataclass(frozen=True, slots=True)
class Arrivals:
    """Pods in the order they arrive: parallel lists of number, name and demand."""

    seq: list[int]
    pods: list[str]
    demands: list[Demand]


def read_nodes(path: Path) -> NodeTable:
    """Read NODES; ValueError naming the line that cannot be used."""
    table = NodeTable([], [], [], [])
    seen: set[str] = set()
    for where, (name, cpu, memory, gpus) in _rows(path, NODE_COLUMNS):
        if not name or name in seen:
            raise ValueError(f"{where}: tie_name must be given and differ from every other.")
        seen.add(name)
        table.names.append(name)
        table.cpu.append(_whole(cpu, "cpu_milli", where))
        table.memory.append(_whole(memory, "memory_mib", where))
        table.gpus.append(_whole(gpus, "gpu", where, MOST_GPUS))
    if not table.names:
        raise ValueError(f"{path} names no node.")
    return table


def read_arrivals(path: Path) -> Arrivals:
    """Read ARRIVALS; ValueError naming the line that cannot be used."""
    table = Arrivals([], [], [])
    for where, (seq, pod, *demand) in _rows(path, ARRIVAL_COLUMNS):
        table.seq.append(_whole(seq, "seq", where))
        table.pods.append(pod)
        table.demands.append(_demand(demand, where))
    return table


def read_demands(path: Path) -> list[Demand]:
    """Read PODS, of which only the demands count; ValueError as above."""
    return [_demand(cells, where) for where, cells in _rows(path, DEMAND_COLUMNS)]


def _demand(cells: Sequence[str], where: str) -> Demand:
    cpu, memory, gpus, milli = (
        _whole(cell, name, where) for cell, name in zip(cells, DEMAND_COLUMNS, strict=True)
    )
    if gpus == 0 and milli:
        raise ValueError(f"{where}: gpu_milli must be 0 where num_gpu is 0.")
    if gpus == 1 and not 0 < milli <= WHOLE:
        raise ValueError(f"{where}: gpu_milli must be 1 to 1000 where num_gpu is 1.")
    if gpus > 1 and milli != WHOLE:
        raise ValueError(f"{where}: gpu_milli must be 1000 where num_gpu is above 1.")
    return Demand(cpu, memory, gpus, milli)


def _whole(cell: str, name: str, where: str, most: int = LARGEST) -> int:
    text = cell.strip()
    if not (text.isascii() and text.isdigit()) or len(text) > 15 or int(text) > most:
        raise ValueError(f"{where}: {name} must be a whole number from 0 to {most}.")
    return int(text)


def _rows(path: Path, columns: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """(file and line, the wanted cells) of each row."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not UTF-8 text.") from None
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}.") from None
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        places, width = _places(path, next(reader, []), columns)
        for row in reader:
            where = f"{path}, line {reader.line_num}"
            if row and len(row) != width:
                raise ValueError(f"{where}: {width} cells are needed, {len(row)} are there.")
            if row:
                yield where, [row[place] for place in places]
    except csv.Error as error:
        raise ValueError(f"{path}, line {reader.line_num}: {error}.") from None


def _places(path: Path, header: list[str], columns: Sequence[str]) -> tuple[list[int], int]:
    names = [name.strip() for name in header]
    missing = [column for column in columns if column not in names]
    if missing:
        raise ValueError(f"{path}, line 1: the column {missing[0]} is missing.")
    return [names.index(column) for column in columns], len(names)
