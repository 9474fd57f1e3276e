"""Start the whole site on one machine: prepare, start web and worker, wait until healthy, say where.

What `make run` calls. Children that die are started again; when this process ends, so do they.
"""

from __future__ import annotations

import argparse
import fcntl
import http.client
import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from multiprocessing import get_context
from pathlib import Path
from typing import IO, Any

from headnode.children import Child, keep_alive, stop, supervise
from headnode.static_collection import collect_static, collected, is_collected
from headnode.steps import step

HEALTHY_WITHIN_S = 60.0
MOST_STARTS = 4
"""Of one process before the site is healthy: a port or a file may be another's for a moment, not for long."""


class CannotStart(Exception):
    """Why the site cannot start; one sentence that says what to do."""


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m headnode.launcher", description=__doc__)
    parser.add_argument("--port", type=int, default=8000)
    options = parser.parse_args(arguments)
    os.environ.setdefault("SITE_URL", f"http://localhost:{options.port}")
    signal.signal(signal.SIGTERM, _interrupt)
    signal.signal(
        signal.SIGINT, _interrupt
    )  # a shell's background ignores it, and we would never stop
    children: list[Child] = []
    try:
        with alone():
            start(options.port, children)
    except CannotStart as error:
        print(error, file=sys.stderr)
        return 3
    except KeyboardInterrupt:
        print("\nStopping.")
    finally:
        stop(children)
    return 0


def start(port: int, children: list[Child]) -> None:
    """Bring the site up, say where it is and keep it up; what runs is put into `children`."""
    began = time.monotonic()
    prepare(port)
    children += site(port)
    for child in children:
        child.start()
    with step("demo", sys.stdout) as said:
        known = load_demo()
        said.result = "loaded" if known else "left as it is"
    with step("web server, worker and schedule", sys.stdout):
        await_health(port, children)
    announce(known, time.monotonic() - began)
    enliven()
    supervise(children)


def alone() -> IO[str]:
    """Hold the data folder for as long as what is returned is open; CannotStart where another start has it.

    Also where the settings cannot be used: they are read here first.
    """
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "headnode.settings")
    from django.conf import settings
    from django.core.exceptions import ImproperlyConfigured

    try:
        lock = (settings.DATA / "launcher.lock").open("a+")
    except ImproperlyConfigured as error:
        raise CannotStart(str(error)) from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.seek(0)
        raise CannotStart(
            f"Headnode runs on the data folder {settings.DATA} already (process {lock.read().strip()}). "
            "Stop it first, or give this one a folder of its own in HEADNODE_DATA."
        ) from None
    lock.truncate(0)
    lock.write(str(os.getpid()))
    lock.flush()
    return lock


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
    import django
    from django.core.exceptions import ImproperlyConfigured
    from django.db import DatabaseError

    built = has_root()
    if built:
        tell_sandbox()
    try:
        django.setup()
        bring_up_to_date(with_root=not built)
    except ImproperlyConfigured as error:
        raise CannotStart(str(error)) from None
    except DatabaseError as error:
        why = str(error).strip().partition("\n")[0].rstrip(".")
        raise CannotStart(f"The database cannot be used: {why}. See DATABASE_URL.") from None
    if not built:
        tell_sandbox()


def bring_up_to_date(*, with_root: bool) -> None:
    """Tables here, and beside them in processes of their own what they do not need.

    Raises DatabaseError before anything else is begun, CannotStart where programs would have no root folder.
    """
    from django.conf import settings
    from django.db import connection

    from headnode import prepared_site
    from headnode.health import unapplied
    from sandbox import SandboxUnavailable, rootfs

    unapplied()
    connection.close()  # or the processes beside us would hold it as well
    others: dict[str, tuple[Callable[..., object], Any]] = {}
    if not is_collected(settings.DATA):
        others["static files"] = collect_static, (settings.DATA, collected)
    if with_root:
        others["root folder of the sandbox"] = rootfs.build, (settings.SANDBOX_STATE,)
    with ProcessPoolExecutor(2, get_context("fork"), _as_usual) as beside:
        going = [beside.submit(work, *given) for work, given in others.values()]
        with step(", ".join(["tables", *others]), sys.stdout) as said:
            new = prepared_site.migrate()
            said.result = f"{new} migrations" if new else "up to date"
            try:
                for one in going:
                    one.result()
            except SandboxUnavailable as error:
                raise CannotStart(str(error)) from None


