"""Runs programs in containers of a Docker engine on this host; only where it was chosen."""

from __future__ import annotations

import os
import threading
import time
from contextlib import ExitStack
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docker.errors import DockerException
from requests.exceptions import RequestException

from sandbox import cgroups, probe, rootfs
from sandbox.capture import Output
from sandbox.container import LABEL_RUN, LABEL_STATE
from sandbox.contract import Outcome, Session, Spec
from sandbox.engine import Engine
from sandbox.episode import Assignment, Runs, failed, perform, until_cancelled
from sandbox.handover import StartFailed
from sandbox.hardware import NO_HARDWARE, Hardware
from sandbox.housekeeping import Housekeeper
from sandbox.launch_container import Dock, Running, Shape, remove, start
from sandbox.limits import Limits
from sandbox.probe import Layer, Report
from sandbox.runner import Runner
from sandbox.spares import Spares
from sandbox.unavailable import SandboxUnavailable
from sandbox.workshop import Workshop

if TYPE_CHECKING:
    from sandbox.gpu.lending import Cards

_TROUBLE = (StartFailed, SandboxUnavailable, OSError, DockerException, RequestException)
# By default containers share these with the engine; the filter refuses what they would open.
_SHARED = frozenset({"user namespace", "cgroup namespace", "time namespace"})


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
        spares: int = 0,
    ) -> None:
        self._allow_reduced, self._number = allow_reduced, spares
        self._root, self._state_dir = root, state_dir
        self._runs = Runs()
        self._lock = threading.Lock()
        self._own = probe.own_namespaces()
        self._dock = _open_dock(root, state_dir, Engine(url, runtime))
        try:
            self.sweep()
            report = self.probe()
            if not report.usable:
                raise SandboxUnavailable(report.refusal, report.missing)
        except BaseException:
            self._dock.runner.close()
            raise
        self._keeper = self._keep_house()

    def _here(self) -> Dock:
        """After a fork the thread is gone and the lock is the parent's: open anew."""
        with self._lock:
            if self._dock.runner.pid != os.getpid():
                self._keeper.forget()
                self._dock.runner.abandon()
                self._dock = _open_dock(self._root, self._state_dir, self._dock.engine)
                self._keeper = self._keep_house()
            return self._dock

    def _keep_house(self) -> Housekeeper[Shape, Running]:
        dock = self._dock
        spares = Spares[Shape, Running](self._number, lambda shape, made: shape.start(dock, made))
        return Housekeeper(spares, self.sweep)

    @cached_property
    def cards(self) -> Cards:
        """The GPUs this host lends to runs."""
        from sandbox.gpu.lending import Cards

        return Cards(self._state_dir)

    def run(self, spec: Spec, session: Session, cancel: threading.Event | None = None) -> Outcome:
        def work() -> Outcome:
            if spec.gpus:
                return self.cards.run(self.name, spec, session, cancel, run)
            return run(spec, session, cancel)

        given = Assignment(spec, session, cancel, time.monotonic())
        run = partial(self._run, shown=given.shown)
        return until_cancelled(self.name, given, work)

    def _run(
        self,
        spec: Spec,
        session: Session,
        cancel: threading.Event | None,
        hardware: Hardware = NO_HARDWARE,
        *,
        shown: list[Output],
    ) -> Outcome:
        given = Assignment(spec, session, cancel, time.monotonic(), shown)
        try:
            dock = self._for(spec)
            with self._runs, ExitStack() as stack:
                running = self._ready(dock, spec, hardware, stack)
                report = self._report(dock, running)
                return perform(running, given, report, dock.root.image, self._runs)
        except _TROUBLE as error:
            return failed(self.name, given, error)

    def _for(self, spec: Spec) -> Dock:
        """The dock of the run's root."""
        return self._here().on(spec.root)

    def _ready(self, dock: Dock, spec: Spec, hardware: Hardware, stack: ExitStack) -> Running:
        """A spare if there is one, under the limits of this run."""
        if self._number and not hardware.is_gpu:
            stack.callback(self._keeper.wake)
            shape = dock.shape(spec.limits, spec.sdk)
            if (spare := self._keeper.spares.take(shape, spec.limits, stack)) is not None:
                return spare
        api = stack.enter_context(dock.engine.connect())
        return start(dock, api, spec.limits, spec.sdk, stack, hardware)

    def prepare(self, spec: Spec) -> None:
        """Expect runs like this one: where spares are kept, have one stand ready for it."""
        dock = self._for(spec)
        self._keeper.expect(dock.shape(spec.limits, spec.sdk))

    def probe(self) -> Report:
        try:
            dock = self._here()
            with dock.engine.connect() as api, ExitStack() as stack:
                return self._report(dock, start(dock, api, Limits(), {}, stack))
        except _TROUBLE as error:
            refusal = f"The Docker sandbox does not work with {self._dock.engine.url}: {error}"
            return Report(self.name, refusal=refusal)

    def _report(self, dock: Dock, running: Running) -> Report:
        if dock.engine.own_kernel:
            fences = probe.from_own_kernel(running.hello)
        else:
            fences = probe.from_hello(running.hello, self._own, _SHARED)
        layers = [*fences, *_engine_layers(dock)]
        return Report(self.name, layers, probe.refusal(layers, self._allow_reduced))

    def sweep(self) -> list[str]:
        dock = self._here()
        with dock.engine.connect() as api:
            removed = _remove_containers(api, dock.runner)
        removed += cgroups.sweep(dock.tree, dock.runner.is_dead)
        cards = self.cards.sweep() if (self._state_dir / "gpu").is_dir() else []
        return removed + dock.runner.sweep_folders() + cards

    def close(self) -> None:
        if self._runs.end() and self._dock.runner.pid == os.getpid():
            self._keeper.close()
            self._dock.runner.close()


def _open_dock(root: str, state_dir: Path, engine: Engine) -> Dock:
    built = rootfs.load(root, state_dir)
    image = engine.image(built)
    return Dock(
        state_dir=state_dir,
        engine=engine,
        image=image,
        held=engine.hold(image),
        root=built,
        runner=Runner(state_dir),
        workshop=Workshop(state_dir, built),
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
        _inode_limit(dock.engine.own_kernel),
        *(_engine_limit(name, works) for name, works in limits.items()),
        Layer(
            "root in memory",
            dock.held,
            "extra",
            "Without it the time to read a file may tell one run what another has read.",
        ),
        Layer(
            "lasting meters",
            dock.tree is not None,
            "extra",
            "Without them processor time and peak memory are sampled every 0.1 s.",
        ),
        probe.own_time(),
    ]


def _inode_limit(own_kernel: bool) -> Layer:
    if own_kernel:
        meaning = (
            "This kernel keeps files in the run's own memory, whose limit bounds them instead."
        )
        return Layer("inode limit", False, "extra", meaning)
    return Layer("inode limit", True, "required", "The work folders are bounded tmpfs mounts.")


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
