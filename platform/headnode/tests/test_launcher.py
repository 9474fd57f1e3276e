"""What stops a start says so in one sentence; what dies is started again; what ended is collected."""

from __future__ import annotations

import fcntl
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from headnode.children import Child, keep_alive
from headnode.launcher import CannotStart, await_health
from headnode.tests.browser.site import require

ROOT = Path(__file__).resolve().parents[3]


def started(data: Path, *command: str, **more: str) -> subprocess.CompletedProcess[str]:
    """How a start ends that cannot succeed."""
    words = command or ("-m", "headnode.launcher", "--port", "0")
    return run_with([sys.executable, *words], data, more)


def run_with(
    words: list[str], data: Path, more: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    env = {
        "HEADNODE_DATA": str(data),
        "PYTHONPATH": f"{ROOT}/platform:{ROOT}",
        "PATH": "/usr/bin:/bin:/usr/sbin",
    }
    return subprocess.run(
        words,
        env=env | (more or {}),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"DATABASE_URL": "nonsense"}, "DATABASE_URL must look like"),
        ({"DATABASE_URL": "postgres://u:p@h:port/x"}, "DATABASE_URL must look like"),
        ({"DATABASE_URL": "sqlite:////nowhere/at/all/x.sqlite3"}, "The database cannot be used"),
        ({"DATABASE_URL": "postgres://u:p@127.0.0.1:1/x"}, "The database cannot be used"),
        ({"MFA_ROLES": "emperor"}, "the roles are: Administrator"),
        ({"OIDC_NEW_ROLE": "emperor"}, "the roles are: Administrator"),
    ],
)
@pytest.mark.by_day(every=6)
def test_what_cannot_be_used_is_one_sentence(
    tmp_path: Path, variables: dict[str, str], said: str
) -> None:
    ended = started(tmp_path, **variables, SANDBOX_ALLOW_REDUCED="1")
    assert ended.returncode == 3
    assert said in ended.stderr
    assert len(ended.stderr.strip().splitlines()) == 1


def test_a_data_folder_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for command in (("-m", "headnode.launcher"), ("manage.py", "check")):
        ended = started(tmp_path / "file", *command)
        assert ended.returncode in {2, 3}
        assert f"The data folder {tmp_path / 'file'} cannot be used" in ended.stderr
        assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("command", [("-m", "headnode.launcher"), ("manage.py", "check")])
@pytest.mark.parametrize("kept", [False, True], ids=["empty", "used before"])
@pytest.mark.by_day(every=4)
def test_a_data_folder_on_a_disk_that_is_read_only_is_named(
    tmp_path: Path, command: tuple[str, ...], kept: bool
) -> None:
    bwrap = shutil.which("bwrap") or ""
    require(bool(bwrap), "needs bubblewrap")
    data = tmp_path / "data"
    data.mkdir()
    if kept:
        assert started(data, "manage.py", "check").returncode == 0
    read_only = [bwrap, "--dev-bind", "/", "/", "--ro-bind", str(data), str(data)]
    ended = run_with([*read_only, sys.executable, *command], data)
    assert ended.returncode in {2, 3}
    assert f"The data folder {data} cannot be used" in ended.stderr
    assert "HEADNODE_DATA" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_make_clean_leaves_the_data_alone(tmp_path: Path) -> None:
    shutil.copy(ROOT / "Makefile", tmp_path)
    for name in ("data/mail", ".venv/bin", "platform/headnode/__pycache__", "graders", "sandbox"):
        (tmp_path / name).mkdir(parents=True)
    kept = {"data/headnode.sqlite3", "data/secret_key", "data/mail/reset.eml"}
    for name in (*kept, ".venv/dev", "platform/headnode/__pycache__/x.pyc"):
        (tmp_path / name).write_text("kept")
    subprocess.run(["make", "clean"], cwd=tmp_path, capture_output=True, check=False)
    left = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert left == {"Makefile", *kept}


