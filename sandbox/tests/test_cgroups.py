"""Groups on a tree of plain files for version 2 (this can show our writes, not the kernel's
enforcement) and on the kernel's own version 1 where it is mounted."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from sandbox import Limits, cgroups
from sandbox.cgroups import GroupV1, TreeV2, find_tree


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


def test_v2_kill_for_the_hosts_sake_is_not_at_the_runs_own_limit(fake_v2: Path) -> None:
    group = TreeV2(fake_v2).create("run", None)
    (fake_v2 / "headnode" / "run" / "memory.events").write_text("oom 0\noom_kill 1\n")
    assert group.oom_kills() == 0


@pytest.mark.parametrize(("most", "kills"), [(60 << 20, 0), ((96 << 20) - 4096, 1)])
def test_v1_kill_for_the_hosts_sake_is_not_at_the_runs_own_limit(
    most: int, kills: int, tmp_path: Path
) -> None:
    (tmp_path / "memory.oom_control").write_text("under_oom 0\noom_kill 1\n")
    (tmp_path / "memory.max_usage_in_bytes").write_text(str(most))
    (tmp_path / "memory.limit_in_bytes").write_text(str(96 << 20))
    assert GroupV1({"memory": tmp_path}, [], None).oom_kills() == kills


def test_pressure_is_read_where_the_kernel_keeps_it(fake_v2: Path) -> None:
    group = TreeV2(fake_v2).create("run", None)
    at = fake_v2 / "headnode" / "run" / "cpu.pressure"
    assert group.pressure_s() is None
    at.write_text("some avg10=0.00 total=9000000\nfull avg10=0.00 avg60=0.00 total=2500000\n")
    assert group.pressure_s() == 2.5


def test_v2_delegated_runner_steps_into_a_leaf(fake_v2: Path) -> None:
    (fake_v2 / "cgroup.procs").write_text("4242\n")
    (fake_v2 / "runner").mkdir()
    TreeV2(fake_v2)
    assert (fake_v2 / "runner" / "cgroup.procs").read_text() == "4242"


def test_v2_stepping_aside_leaves_living_runs_in_their_groups(fake_v2: Path) -> None:
    """A second runner of the subtree must not pull the first one's programs out of their limits."""
    TreeV2(fake_v2).create("run", Limits())
    (fake_v2 / "headnode" / "run" / "cgroup.procs").write_text("4343\n")
    (fake_v2 / "cgroup.procs").write_text("4242\n")
    TreeV2(fake_v2)
    assert (fake_v2 / "runner" / "cgroup.procs").read_text() == "4242"


