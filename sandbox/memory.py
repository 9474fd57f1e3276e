"""Keeps what runs share in memory, so that no time to fetch it tells one run what another did.

A folder is copied once for all processes of one user on this host. In memory nothing is ever dropped, and
a name looked up in vain leaves no trace, as it does on a disk. Where others own the files (a Docker
engine's layers), or there is no room, their pages are held where they are.
"""

from __future__ import annotations

import ctypes
import fcntl
import mmap
import os
import shutil
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from sandbox.unavailable import SandboxUnavailable

SHM = Path("/dev/shm")  # noqa: S108 - a folder of our own in it
_MAP_POPULATE = 0x8000
_NO_ADDRESS = ctypes.c_void_p(-1).value

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *(ctypes.c_int,) * 3, ctypes.c_long]
_libc.mlock.argtypes = [ctypes.c_void_p, ctypes.c_size_t]

# Open folders with a shared lock, so that no other process takes the copy away.
_used: dict[Path, int] = {}
_mapped: dict[tuple[int, Path], bool] = {}


def kept(folder: Path, is_right: Callable[[Path], bool]) -> Path:
    """As `copy_of`, or where there is no room the folder itself with its pages held."""
    copy = copy_of(folder, is_right)
    if copy is None:
        hold(folder)
    return copy or folder


def copy_of(folder: Path, is_right: Callable[[Path], bool] = lambda copy: True) -> Path | None:
    """The folder in memory, which has to be named by its content; None where there is no room.

    Raises SandboxUnavailable when what was copied is not `is_right`.
    """
    house = SHM / f"headnode-{os.geteuid()}"
    at = house / folder.name
    if at in _used and at.is_dir():
        return at
    if not _is_memory() or not _is_ours(house):
        return None
    with (house / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (at.is_dir() or _copy(folder, at, is_right)):
            return None
        _use(at)
    return at


def hold(folder: Path) -> bool:
    """Map every file below `folder` into this process for good, so that its pages stay in memory.

    False where the kernel may still take them when it has no others left: they are mapped, and not locked.
    """
    key = (os.getpid(), folder)
    if key not in _mapped:
        locked = [_hold(path) for path in _files(folder)]
        _mapped[key] = all(locked)
    return _mapped[key]


def _hold(path: str) -> bool:
    file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        size = os.fstat(file).st_size
        if not size:
            return True
        flags = mmap.MAP_SHARED | _MAP_POPULATE
        address = _libc.mmap(None, size, mmap.PROT_READ, flags, file, 0)
        return bool(address != _NO_ADDRESS and _libc.mlock(address, size) == 0)
    finally:
        os.close(file)


def _files(folder: Path) -> list[str]:
    return [
        path
        for below, _names, files in os.walk(folder)
        for path in (os.path.join(below, name) for name in files)
        if stat.S_ISREG(os.lstat(path).st_mode)
    ]


def _is_memory() -> bool:
    with suppress(OSError), open("/proc/mounts") as mounts:
        return any(line.split()[1:3] == [str(SHM), "tmpfs"] for line in mounts)
    return False


def _is_ours(house: Path) -> bool:
    """Everybody may write beside it, so it may be there already and be somebody else's."""
    try:
        house.mkdir(mode=0o755, exist_ok=True)
        found = house.lstat()
    except OSError:
        return False
    ours = stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()
    return ours and not found.st_mode & 0o022


def _copy(folder: Path, at: Path, is_right: Callable[[Path], bool]) -> bool:
    """Whether there was room for it, and for others who need some memory there."""
    size = sum(os.lstat(path).st_size + mmap.PAGESIZE for path in _files(folder))
    _remove_older(at)
    if shutil.disk_usage(SHM).free < size * 5 // 4:
        return False
    draft = at.with_name(".draft")
    shutil.rmtree(draft, ignore_errors=True)
    try:
        shutil.copytree(folder, draft, symlinks=True)
        if not is_right(draft):
            raise SandboxUnavailable(
                f"The folder {folder} is not what was built: run 'python -m sandbox build-root "
                f"{folder.name.rpartition('-')[0]}'."
            )
        draft.rename(at)
    except OSError:
        return False
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return True


def _remove_older(at: Path) -> None:
    """Other versions of the same, if no process uses them."""
    for other in at.parent.glob(f"{at.name.rpartition('-')[0]}-*"):
        with suppress(OSError):
            folder = os.open(other, os.O_RDONLY | os.O_DIRECTORY)
            try:
                fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(other)
            finally:
                os.close(folder)


def _use(at: Path) -> None:
    folder = os.open(at, os.O_RDONLY | os.O_DIRECTORY)
    fcntl.flock(folder, fcntl.LOCK_SH)
    _used[at] = folder