def test_a_second_start_on_the_same_folder_says_who_is_there(tmp_path: Path) -> None:
    with (tmp_path / "launcher.lock").open("w") as lock:
        lock.write("4711")
        lock.flush()
        fcntl.flock(lock, fcntl.LOCK_EX)
        ended = started(tmp_path)
    assert ended.returncode == 3
    assert "already (process 4711)" in ended.stderr
    assert len(ended.stderr.strip().splitlines()) == 1


def test_nobody_else_can_read_what_the_site_keeps(tmp_path: Path) -> None:
    data = tmp_path / "data"
    (data / "mail").mkdir(parents=True, mode=0o755)
    (data / "headnode.sqlite3").touch(mode=0o644)
    assert started(data, "manage.py", "migrate", "accounts").returncode == 0
    kept = [data, *(path for path in data.iterdir() if path.name != "sandbox")]
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in kept}
    assert {"mail", "headnode.sqlite3", "secret_key", "variants"} <= set(modes)
    assert modes.pop("data") & 0o066 == 0  # to pass, not to look
    assert {name: mode for name, mode in modes.items() if mode & 0o077} == {}


def child(tmp_path: Path, script: str) -> Child:
    return Child("part", [sys.executable, "-c", script], tmp_path / "part.log")


@pytest.mark.nightly
def test_a_process_that_dies_while_the_site_starts_is_started_again(tmp_path: Path) -> None:
    mark = tmp_path / "second"
    script = f"import pathlib, time\nm = pathlib.Path({str(mark)!r})\nif m.exists(): time.sleep(60)\nm.touch()"
    part = child(tmp_path, script)
    part.start()
    try:
        until = time.monotonic() + 60
        while part.starts < 2 and time.monotonic() < until:
            keep_alive([part])
        assert part.starts == 2
        assert not part.has_ended()
    finally:
        part.stop()
        part.wait(time.monotonic() + 10)


@pytest.mark.nightly
def test_one_that_dies_again_and_again_ends_the_start_with_its_last_words(tmp_path: Path) -> None:
    part = child(tmp_path, "raise SystemExit('The port is taken.')")
    part.start()
    with pytest.raises(CannotStart, match=r"ended at once:\n.*The port is taken"):
        await_health(1, [part])


def test_processes_that_fall_to_us_are_collected(tmp_path: Path) -> None:
    script = """
import os, subprocess, sys, time, ctypes
from headnode.children import keep_alive
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
subprocess.run([sys.executable, "-c", "import os, time\\nif os.fork() == 0: time.sleep(0.3)"])
until = time.monotonic() + 30
children = lambda: open(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read().split()
assert children()
while children() and time.monotonic() < until:
    keep_alive([])
print(children())
"""
    ended = started(tmp_path, "-c", script)
    assert ended.stdout.strip() == "[]", ended.stderr


def test_a_python_that_does_not_do_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    old = tmp_path / "python3"
    old.write_text("#!/bin/sh\n[ $1 = --version ] && echo Python 3.9.2\nexit 1\n")
    old.chmod(0o755)
    ended = subprocess.run(
        [ROOT / ".ci/virtual-environment", old],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1
    assert f"Headnode needs Python 3.11 or newer, and {old} is Python 3.9.2" in ended.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["python3"]


@pytest.mark.nightly
def test_an_environment_of_another_python_is_made_anew(tmp_path: Path) -> None:
    broken = tmp_path / ".venv/bin"
    broken.mkdir(parents=True)
    (broken / "python").symlink_to("/nowhere/python2")
    command = [ROOT / ".ci/virtual-environment", sys._base_executable]  # type: ignore[attr-defined]
    for _ in range(2):
        subprocess.run(command, cwd=tmp_path, check=True, timeout=300)
        kept = (broken / "python").stat().st_ino
    subprocess.run([broken / "python", "-c", ""], check=True)
    assert (broken / "python").stat().st_ino == kept
