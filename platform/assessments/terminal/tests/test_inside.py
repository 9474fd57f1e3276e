"""What runs inside a terminal's sandbox, piece by piece and without one."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from assessments.terminal import metric_export
from assessments.terminal.inside import shell

NOW_MS = 1_789_000_000_000


def test_materials_are_as_old_as_they_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    materials = tmp_path / "incident"
    (materials / "logs").mkdir(parents=True)
    (materials / "logs/train.log").write_text("step 1\n")
    here = tmp_path / "box"
    (here / "bin").mkdir(parents=True)
    for name in ("command.py", "bin/ssh", "bin/date"):
        (here / name).write_text("")
    monkeypatch.setattr(shell, "HERE", here)
    monkeypatch.setattr(shell, "MATERIALS", materials)
    monkeypatch.setattr(shell, "make_commands", lambda folder, names: None)
    monkeypatch.setattr(os, "chdir", lambda path: None)
    shell.prepare({"everywhere": [], "commands": [], "host": "n1", "now_ms": NOW_MS})
    found = (materials / "logs/train.log").stat()
    assert (found.st_mtime, found.st_mode & 0o777) == (NOW_MS / 1000, 0o444)
    assert (materials / "logs").stat().st_mtime == NOW_MS / 1000


def _asked(path: str, found: list[bytes]) -> threading.Thread:
    """Answers one question on a socket: "hello" on standard output, then exit code 3."""
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    server.bind(path)
    server.listen()

    def serve() -> None:
        peer, _ = server.accept()
        size = int.from_bytes(peer.recv(4), "big")
        found.append(peer.recv(size))
        peer.send(
            b"o" + (5).to_bytes(4, "big") + b"hello" + b"x" + (1).to_bytes(4, "big") + b"\x03"
        )
        peer.close()
        server.close()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    return thread


def test_a_command_asks_and_prints_what_it_is_told(tmp_path: Path) -> None:
    found: list[bytes] = []
    path = f"{tmp_path}/socket"
    thread = _asked(path, found)
    source = (Path(shell.__file__).parent / "command.py").read_text()
    assert "/box/.headnode/socket" in source
    (tmp_path / "squeue").write_text(source.replace("/box/.headnode/socket", path))
    done = subprocess.run(
        [sys.executable, str(tmp_path / "squeue"), "-a"],
        env={"HEADNODE_HOST": "login01"},
        capture_output=True,
        timeout=60,
        check=False,
    )
    thread.join(5)
    assert found == [b"command\0login01\0\0squeue\0-a"]
    assert (done.stdout, done.returncode) == (b"hello", 3)


def test_an_export_has_the_hosts_that_were_asked_for_or_all() -> None:
    rows = [SimpleNamespace(host=name) for name in ("n1", "n2", "n3")]
    columns = cast(Any, SimpleNamespace(metrics={"power": 1}, find=lambda name, labels: rows))

    def hosts(*options: tuple[str, str]) -> list[str]:
        return [one.host for one in metric_export._series(columns, "power", list(options))]

    assert hosts() == ["n1", "n2", "n3"]
    assert hosts(("--host", "n3"), ("--host", "n1")) == ["n1", "n3"]
    with pytest.raises(ValueError, match="no series with that host"):
        hosts(("--host", "n9"))
