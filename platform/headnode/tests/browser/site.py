"""The whole site as `make run` starts it, on a port and data folder of its own."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest

ROOT = Path(__file__).resolve().parents[4]
READY_WITHIN_S = 120


def require(condition: bool, reason: str) -> None:
    """Skip with the reason where something is not there; fail where everything has to be."""
    if condition:
        return
    if os.environ.get("HEADNODE_REQUIRE_ALL"):
        pytest.fail(reason)
    pytest.skip(reason)


def chromium() -> str:
    """Path of the system's Chromium."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    require(found is not None, "no Chromium on this system")
    return str(found)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass
class Site:
    """A running site; `start` and `stop` may be repeated on the same data."""

    data: Path
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[str] | None = None
    said: str = ""

    @property
    def url(self) -> str:
        return f"http://localhost:{self.port}"

    @property
    def credentials(self) -> dict[str, str]:
        return dict(json.loads((self.data / "demo.json").read_text()))

    @property
    def candidate_link(self) -> str:
        return f"{self.url}/t/{self.credentials['token']}/"

    def start(self) -> float:
        """Seconds until the launcher said that the site is ready."""
        began = time.monotonic()
        roots = self.data / "sandbox/roots"
        if not roots.exists():  # built once for the project, not once a site
            roots.parent.mkdir(parents=True)
            roots.symlink_to(ROOT / "data/sandbox/roots")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "headnode.launcher", "--port", str(self.port)],
            env=self.environment(),
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said += line
            if "Stop with Ctrl-C" in line:
                return time.monotonic() - began
        raise AssertionError(f"The site did not start: {self.said}")

    def environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if name != "SITE_URL"}
        own = {
            "HEADNODE_DATA": str(self.data),
            "PYTHONPATH": f"{ROOT}/platform:{ROOT}",
            "PYTHONUNBUFFERED": "1",
        }
        if url := os.environ.get("DATABASE_URL"):
            own["DATABASE_URL"] = own_database(url, self.port)
        return kept | own

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        if self.process is None or self.process.poll() is not None:
            return
        self.process.send_signal(how)
        self.process.wait(30)

    def kill(self, part: str) -> None:
        """SIGKILL the web server or the worker, all processes of it at once."""
        pattern = {"web": "gunicorn", "worker": "celery"}[part]
        for pid in self.children():
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
            if pattern.encode() in command:
                os.killpg(pid, signal.SIGKILL)

    def children(self) -> list[int]:
        """Process groups that the launcher started."""
        assert self.process is not None
        answer = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        return [int(pid) for pid in answer.split()]

    def is_healthy(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/healthz", timeout=2) as answer:  # noqa: S310
                return bool(answer.status == 200)
        except OSError:
            return False

    def wait_healthy(self, within: float = 60) -> None:
        until = time.monotonic() + within
        while not self.is_healthy():
            assert time.monotonic() < until, "The site did not come back."
            time.sleep(0.2)


def own_database(url: str, port: int) -> str:
    """A database of this site's own on the server that DATABASE_URL names."""
    name = f"headnode_site_{port}"
    parts = urlsplit(url)
    with psycopg.connect(parts._replace(path="/postgres").geturl(), autocommit=True) as server:
        if not server.execute("select 1 from pg_database where datname = %s", [name]).fetchone():
            server.execute(f'create database "{name}"')
    return parts._replace(path=f"/{name}").geturl()


def forget_database(port: int) -> None:
    """Drop the database that a site had to itself."""
    if url := os.environ.get("DATABASE_URL"):
        maintenance = urlsplit(url)._replace(path="/postgres").geturl()
        with psycopg.connect(maintenance, autocommit=True) as server:
            server.execute(f'drop database if exists "headnode_site_{port}" with (force)')


def processes_of(data: Path) -> list[str]:
    """Command lines of all processes whose environment names this data folder."""
    found = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit() or int(folder.name) == os.getpid():
            continue
        try:
            environment = (folder / "environ").read_bytes()
            if f"HEADNODE_DATA={data}".encode() in environment:
                found.append((folder / "cmdline").read_text().replace("\0", " "))
        except OSError:
            continue
    return found


def minutes_in(text: str) -> int:
    """The first number of minutes in what the page says of the clock."""
    found = re.search(r"(\d+)", text)
    assert found is not None, text
    return int(found[1])
