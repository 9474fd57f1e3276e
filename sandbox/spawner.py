"""One long-lived thread that starts every sandbox, in a mount namespace of its own.

The kernel delivers a parent-death signal when the spawning *thread* ends, so a sandbox started
from a pool thread would die with it. The thread's private mount namespace makes the runs' mounts
invisible to the host and lets the kernel drop them when the process dies: a tmpfs to work in, and
views (overlays) of the folders it sees. A view has files of its own as far as locks, leases and
notifications go, so those of one run never meet another's.
"""

from __future__ import annotations

import ctypes
import os
import queue
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

from sandbox import views

_CLONE_NEWNS, _CLONE_NEWTIME = 0x20000, 0x80
_MS_RDONLY, _MS_NOSUID, _MS_NODEV, _MS_NOSYMFOLLOW, _MS_BIND = 0x1, 0x2, 0x4, 0x100, 0x1000
_MS_REMOUNT, _MS_NOATIME = 0x20, 0x400
_MS_REC, _MS_SLAVE = 0x4000, 0x80000
_MNT_DETACH = 2
# One of them is covered by a tmpfs that only this thread and its children see: a place that every
# host user can reach, which a state folder below somebody's home is not.
_HALLS = (Path("/mnt"), Path("/media"), Path("/srv"), Path("/opt"))

T = TypeVar("T")

_libc = ctypes.CDLL(None, use_errno=True)


class Spawner:
    """Runs functions one after another on its thread; `mounts` says whether it can mount, `views`
    whether a run can have views, made by the thread or, where that cannot, by a command."""

    def __init__(self, state_dir: Path) -> None:
        self.mounts = self.views = False
        self.hall = hall_for(state_dir, Path(__file__))
        self._work: queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None]
        self._work = queue.SimpleQueue()
        self._bound: dict[str, Path] = {}
        self._thread = threading.Thread(target=self._loop, name="sandbox-spawner", daemon=True)
        self._thread.start()
        self.call(self._enter_namespace)

    def call(self, function: Callable[[], T]) -> T:
        """Run on the spawner thread and wait; exceptions come through."""
        future: Future[T] = Future()
        self._work.put((future, function))
        return future.result()

    def post(self, function: Callable[[], object]) -> None:
        """Run on the spawner thread some time, after what was asked for before."""
        self._work.put((Future(), function))

    def close(self) -> None:
        """End the thread; the kernel then kills what it started and still runs."""
        self._work.put(None)
        self._thread.join()

    def _loop(self) -> None:
        while (item := self._work.get()) is not None:
            future, function = item
            try:
                future.set_result(function())
            except BaseException as error:
                future.set_exception(error)

    def _enter_namespace(self) -> None:
        if os.geteuid() != 0 or _libc.unshare(_CLONE_NEWNS) != 0:
            self.views = views.work_for_users(self.hall)
            return
        try:
            # What the host unmounts later goes here too; what is mounted here stays here.
            _mount("none", Path("/"), "", _MS_REC | _MS_SLAVE)
            _mount("tmpfs", self.hall, "tmpfs", _MS_NOSUID | _MS_NODEV, "size=1m,mode=711")
        except OSError:
            return
        self.mounts = True
        try:
            self._try_view()
        except OSError:
            return
        self.views = True

    def _try_view(self) -> None:
        self._nothing.mkdir()
        trial = self.hall / "trial"
        trial.mkdir()
        self._mount_view(Path("/dev"), trial)
        _libc.umount2(os.fsencode(trial), _MNT_DETACH)
        trial.rmdir()

    @property
    def _nothing(self) -> Path:
        return self.hall / "nothing"

    def _mount_view(self, folder: Path, at: Path) -> None:
        flags = _MS_RDONLY | _MS_NOSUID | _MS_NOATIME
        _mount("overlay", at, "overlay", flags, views.options(folder, self._nothing))

    def next_time_namespace(self) -> None:
        """Of its own for what is started next, where the kernel has them: bubblewrap makes none, and locks
        on the namespace's file are seen by all that are in it. Only on the thread."""
        if self.mounts:
            _libc.unshare(_CLONE_NEWTIME)

    def reachable(self, folder: Path) -> Path:
        """A place where `folder` can be read by any host user. Only on the spawner thread."""
        if not self.mounts:
            return folder
        key = str(folder)
        if key not in self._bound:
            at = self.hall / f"ro-{len(self._bound)}"
            at.mkdir(exist_ok=True)
            _mount(key, at, "", _MS_BIND)
            self._bound[key] = at
        return self._bound[key]

    def make_work(self, name: str, size_mb: int, inodes: int, uid: int) -> Path:
        """A run's tmpfs with folders box, tmp and shm. Only on the spawner thread. Raises OSError."""
        at = self.hall / name
        at.mkdir()
        options = f"size={size_mb}m,nr_inodes={inodes},mode=700,uid={uid},gid={uid}"
        try:
            _mount("tmpfs", at, "tmpfs", _MS_NOSUID | _MS_NODEV | _MS_NOSYMFOLLOW, options)
            for folder in (at / "box", at / "tmp", at / "shm"):
                folder.mkdir(mode=0o700)
                os.chown(folder, uid, uid)
        except OSError:
            self.drop_work(at)
            raise
        return at

    def add_views(self, at: Path, folders: Mapping[str, Path]) -> None:
        """Show folders read-only below a run's tmpfs, by these names. Only on the thread. Raises OSError."""
        for name, folder in folders.items():
            (at / name).mkdir(mode=0o755)
            self._mount_view(folder, at / name)

    def resize_work(self, at: Path, size_mb: int, inodes: int) -> None:
        """Give a run's tmpfs other bounds. Only on the thread. Raises OSError."""
        options = f"size={size_mb}m,nr_inodes={inodes}"
        flags = _MS_REMOUNT | _MS_NOSUID | _MS_NODEV | _MS_NOSYMFOLLOW
        _mount("tmpfs", at, "tmpfs", flags, options)

    def drop_work(self, at: Path) -> None:
        """Let go of a run's tmpfs and views; a sandbox that has them bound keeps them. Only on the thread."""
        _libc.umount2(os.fsencode(at), _MNT_DETACH)
        at.rmdir()


def hall_for(*needed: Path) -> Path:
    """The first place to cover that hides none of the folders we need ourselves."""
    for hall in _HALLS:
        if hall.is_dir() and not any(path.resolve().is_relative_to(hall) for path in needed):
            return hall
    raise FileNotFoundError("none of /mnt, /media, /srv and /opt is free for the sandbox to cover")


def _mount(source: str, at: Path, kind: str, flags: int, options: str = "") -> None:
    result = _libc.mount(
        source.encode(), os.fsencode(at), kind.encode(), ctypes.c_ulong(flags), options.encode()
    )
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), str(at))
