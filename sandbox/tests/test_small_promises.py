"""A dead program's children come to the judge, and a lent card's requests pass whatever their number."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from sandbox import launch, memory, namespace, rootfs
from sandbox.syscalls import NVIDIA
from sandbox.tests.conftest import REPO

ASKS = """
import ctypes, pathlib, sys
from sandbox.runner import Runner
runner = Runner(pathlib.Path(sys.argv[1]))
found = ctypes.c_int(0)
assert ctypes.CDLL(None).prctl(37, ctypes.byref(found), 0, 0, 0) == 0  # PR_GET_CHILD_SUBREAPER
print(found.value)
"""


def test_children_of_dead_programs_come_to_the_runner(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ASKS, str(tmp_path)],
        cwd=REPO,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "1\n"


def passes(request: int) -> bool:
    """Whether a lent card's program may make this ioctl."""
    rules = [one for one in NVIDIA if one.name == "ioctl"]
    masks = [(2**64 - 1 if one.mask is None else one.mask, one.value) for one in rules]
    return any(request & mask == value for mask, value in masks)


def test_requests_of_the_driver_pass_and_terminals_do_not() -> None:
    for number in range(256):
        # As nv-ioctl.h builds them: direction and size above, the letter F, and the number.
        assert passes(0xC020_4600 | number)
        assert not passes(0x5400 | number)
    for number in (*range(1, 128), 0x3000_0001, 0x3000_0002):
        assert passes(number)
    assert not passes(0x3000_0003)


@pytest.mark.parametrize("moved", [True, False])
def test_a_root_is_in_memory_where_it_is_run_from_another_place(moved: bool) -> None:
    folder = Path("/roots/python")
    host = SimpleNamespace(
        root=SimpleNamespace(folder=folder),
        in_memory=lambda given: Path("/memory/python") if moved else given,
        spawner=SimpleNamespace(views=True, mounts=True, seccomp=True),
        tree=None,
        own_users=True,
    )
    layers = namespace._host_layers(cast(Any, host))
    (one,) = [layer for layer in layers if layer.name == "root in memory"]
    assert one.works is moved


@pytest.mark.parametrize(("mounts", "uid", "made"), [(True, 7, 1), (True, None, 0), (False, 7, 0)])
def test_a_run_has_a_folder_of_its_own_where_one_can_be_made(
    mounts: bool, uid: int | None, made: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only a process that may mount makes one, and only for a user of the run's own."""
    asked: list[object] = []
    spawner = SimpleNamespace(mounts=mounts, make_work=lambda *given: asked.append(given))
    host, limits = SimpleNamespace(spawner=spawner), SimpleNamespace(work_mb=1, inodes=1)
    spawn = launch._Spawn(*cast(Any, (host, "run", limits, {}, "", None, uid)))
    monkeypatch.setattr(launch._Spawn, "_start", lambda self, work: None)
    spawn()
    assert len(asked) == made


@pytest.mark.parametrize(("found", "there"), [("as built", True), ("another", False)])
def test_a_copy_of_the_root_counts_where_it_is_what_was_built(
    found: str, there: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is not the root is ours, made a moment ago: nobody reads it again."""
    monkeypatch.setattr(memory, "kept", lambda folder, good: folder if good(folder) else None)
    monkeypatch.setattr(rootfs, "digest", lambda copy: found)
    root = SimpleNamespace(folder=Path("/roots/python"), digest="as built")
    host = cast(Any, SimpleNamespace(spawner=SimpleNamespace(views=True), root=root))
    assert bool(launch.Host.in_memory(host, root.folder)) is there
    assert launch.Host.in_memory(host, Path("/boot")) == Path("/boot")
