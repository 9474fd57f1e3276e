"""Where the processes of a site keep what they count, so that one of them can tell of all.

One folder for each host, for containers that share the data folder give the same numbers to their processes.
Knows nothing of what is counted; settings use it before any library of metrics is imported.
"""

from __future__ import annotations

import os
import shutil
import socket
import time
from pathlib import Path

VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
"""Read by prometheus_client while it is imported."""
KEPT_S = 24 * 3600.0


def open_metrics_folder(data: Path) -> Path:
    """Make this host's folder and name it to prometheus_client; the folder of all hosts.

    What the variable says already may be of another site's process that started this one.
    """
    own = data / "metrics" / socket.gethostname()
    # Closed by the folder above it; a worker that is root shares this one with its group.
    own.mkdir(parents=True, exist_ok=True)
    os.environ[VARIABLE] = str(own)
    return own.parent


def counted_files(folder: Path) -> list[str]:
    """The files of all processes of all hosts."""
    return sorted(str(path) for path in folder.glob("*/*.db"))


def prune(folder: Path) -> int:
    """Remove what processes left that ended a day ago; how many files went.

    What they counted is gone from the sums then: Prometheus takes that for a restart.
    """
    gone, before = 0, time.time() - KEPT_S
    for path in map(Path, counted_files(folder)):
        try:
            if path.stat().st_mtime < before and not _is_running(path):
                path.unlink()
                gone += 1
        except FileNotFoundError:  # another process prunes as well
            continue
    for host in folder.iterdir():
        if host.is_dir() and host.name != socket.gethostname() and not any(host.iterdir()):
            shutil.rmtree(host, ignore_errors=True)
    return gone


def _is_running(path: Path) -> bool:
    """Whether the file is of a process of this host that still runs."""
    number = path.stem.rpartition("_")[2]
    ours = path.parent.name == socket.gethostname()
    return ours and number.isdigit() and Path(f"/proc/{number}").exists()
