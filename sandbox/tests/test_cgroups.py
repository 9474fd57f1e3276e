"""Groups on a tree of plain files for version 2 (this can show our writes, not the kernel's
enforcement) and on the kernel's own version 1 where it is mounted."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox import Limits, cgroups
from sandbox.cgroups import TreeV2, find_tree


@pytest.fixture
def fake_v2(tmp_path: Path) -> Path:
    base = tmp_path / "cgroup"
    base.mkdir()
    (base / "cgroup.controllers").write_text("cpuset cpu io memory pids\n")
    (base / "cgroup.procs").write_text("")
    (base / "cgroup.type").write_text("domain\n")
    return base


def test_v2_group_gets_every_bound(fake_v2: Path) -> None:
    tree = TreeV2(fake_v2)
    tree.create("run", Limits(memory_mb=100, pids=10, cpus=0.5))
    at = fake_v2 / "headnode" / "run"
    assert (at / "memory.max").read_text() == str(100 << 20)
    assert (at / "pids.max").read_text() == "12"
    assert (at / "cpu.max").read_text() == "50000 100000"
    for folder in (fake_v2, fake_v2 / "headnode"):
        assert (folder / "cgroup.subtree_control").read_text() == "+memory +pids +cpu"
    assert tree.names() == {"run"}


def test_v2_meters_are_read(fake_v2: Path) -> None:
    group = TreeV2(fake_v2).create("run", None)
    at = fake_v2 / "headnode" / "run"
    (at / "cpu.stat").write_text("usage_usec 1500000\nuser_usec 1000000\n")
    (at / "memory.peak").write_text(str(7 << 20))
    (at / "memory.events").write_text("low 0\noom 2\noom_kill 1\n")
    assert (group.cpu_s(), group.peak_mb(), group.oom_kills()) == (1.5, 7.0, 1)


def test_v2_delegated_runner_steps_into_a_leaf(fake_v2: Path) -> None:
    (fake_v2 / "cgroup.procs").write_text("4242\n")
    (fake_v2 / "runner").mkdir()
    TreeV2(fake_v2)
    assert (fake_v2 / "runner" / "cgroup.procs").read_text() == "4242"


def test_v2_without_the_controllers_is_no_use(fake_v2: Path) -> None:
    (fake_v2 / "cgroup.controllers").write_text("hugetlb\n")
    with pytest.raises(PermissionError, match="memory"):
        TreeV2(fake_v2)


def test_v2_kill_never_signals_number_0(fake_v2: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process of another pid namespace reads as 0, and kill(0) would end ourselves."""
    group = TreeV2(fake_v2).create("run", None)
    (fake_v2 / "headnode" / "run" / "cgroup.procs").write_text("0\n")
    killed: list[int] = []
    monkeypatch.setattr("os.kill", lambda pid, _signal: killed.append(pid))
    group.kill()
    assert killed == []


def test_host_without_groups_says_so(tmp_path: Path) -> None:
    (tmp_path / "mounts").write_text("tmpfs /tmp tmpfs rw 0 0\n")
    (tmp_path / "cgroup").write_text("0::/\n")
    with pytest.raises(OSError, match="no cgroup hierarchy"):
        find_tree(tmp_path)


def test_sweep_takes_the_dead_only(fake_v2: Path) -> None:
    tree = TreeV2(fake_v2)
    for name in ("dead", "alive"):
        (fake_v2 / "headnode" / name).mkdir()
    assert cgroups.sweep(tree, lambda name: name == "dead") == ["group dead"]
    assert tree.names() == {"alive"}


def test_real_tree_makes_and_removes_a_group() -> None:
    try:
        tree = find_tree()
    except OSError as error:
        pytest.skip(f"No cgroup can be made here: {error}")
    group = tree.create("test-make-and-remove", Limits(memory_mb=64))
    assert "test-make-and-remove" in tree.names()
    assert group.cpu_s() == 0
    group.remove()
    assert "test-make-and-remove" not in tree.names()
