"""The real Prometheus on a free port, fed with a column file as if it had scraped it."""

from __future__ import annotations

import json
import os
import shutil
import socket
import struct
import subprocess
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scenarios.troubleshooting.columns import Columns
from scenarios.troubleshooting.exposition import OWNER

STALE = struct.pack("<Q", 0x7FF0000000000002)
SLICE_MS = 20 * 60_000
Sample = tuple[int, bytes]
Labels = tuple[tuple[str, str], ...]


@contextmanager
def prometheus(folder: Path, columns: Columns) -> Iterator[str]:
    """Its address, once all of the file is in it."""
    program = shutil.which("prometheus")
    if program is None:
        if os.environ.get("HEADNODE_REQUIRE_ALL"):
            pytest.fail("no Prometheus on this system")
        pytest.skip("no Prometheus on this system")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{probe.getsockname()[1]}"
    (folder / "prometheus.yml").write_text("global: {}\n")
    options = [f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data"]
    options += [f"--web.listen-address={address}", "--web.enable-remote-write-receiver"]
    options += ["--storage.tsdb.retention.time=100y", "--log.level=error"]
    running = subprocess.Popen([program, *options])
    try:
        url = f"http://{address}"
        _wait(url)
        _feed(url, _scraped(columns), columns.start_ms, columns.end_ms)
        yield url
    finally:
        running.terminate()
        running.wait(20)


def ask(url: str, path: str, **parameters: object) -> list[dict[str, Any]]:
    """The result of an API call: a list of {metric, value or values}."""
    query = urllib.parse.urlencode(parameters)
    with urllib.request.urlopen(f"{url}/api/v1/{path}?{query}", timeout=20) as answer:  # noqa: S310
        found: dict[str, Any] = json.load(answer)["data"]
    if found["resultType"] == "scalar":
        return [{"metric": {}, "value": found["result"]}]
    return list(found["result"])


def _wait(url: str) -> None:
    until = time.monotonic() + 30
    while time.monotonic() < until:
        try:
            with urllib.request.urlopen(f"{url}/-/ready", timeout=2):  # noqa: S310
                return
        except OSError:
            time.sleep(0.05)
    pytest.fail("Prometheus did not start.")


def _scraped(columns: Columns) -> dict[Labels, list[Sample]]:
    """What scraping would have stored, with the marks it sets where a series is no longer shown."""
    found: dict[Labels, list[Sample]] = {}
    for name, series in columns.series.items():
        metric = columns.metrics[name]
        for one in series:
            times, values = columns.window((one,), columns.start_ms, columns.end_ms)
            before: Labels | None = None
            for at, value in zip(times.tolist(), values[0].tolist(), strict=True):
                owner = next((o.value for o in one.owners if o.from_ms <= at < o.to_ms), None)
                labels = dict(one.labels) | {"__name__": metric.name}
                own = tuple(sorted((labels | ({OWNER: owner} if owner else {})).items()))
                shown = None if np.isnan(value) else own
                if before is not None and shown != before:
                    found[before].append((at, STALE))
                if shown is not None:
                    found.setdefault(own, []).append((at, struct.pack("<d", value)))
                before = shown
    return found


def _feed(url: str, series: dict[Labels, list[Sample]], from_ms: int, to_ms: int) -> None:
    """By slices of time: Prometheus takes nothing that is an hour older than its newest sample."""
    for start in range(from_ms, to_ms, SLICE_MS):
        parts = {
            labels: [one for one in samples if start <= one[0] < start + SLICE_MS]
            for labels, samples in series.items()
        }
        body = b"".join(_field(1, _series(labels, part)) for labels, part in parts.items() if part)
        headers = {
            "Content-Encoding": "snappy",
            "Content-Type": "application/x-protobuf",
            "X-Prometheus-Remote-Write-Version": "0.1.0",
        }
        request = urllib.request.Request(f"{url}/api/v1/write", _snappy(body), headers)  # noqa: S310
        urllib.request.urlopen(request, timeout=20).close()  # noqa: S310


def _series(labels: Labels, samples: list[Sample]) -> bytes:
    told = b"".join(
        _field(1, _field(1, name.encode()) + _field(2, value.encode())) for name, value in labels
    )
    return told + b"".join(
        _field(2, b"\x09" + value + b"\x10" + _varint(at)) for at, value in samples
    )


def _field(number: int, data: bytes) -> bytes:
    return bytes([number << 3 | 2]) + _varint(len(data)) + data


def _varint(number: int) -> bytes:
    found = bytearray()
    while number > 0x7F:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*found, number])


def _snappy(data: bytes) -> bytes:
    """The format without its compression: literals of at most 64 KiB."""
    parts = [data[at : at + 65_536] for at in range(0, len(data), 65_536)]
    return _varint(len(data)) + b"".join(
        b"\xf4" + struct.pack("<H", len(part) - 1) + part for part in parts
    )
