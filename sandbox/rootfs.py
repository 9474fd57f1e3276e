"""Builds the small root folder a program sees, from Debian packages; no registry, no root needed.

Packages are fetched and verified by apt and only unpacked: none of their scripts runs. The result
has no shell, no package manager and no set-uid file, and two builds give the same digest.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import shutil
import stat
import subprocess
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from sandbox.contract import SandboxUnavailable

_RECIPE = 1
_PYTHONS = ("3.13", "3.12", "3.11")
# Dependencies that only their packages' scripts, a terminal or a person would use.
_UNWANTED = re.compile(
    r"debconf|dpkg|tar|perl.*|readline-common|libtirpc-common|gcc-.*-base|install-info|tzdata|ucf|mailcap|mime-support"
)
_DROPPED = (
    *("usr/share/doc", "usr/share/man", "usr/share/locale", "usr/share/lintian", "usr/share/bug"),
    *("usr/share/binfmts", "usr/share/applications", "usr/share/pixmaps", "usr/share/perl*"),
    *("usr/lib/*-linux-gnu/gconv", "usr/lib/*-linux-gnu/perl*"),
    *(f"usr/lib/python3*/{n}" for n in ("idlelib", "turtledemo", "test", "ensurepip", "lib2to3")),
)
# A read-only root cannot grow mount points later.
_MOUNT_POINTS = ("proc", "sys", "dev", "tmp", "run", "box", "opt/sbx", "opt/headnode", "etc")
_ETC = {
    "passwd": "root:x:0:0::/:/usr/sbin/nologin\ncandidate:x:64000:64000::/box:/usr/sbin/nologin\n",
    "group": "root:x:0:\ncandidate:x:64000:\n",
    "hosts": "127.0.0.1 localhost\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
}
_EPOCH = 1_700_000_000
_APT = ("apt-get", "apt-cache", "dpkg-deb")


@dataclass(frozen=True)
class Root:
    """A finished root folder. `digest` is the SHA-256 of its tar, `magic` its byte-code number."""

    folder: Path
    digest: str
    python: str
    magic: str
    packages: dict[str, str]


def load(name: str, state_dir: Path) -> Root:
    """Raises SandboxUnavailable when the folder has not been built."""
    folder, record = state_dir / "roots" / name, state_dir / "roots" / f"{name}.json"
    try:
        found = json.loads(record.read_text())
        current = found.pop("recipe") == _RECIPE and folder.is_dir()
    except (OSError, ValueError, KeyError):
        current = False
    if not current:
        raise SandboxUnavailable(
            f"The sandbox's root folder {folder} is missing: run 'python -m sandbox build-root'."
        )
    return Root(folder=folder, **found)


def build(state_dir: Path, name: str = "python") -> tuple[Root, bool]:
    """Build unless it is there; the second value says whether anything was built.

    Raises SandboxUnavailable with one sentence when apt is missing or cannot fetch.
    """
    roots = state_dir / "roots"
    roots.mkdir(parents=True, exist_ok=True)
    with _only_one(roots / ".lock"):
        try:
            return load(name, state_dir), False
        except SandboxUnavailable:
            pass
        draft = Path(tempfile.mkdtemp(dir=roots, prefix=".draft-"))
        try:
            _build_into(draft, roots, name)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
        return load(name, state_dir), True


@contextmanager
def _only_one(lock: Path) -> Iterator[None]:
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield


def _build_into(draft: Path, roots: Path, name: str) -> None:
    _require_apt()
    python, packages = _choose()
    debs, root = draft / "debs", draft / "root"
    debs.mkdir()
    root.mkdir(mode=0o755)
    _run(["apt-get", "-q", "download", *packages], cwd=debs)
    files = sorted(debs.glob("*.deb"))
    for deb in files:
        _run(["dpkg-deb", "-x", str(deb), str(root)])
    _trim(root)
    _furnish(root, python)
    _compile(root, python)
    _check(root)
    record = {
        "recipe": _RECIPE,
        "digest": digest(root),
        "python": python,
        "magic": _magic(root, python),
        "packages": dict(_versions(files)),
    }
    final = roots / name
    shutil.rmtree(final, ignore_errors=True)
    root.rename(final)
    (roots / f"{name}.json").write_text(json.dumps(record, indent=1) + "\n")


def _require_apt() -> None:
    missing = [tool for tool in _APT if shutil.which(tool) is None]
    if missing:
        raise SandboxUnavailable(
            f"The sandbox's root folder cannot be built here: {', '.join(missing)} is missing "
            "(it is unpacked from Debian packages, so build it on Debian or Ubuntu)."
        )


def _run(command: list[str], cwd: Path | None = None) -> str:
    """Raises SandboxUnavailable with the tool's last line."""
    environment = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"}
    done = subprocess.run(  # noqa: S603 - fixed tools, package names from apt
        command, cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        lines = (done.stderr or done.stdout).strip().splitlines() or ["no message"]
        raise SandboxUnavailable(
            f"The sandbox's root folder could not be built: {command[0]} said "
            f"{lines[-1][:200]!r}; check the network and run 'apt-get update', then try again."
        )
    return done.stdout


def _choose() -> tuple[str, list[str]]:
    for python in _PYTHONS:
        wanted = [f"python{python}-minimal", f"libpython{python}-stdlib"]
        shown = _run(["apt-cache", "policy", *wanted])
        if shown.count("Candidate:") == 2 and "Candidate: (none)" not in shown:
            return python, _with_dependencies(wanted)
    raise SandboxUnavailable(
        f"The sandbox's root folder cannot be built: apt offers no Python {_PYTHONS[-1]} to "
        f"{_PYTHONS[0]}; run 'apt-get update' and try again."
    )


def _with_dependencies(wanted: list[str]) -> list[str]:
    found: set[str] = set()
    fresh = set(wanted)
    while fresh:
        found |= fresh
        shown = _run(["apt-cache", "depends", "--important", *sorted(fresh)])
        named = re.findall(r"^ [ |](?:Pre)?Depends: ([a-z0-9][a-z0-9.+-]*)$", shown, re.MULTILINE)
        fresh = {name for name in named if not _UNWANTED.fullmatch(name)} - found
    return sorted(found)


def _trim(root: Path) -> None:
    for pattern in _DROPPED:
        for path in root.glob(pattern):
            shutil.rmtree(path)


def _furnish(root: Path, python: str) -> None:
    for name in _MOUNT_POINTS:
        (root / name).mkdir(parents=True, exist_ok=True)
    for name in ("lib", "lib64"):
        if not os.path.lexists(root / name) and (root / "usr" / name).is_dir():
            (root / name).symlink_to(f"usr/{name}")
    link = root / "usr/bin/python3"
    link.unlink(missing_ok=True)
    link.symlink_to(f"python{python}")
    for name, text in _ETC.items():
        (root / "etc" / name).write_text(text)
    for folder, names, files in os.walk(root):
        for path in (Path(folder, name) for name in (*names, *files)):
            if not path.is_symlink():
                path.chmod(path.stat().st_mode & 0o755 | 0o444)
    root.chmod(0o755)


def _compile(root: Path, python: str) -> None:
    """With the root's own interpreter: its byte code is tied to its version."""
    inner = [
        *("/usr/bin/python3", "-I", "-S", "-m", "compileall", "-q"),
        *("--invalidation-mode", "unchecked-hash", f"/usr/lib/python{python}"),
    ]
    if os.geteuid() == 0:
        _run(["chroot", str(root), *inner])
    elif (bwrap := shutil.which("bwrap")) is not None:
        _run([bwrap, "--unshare-all", "--bind", str(root), "/", "--", *inner])
    else:
        raise SandboxUnavailable(
            "The sandbox's root folder cannot be built by an ordinary user without bubblewrap: "
            "install it with 'apt-get install bubblewrap'."
        )


def _check(root: Path) -> None:
    for folder, _names, files in os.walk(root):
        for name in files:
            mode = os.lstat(os.path.join(folder, name)).st_mode
            if stat.S_ISREG(mode) and mode & (stat.S_ISUID | stat.S_ISGID):
                raise SandboxUnavailable(f"The root folder would hold a set-uid file, {name}.")
    if any(os.path.lexists(root / where / "sh") for where in ("bin", "usr/bin")):
        raise SandboxUnavailable("The root folder would hold a shell.")


def _magic(root: Path, python: str) -> str:
    compiled = next((root / f"usr/lib/python{python}/__pycache__").glob("os.*.pyc"))
    return compiled.read_bytes()[:4].hex()


def _versions(debs: list[Path]) -> Iterator[tuple[str, str]]:
    for deb in debs:
        name, version, _arch = deb.stem.split("_")
        yield name, version.replace("%3a", ":")


def write_tar(root: Path, out: BinaryIO) -> None:
    """The folder as a tar whose bytes depend on nothing but its contents."""
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
    size = sum(
        os.lstat(os.path.join(folder, name)).st_size
        for folder, _names, files in os.walk(root.folder)
        for name in files
    )
    return (
        f"{root.folder}: Python {root.python}, {len(root.packages)} packages, "
        f"{size >> 20} MiB, sha256 {root.digest[:12]}"
    )
