"""A terminal without a page: a small cluster, and somebody who types into a shell and reads what it prints."""

from __future__ import annotations

import re
import threading
import time
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from assessments.terminal.cluster import Cluster, Reply
from assessments.terminal.contents import spec_of
from assessments.terminal.traffic import Ran, Traffic
from sandbox import Backend, Outcome
from scenarios.troubleshooting.columns import Block, Metric, write_columns

NOW_MS = 1_789_482_720_000  # 2026-09-15 14:32:00 UTC
SMI = "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-1)\n"
ESCAPES = re.compile(r"\x1b(\[[0-9;?]*[a-zA-Z]|\].*?(\x07|\x1b\\))|\r")


class SmallConsole:
    """Two hosts, some commands and files."""

    def run(self, host: str, argv: list[str], stdin: str = "") -> Reply:
        if argv[0] == "nvidia-smi":
            return Reply(f"{host}\n{SMI}")
        if argv[0] == "squeue":
            return Reply("", "squeue: error: Invalid job id: 7\n", 1)
        if argv[0] == "journalctl":
            return Reply("a line of the journal\n" * 40_000)
        return Reply(stdin)

    def commands(self, host: str) -> list[str]:
        return ["nvidia-smi", "squeue", "journalctl", "kubectl"]

    def files(self, host: str) -> dict[str, str]:
        return {
            "/var/log/syslog": f"{host} kernel: first\n{host} kernel: second\n",
            "/proc/cpuinfo": f"model name\t: a processor of {host}\n" * 224,
            "/proc/net/dev": "Inter-|   Receive\n",
        }


def small_cluster(folder: Path) -> Cluster:
    """One metric of two hosts, a sample a minute for an hour, with a gap."""
    metric = Metric("node_load1", "gauge", "Load over a minute.", "node_exporter")
    labels: Any = ((("instance", "a"),),)
    blocks = [
        Block("node_load1", host, labels, np.arange(60, dtype=np.int64)[None, :] + base, ((5, 7),))
        for host, base in (("login01", 0), ("gpu-n003", 100))
    ]
    path = folder / "history.hncol"
    write_columns(path, NOW_MS - 3_600_000, NOW_MS, [metric], blocks)
    return Cluster(
        SmallConsole(),
        "ember",
        "login01",
        ("login01", "gpu-n003"),
        "Europe/Berlin",
        NOW_MS,
        path,
        path,
        (("nvidia-smi", "What the GPUs of a host do."),),
    )


def small_folder(folder: Path) -> dict[str, Any]:
    """A variant's folder with one table of jobs; returns its manifest."""
    (folder / "slurm").mkdir(parents=True)
    (folder / "slurm/jobs.json").write_text(
        '{"jobs": [{"id": 7, "hours": 14}, {"id": 8, "hours": 8}]}'
    )
    (folder / "slurm/jobs.csv").write_text("id,hours\n7,14\n8,8\n")
    names = ("slurm/jobs.json", "slurm/jobs.csv")
    return {"files": [{"path": name, "kind": "text", "title": name} for name in names]}


class Play:
    """A shell that runs, and somebody at it; `screen` is all it has printed."""

    def __init__(self, backend: Backend, folder: Path, **limits: Any) -> None:
        self.screen = self._unread = ""
        self.outcome: Outcome | None = None
        self.ran: list[Ran] = []
        self._news = threading.Event()
        cluster = small_cluster(folder)
        self.traffic = Traffic(lambda: cluster, self._news)
        spec = spec_of(folder, small_folder(folder), cluster, 100, 30)
        spec = replace(spec, limits=replace(spec.limits, **limits))

        def run() -> None:
            self.outcome = backend.run(spec, self.traffic, self.traffic.stop)

        self._thread = threading.Thread(target=run)

    def __enter__(self) -> Play:
        """The shell, once its prompt is there."""
        self._thread.start()
        self.sees("[you@login01 ~]$ ")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: object, trace: TracebackType | None
    ) -> None:
        self.traffic.stop.set()
        self.ends()
        self.traffic.close()

    def type(self, text: str) -> None:
        self.traffic.type(text.encode())

    def take(self) -> str:
        """What is new on the screen."""
        text = self.traffic.printed().decode("utf-8", "replace")
        self.screen += text
        self.ran += self.traffic.ran()
        return text

    def sees(self, wanted: str, within_s: float = 40) -> str:
        """Wait until the text is on the screen, colours aside; what was printed until then."""
        until = time.monotonic() + within_s
        while wanted not in (held := ESCAPES.sub("", self._unread)):
            assert time.monotonic() < until, f"{wanted!r} did not come: {held!r}; {self.outcome}"
            self._news.wait(0.05)
            self._news.clear()
            self._unread += self.take()
        end = held.index(wanted) + len(wanted)
        self._unread = held[end:]
        return held[:end]

    def says(self, line: str, within_s: float = 40) -> str:
        """Type a line; what it printed until the next prompt."""
        self.type(line + "\r")
        mark = f"done-{time.monotonic_ns()}"
        self.type(f"echo '{mark[:4]}''{mark[4:]}'\r")
        printed = self.sees(f"\n{mark}\n", within_s)
        lines = printed.split("\n")
        first = next(at for at, text in enumerate(lines) if text.endswith(line[-20:]))
        between = lines[first + 1 : lines.index(mark)]
        kept = [text for text in between if "]$ " not in text and f"{mark[4:]}'" not in text]
        return "\n".join(kept).strip()

    def ends(self, within_s: float = 40) -> Outcome:
        self._thread.join(within_s)
        self.take()
        assert self.outcome is not None, "the shell did not end"
        return self.outcome
