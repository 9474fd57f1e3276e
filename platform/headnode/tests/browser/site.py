"""The whole site as `make run` starts it, on a port and data folder of its own."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest

from headnode.static_collection import static_mark

ROOT = Path(__file__).resolve().parents[4]
STOPPED_WITHIN_S = 120
# Below those that the kernel gives to connections: one of them could take the port meanwhile.
PORTS = range(20_000, 32_000)


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
    while True:
        port = random.choice(PORTS)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


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
        self.use_roots()
        lend_static(self.data)
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
                keep_static(self.data)
                return time.monotonic() - began
        raise AssertionError(f"The site did not start: {self.said}")

    def use_roots(self) -> None:
        """Those of the project: built once, not once a site."""
        roots = self.data / "sandbox/roots"
        if not roots.exists():
            roots.parent.mkdir(parents=True)
            roots.symlink_to(ROOT / "data/sandbox/roots")

    def environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if name != "SITE_URL"}
        own = {
            "HEADNODE_DATA": str(self.data),
            "DEMO": "small",
            "PYTHONPATH": f"{ROOT}/platform:{ROOT}",
            "PYTHONUNBUFFERED": "1",
            "DJANGO_SETTINGS_MODULE": "headnode.tests.browser.settings",
            # Tests beside this site put tasks there too, of which its worker knows nothing.
            "BROKER_PREFIX": f"headnode-site-{self.port}:",
        }
        if url := os.environ.get("DATABASE_URL"):
            own["DATABASE_URL"] = own_database(url, self.port)
        return kept | own

    def run(self, script: str, within: float = 300) -> str:
        """The last line that a Python program prints which knows this site's settings and database."""
        done = subprocess.run(
            [sys.executable, "-c", script],
            env=self.environment(),
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=within,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return (done.stdout.splitlines() or [""])[-1]

    def stop(self) -> None:
        self.leave()
        self.wait()

    def leave(self) -> None:
        """Tell it to stop, and do not wait for it."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)

    def wait(self) -> None:
        if self.process is not None:
            self.process.wait(STOPPED_WITHIN_S)

    def kill(self, part: str) -> None:
        """SIGKILL the web server, worker, schedule or terminals, all processes of it at once."""
        self._signal(part, signal.SIGKILL)

    @contextlib.contextmanager
    def workers_halted(self) -> Iterator[None]:
        """What is queued meanwhile waits."""
        self._signal("worker", signal.SIGSTOP)
        try:
            yield
        finally:
            self._signal("worker", signal.SIGCONT)

    def _signal(self, part: str, number: signal.Signals) -> None:
        word = {"web": b"gunicorn", "schedule": b"beat"}.get(part, part.encode())
        for pid in self.children():
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            if word in {Path(os.fsdecode(one)).name.encode() for one in words}:
                os.killpg(pid, number)

    def children(self) -> list[int]:
        """Process groups that the launcher started."""
        assert self.process is not None
        answer = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        return [int(pid) for pid in answer.split()]

    def is_healthy(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/healthz", timeout=2) as answer:  # noqa: S310
                return bool(answer.status == 200)
        except (OSError, http.client.HTTPException):
            return False

    def wait_healthy(self, within: float = 120) -> None:
        until = time.monotonic() + within
        while not self.is_healthy():
            assert time.monotonic() < until, "The site did not come back."
            time.sleep(0.2)


def lend_static(data: Path) -> None:
    """Static files as another site of these sources has collected them: they take seconds to make."""
    kept = _kept_static()
    if kept.exists() and not (data / "static").exists():
        shutil.copytree(kept, data / "static", copy_function=os.link)
        (data / "static.stamp").write_text(static_mark())


def keep_static(data: Path) -> None:
    """For the next site; whoever is first keeps them."""
    kept = _kept_static()
    if kept.exists():
        return
    with tempfile.TemporaryDirectory(dir=data.parent) as beside:
        shutil.copytree(data / "static", f"{beside}/static", copy_function=os.link)
        kept.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(OSError):
            os.rename(f"{beside}/static", kept)


def _kept_static() -> Path:
    return Path(tempfile.gettempdir()) / f"headnode-static-{os.getuid()}" / static_mark()[:16]


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
