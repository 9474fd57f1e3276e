"""The materials of an attempt's variant on this host's disk: built once, read by many."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any, TextIO

from django.conf import settings

from assessments.company import mark
from assessments.materials import packed_files, shared
from library.packs import pack_of

MANIFEST, KEYS = "manifest.json", "keys"
BUILD_S, PLACE_S = 120, 0.1
UNUSED = timedelta(days=30)
"""A variant that nobody has opened for so long is removed; it can be built again at any time."""


class NotBuilt(Exception):
    """The materials could not be made on this host; one sentence for the operator."""


def folder_of(pack: str, level: str, seed: int, digest: str = "", company: str = "") -> Path:
    """The folder with a variant's materials, made first where it is not there (some 5 s); not for requests.

    The arguments as for `find`. Waits for a place. Raises NotBuilt.
    """
    if (found := find(pack, level, seed, digest, company)) is not None:
        return found
    with place():
        return make(pack, level, seed, digest, company)


def find(pack: str, level: str, seed: int, digest: str = "", company: str = "") -> Path | None:
    """The folder with a variant's materials on this host, None where it was not made here.

    `digest` is that of the pack with which an attempt began: what was built from it is used on
    even where the pack on disk has changed since. `company` is the TOML of the company profile, empty
    for the default cluster.
    """
    for known in dict.fromkeys((digest, pack_of(pack).digest)):
        folder = _folder(pack, level, seed, known, company)
        if known and (folder / MANIFEST).exists():
            os.utime(folder)
            return folder
    return None


def make(pack: str, level: str, seed: int, digest: str = "", company: str = "") -> Path:
    """As `folder_of`, for who has a place."""
    if (found := find(pack, level, seed, digest, company)) is not None:
        return found
    folder = _folder(pack, level, seed, pack_of(pack).digest, company)
    with _lock(folder):
        if not (folder / MANIFEST).exists() and not shared.fetch(folder, _key_file(folder)):
            _build(pack, level, seed, folder, company)
            shared.give(folder, _key_file(folder))
    return folder


@contextmanager
def place(*, wait: bool = True) -> Iterator[bool]:
    """One of this host's VARIANT_BUILDS places to build at; without waiting, False where none is free.

    The place of a process that was killed is free at once.
    """
    settings.VARIANTS.mkdir(parents=True, exist_ok=True)
    while (held := _free_place()) is None and wait:
        time.sleep(PLACE_S)
    try:
        yield held is not None
    finally:
        if held is not None:
            held.close()


def _free_place() -> TextIO | None:
    for number in range(settings.VARIANT_BUILDS):
        file: TextIO = (settings.VARIANTS / f"place-{number}.lock").open("w")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            continue
        return file
    return None


def key_of(pack: str, level: str, seed: int, digest: str = "", company: str = "") -> dict[str, Any]:
    """Staff only: what was wrong in a variant and where it shows, as its generator's key says it.

    The arguments and NotBuilt as for `folder_of`.
    """
    folder = folder_of(pack, level, seed, digest, company)
    if not _key_file(folder).exists():
        with place(), _lock(folder):
            if not _key_file(folder).exists():
                shutil.rmtree(folder)
                _build(pack, level, seed, folder, company)
    return _read_key(_key_file(folder))


def has_key(pack: str, level: str, seed: int, digest: str = "", company: str = "") -> bool:
    """Whether `key_of` has nothing to build."""
    folder = find(pack, level, seed, digest, company)
    return folder is not None and _key_file(folder).exists()


def _key_file(folder: Path) -> Path:
    """Beside the folder, never in it: what lies there is shown to candidates."""
    return folder.parent / KEYS / f"{folder.name}.json"


@lru_cache(maxsize=16)
def _read_key(path: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(path.read_bytes())
    return data


def _folder(pack: str, level: str, seed: int, digest: str, company: str) -> Path:
    name = f"{pack.replace('/', '-')}-{level}-{seed}-{digest[:12]}"
    if company:
        name += f"-{mark(company)}"
    folder: Path = settings.VARIANTS / name
    return folder


@contextmanager
def _lock(folder: Path) -> Iterator[None]:
    """One builder at a time; the lock of one that was killed is free at once."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / f"{folder.name}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _build(pack: str, level: str, seed: int, folder: Path, company: str) -> None:
    """In a process of its own: its memory is given back, and other requests are not held up."""
    making = folder.parent / f".{folder.name}"
    shutil.rmtree(making, ignore_errors=True)
    command = [sys.executable, "-m", "scenarios", "build", pack, "--level", level]
    command += ["--seed", str(seed), "--out", str(making), "--key", str(_key_file(folder))]
    profile = folder.parent / f".{folder.name}.toml"
    if company:
        profile.write_text(company, encoding="utf-8")
        command += ["--profile", str(profile)]
    try:
        done = subprocess.run(  # noqa: S603  (our own command line)
            command, cwd=settings.ROOT, capture_output=True, text=True, timeout=BUILD_S, check=False
        )
    except subprocess.TimeoutExpired:
        raise NotBuilt(f"Building {pack} ({level}) took longer than {BUILD_S} s.") from None
    finally:
        profile.unlink(missing_ok=True)
    if done.returncode:
        raise NotBuilt(f"Building {pack} ({level}) failed: {done.stderr.strip()[-500:]}")
    manifest = _without_seed(making / MANIFEST)
    packed_files.pack(making, [row["path"] for row in manifest.get("files", [])])
    making.rename(folder)


def _without_seed(path: Path) -> dict[str, Any]:
    """The manifest. Whoever knows the seed can build the key: nothing that candidates read may name it."""
    data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    data.pop("seed", None)
    path.write_text(json.dumps(data, ensure_ascii=False), encoding="utf-8")
    return data


def prune(now: datetime) -> int:
    """Remove variants that nobody has opened for long; how many."""
    removed = 0
    for folder in settings.VARIANTS.glob("*/"):
        old = now.timestamp() - folder.stat().st_mtime > UNUSED.total_seconds()
        if old and folder.name != KEYS:
            shutil.rmtree(folder, ignore_errors=True)
            _key_file(folder).unlink(missing_ok=True)
            removed += 1
    for lock in settings.VARIANTS.glob("*.lock"):
        if time.time() - lock.stat().st_mtime > UNUSED.total_seconds():
            lock.unlink(missing_ok=True)
    return removed
