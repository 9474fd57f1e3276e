"""Inside the sandbox: prints the cluster's files as one text, or puts such a text's files back.

`snapshot.py save` and `snapshot.py restore FILE`. What matters of a cluster: its settings, the controller's
memory of jobs and nodes, device files and scratch folders. Of the logs what the controller says of events
goes along, from `snapshot.py mark` on; `snapshot.py events` prints it.
"""

from __future__ import annotations

import base64
import io
import re
import sys
import tarfile
from pathlib import Path

BOX = Path("/box")
KEPT = ("etc/slurm", "state", "dev", "scratch")
MOST = 8 << 20
"""Bytes in all."""
LOG, FROM, BEFORE = BOX / "log/slurmctld.log", BOX / "run/log-from", BOX / "run/before"
MOST_TOLD = 80_000
"""Characters of events, the newest."""
TOLD = re.compile(
    r"Allocate|Started JobId|_job_complete: .* done|KILL_JOB|[Rr]equeu|hold on JobId|update_job: complete"
    r"|_update_job: set|update_node: node|update_part: |reconfigure_controller|Terminate signal"
    r"|slurmctld version|respond|returned to service|state set to|[Rr]eservation|_resv|[Ss]uspend|fatal|Prolog"
)
NOISE = re.compile("Recovered")


def save() -> str:
    data, total = io.BytesIO(), 0
    with tarfile.open(fileobj=data, mode="w:gz") as tar:
        for name in KEPT:
            for path in sorted((BOX / name).rglob("*")):
                if path.is_dir() or (path.is_file() and not path.is_symlink()):
                    total += path.stat().st_size if path.is_file() else 0
                    if total > MOST:
                        sys.exit("the cluster's files are larger than anybody's are")
                    tar.add(path, str(path.relative_to(BOX)), recursive=False)
        text = events().encode()
        told = tarfile.TarInfo(str(BEFORE.relative_to(BOX)))
        told.size = len(text)
        tar.addfile(told, io.BytesIO(text))
    return base64.b64encode(data.getvalue()).decode()


def restore(text: str) -> None:
    with tarfile.open(fileobj=io.BytesIO(base64.b64decode(text)), mode="r:gz") as tar:
        for member in tar:
            if member.isdir() or member.isfile():
                tar.extract(member, BOX, set_attrs=False)
                if member.isfile():
                    (BOX / member.name).chmod(member.mode & 0o777)


def mark() -> None:
    """From here on the log tells of somebody's work."""
    FROM.write_text(str(LOG.stat().st_size if LOG.is_file() else 0))


def events() -> str:
    """What was told before the cluster came back, and the log's lines since."""
    before = BEFORE.read_text(errors="replace") if BEFORE.is_file() else ""
    if not LOG.is_file():
        return before
    with LOG.open("rb") as log:
        marked = FROM.read_text(errors="replace") if FROM.is_file() else ""
        start = int(marked) if marked.isdecimal() else 0
        # A log that is shorter than it was has been begun anew.
        log.seek(start if start <= LOG.stat().st_size else 0)
        lines = log.read(MOST).decode("utf-8", "replace").splitlines()
    kept = [line for line in lines if TOLD.search(line) and not NOISE.search(line)]
    told = "".join(line[:300] + "\n" for line in kept)
    return (before + told)[-MOST_TOLD:]


if sys.argv[1] == "restore":
    restore(Path(sys.argv[2]).read_text())
elif sys.argv[1] == "mark":
    mark()
else:
    sys.stdout.write(save() if sys.argv[1] == "save" else events())
