"""Keeps the finished root folders that programs see: builds one, finds one, names its content.

A root is made from Debian packages, with no registry and no rights needed. Two builds from the
same packages and declaration give the same digest.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import tarfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from sandbox.roots import debian, declared
from sandbox.roots.furnish import furnish
from sandbox.unavailable import SandboxUnavailable

_RECIPE = 2
_EPOCH = 1_700_000_000


@dataclass(frozen=True)
class Root:
    """A finished root folder. `digest` is the SHA-256 of its tar, `magic` its byte-code number,
    `size` the bytes of its files."""

    name: str
    folder: Path
    digest: str
    python: str
    magic: str
    size: int
    packages: dict[str, str]

    @property
    def image(self) -> str:
        """Name and content, as results record it."""
        return f"{self.name}@sha256:{self.digest}"


def load(name: str, state_dir: Path) -> Root:
    """Raises SandboxUnavailable when it has not been built, or was built to another declaration,
    and ValueError for a name that nobody has declared."""
    wanted = _recipe(name)
    try:
        found = json.loads(_record(state_dir, name).read_text())
        folder = state_dir / "roots" / found.pop("folder")
        current = found.pop("recipe") == wanted and folder.is_dir()
        found.pop("before")
    except (OSError, ValueError, KeyError):
        current = False
    if not current:
        which = "" if name == "python" else f" {name}"
        raise SandboxUnavailable(
            f"The sandbox's root folder {name!r} is missing in {state_dir / 'roots'}: "
            f"run 'python -m sandbox build-root{which}'."
        )
    return Root(name=name, folder=folder, **found)


def build(state_dir: Path, name: str = "python") -> tuple[Root, bool]:
    """Build unless it is there, unchanged; the second value says whether anything was built.

    Several may call this at once: one builds, the others wait for it. Runs that go on keep the
    folder they have. Raises SandboxUnavailable with one sentence when apt is missing or cannot
    fetch, ValueError for a name that nobody has declared.
    """
    declared(name)
    roots = state_dir / "roots"
    roots.mkdir(parents=True, exist_ok=True)
    with _only_one(roots / f".lock-{name}"):
        with contextlib.suppress(SandboxUnavailable):
            if is_unchanged(found := load(name, state_dir)):
                return found, False
        draft = roots / f".draft-{name}"
        # A builder that was killed has left it; only its packages are of use.
        shutil.rmtree(draft, ignore_errors=True)
        try:
            _build_into(draft, state_dir, name)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
        return load(name, state_dir), True


def is_unchanged(root: Root) -> bool:
    """Whether the folder still is what was built; reads all of it."""
    return digest(root.folder) == root.digest


@contextmanager
def _only_one(lock: Path) -> Iterator[None]:
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield


def _build_into(draft: Path, state_dir: Path, name: str) -> None:
    wanted, roots = declared(name), state_dir / "roots"
    debian.require_apt()
    python = debian.python_version()
    chosen = [f"python{python}-minimal", f"libpython{python}-stdlib", *wanted.packages]
    debs = roots / f".packages-{name}"
    files = debian.fetch(debian.with_dependencies(chosen, wanted.without), debs)
    draft.mkdir(mode=0o755)
    packages = debian.unpack(files, draft)
    furnish(draft, wanted, python)
    total = digest(draft)
    record = {
        "recipe": _recipe(name),
        "folder": f"{name}-{total[:12]}",
        "before": _folder_before(state_dir, name),
        "digest": total,
        "python": python,
        "magic": _magic(draft, python),
        "size": size(draft),
        "packages": packages,
    }
    _publish(draft, state_dir, name, record)
    shutil.rmtree(debs)


def _publish(draft: Path, state_dir: Path, name: str, record: dict[str, object]) -> None:
    """Replacing the record is the one step that counts. The root before it stays for the runs
    and workers that have it open; older ones go."""
    roots = state_dir / "roots"
    final = roots / str(record["folder"])
    if final.is_dir() and digest(final) != record["digest"]:
        aside = roots / f".changed-{name}"
        shutil.rmtree(aside, ignore_errors=True)
        final.rename(aside)
    if not final.is_dir():
        draft.rename(final)
    fresh = roots / f".{name}.json"
    fresh.write_text(json.dumps(record, indent=1) + "\n")
    fresh.replace(_record(state_dir, name))
    for old in roots.glob(f"{name}-*"):
        if old.name not in (record["folder"], record["before"]):
            shutil.rmtree(old, ignore_errors=True)


def _record(state_dir: Path, name: str) -> Path:
    return state_dir / "roots" / f"{name}.json"


def _recipe(name: str) -> str:
    return f"{_RECIPE}-{declared(name).fingerprint}"


def _folder_before(state_dir: Path, name: str) -> str:
    try:
        return str(json.loads(_record(state_dir, name).read_text())["folder"])
    except (OSError, ValueError, KeyError):
        return ""


def _magic(root: Path, python: str) -> str:
    compiled = next((root / f"usr/lib/python{python}/__pycache__").glob("os.*.pyc"))
    return compiled.read_bytes()[:4].hex()


def size(root: Path) -> int:
    """Bytes of all its files."""
    return sum(
        os.lstat(os.path.join(folder, name)).st_size
        for folder, _names, files in os.walk(root)
        for name in files
    )


def write_tar(root: Path, out: BinaryIO) -> None:
    """The folder as a tar whose bytes depend on nothing but its contents."""
    root = root.resolve()
    with tarfile.open(fileobj=out, mode="w|", format=tarfile.GNU_FORMAT) as tar:
        tar.add(root, arcname=".", recursive=False, filter=_plain)
        for folder, names, files in os.walk(root):
            names.sort()
            for name in sorted((*names, *files)):
                path = Path(folder, name)
                tar.add(path, str(path.relative_to(root)), recursive=False, filter=_plain)


def _plain(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    member.mtime = _EPOCH
    return member


def digest(root: Path) -> str:
    """SHA-256 of the folder's tar."""
    meter = _Meter()
    write_tar(root, cast(BinaryIO, meter))
    return meter.total.hexdigest()


class _Meter:
    """A file that only keeps a checksum."""

    def __init__(self) -> None:
        self.total = hashlib.sha256()
        self.write: Callable[[bytes], None] = self.total.update


def summary(root: Root) -> str:
    return (
        f"{root.folder}: Python {root.python}, {len(root.packages)} packages, "
        f"{root.size >> 20} MiB, sha256 {root.digest[:12]}"
    )
