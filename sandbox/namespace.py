"""Runs programs under bubblewrap, as root with groups and own users or as an ordinary user."""

from __future__ import annotations

import os
import shutil
import threading
import time
from contextlib import ExitStack
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from sandbox import cgroups, probe, rootfs, seccomp
from sandbox.capture import Output
from sandbox.contract import Outcome, Session, Spec
from sandbox.episode import Assignment, Runs, failed, perform, until_cancelled
from sandbox.handover import StartFailed
from sandbox.hardware import NO_HARDWARE, Hardware
from sandbox.housekeeping import Housekeeper
from sandbox.launch import Host, Shape, Started, start
from sandbox.limits import Limits
from sandbox.probe import Layer, Report
from sandbox.runner import Runner
from sandbox.spares import Spares
from sandbox.spawner import Spawner
from sandbox.unavailable import SandboxUnavailable
from sandbox.workshop import Workshop

if TYPE_CHECKING:
    from sandbox.gpu.lending import Cards


# Not every kernel has them.
_SHARED = frozenset({"time namespace"})


class NamespaceBackend:
    """The embedded default. Raises SandboxUnavailable, naming the layer, where it cannot hold."""

    name = "namespace"

    def __init__(
        self, root: str, state_dir: Path, allow_reduced: bool = False, spares: int = 0
    ) -> None:
        self._root, self._state_dir = root, state_dir
        self._allow_reduced, self._number = allow_reduced, spares
        self._lock = threading.Lock()
        self._runs = Runs()
        self._own = probe.own_namespaces()
        self._host = _open_host(root, state_dir)
        try:
            self.sweep()
            report = self.probe()
            if not report.usable:
                raise SandboxUnavailable(report.refusal, report.missing)
        except BaseException:
            self._host.close()
            raise
        self._keeper = self._keep_house()

    def _here(self) -> Host:
        """After a fork the threads are gone and the lock is the parent's: open anew."""
        with self._lock:
            if self._host.runner.pid != os.getpid():
                self._keeper.forget()
                self._host.runner.abandon()
                self._host = _open_host(self._root, self._state_dir)
                self._keeper = self._keep_house()
            return self._host

    def _keep_house(self) -> Housekeeper[Shape, Started]:
        host = self._host
        spares = Spares[Shape, Started](self._number, lambda shape, made: shape.start(host, made))
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
            host = self._here().on(spec.root)
            with self._runs, ExitStack() as stack:
                started = self._ready(host, spec, hardware, stack)
                report = self._report(host, started)
                return perform(started, given, report, host.root.image, self._runs)
        except (StartFailed, SandboxUnavailable, OSError) as error:
            return failed(self.name, given, error)

    def _ready(self, host: Host, spec: Spec, hardware: Hardware, stack: ExitStack) -> Started:
        """A spare if there is one, under the limits of this run."""
        if self._number and not hardware.is_gpu:
            stack.callback(self._keeper.wake)
            shape = host.shape(spec.limits, spec.sdk)
            if (spare := self._keeper.spares.take(shape, spec.limits, stack)) is not None:
                return spare
        started = start(host, spec.limits, spec.sdk, stack, hardware)
        started.bound(spec.limits)
        return started

    def prepare(self, spec: Spec) -> None:
        """Expect runs like this one: where spares are kept, have one stand ready for it."""
        host = self._here().on(spec.root)
        self._keeper.expect(host.shape(spec.limits, spec.sdk))

    def probe(self) -> Report:
        try:
            host = self._here()
            with ExitStack() as stack:
                return self._report(host, start(host, Limits(), {}, stack))
        except (StartFailed, SandboxUnavailable, OSError) as error:
            refusal = f"The namespace sandbox does not work here: {error}"
            return Report(self.name, refusal=refusal)

    def _report(self, host: Host, started: Started) -> Report:
        layers = [*probe.from_hello(started.hello, self._own, _SHARED), *_host_layers(host)]
        return Report(self.name, layers, probe.refusal(layers, self._allow_reduced))

    def sweep(self) -> list[str]:
        host = self._here()
        cards = self.cards.sweep() if (self._state_dir / "gpu").is_dir() else []
        return cgroups.sweep(host.tree, host.runner.is_dead) + host.runner.sweep_folders() + cards

    def close(self) -> None:
        if self._runs.end() and self._host.runner.pid == os.getpid():
            self._keeper.close()
            self._host.close()


def _open_host(root: str, state_dir: Path) -> Host:
    bwrap, prlimit = shutil.which("bwrap"), shutil.which("prlimit")
    if bwrap is None or prlimit is None:
        missing, package = ("bwrap", "bubblewrap") if bwrap is None else ("prlimit", "util-linux")
        raise SandboxUnavailable(
            f"The namespace sandbox needs {missing}: install it with 'apt-get install {package}'."
        )
    seccomp.bpf()
    built = rootfs.load(root, state_dir)
    try:
        tree: cgroups.Tree | None = cgroups.find_tree()
    except OSError:
        tree = None
    spawner = Spawner(state_dir)
    return Host(
        state_dir=state_dir,
        bwrap=bwrap,
        prlimit=prlimit,
        root=built,
        runner=Runner(state_dir),
        spawner=spawner,
        workshop=Workshop(state_dir, built),
        tree=tree,
        own_users=os.geteuid() == 0,
    )


def _host_layers(host: Host) -> list[Layer]:
    """The fences that only the outside can vouch for."""
    grouped, mounted = host.tree is not None, host.spawner.mounts
    return [
        Layer("read-only root", True, "required", "The program sees only the root folder."),
        Layer("resource limits", True, "required", "Each process has hard limits."),
        Layer("wall clock", True, "required", "The run is ended from outside."),
        Layer(
            "memory cgroup",
            grouped,
            "reducible",
            "Without it each process may use the whole memory limit, so many may exceed it.",
            "memory limit is per process only",
        ),
        Layer(
            "pids cgroup", grouped, "reducible", "Without it processes are limited by user only."
        ),
        Layer(
            "cpu cgroup",
            grouped,
            "reducible",
            "Without it a run may use every processor, and its processor time is sampled.",
            "processor share is not limited",
        ),
        Layer(
            "inode limit",
            mounted and host.own_users,
            "reducible",
            "Without it a run may create any number of files within its space.",
            "number of files is not limited",
        ),
        *_apart(host),
        probe.own_time(),
        Layer("own host user", host.own_users, "extra", "Without it runs share the runner's user."),
    ]


def _apart(host: Host) -> list[Layer]:
    """What keeps runs from learning of each other."""
    return [
        Layer(
            "own view of files",
            host.spawner.views,
            "reducible",
            "Without it a run sees other runs' locks on files of the root.",
            "locks on files of the root are seen by other runs",
        ),
        Layer(
            "own devices",
            host.spawner.views and host.spawner.mounts,
            "reducible",
            "Without it a run sees other runs' locks on /dev/null and its like.",
            "locks on device files are seen by other runs",
        ),
        Layer(
            "root in memory",
            host.in_memory(host.root.folder) != host.root.folder,
            "extra",
            "Without it the time to find or read a file may tell one run what another did.",
        ),
    ]
