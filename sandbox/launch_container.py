"""Starts one container and brings it to where it waits for a program."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import struct
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from docker.errors import APIError, DockerException, NotFound
from requests.exceptions import RequestException

from sandbox import bubblewrap, container, handover, rootfs
from sandbox.attach import Attachment
from sandbox.capture import Output
from sandbox.cgroups import HOUSE, Group, Tree
from sandbox.conversation import Wiring
from sandbox.engine import Engine
from sandbox.handover import START_S, StartFailed
from sandbox.hardware import NO_HARDWARE, Hardware
from sandbox.limits import Limits
from sandbox.processes import sample_tree, tree
from sandbox.rootfs import Root
from sandbox.roots import declared
from sandbox.runner import Runner
from sandbox.workshop import Workshop

_PEER = struct.Struct("3i")
_GIVE_UP_S = 20
# A busy engine may take its time to pass the last of a container's output on.
_DRAIN_S = 10.0
_KILLED = 128 + signal.SIGKILL
# How much later than of a container's end the engine may hear that it had run out of memory.
_LATE_S = 10.0


@dataclass(frozen=True)
class Dock:
    """What every run shares. `tree` is None where we cannot make a parent group of our own; `held`
    says whether the image's files are held in memory."""

    state_dir: Path
    engine: Engine
    image: str
    root: Root
    runner: Runner
    workshop: Workshop
    tree: Tree | None
    held: bool = False

    def on(self, name: str) -> Dock:
        """The same with another root. Raises SandboxUnavailable where it is not built."""
        if name == self.root.name:
            return self
        root = rootfs.load(name, self.state_dir)
        image = self.engine.image(root)
        return replace(
            self,
            image=image,
            held=self.engine.hold(image),
            root=root,
            workshop=Workshop(self.state_dir, root),
        )

    def shape(self, limits: Limits, sdk: Mapping[str, bytes]) -> Shape:
        """What a run with these needs of a container that stands already."""
        folder = self.workshop.folder(sdk, bubblewrap.INSIDE_SDK)
        normal = Limits()
        outside = {name: getattr(normal, name) for name in _KEPT_OUTSIDE}
        return Shape(self.root.name, self.image, folder, replace(limits, **outside), sdk)


# Limits that the host keeps by itself; a container can serve any value of them.
_KEPT_OUTSIDE = ("wall_s", "output_kb", "frame_kb", "depth", "calls", "unread_kb")


@dataclass(frozen=True)
class Shape:
    """What is asked of the engine and not changed once a container stands."""

    root: str
    image: str
    sdk_folder: Path
    limits: Limits
    sdk: Mapping[str, bytes] = field(compare=False)

    def start(self, dock: Dock, stack: ExitStack) -> Running:
        api = stack.enter_context(dock.engine.connect())
        return start(dock.on(self.root), api, self.limits, self.sdk, stack)


class Running:
    """A container, ready for a program; `main` is the interpreter's number on this host."""

    def __init__(
        self,
        api: Any,
        container_id: str,
        main: int,
        peer: socket.socket,
        attachment: Attachment,
        output: Output,
        group: Group | None,
    ) -> None:
        self.output = output
        self.main = main
        self.main_fd = os.pidfd_open(self.main)
        self.hello: Mapping[str, object] = {}
        self._api, self._id, self._peer = api, container_id, peer
        self._attachment, self._group = attachment, group
        self._since = int(time.time())
        self._exit_code: int | None = None
        self._oom_kills = 0
        self._cpu_s = self._peak_mb = 0.0

    @property
    def exited(self) -> int:
        return self.main_fd

    def get_ready(self) -> None:
        handover.get_ready(self._peer)

    def bound(self, limits: Limits) -> None:
        """The engine has bounded the container when it made it."""
        self.output.keep(limits.output_kb << 10)

    def let_go(self) -> None:
        """In a child of the process that started it: close the descriptors, touch nothing."""
        self._peer.close()
        self._attachment.let_go()
        self._api.close()
        os.close(self.main_fd)

    def wiring(self) -> Wiring:
        return Wiring(
            channel=self._peer,
            streams=[self._attachment],
            output=self.output,
            exited=self.main_fd,
            on_exit=self._nothing_more,
            cpu_s=self._sample,
            drain_s=_DRAIN_S,
            pids=self._pids,
            pressure_s=(lambda: None) if self._group is None else self._group.pressure_s,
        )

    def _pids(self) -> list[int]:
        return tree(self.main) if self._group is None else self._group.pids()

    def _nothing_more(self) -> None:
        """docker-init ends with the program, and the kernel then ends all others."""

    def _sample(self) -> float:
        """Processor seconds so far, noted for when the counters have gone."""
        with contextlib.suppress(OSError):
            if self._group is None:
                cpu_s, peak_mb = sample_tree(self.main)
            else:
                cpu_s, peak_mb = self._group.cpu_s(), self._group.peak_mb()
            self._cpu_s, self._peak_mb = max(self._cpu_s, cpu_s), max(self._peak_mb, peak_mb)
        return self._cpu_s

    def finish(self, stopped: bool) -> None:
        self._attachment.close()
        if stopped:
            with contextlib.suppress(DockerException):
                self._api.kill(self._id)
        self._exit_code = self._api.wait(self._id, timeout=_GIVE_UP_S)["StatusCode"]
        if self._exit_code == _KILLED:
            self._oom_kills = int(self._ran_out_of_memory(0.0 if stopped else _LATE_S))
        self._sample()

    def _ran_out_of_memory(self, patience_s: float) -> bool:
        """Whether the kernel killed it for that. The container's state says so only where the engine
        heard of it before it heard of the end; its events tell it in any case."""
        if self._api.inspect_container(self._id)["State"].get("OOMKilled"):
            return True
        deadline, wanted = time.monotonic() + patience_s, {"container": self._id, "event": "oom"}
        while time.monotonic() < deadline:
            span = {"since": self._since, "until": f"{time.time():.6f}"}
            if list(self._api.events(**span, filters=wanted, decode=True)):
                return True
            time.sleep(0.05)
        return False

    def exit_code(self) -> int | None:
        return self._exit_code

    def used(self) -> tuple[float, float, int]:
        return self._cpu_s, self._peak_mb, self._oom_kills


