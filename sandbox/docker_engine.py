"""Runs programs in containers of a Docker engine on this host; only where it was chosen."""

from __future__ import annotations

import os
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from docker.errors import DockerException
from requests.exceptions import RequestException

from sandbox import cgroups, probe, rootfs
from sandbox.container import LABEL_RUN, LABEL_STATE
from sandbox.contract import Outcome, SandboxUnavailable, Session, Spec
from sandbox.engine import Engine
from sandbox.episode import Assignment, Runs, StartFailed, failed, perform
from sandbox.launch_container import Dock, Running, remove, start
from sandbox.limits import Limits
from sandbox.probe import Layer, Report
from sandbox.runner import Runner
from sandbox.workshop import Workshop

_TROUBLE = (StartFailed, SandboxUnavailable, OSError, DockerException, RequestException)
# By default containers share these with the engine; the filter refuses what they would open.
_SHARED = frozenset({"user namespace", "cgroup namespace"})


class DockerBackend:
    """Raises SandboxUnavailable, naming the socket or the layer, where it cannot hold."""

    name = "docker"

    def __init__(
        self,
        root: str,
        state_dir: Path,
        allow_reduced: bool = False,
        url: str | None = None,
        runtime: str | None = None,
    ) -> None:
        self._allow_reduced = allow_reduced
        self._root, self._state_dir = root, state_dir
        self._runs = Runs()
        self._lock = threading.Lock()
        self._own = probe.own_namespaces()
        self._dock = _open_dock(root, state_dir, Engine(url, runtime))
        try:
            self.sweep()
            report = self.probe()
            if not report.usable:
                raise SandboxUnavailable(report.refusal)
        except BaseException:
            self._dock.runner.close()
            raise

    def _here(self) -> Dock:
        """After a fork the lock is the parent's: take one of our own."""
        with self._lock:
            if self._dock.runner.pid != os.getpid():
                self._dock = _open_dock(
                    self._dock.root.folder.name, self._state_dir, self._dock.engine
                )
            return self._dock

    def run(self, spec: Spec, session: Session, cancel: threading.Event | None = None) -> Outcome:
        given = Assignment(spec, session, cancel, time.monotonic())
        try:
            dock = self._here()
            with self._runs, dock.engine.connect() as api, ExitStack() as stack:
                running = start(dock, api, spec.limits, spec.sdk, stack)
                report = self._report(dock, running)
                return perform(running, given, report, dock.root.digest, self._runs)
        except _TROUBLE as error:
            return failed(self.name, given, error)

    def probe(self) -> Report:
        try:
            dock = self._here()
            with dock.engine.connect() as api, ExitStack() as stack:
                return self._report(dock, start(dock, api, Limits(), {}, stack))
        except _TROUBLE as error:
            refusal = f"The Docker sandbox does not work with {self._dock.engine.url}: {error}"
            return Report(self.name, refusal=refusal)

    def _report(self, dock: Dock, running: Running) -> Report:
        fences = probe.from_hello(running.hello, self._own, _SHARED)
        layers = [*fences, *_engine_layers(dock)]
        return Report(self.name, layers, probe.refusal(layers, self._allow_reduced))

    def sweep(self) -> list[str]:
        dock = self._here()
        with dock.engine.connect() as api:
            removed = _remove_containers(api, dock.runner)
        removed += cgroups.sweep(dock.tree, dock.runner.is_dead)
        return removed + dock.runner.sweep_folders()

    def close(self) -> None:
        if self._runs.end():
            self._here().runner.close()


def _open_dock(root: str, state_dir: Path, engine: Engine) -> Dock:
    built = rootfs.load(root, state_dir)
    return Dock(
        engine=engine,
        image=engine.image(built),
        root=built,
        runner=Runner(state_dir),
        workshop=Workshop(state_dir, built.magic),
        tree=_parent_tree(engine),
    )


def _parent_tree(engine: Engine) -> cgroups.Tree | None:
    """Parent groups are named by path, which only the engine's cgroupfs driver understands."""
    if engine.cgroup_driver != "cgroupfs" or os.geteuid() != 0:
        return None
    try:
        return cgroups.find_tree()
    except OSError:
        return None


def _engine_layers(dock: Dock) -> list[Layer]:
    """What the engine was told to do; it refuses to start a container it cannot bound."""
    limits = dock.engine.limits
    return [
        Layer("read-only root", True, "required", "The program sees only the image."),
        Layer("resource limits", True, "required", "Each process has hard limits."),
        Layer("wall clock", True, "required", "The run is ended from outside."),
        Layer("inode limit", True, "required", "The work folders are bounded tmpfs mounts."),
        *(_engine_limit(name, works) for name, works in limits.items()),
        Layer(
            "lasting meters",
            dock.tree is not None,
            "extra",
            "Without them processor time and peak memory are sampled every 0.1 s.",
        ),
    ]


def _engine_limit(name: str, works: bool) -> Layer:
    return Layer(
        f"{name} cgroup",
        works,
        "reducible",
        f"Without it the engine cannot bound a run's {name}.",
        f"{name} is not limited",
    )


def _remove_containers(api: Any, runner: Runner) -> list[str]:
    """Containers do not die with the process that asked for them."""
    wanted = {"label": f"{LABEL_STATE}={runner.state}"}
    removed = []
    for found in api.containers(all=True, filters=wanted):
        name = found["Labels"].get(LABEL_RUN, "")
        if runner.is_dead(name):
            remove(api, found["Id"])
            removed.append(f"container {name}")
    return removed