def _as_usual() -> None:
    """In a process beside ours: end at a signal, without a word."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def has_root() -> bool:
    """Whether what programs see as their system is built here."""
    from django.conf import settings

    from sandbox import SandboxUnavailable, rootfs

    try:
        rootfs.load("python", settings.SANDBOX_STATE)
    except SandboxUnavailable:
        return False
    return True


def tell_sandbox() -> None:
    with step("sandbox", sys.stdout) as said:
        said.result = check_sandbox()


def check_sandbox() -> str:
    """Refuse where nothing could be run; an ordinary user gets the demo with a weaker limit, which is told."""
    from django.conf import settings

    from sandbox import SandboxUnavailable, open_backend

    backend, state = settings.SANDBOX_BACKEND, settings.SANDBOX_STATE
    if settings.SANDBOX_ALLOW_REDUCED:
        return "reduced, as set"
    try:
        open_backend(backend, state_dir=state, docker_url=settings.SANDBOX_DOCKER_URL).close()
    except SandboxUnavailable as error:
        try:
            open_backend(backend, allow_reduced=True, state_dir=state).close()
        except SandboxUnavailable:
            raise CannotStart(str(error)) from None
        os.environ["SANDBOX_ALLOW_REDUCED"] = "1"
        return f"for the demo only, with a weaker limit: {error}"
    return "holds"


def site(port: int) -> list[Child]:
    """The processes of the site: one web server with threads, one worker, the schedule, the terminals.

    The schedule is a process of its own: one inside the worker is not started again when it dies.
    """
    from django.conf import settings

    tools, logs = Path(sys.executable).parent, settings.DATA / "logs"
    web = [f"{tools}/gunicorn", "-c", "python:headnode.web_server", "--no-control-socket"]
    web += ["--bind", f"127.0.0.1:{port}"]
    celery = [f"{tools}/celery", "-A", "headnode"]
    schedule = [*celery, "beat", "--loglevel", "WARNING"]
    return [
        Child(
            "web server", web, logs / "web.log", signal.SIGINT
        ),  # without waiting for idle browsers
        Child("worker", [*celery, "worker", "--loglevel", "WARNING"], logs / "worker.log"),
        Child("schedule", schedule, logs / "schedule.log"),
        Child("terminals", [sys.executable, "-m", "headnode", "terminals"], logs / "terminals.log"),
        *gpu_workers(tools, logs),
    ]


def gpu_workers(tools: Path, logs: Path) -> list[Child]:
    """One worker for the queue of GPU runs where this host has a card that works, else none."""
    from assessments.gpu.cards import GPU_QUEUE, obstacle
    from sandbox.gpu import survey

    cards = len(survey().units)
    if not cards or obstacle():
        return []
    command = [f"{tools}/celery", "-A", "headnode", "worker", "-Q", GPU_QUEUE, "-n", "gpu@%h"]
    command += ["--concurrency", str(cards), "--loglevel", "WARNING"]
    return [Child("GPU worker", command, logs / "gpu-worker.log")]


def await_health(port: int, children: list[Child]) -> None:
    """Return when /healthz says yes; CannotStart where it never does, or a child dies again and again."""
    began, until = datetime.now(UTC), time.monotonic() + HEALTHY_WITHIN_S
    while time.monotonic() < until:
        for child in keep_alive(children):
            if child.starts > MOST_STARTS:
                raise CannotStart(f"The {child.name} ended at once:\n{child.last_words()}")
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
    """The demo's credentials; None where the database has data of its own, or none is wanted."""
    from django.conf import settings
    from django.utils import timezone

    from headnode.demo import NotEmpty, load

    if settings.DEMO == "none":
        from headnode import prepared_site

        prepared_site.bring_library(timezone.now())
        return None
    try:
        return load(alive=settings.DEMO == "alive")
    except NotEmpty:
        return None


def enliven() -> None:
    """Call a worker for what the demo still lacks, now that the site answers."""
    from headnode.demo_alive import made_at, ring

    if made_at():
        ring()


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
        from headnode.demo_alive import made_at

        if made_at():
            print("\nMore people and their work join the demo over the next minutes.")
    print("\nStop with Ctrl-C.", flush=True)


if __name__ == "__main__":
    sys.exit(main())