def start(
    dock: Dock,
    api: Any,
    limits: Limits,
    sdk: Mapping[str, bytes],
    stack: ExitStack,
    hardware: Hardware = NO_HARDWARE,
) -> Running:
    """Everything made is given back when `stack` unwinds, also half-way through.

    Raises StartFailed, OSError, or what the SDK raises.
    """
    name = dock.runner.next_name()
    group = _parent(dock, name, stack)
    output = Output(limits.output_kb << 10)
    with ExitStack() as briefly:
        wanted = replace(_request(dock, name, limits, sdk, stack), hardware=hardware)
        wanted = replace(wanted, parent=None if group is None else f"/{HOUSE}/{name}")
        listener = _listen(wanted.socket_dir, briefly)
        host_config = api.create_host_config(**container.host_config(wanted))
        host_config["MaskedPaths"] = container.masked_paths(wanted.terminal)
        created = api.create_container(
            **container.container_config(wanted), host_config=host_config
        )["Id"]
        stack.callback(remove, api, created)
        attachment = _attach(api, created, output)
        stack.callback(attachment.close)
        api.start(created)
        peer = _accept(listener, api, created)
    stack.callback(peer.close)
    main = _main(peer, api, created, dock.engine.own_kernel)
    running = Running(api, created, main, peer, attachment, output, group)
    stack.callback(os.close, running.main_fd)
    running.hello = handover.hello(peer, running.main_fd)
    return running


def _parent(dock: Dock, name: str, stack: ExitStack) -> Group | None:
    """The container's counters vanish with it; those of a group above it stay."""
    if dock.tree is None:
        return None
    group = dock.tree.create(name, None)
    stack.callback(group.remove)
    return group


def _own_folders(dock: Dock, name: str, stack: ExitStack) -> Path:
    """Their parent is closed to all others; only the container gets to see what is in them."""
    folder = dock.runner.folder / name
    folder.mkdir(mode=0o755)
    stack.callback(shutil.rmtree, folder, ignore_errors=True)
    for path in (folder, folder / "run"):
        path.mkdir(exist_ok=True)
        path.chmod(0o755)
    return folder


def _listen(folder: Path, stack: ExitStack) -> socket.socket:
    """Bound by way of a descriptor: the address of a Unix socket holds only 107 bytes."""
    listener = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
    at = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        listener.bind(f"/proc/self/fd/{at}/s")
    finally:
        os.close(at)
    path = folder / "s"
    stack.callback(path.unlink, missing_ok=True)
    path.chmod(0o666)
    listener.listen(1)
    return listener


def _request(
    dock: Dock, name: str, limits: Limits, sdk: Mapping[str, bytes], stack: ExitStack
) -> container.Request:
    """The folders of ours that it sees are copies: locks on them would be seen by other runs."""
    boot, bootstrap = dock.workshop.bootstrap(bubblewrap.INSIDE_BOOT)
    own = _own_folders(dock, name, stack)
    copied = shutil.copytree(boot, own / "boot")
    root = declared(dock.root.name)
    init = None if dock.engine.own_kernel else shutil.which("docker-init")
    if init is not None:
        shutil.copy(init, copied / "init")
    return container.Request(
        name=name,
        state=dock.runner.state,
        image=dock.image,
        boot=copied,
        bootstrap=bootstrap,
        sdk=shutil.copytree(dock.workshop.folder(sdk, bubblewrap.INSIDE_SDK), own / "sdk"),
        socket_dir=own / "run",
        limits=limits,
        parent=None,
        runtime=dock.engine.runtime,
        own_kernel=dock.engine.own_kernel,
        init=None if init is None else f"{bubblewrap.INSIDE_BOOT}/init",
        terminal=root.terminal,
        cluster=root.cluster,
        hostname=root.hostname,
    )


def _attach(api: Any, created: str, output: Output) -> Attachment:
    wanted = {"stdout": 1, "stderr": 1, "stream": 1}
    return Attachment(api.attach_socket(created, params=wanted), output)


def _accept(listener: socket.socket, api: Any, created: str) -> socket.socket:
    listener.settimeout(0.5)
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        try:
            return listener.accept()[0]
        except TimeoutError:
            state = api.inspect_container(created)["State"]
            if not state["Running"]:
                raise StartFailed(
                    f"The container ended before it was ready (exit code {state['ExitCode']})."
                ) from None
    raise StartFailed("The container did not connect in time.")


def _main(peer: socket.socket, api: Any, created: str, own_kernel: bool) -> int:
    """The interpreter's number on this host; where another kernel runs it, the container's."""
    if not own_kernel:
        pid, _uid, _gid = _PEER.unpack(
            peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size)
        )
        return int(pid)
    return int(api.inspect_container(created)["State"]["Pid"])


def remove(api: Any, container_id: str) -> None:
    """Remove it whatever it does. Another sweep may be at it, or it may have gone."""
    try:
        api.remove_container(container_id, force=True)
    except NotFound:
        return
    except (APIError, RequestException):
        time.sleep(0.5)
        with contextlib.suppress(APIError):
            api.remove_container(container_id, force=True)
