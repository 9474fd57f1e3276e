"""All log lines of a variant in one gzip file: columns, then the text, as the page's worker reads them.

Layout before compression, little-endian: the eight bytes `HNLOG1\\n\\0`, the header's length (u32), the header
(JSON, padded with spaces), the columns in the header's order, each at a multiple of eight bytes, then the
text (UTF-8, every line ends in a newline). Rows stand by file and line, so a file's line N is row
`first + N - 1`; `order` lists the rows by time, those without a time last. `start` counts UTF-16 units, as
scripts in a browser do.
"""

from __future__ import annotations

import gzip
import json
import os
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assessments.troubleshooting.log_lines import (
    SEVERITIES as NAMES,
)
from assessments.troubleshooting.log_lines import LogLine, Place, read, with_priorities
from scenarios.troubleshooting.variant import SEVERITIES

MAGIC = b"HNLOG1\n\0"
NAME = ".logs.hnlog.gz"
LEVEL = 6


@dataclass
class Bundle:
    """Lines gathered file by file."""

    lines: int = 0
    files: list[dict[str, Any]] = field(default_factory=list)
    hosts: dict[str, int] = field(default_factory=dict)
    sources: dict[str, int] = field(default_factory=dict)
    columns: dict[str, list[float]] = field(
        default_factory=lambda: {
            name: [] for name in ("time", "host", "source", "severity", "size")
        }
    )
    texts: list[str] = field(default_factory=list)

    def add(self, path: str, title: str, lines: Iterable[LogLine]) -> None:
        """Append a file; its lines keep their order."""
        first, columns, widest = self.lines, self.columns, 0
        for line in lines:
            text = line.text
            size = len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2
            columns["time"].append(float("nan") if line.at_ms is None else line.at_ms)
            columns["host"].append(self.hosts.setdefault(line.host, len(self.hosts)))
            columns["source"].append(self.sources.setdefault(line.source, len(self.sources)))
            columns["severity"].append(line.severity)
            columns["size"].append(size)
            self.texts.append(text)
            self.lines += 1
            widest = max(widest, size)
        count = self.lines - first
        about = {"path": path, "title": title, "first": first, "lines": count, "widest": widest}
        self.files.append(about)

    def write(self) -> bytes:
        """The bundle, not yet compressed. The same lines give the same bytes."""
        arrays, text = self._arrays(), "".join(f"{line}\n" for line in self.texts).encode()
        head: dict[str, Any] = {
            "lines": self.lines,
            "files": self.files,
            "hosts": list(self.hosts),
            "sources": list(self.sources),
            "severities": NAMES,
            "columns": [],
            "text": {"bytes": len(text)},
        }
        offset = 0
        for name, array in arrays.items():
            head["columns"].append(
                {"name": name, "type": array.dtype.str[1:], "offset": offset, "length": len(array)}
            )
            offset += _padded(array.nbytes)
        head["text"]["offset"] = offset
        header = json.dumps(head, separators=(",", ":")).encode()
        header += b" " * (_padded(len(MAGIC) + 4 + len(header)) - len(MAGIC) - 4 - len(header))
        parts = [MAGIC, len(header).to_bytes(4, "little"), header]
        for array in arrays.values():
            data = array.tobytes()
            parts += [data, bytes(_padded(len(data)) - len(data))]
        return b"".join([*parts, text])

    def _arrays(self) -> dict[str, NDArray[Any]]:
        time = np.array(self.columns["time"], "<f8")
        ends = np.cumsum(np.array(self.columns["size"], "<i8") + 1)
        return {
            "time": time,
            "start": np.concatenate([[0], ends]).astype("<u4"),
            "order": np.argsort(time, kind="stable").astype("<u4"),
            "host": np.array(self.columns["host"], "<u2"),
            "source": np.array(self.columns["source"], "<u2"),
            "severity": np.array(self.columns["severity"], "<u1"),
        }


def _padded(size: int) -> int:
    return -(-size // 8) * 8


def packed(folder: Path, manifest: Mapping[str, Any]) -> bytes:
    """The bundle of a built variant, compressed."""
    return gzip.compress(gather(folder, manifest).write(), LEVEL, mtime=0)


def bundle_of(folder: Path, pack: Callable[[], bytes]) -> Path:
    """The bundle of a built variant; packed on the first call and kept in the variant's folder."""
    target = folder / NAME
    if not target.exists():
        data = pack()
        with tempfile.NamedTemporaryFile(dir=folder, prefix=NAME, delete=False) as part:
            part.write(data)
        os.chmod(part.name, 0o644)
        os.replace(part.name, target)  # whoever reads sees all of it or none
    return target


def gather(folder: Path, manifest: Mapping[str, Any]) -> Bundle:
    """Every file of kind log that the manifest lists."""
    incident = manifest["incident"]
    year = datetime.fromtimestamp(incident["window"]["to_ms"] / 1000, UTC).year
    bundle, kept = Bundle(), _priorities(folder)
    for row in manifest["files"]:
        if row["kind"] != "log":
            continue
        path = row["path"]
        name = path.rpartition("/")[2]
        host, source = whose(path, incident["hosts"])
        place = Place(host, source, incident["offset_min"], year)
        lines = read(name, (folder / path).read_text(), place)
        bundle.add(path, row["title"], with_priorities(lines, kept.get(path, "")))
    return bundle


def _priorities(folder: Path) -> dict[str, str]:
    """Path of a log -> a digit for each of its lines; empty for a variant that was built without."""
    try:
        found: dict[str, str] = json.loads((folder / SEVERITIES).read_text())
    except FileNotFoundError:
        return {}
    return found


_KEEPERS = {"slurm": "slurmctl", "fabric": "ufm"}


def whose(path: str, hosts: Iterable[str]) -> tuple[str, str]:
    """Machine ("" if the path names none) and source of a file's lines, where lines name neither."""
    folders = path.split("/")[:-1]
    source = path.rpartition("/")[2].rpartition(".")[0]
    known = [host for host in hosts if host in folders]
    if known:
        return known[0], source
    if folders and (begin := _KEEPERS.get(folders[0])):
        return next((host for host in hosts if host.startswith(begin)), ""), source
    return "", f"{source} ({folders[-1]})" if "runs" in folders else source
