"""Inside the sandbox: prints the cluster's files as one text, or puts such a text's files back.

`snapshot.py save` and `snapshot.py restore FILE`. What matters of a cluster: its settings, the controller's
memory of jobs and nodes, device files and scratch folders. Logs stay behind.
"""

from __future__ import annotations

import base64
import io
import sys
import tarfile
from pathlib import Path

BOX = Path("/box")
KEPT = ("etc/slurm", "state", "dev", "scratch")
MOST = 8 << 20
"""Bytes in all."""


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
    return base64.b64encode(data.getvalue()).decode()


def restore(text: str) -> None:
    with tarfile.open(fileobj=io.BytesIO(base64.b64decode(text)), mode="r:gz") as tar:
        for member in tar:
            if member.isdir() or member.isfile():
                tar.extract(member, BOX, set_attrs=False)
                if member.isfile():
                    (BOX / member.name).chmod(member.mode & 0o777)


if sys.argv[1] == "save":
    sys.stdout.write(save())
else:
    restore(Path(sys.argv[2]).read_text())
