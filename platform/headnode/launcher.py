"""Start the whole site on one machine: prepare, start web and worker, wait until healthy, say where.

What `make run` calls. Children that die are started again; when this process ends, so do they.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import hashlib
import http.client
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEALTHY_WITHIN_S = 60.0
STOP_WITHIN_S = 8.0
PR_SET_PDEATHSIG = 1


class CannotStart(Exception):
    """Why the site cannot start; one sentence that says what to do."""


@dataclass
class Child:
    """One process of the site, with a log of its own."""

    name: str
    command: list[str]
    log: Path
    stop_by: signal.Signals = signal.SIGTERM
    process: subprocess.Popen[bytes] | None = None
    started_at: float = field(default=0.0)

    def start(self) -> None:
        self.started_at = time.monotonic()
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(  # noqa: S603  (our own command lines)
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=ROOT,
                start_new_session=True,  # Ctrl-C reaches us alone; we stop the children in order
                preexec_fn=_die_with_parent,
            )

    def stop(self) -> None:
        if self.process and self.process.poll() is None:
            self.process.send_signal(self.stop_by)

    def wait(self, until: float) -> None:
        """Wait for the end; what is left of its group then is killed."""
        if not self.process:
            return
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(max(0.1, until - time.monotonic()))
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def _die_with_parent() -> None:
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m headnode.launcher", description=__doc__)
    parser.add_argument("--port", type=int, default=8000)
    options = parser.parse_args(arguments)
    began = time.monotonic()
    signal.signal(signal.SIGTERM, _interrupt)
    children: list[Child] = []
    try:
        prepare(options.port)
        children = site(options.port)
        for child in children:
            child.start()
        known = load_demo()
        await_health(options.port, children)
        announce(known, time.monotonic() - began)
        supervise(children)
    except CannotStart as error:
        print(error, file=sys.stderr)
        return 3
    except KeyboardInterrupt:
        print("\nStopping.")
    finally:
        stop(children)
    return 0


def _interrupt(number: int, frame: object) -> None:
    raise KeyboardInterrupt


def prepare(port: int) -> None:
    """Check the port and the sandbox, bring database and static files up to date."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            raise CannotStart(
                f"Port {port} is in use. Choose another one: make run PORT={port + 1}"
            ) from None
    os.environ.setdefault("SITE_URL", f"http://localhost:{port}")
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "headnode.settings")
    import django
    from django.conf import settings
    from django.core.management import call_command

    check_sandbox()
    django.setup()
    (settings.DATA / "logs").mkdir(parents=True, exist_ok=True)
    call_command("migrate", verbosity=0)
    collect_static(settings.DATA, lambda: call_command("collectstatic", "--noinput", verbosity=0))


def check_sandbox() -> None:
    """Refuse where nothing could be run; an ordinary user gets the demo with a weaker limit, said so."""
    from django.conf import settings

    from sandbox import SandboxUnavailable, open_backend

    backend, state = settings.SANDBOX_BACKEND, settings.SANDBOX_STATE
    if settings.SANDBOX_ALLOW_REDUCED:
        return
    try:
        open_backend(backend, state_dir=state, docker_url=settings.SANDBOX_DOCKER_URL).close()
    except SandboxUnavailable as error:
        try:
            open_backend(backend, allow_reduced=True, state_dir=state).close()
        except SandboxUnavailable:
            raise CannotStart(str(error)) from None
        os.environ["SANDBOX_ALLOW_REDUCED"] = "1"
        print(f"Demo only, with a weaker limit: {error}")


def static_mark() -> str:
    """Another word whenever a source of the static files is another."""
    mark = hashlib.sha256()
    for path in sorted((ROOT / "platform").glob("*/static/**/*")):
        mark.update(f"{path}{path.stat().st_mtime_ns}".encode())
    mark.update((ROOT / "requirements.txt").read_bytes())
    return mark.hexdigest()


def collect_static(data: Path, collect: Callable[[], object]) -> None:
    """Collect the static files if any source is newer than the last collection."""
    mark, stamp = static_mark(), data / "static.stamp"
    if stamp.exists() and stamp.read_text() == mark:
        return
    shutil.rmtree(data / "static", ignore_errors=True)
    collect()
    stamp.write_text(mark)


