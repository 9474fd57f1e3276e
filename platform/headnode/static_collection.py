"""Static files are collected where a source is newer than the last collection; needs no database."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path
from wsgiref.headers import Headers

PLATFORM = Path(__file__).resolve().parents[1]


def static_mark() -> str:
    """Another word whenever a source of the static files, or a library that has some, is another."""
    mark = hashlib.sha256()
    for path in sorted(PLATFORM.glob("*/static/**/*")):
        mark.update(f"{path}{path.stat().st_mtime_ns}".encode())
    locked = PLATFORM.parent / "requirements.txt"
    mark.update(locked.read_bytes() if locked.exists() else b"")
    return mark.hexdigest()


def is_collected(data: Path) -> bool:
    """Whether no source is newer than the last collection."""
    stamp = data / "static.stamp"
    return stamp.exists() and stamp.read_text() == static_mark()


def collect_static(data: Path, collect: Callable[[], object]) -> bool:
    """Collect if any source is newer than the last collection; whether that was so."""
    if is_collected(data):
        return False
    mark = static_mark()
    shutil.rmtree(data / "static", ignore_errors=True)
    collect()
    (data / "static.stamp").write_text(mark)
    return True


def as_named(headers: Headers, _path: str, _url: str) -> None:
    """A static file is what its name says, whatever its bytes look like."""
    headers["X-Content-Type-Options"] = "nosniff"


def collected() -> None:
    """Django's own collecting, without a word."""
    from django.core.management import call_command

    call_command("collectstatic", interactive=False, verbosity=0)