def test_v2_process_that_ends_while_it_is_moved_is_no_trouble(
    fake_v2: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (fake_v2 / "cgroup.procs").write_text("4242\n4243\n")
    moved: list[str] = []
    real = Path.write_text

    def write(at: Path, text: str) -> int:
        if at.name == "cgroup.procs":
            moved.append(text)
            if text == "4242":
                raise ProcessLookupError(text)
        return real(at, text)

    monkeypatch.setattr(Path, "write_text", write)
    TreeV2(fake_v2)
    assert moved[:2] == ["4242", "4243"]


def test_v2_tries_again_when_somebody_forked_meanwhile(
    fake_v2: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    busy = [OSError(errno.EBUSY, "busy")] * 2
    real = Path.write_text

    def write(at: Path, text: str) -> int:
        if at.name == "cgroup.subtree_control" and busy:
            raise busy.pop()
        return real(at, text)

    monkeypatch.setattr(Path, "write_text", write)
    TreeV2(fake_v2)
    assert (fake_v2 / "cgroup.subtree_control").read_text() == "+memory +pids +cpu"


def test_v2_hierarchy_that_is_read_only_is_no_use(
    fake_v2: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a container whose engine was not told to delegate."""
    (fake_v2 / "headnode").mkdir()

    def write(at: Path, text: str) -> int:
        raise OSError(errno.EROFS, "Read-only file system", str(at))

    monkeypatch.setattr(Path, "write_text", write)
    with pytest.raises(OSError, match="Read-only"):
        TreeV2(fake_v2)


def _proc(tmp_path: Path, mounted: Path, own: str) -> Path:
    """What /proc/self says of a host with version 2 only."""
    proc = tmp_path / "proc"
    proc.mkdir()
    (proc / "mounts").write_text(f"cgroup2 {mounted} cgroup2 rw 0 0\n")
    (proc / "cgroup").write_text(f"0::{own}\n")
    return proc


@pytest.mark.parametrize("own", ["/user/unit", "/user/unit/runner"])
def test_v2_every_runner_of_a_user_finds_the_same_subtree(
    own: str, fake_v2: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also one that was forked from a process which had stepped aside already."""
    unit = fake_v2 / "user" / "unit"
    unit.mkdir(parents=True)
    for name in ("cgroup.controllers", "cgroup.procs", "cgroup.type"):
        (unit / name).write_text((fake_v2 / name).read_text())
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    find_tree(_proc(tmp_path, fake_v2, own)).create("run", Limits())
    assert (unit / "headnode" / "run" / "memory.max").exists()


@pytest.mark.parametrize("marked", [True, False])
def test_v2_root_stays_in_the_unit_that_was_given_to_it(
    marked: bool, fake_v2: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its service manager ends what is in there, and nothing else; without one the whole tree is root's."""
    unit = fake_v2 / "system.slice" / "unit"
    unit.mkdir(parents=True)
    for name in ("cgroup.controllers", "cgroup.procs", "cgroup.type"):
        (unit / name).write_text((fake_v2 / name).read_text())
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setattr(
        "os.getxattr", lambda at, name: b"1" if marked and at == unit else b"", raising=True
    )
    find_tree(_proc(tmp_path, fake_v2, "/system.slice/unit")).create("run", Limits())
    kept = unit if marked else fake_v2
    assert (kept / "headnode" / "run" / "memory.max").exists()


def test_v2_process_outside_what_it_can_see_has_no_tree(
    fake_v2: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    with pytest.raises(PermissionError, match="outside"):
        find_tree(_proc(tmp_path, fake_v2, "/../../elsewhere"))


def test_v2_runs_weigh_as_much_as_the_host_has_processors(fake_v2: Path) -> None:
    weight = fake_v2 / "headnode" / "cpu.weight"
    weight.parent.mkdir()
    weight.write_text("100\n")
    TreeV2(fake_v2)
    assert int(weight.read_text()) == 100 * (os.cpu_count() or 1)


def test_v2_swap_and_group_kill_are_off_where_the_kernel_has_them(fake_v2: Path) -> None:
    at = fake_v2 / "headnode" / "run"
    at.mkdir(parents=True)
    (at / "memory.swap.max").write_text("max\n")
    (at / "memory.oom.group").write_text("1\n")
    TreeV2(fake_v2).create("run", Limits())
    assert (at / "memory.swap.max").read_text() == "0"
    assert (at / "memory.oom.group").read_text() == "0"


def test_v2_peak_is_kept_on_kernels_that_keep_none(fake_v2: Path) -> None:
    group = TreeV2(fake_v2).create("run", None)
    at = fake_v2 / "headnode" / "run"
    (at / "cpu.stat").write_text("usage_usec 1\n")
    for held in (5, 90, 1):
        (at / "memory.current").write_text(str(held << 20))
        group.cpu_s()
    assert group.peak_mb() == 90


def test_v2_kill_uses_the_switch_that_takes_all_at_once(fake_v2: Path) -> None:
    group = TreeV2(fake_v2).create("run", None)
    at = fake_v2 / "headnode" / "run"
    (at / "cgroup.kill").write_text("")
    (at / "cgroup.procs").write_text("")
    group.kill()
    assert (at / "cgroup.kill").read_text() == "1"


@pytest.mark.parametrize("now", [64, 2048])
def test_v1_memory_is_bounded_in_the_order_the_kernel_takes(
    now: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A spare has a bound already, and memory alone may never exceed memory with swap."""
    limit, with_swap = tmp_path / "memory.limit_in_bytes", tmp_path / "memory.memsw.limit_in_bytes"
    for file in (limit, with_swap):
        file.write_text(str(now << 20))
    real = Path.write_text

    def write(at: Path, text: str) -> int:
        held = {one: int(one.read_text()) for one in (limit, with_swap)} | {at: int(text)}
        if held[limit] > held[with_swap]:
            raise OSError(errno.EINVAL, "memory may not be above memory with swap")
        return real(at, text)

    monkeypatch.setattr(Path, "write_text", write)
    cgroups._bound_memory(tmp_path, 512 << 20)
    assert limit.read_text() == with_swap.read_text() == str(512 << 20)


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


def test_group_that_another_sweep_removes_meanwhile_is_no_trouble(
    fake_v2: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its files, already open, have no device then."""
    tree = TreeV2(fake_v2)
    (fake_v2 / "headnode" / "dead").mkdir()

    def read(at: Path) -> str:
        raise OSError(errno.ENODEV, "No such device", str(at))

    monkeypatch.setattr(Path, "read_text", read)
    assert cgroups.sweep(tree, lambda name: True) == ["group dead"]


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
    name = f"test-{os.getpid()}"  # the tree is the host's: others may test there too
    group = tree.create(name, Limits(memory_mb=64))
    assert name in tree.names()
    assert group.cpu_s() == 0
    group.remove()
    assert name not in tree.names()
