"""A cohort while everything under it is killed: web server, worker, schedule, broker, database, sandboxes.

    PYTHONPATH=platform:. .venv/bin/python -m benchmarks.faults [--postgresql] [--candidates 24] [--minutes 10]

The same people as benchmarks.cohort. Every 20 to 40 s one part, or what runs in the sandboxes, is killed or
stands still for some seconds: each once in an order drawn by a seed, then all of them again. With --postgresql
the site runs on a PostgreSQL and a Redis of its own, so that those can be killed too; without, the SQLite file
is held locked instead, and all messages are taken out of the broker's folder. A probe asks for a candidate's
clock four times a second and says what was away. Then an audit: acknowledged drafts that are not there,
submissions that are missing, other than what was sent, graded twice or never, and how far each credit is from
what the probe saw. Writes benchmarks/faults.json.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks.cohort import Cohort, faults_of, figures, keep, running_site, staged
from benchmarks.cohort_people import Browser
from benchmarks.commit import commit
from headnode.tests.browser.site import Site, free_port

HERE = Path(__file__).parent
PROBE_EVERY_S, PROBE_WITHIN_S = 0.25, 1.0
SEEN_AWAY_S = 1.5
"""A gap between two good answers of the probe that somebody would notice."""
PREPARED_WITHIN_S = 900.0


class Servers:
    """A PostgreSQL and a Redis of this run's own, which may be killed."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port, self.redis_port = folder, free_port(), free_port()
        binaries = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
        if not binaries or not shutil.which("redis-server"):
            raise SystemExit("Needs PostgreSQL's and Redis' server programs on this host.")
        self.binaries = binaries[-1]
        shutil.chown(folder, "postgres")
        self._postgres("initdb", "-A", "trust", "-U", "postgres", "--no-sync")
        self.start_database()
        self.redis = self.start_redis()

    def _postgres(self, program: str, *arguments: str) -> None:
        command = ["runuser", "-u", "postgres", "--", str(self.binaries / program)]
        command += ["-D", str(self.folder / "database"), *arguments]
        log = (self.folder / "servers.log").open("a")
        subprocess.run(command, check=True, stdout=log, stderr=log, cwd="/")  # noqa: S603

    def start_database(self) -> None:
        options = (
            f"-p {self.port} -k {self.folder} -c listen_addresses=127.0.0.1 -c max_connections=150"
        )
        self._postgres("pg_ctl", "-w", "-o", options, "start")

    def kill_database(self) -> None:
        self._postgres("pg_ctl", "-m", "immediate", "stop")

    def start_redis(self) -> subprocess.Popen[bytes]:
        command = [
            "redis-server",
            "--port",
            str(self.redis_port),
            "--bind",
            "127.0.0.1",
            "--save",
            "",
        ]
        return subprocess.Popen(command, stdout=subprocess.DEVNULL)  # noqa: S603

    def stop(self) -> None:
        self.redis.kill()
        self.redis.wait()
        with contextlib.suppress(subprocess.CalledProcessError):
            self.kill_database()

    def variables(self) -> dict[str, str]:
        return {
            "DATABASE_URL": f"postgres://postgres@127.0.0.1:{self.port}/headnode",
            "BROKER_URL": f"redis://127.0.0.1:{self.redis_port}/0",
        }


class Trouble:
    """What happens to the site's parts, by a seed."""

    def __init__(self, site: Site, servers: Servers | None, seed: int) -> None:
        self.site, self.servers, self.random = site, servers, random.Random(seed)  # noqa: S311
        self.done: list[str] = []
        self._left: list[str] = []
        self.kinds: dict[str, Callable[[], None]] = {
            "web killed": lambda: site.kill("web"),
            "web stopped for 8 s": lambda: self._freeze("gunicorn", 8),
            "worker killed": lambda: site.kill("worker"),
            "schedule killed": lambda: site.kill("schedule"),
            "terminals killed": lambda: site.kill("terminals"),
            "sandboxes killed": self._kill_sandboxes,
            "database away": self._database_away,
            "broker emptied" if servers is None else "broker killed": self._broker_away,
        }

    def happen(self, over: threading.Event) -> None:
        while not over.wait(self.random.uniform(20, 40)):
            self._left = self._left or self.random.sample(sorted(self.kinds), len(self.kinds))
            kind = self._left.pop()
            self.done.append(kind)
            print(f"{time.strftime('%H:%M:%S')} {kind}", flush=True)
            self.kinds[kind]()

    def _of_site(self, pattern: str) -> Iterator[int]:
        """Processes of this site's data folder whose command line has the pattern in it."""
        own = f"HEADNODE_DATA={self.site.data}".encode()
        for folder in Path("/proc").iterdir():
            with contextlib.suppress(OSError, ValueError):
                command = (folder / "cmdline").read_bytes()
                if pattern.encode() in command and own in (folder / "environ").read_bytes():
                    yield int(folder.name)

    def _freeze(self, pattern: str, seconds: float) -> None:
        found = list(self._of_site(pattern))
        for pid in found:
            os.kill(pid, signal.SIGSTOP)
        time.sleep(seconds)
        for pid in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)

    def _kill_sandboxes(self) -> None:
        for pid in self._of_site("bwrap"):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def _database_away(self) -> None:
        seconds = self.random.uniform(2, 8)
        if self.servers is not None:
            self.servers.kill_database()
            time.sleep(seconds)
            self.servers.start_database()
            return
        with contextlib.closing(
            sqlite3.connect(self.site.data / "headnode.sqlite3", timeout=30)
        ) as held:
            held.execute("BEGIN EXCLUSIVE")
            time.sleep(seconds)
            held.rollback()

    def _broker_away(self) -> None:
        if self.servers is None:
            for message in (self.site.data / "broker").rglob("*.msg"):
                message.unlink(missing_ok=True)
            return
        self.servers.redis.kill()
        self.servers.redis.wait()
        time.sleep(self.random.uniform(2, 8))
        self.servers.redis = self.servers.start_redis()


