"""Collect the static files where a source is newer than the last collection; needs no database."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path

PLATFORM = Path(__file__).resolve().parents[1]


def static_mark() -> str:
    """Another word whenever a source of the static files, or a library that has some, is another."""
    mark = hashlib.sha256()
    for path in sorted(PLATFORM.glob("*/static/**/*")):
        mark.update(f"{path}{path.stat().st_mtime_ns}".encode())
    locked = PLATFORM.parent / "requirements.txt"
    mark.update(locked.read_bytes() if locked.exists() else b"")
    return mark.hexdigest()


def collect_static(data: Path, collect: Callable[[], object]) -> bool:
    """Collect if any source is newer than the last collection; whether that was so."""
    mark, stamp = static_mark(), data / "static.stamp"
    if stamp.exists() and stamp.read_text() == mark:
        return False
    shutil.rmtree(data / "static", ignore_errors=True)
    collect()
    stamp.write_text(mark)
    return True


def collected() -> None:
    """Django's own collecting, without a word."""
    from django.core.management import call_command

    call_command("collectstatic", interactive=False, verbosity=0)
