"""What tests make once for each state of the sources, and all of their processes and runs take from then on.

It is named after the content of every source that could make it another: of another state it is never used.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SOURCES = ("graders", "platform", "sandbox", "scenarios")
MADE = {"__pycache__", "node_modules", "static"}


@cache
def mark_of_sources() -> str:
    """Another word for every state of the sources, packs and requirements; tests and styles are left out."""
    mark = hashlib.sha256((ROOT / "requirements.txt").read_bytes())
    for name in SOURCES:
        for folder, inside, files in os.walk(ROOT / name):
            inside[:] = sorted(set(inside) - MADE - {"tests"})
            for path in (Path(folder, file) for file in sorted(files)):
                mark.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes() + b"\0")
    return mark.hexdigest()[:24]


def kept_folder() -> Path:
    """Where it is kept, of this account alone."""
    folder = Path(tempfile.gettempdir()) / f"headnode-tests-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


@contextmanager
def one_at_a_time(what: str) -> Iterator[None]:
    """One of all processes makes it; the others wait."""
    with (kept_folder() / f"{what}.lock").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        yield