def probe(cohort: Cohort, good: list[float], over: threading.Event) -> None:
    """When the clock of somebody who works was answered, asked four times a second."""
    while not any(one.urls for one in cohort.candidates):
        if over.wait(0.2):
            return
    first = next(one for one in cohort.candidates if one.urls)
    browser = Browser(first.browser.port, [], dict(first.browser.cookies), within_s=PROBE_WITHIN_S)
    while not over.wait(PROBE_EVERY_S):
        if browser.ask("probe", first.urls["state"])[0] == 200:
            good.append(time.monotonic())


def away(good: list[float]) -> list[float]:
    """Seconds of each gap between good answers that somebody would notice."""
    gaps = [later - earlier for earlier, later in pairwise(good)]
    return [round(gap, 2) for gap in gaps if gap > SEEN_AWAY_S]


def credits_against(cohort: Cohort, audit: dict[str, Any], good: list[float]) -> dict[str, Any]:
    """How far each credit is from the downtime that its attempt lived through, in seconds.

    Attempts with programs to run are told apart: runs that waited are given back as well.
    """
    found: dict[str, list[float]] = {"without runs": [], "with runs": []}
    for one in cohort.candidates:
        if not one.attempt:
            continue
        lived = sum(away([at for at in good if one.started_at <= at <= one.deadline]))
        kind = "with runs" if one.exercise == "automation" else "without runs"
        found[kind].append(round(audit["credits_s"].get(one.attempt, 0.0) - lived, 1))
    return {
        kind: {"least_s": min(rows), "most_s": max(rows), "n": len(rows)}
        for kind, rows in found.items()
        if rows
    }


@contextmanager
def servers(wanted: bool) -> Iterator[Servers | None]:
    if not wanted:
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="servers-") as folder:
        own = Servers(Path(folder))
        os.environ |= own.variables()
        try:
            yield own
        finally:
            own.stop()


def endure(site: Site, own: Servers | None, options: argparse.Namespace) -> dict[str, Any]:
    """The figures of one run."""
    scene = staged(site, "build", options.candidates, 4)
    staged(site, "wait_prepared", PREPARED_WITHIN_S)
    cohort = Cohort(site, scene, options.minutes)
    trouble = Trouble(site, own, options.seed)
    good: list[float] = []
    over = threading.Event()
    beside = [
        threading.Thread(target=probe, args=(cohort, good, over)),
        threading.Thread(target=trouble.happen, args=(over,)),
    ]
    for thread in beside:
        thread.start()
    cohort.live()
    over.set()
    for thread in beside:
        thread.join(60)
    site.wait_healthy(300)
    audit = cohort.audit()
    return {
        "trouble": trouble.done,
        "away_s": away(good),
        "credits_minus_away": credits_against(cohort, audit, good),
        "failed": faults_of(cohort.asked),
        "requests": figures(cohort.asked),
        "audit": audit,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--candidates", type=int, default=24)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--postgresql", action="store_true")
    options = parser.parse_args()
    with servers(options.postgresql) as own, running_site() as site:
        answer = endure(site, own, options)
    told = {"commit": commit(), "seed": options.seed, "candidates": options.candidates}
    told |= {"minutes": options.minutes, "processors": os.cpu_count()}
    keep(HERE / "faults.json", "postgresql" if own else "sqlite", told | answer)


if __name__ == "__main__":
    main()
