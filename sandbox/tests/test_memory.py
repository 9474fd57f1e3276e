"""Copies in memory, and pages held where they are."""

from __future__ import annotations

import ctypes
import fcntl
import mmap
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox import SandboxUnavailable, memory
from sandbox.tests.conftest import REPO, missing


@pytest.fixture(autouse=True)
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Elsewhere than where backends look."""
    monkeypatch.setattr(memory, "SHM", tmp_path)
    monkeypatch.setattr(memory, "_is_memory", lambda: True)
    return tmp_path / f"headnode-{os.geteuid()}"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "built" / "python-1"
    made.mkdir(parents=True)
    (made / "file").write_text("text")
    (made / "link").symlink_to("file")
    return made


def test_folder_is_copied_once(folder: Path, house: Path) -> None:
    copy = memory.copy_of(folder)
    assert copy == house / "python-1"
    assert (copy / "file").read_text() == "text"
    assert os.readlink(copy / "link") == "file"
    (copy / "file").write_text("still")
    assert memory.copy_of(folder) == copy
    assert (copy / "file").read_text() == "still"


def test_copy_that_went_is_made_again(folder: Path) -> None:
    copy = memory.copy_of(folder)
    assert copy is not None
    copy.rename(copy.with_name("gone"))
    assert memory.copy_of(folder) == copy
    assert (copy / "file").exists()


def test_changed_folder_is_refused(folder: Path, house: Path) -> None:
    with pytest.raises(SandboxUnavailable, match="build-root python"):
        memory.copy_of(folder, lambda copy: False)
    assert sorted(os.listdir(house)) == [".lock"]


def test_no_copy_where_there_is_no_room(folder: Path) -> None:
    with (folder / "file").open("r+b") as file:
        file.truncate(1 << 43)
    assert memory.copy_of(folder) is None


def test_older_copy_goes_when_nobody_uses_it(folder: Path, house: Path) -> None:
    for name in ("python-0", "python-00", "login-0"):
        (house / name).mkdir(parents=True)
    used = os.open(house / "python-00", os.O_RDONLY)
    fcntl.flock(used, fcntl.LOCK_SH)
    assert memory.copy_of(folder) is not None
    os.close(used)
    left = sorted(path.name for path in house.iterdir() if path.name != ".lock")
    assert left == ["login-0", "python-00", "python-1"]


def test_place_that_others_made_or_may_write_is_left_alone(folder: Path, house: Path) -> None:
    house.mkdir()
    house.chmod(0o777)
    assert memory.copy_of(folder) is None
    house.rmdir()
    house.symlink_to(folder)
    assert memory.copy_of(folder) is None


@pytest.fixture
def on_disk() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir=REPO / "data") as made:
        yield Path(made)


def _is_in_memory(path: Path) -> bool:
    """By mincore(2): a read that may not wait still starts to read ahead, and finds its own work."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    size = path.stat().st_size
    pages = (ctypes.c_ubyte * -(-size // mmap.PAGESIZE))()
    with path.open("rb") as file:
        address = ctypes.c_void_p(
            libc.mmap(None, size, mmap.PROT_READ, mmap.MAP_SHARED, file.fileno(), 0)
        )
        answer = libc.mincore(address, size, pages)
        libc.munmap(address, size)
    if answer:
        raise OSError(ctypes.get_errno(), "mincore")
    return any(page & 1 for page in pages)


def _drop(path: Path) -> None:
    """Ask for it again and again: a page that another processor has just touched is not dropped at once."""
    for _ in range(20):
        file = os.open(path, os.O_RDONLY)
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(file)
        if not _is_in_memory(path):
            return
        time.sleep(0.05)


def test_held_pages_are_not_dropped(on_disk: Path) -> None:
    """Without the hold the same call drops them."""
    path = on_disk / "file"
    with path.open("wb") as file:
        file.write(bytes(9000))
        file.flush()
        os.fsync(file.fileno())
    _drop(path)
    if _is_in_memory(path):
        missing("This file system drops no pages when asked to")
    memory.hold(on_disk)
    assert _is_in_memory(path)
    _drop(path)
    assert _is_in_memory(path)
