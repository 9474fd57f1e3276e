"""Large materials as they go over the wire, packed once: a table of 17 MB takes a third of a second to pack.

Whoever asks for one again and again would otherwise hold threads that others' saves wait for.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from pathlib import Path

FOLDER = ".packed"
LARGE = 50_000
"""Bytes from which on a file is kept packed; what is smaller takes a millisecond or two."""
LEVEL = 6
NEVER_SENT = (".hncol",)
"""Ends of names of what only the server reads."""


def pack(folder: Path, names: Iterable[str]) -> None:
    """Pack what is large among a variant's files, before anybody can ask for it."""
    for name in names:
        file = folder / name
        is_large = file.is_file() and file.stat().st_size >= LARGE
        if is_large and not name.endswith(NEVER_SENT):
            _write(folder, name)


def packed(folder: Path, name: str) -> bytes | None:
    """The file, gzipped; None for one that is not large, or that was built before files were packed."""
    try:
        return _path(folder, name).read_bytes()
    except FileNotFoundError:
        return None


def _path(folder: Path, name: str) -> Path:
    return folder / FOLDER / f"{name}.gz"


def _write(folder: Path, name: str) -> None:
    path = _path(folder, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress((folder / name).read_bytes(), LEVEL, mtime=0))