def site(port: int) -> list[Child]:
    """The processes of the site: one web server with threads, one worker, the schedule, the terminals.

    The schedule is a process of its own: one inside the worker is not started again when it dies.
    """
    from django.conf import settings

    tools, logs = Path(sys.executable).parent, settings.DATA / "logs"
    web = [f"{tools}/gunicorn", "headnode.wsgi", "--bind", f"127.0.0.1:{port}"]
    web += ["--worker-class", "gthread", "--threads", "8", "--no-control-socket"]
    celery = [f"{tools}/celery", "-A", "headnode"]
    schedule = [*celery, "beat", "--loglevel", "WARNING"]
    return [
        Child(
            "web server", web, logs / "web.log", signal.SIGINT
        ),  # without waiting for idle browsers
        Child("worker", [*celery, "worker", "--loglevel", "WARNING"], logs / "worker.log"),
        Child("schedule", schedule, logs / "schedule.log"),
        Child("terminals", [sys.executable, "manage.py", "terminals"], logs / "terminals.log"),
        *gpu_workers(tools, logs),
    ]


def gpu_workers(tools: Path, logs: Path) -> list[Child]:
    """One worker for the queue of GPU runs where this host has a card that works, else none."""
    from assessments.gpu import GPU_QUEUE, obstacle
    from sandbox.gpu import survey

    cards = len(survey().units)
    if not cards or obstacle():
        return []
    command = [f"{tools}/celery", "-A", "headnode", "worker", "-Q", GPU_QUEUE, "-n", "gpu@%h"]
    command += ["--concurrency", str(cards), "--loglevel", "WARNING"]
    return [Child("GPU worker", command, logs / "gpu-worker.log")]


def await_health(port: int, children: list[Child]) -> None:
    """Return when /healthz says yes; CannotStart with the log's end where a child died instead."""
    began, until = datetime.now(UTC), time.monotonic() + HEALTHY_WITHIN_S
    while time.monotonic() < until:
        for child in children:
            if child.process and child.process.poll() is not None:
                tail = child.log.read_text(errors="replace").strip().splitlines()[-3:]
                raise CannotStart(f"The {child.name} ended at once:\n" + "\n".join(tail))
        if healthy(port) and seen_since(began):
            return
        time.sleep(0.1)
    raise CannotStart(f"The site was not healthy within {HEALTHY_WITHIN_S:.0f} s; see data/logs/.")


def seen_since(began: datetime) -> bool:
    """A worker has pulsed since: what /healthz saw may be the pulse of the last start."""
    from assessments.models import Pulse
    from assessments.pulses import WORKER

    return Pulse.objects.filter(component=WORKER, at__gt=began).exists()


def healthy(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


def load_demo() -> dict[str, str] | None:
    """The demo's credentials; None where the database has data of its own."""
    from headnode.demo import NotEmpty, load

    try:
        return load()
    except NotEmpty:
        return None


def announce(credentials: dict[str, str] | None, seconds: float) -> None:
    site = os.environ["SITE_URL"]
    print(f"Headnode is ready after {seconds:.1f} s.\n")
    print(f"  Staff       {site}/admin/")
    if credentials:
        print(f"              {credentials['username']} / {credentials['password']}")
        print(f"  Candidate   {credentials['link']}")
        from headnode.demo import further_links

        for link, kind in further_links(credentials):
            print(f"              {link} ({kind})")
    print("\nStop with Ctrl-C.", flush=True)


def supervise(children: list[Child]) -> None:
    """Start again what dies, not faster than once a second."""
    while True:
        time.sleep(0.5)
        for child in children:
            if child.process and child.process.poll() is not None:
                print(f"The {child.name} died and is started again; see {child.log}.", flush=True)
                time.sleep(max(0.0, 1.0 - (time.monotonic() - child.started_at)))
                child.start()


def stop(children: list[Child]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for child in children:
        child.stop()
    until = time.monotonic() + STOP_WITHIN_S
    for child in children:
        child.wait(until)


if __name__ == "__main__":
    sys.exit(main())
