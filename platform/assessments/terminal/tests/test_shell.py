"""A terminal's shell in its sandbox: what somebody types and sees, and what they cannot do with it."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from assessments.terminal.tests.terminal_play import Play
from sandbox import Backend, rootfs
from sandbox.tests.conftest import (
    _named,
    built_root,
    docker,
    login_root,
    namespace,
    shared_state,
)

__all__ = ["built_root", "docker", "login_root", "namespace", "shared_state"]


@pytest.fixture(params=_named("namespace", "docker"))
def backend(request: pytest.FixtureRequest, login_root: rootfs.Root) -> Backend:
    found: Backend = request.getfixturevalue(request.param)
    return found


@pytest.mark.by_day(but=["namespace"])
def test_somebody_works_at_the_shell(backend: Backend, tmp_path: Path) -> None:
    """One visit: what is kept between lines, tools over the materials, the cluster's commands, hosts."""
    with Play(backend, tmp_path) as play:
        assert "16:32:00 CEST" in play.screen
        assert "recorded" in play.screen
        play.says("cd incident/slurm")
        assert play.says("pwd; stty size") == "/box/incident/slurm\n30 100"
        assert play.says("jq '.jobs[].hours' jobs.json | paste -sd+") == "14+8"
        assert play.says("echo x >> jobs.csv").endswith("Permission denied")
        assert play.says("nvidia-smi | head -1") == "login01"
        assert play.says("ssh gpu-n003 nvidia-smi | head -1") == "gpu-n003"
        assert play.says("squeue -j 7; echo $?") == "squeue: error: Invalid job id: 7\n1"
        assert "Name or service not known" in play.says("ssh nowhere uptime; echo $?")
        assert play.says("journalctl | wc -l") == "40000"
        assert play.says("echo applied | kubectl apply -f -") == "applied"
        on_host = play.says("ssh gpu-n003 'tail -1 /var/log/syslog; grep -c kernel /var/log/*'")
        assert on_host == "gpu-n003 kernel: second\n2"
        assert (
            play.says("date; date -d '2 hours ago' +%R") == "Tue Sep 15 16:32:00 CEST 2026\n14:32"
        )
        exported = play.says("metric-export node_load1 --host gpu-n003 --from 16:30 | tail -1")
        assert exported == "2026-09-15T16:31:00+02:00,gpu-n003,a,159"
        assert play.says("which squeue; ssh gpu-n003 -- head -1 /var/log/none") == (
            "/usr/bin/squeue\nhead: cannot open '/var/log/none' for reading: No such file or directory"
        )
        assert "nvidia-smi" in play.says("about")
        assert_recorded(play)


def test_proc_is_the_hosts_and_never_the_servers(backend: Backend, tmp_path: Path) -> None:
    """What the cluster tells is shown by any way of reading; what it does not tell is not there."""
    real = Path("/proc/cpuinfo").read_text().split("\n")[1]
    with Play(backend, tmp_path) as play:
        assert play.says("grep -c processor /proc/cpuinfo") == "224"
        assert play.says("ssh gpu-n003 'awk \"/model/\" /proc/cpuinfo | sort -u'").endswith(
            "gpu-n003"
        )
        assert play.says("cd /proc/net; pwd; cat dev; cd ../..; cat ../../stat; cd") == (
            "/proc/net\nInter-|   Receive\ncat: ../../stat: No such file or directory"
        )
        for name in ("stat", "vmstat", "uptime", "cmdline", "pressure/cpu", "1/cmdline", "version"):
            asked = f"cat /proc/{name}; wc -c < /proc/{name}"
            first, second = play.says(asked).split("\n")
            assert first == f"cat: /proc/{name}: No such file or directory"
            if second != "0" and not second.endswith("No such file or directory"):
                # A container's first process is its own, and names nothing of the server.
                assert name == "1/cmdline"
                shown = play.says("tr '\\0' ' ' < /proc/1/cmdline; echo")
                assert shown.startswith("/opt/sbx/init ")
                assert str(tmp_path) not in shown
                assert str(Path(__file__).parents[4]) not in shown
        assert play.says("less /proc/meminfo; cd /proc/bus") == (
            "/proc/meminfo: No such file or directory\n"
            "-bash: cd: /proc/bus: No such file or directory"
        )
        assert (
            play.says("ls /sys/class")
            == "ls: cannot access '/sys/class': No such file or directory"
        )
        raw = play.says(
            "python3 -c \"print(len(open('/proc/cpuinfo').read()))\"; cat < /proc/cpuinfo"
        )
        assert raw == "0"
        assert real not in play.screen


def assert_recorded(play: Play) -> None:
    told = {(one.source, one.host, one.line, one.code) for one in play.ran}
    assert ("shell", "login01", "cd incident/slurm", 0) in told
    assert ("cluster", "gpu-n003", "nvidia-smi", 0) in told
    assert ("cluster", "login01", "squeue -j 7", 1) in told
    assert ("cluster", "login01", "kubectl apply -f -", 0) in told


def test_pandas_reads_the_materials(
    namespace: Backend, login_root: rootfs.Root, tmp_path: Path
) -> None:
    with Play(namespace, tmp_path) as play:
        play.says("cd incident/slurm")
        line = "import pandas as p; print(p.read_csv('jobs.csv').hours.sum())"
        assert play.says(f'python3 -c "{line}"') == "22"


def test_terminal_is_a_terminal(backend: Backend, tmp_path: Path) -> None:
    """Interrupts, an editor that draws, a window that changes its size, a shell on another host."""
    with Play(backend, tmp_path) as play:
        seconds = f"6{os.getpid()}"
        play.type(f"sleep {seconds}\r")
        until = time.monotonic() + 40
        while not sleeping(seconds):
            assert time.monotonic() < until, "the command should have begun"
            time.sleep(0.02)
        play.type("\x03")
        play.sees("^C")
        assert play.says("echo $?") in ("130", "0")
        play.type("vi notes\r")
        play.sees("~")
        play.type("ifirst line\x1b:wq\r")
        play.sees("[you@login01 ~]$ ")
        assert play.says("command cat notes") == "first line"
        play.type("journalctl | less\r")  # which reads a screen of it and leaves the rest waiting
        play.sees("a line of the journal\n:")
        play.type("q")
        play.sees("[you@login01 ~]$ ")
        play.traffic.resize(132, 43)
        assert play.says("stty size") == "43 132"
        play.type("ssh gpu-n003\r")
        play.sees("[you@gpu-n003 ~]$ ")
        play.type("exit\r")
        play.sees("Connection to gpu-n003 closed.")
        play.sees("[you@login01 ~]$ ")
        play.type("exit\r")
        assert play.ends().status == "ok"
        assert play.traffic.has_left


def test_recording_does_not_hang_on_the_shells_word(
    namespace: Backend, login_root: rootfs.Root, tmp_path: Path
) -> None:
    with Play(namespace, tmp_path) as play:
        play.says("unset PROMPT_COMMAND; exec 250>&-; set +o history; HEADNODE_HOST=gpu-n003")
        play.says("nvidia-smi >/dev/null")
        assert ("cluster", "gpu-n003", "nvidia-smi") in {
            (one.source, one.host, one.line) for one in play.ran
        }


def test_a_flood_is_held_back_and_stopped_by_a_key(backend: Backend, tmp_path: Path) -> None:
    with Play(backend, tmp_path) as play:
        play.type("yes 0123456789\r")
        began, size = time.monotonic(), 0
        while (passed := time.monotonic() - began) < 2.0 or (size < 100_000 and passed < 40):
            size += len(play.take())
            time.sleep(0.02)
        assert 100_000 < size < 1_600_000 * max(1.0, passed / 2)
        assert not play.traffic.flooded
        play.type("\x03")
        assert play.says("echo on") == "on"


def test_processes_cannot_multiply_and_go_with_the_shell(backend: Backend, tmp_path: Path) -> None:
    # No other test that runs now sleeps as long as this one.
    seconds = f"3{os.getpid()}"
    with Play(backend, tmp_path, pids=40) as play:
        play.says(f"for n in $(seq 12); do sleep {seconds} & done 2>/dev/null; disown -a; true")
        play.type(":(){ :|:& };: 2>/dev/null\r")
        time.sleep(0.5)
        play.traffic.stop.set()
        assert play.ends().status == "cancelled"
    assert not sleeping(seconds)


def sleeping(seconds: str) -> list[str]:
    """Processes of this machine that sleep so long."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            if (
                folder.name.isdigit()
                and (folder / "cmdline").read_bytes() == f"sleep\0{seconds}\0".encode()
            ):
                found.append(folder.name)
        except OSError:
            continue
    return found


def test_nothing_of_the_site_is_inside(
    namespace: Backend,
    login_root: rootfs.Root,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CANARY_SECRET", "canary")
    with Play(namespace, tmp_path) as play:
        assert "canary" not in play.says("env; cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n'")
        assert play.says("ls /work /root /tmp 2>&1 | grep -c .") in ("0", "2", "3")
        assert str(os.getpid()) not in play.says("ls /proc | sort -n | tail -5").split()
        assert "socket:" not in play.says("ls -l /proc/self/fd /proc/$$/fd")
