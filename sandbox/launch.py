"""Starts one namespace sandbox and brings it to where it waits for a program."""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import subprocess
import zlib
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from sandbox import bubblewrap, handover, memory, rootfs, seccomp, views
from sandbox.capture import Output, visible
from sandbox.cgroups import Group, Tree
from sandbox.conversation import Pipe, Wiring
from sandbox.handover import START_S, StartFailed
from sandbox.hardware import NO_HARDWARE, Hardware
from sandbox.limits import Limits
from sandbox.processes import Pair
from sandbox.rootfs import Root
from sandbox.roots import declared
from sandbox.runner import Runner
from sandbox.spawner import Spawner
from sandbox.workshop import Workshop

_FIRST_UID = 64000
_UIDS = 1000


@dataclass(frozen=True)
class Host:
    """What every run in this process shares. `tree` is None where no group can be made."""

    state_dir: Path
    bwrap: str
    prlimit: str
    root: Root
    runner: Runner
    spawner: Spawner
    workshop: Workshop
    tree: Tree | None
    own_users: bool

    def on(self, name: str) -> Host:
        """The same with another root folder. Raises SandboxUnavailable where it is not built."""
        if name == self.root.name:
            return self
        root = rootfs.load(name, self.state_dir)
        return replace(self, root=root, workshop=Workshop(self.state_dir, root))

    def close(self) -> None:
        self.spawner.close()
        self.runner.close()

    def folders(self, sdk: Mapping[str, bytes]) -> tuple[dict[str, Path], str]:
        """The folders that a run sees, by the names of `bubblewrap.Places`, and where in them the
        bootstrap is."""
        boot, bootstrap = self.workshop.bootstrap(bubblewrap.INSIDE_BOOT)
        sdk_folder = self.workshop.folder(sdk, bubblewrap.INSIDE_SDK)
        found = {"root": self.root.folder, "boot": boot, "sdk": sdk_folder}
        return {name: self.in_memory(folder) for name, folder in found.items()}, bootstrap

    def in_memory(self, folder: Path) -> Path:
        """A copy of the root or of one of our folders that is always in memory, if there can be one."""
        if not self.spawner.views:
            # Programs may not be started from there (noexec), but in a view.
            memory.hold(folder)
            return folder
        root, ours = self.root, folder != self.root.folder
        return memory.kept(folder, lambda copy: ours or rootfs.digest(copy) == root.digest)

    def shape(self, limits: Limits, sdk: Mapping[str, bytes]) -> Shape:
        """What a run with these needs of a sandbox that stands already."""
        size = 0 if self.spawner.mounts and self.own_users else limits.work_mb
        folder = self.workshop.folder(sdk, bubblewrap.INSIDE_SDK)
        return Shape(self.root.name, self.root.digest, folder, size, sdk)


@dataclass(frozen=True)
class Shape:
    """What cannot be changed once a sandbox stands.

    `work_mb` counts only where bubblewrap makes the work folders, whose size it alone can set.
    """

    root: str
    digest: str
    sdk_folder: Path
    work_mb: int
    sdk: Mapping[str, bytes] = field(compare=False)

    def start(self, host: Host, stack: ExitStack) -> Started:
        """A spare, with ordinary limits until there is a job."""
        limits = replace(Limits(), work_mb=self.work_mb) if self.work_mb else Limits()
        return start(host.on(self.root), limits, self.sdk, stack)


class Work:
    """A run's own tmpfs, by the spawner's name for it, until the run's limits are settled."""

    def __init__(self, spawner: Spawner, at: Path) -> None:
        self._spawner, self._at = spawner, at
        self._held = True

    def bound(self, limits: Limits) -> None:
        size_mb, inodes = limits.work_mb, limits.inodes
        self._spawner.call(lambda: self._spawner.resize_work(self._at, size_mb, inodes))

    def drop(self) -> None:
        """The sandbox keeps it; a second time does nothing."""
        if self._held:
            self._held = False
            self._spawner.post(lambda: self._spawner.drop_work(self._at))


@dataclass
class Started:
    """bubblewrap's sandbox, waiting; `group` and `work` are None where they cannot be made.

    `limits` are those that group and work folder have been given.
    """

    pair: Pair
    channel: socket.socket
    streams: list[Pipe]
    output: Output
    group: Group | None
    work: Work | None
    limits: Limits
    hello: Mapping[str, object]
    bounds_space: bool
    ours: list[int]

    @property
    def exited(self) -> int:
        return self.pair.outer_fd

    def get_ready(self) -> None:
        handover.get_ready(self.channel)

    def bound(self, limits: Limits) -> None:
        """Put a job's limits in force, whatever it was started with."""
        if limits != self.limits:
            self.output.keep(limits.output_kb << 10)
            if self.group is not None:
                self.group.bound(limits)
            if self.work is not None:
                self.work.bound(limits)
        if self.work is not None:
            self.work.drop()
        bounds = handover.process_bounds(limits, self.group is not None, self.bounds_space)
        handover.bound(self.channel, self.exited, bounds)

    def let_go(self) -> None:
        """In a child of the process that started it: close the descriptors, touch nothing."""
        self.channel.close()
        self.pair.close()
        for fd in self.ours:
            os.close(fd)

    def wiring(self) -> Wiring:
        pair, group = self.pair, self.group
        return Wiring(
            channel=self.channel,
            streams=list(self.streams),
            output=self.output,
            exited=pair.outer_fd,
            on_exit=pair.kill_inside,
            cpu_s=pair.sample if group is None else group.cpu_s,
            held_mb=pair.held_mb if group is None else (lambda bound_mb: 0.0),
            pids=pair.pids if group is None else group.pids,
            pressure_s=(lambda: None) if group is None else group.pressure_s,
        )

    def finish(self, stopped: bool) -> None:
        self.pair.kill_inside()
        if not stopped:
            # Gone already; the group then has no more than what the kernel is just ending.
            self.pair.reap()
        if self.group is not None:
            self.group.kill()
        self.pair.reap()

    def exit_code(self) -> int | None:
        return self.pair.exit_code

    def used(self) -> tuple[float, float, int]:
        if self.group is None:
            # The program's own word, but it says only that it failed.
            gave_up = self.pair.exit_code == handover.OUT_OF_MEMORY
            return self.pair.cpu_s, self.pair.peak_mb, int(gave_up)
        return self.group.cpu_s(), self.group.peak_mb(), self.group.oom_kills()


def start(
    host: Host,
    limits: Limits,
    sdk: Mapping[str, bytes],
    stack: ExitStack,
    hardware: Hardware = NO_HARDWARE,
) -> Started:
    """Everything made is given back when `stack` unwinds, also half-way through.

    Raises StartFailed or OSError.
    """
    name = host.runner.next_name()
    group = _group(host, name, limits, stack)
    ends = _Ends(stack, seccomp.bpf(hardware.is_gpu, *declared(host.root.name).calls))
    uid = _FIRST_UID + zlib.crc32(name.encode()) % _UIDS
    # Here and not on the spawner's thread: the first of a root may take seconds to copy.
    seen, bootstrap = host.folders(sdk)
    spawn = _Spawn(
        host, name, limits, seen, bootstrap, ends, uid if host.own_users else None, hardware
    )
    pair, at = host.spawner.call(spawn)
    stack.callback(pair.close)
    work = None if at is None else Work(host.spawner, at)
    if work is not None:
        stack.callback(work.drop)
    output = Output(limits.output_kb << 10)
    streams = [Pipe(ends.stdout, output.out.feed), Pipe(ends.stderr, output.err.feed)]
    stack.callback(pair.reap)
    if group is not None:
        stack.callback(group.kill)
    stack.callback(pair.kill)
    ends.close_inner()
    if not (pair.attach(_child_pid(ends)) and _into_group(group, pair)):
        raise StartFailed(f"bubblewrap could not set it up: {_complaint(ends)}.")
    # Where bubblewrap has given up by now, `_hello` tells why.
    with contextlib.suppress(BrokenPipeError):
        os.write(ends.unblock, b"1")
    said = _hello(ends, pair)
    space, mine = not hardware.is_gpu, [*ends.ours, ends.unblock]
    return Started(pair, ends.channel, streams, output, group, work, limits, said, space, mine)


def _group(host: Host, name: str, limits: Limits, stack: ExitStack) -> Group | None:
    if host.tree is None:
        return None
    group = host.tree.create(name, limits)
    stack.callback(group.remove)
    return group


def _into_group(group: Group | None, pair: Pair) -> bool:
    """False when there is no process left to put there."""
    if group is not None and pair.inner is not None:
        try:
            group.add(pair.outer)
            group.add(pair.inner)
        except ProcessLookupError:
            return False
    # The kernel should end the program before anything of ours; not every host lets us say so.
    with contextlib.suppress(OSError):
        Path(f"/proc/{pair.inner}/oom_score_adj").write_text("500")
    return True


class _Ends:
    """Both ends of the channel, the two streams and bubblewrap's two control pipes."""

    def __init__(self, stack: ExitStack, program: bytes) -> None:
        self._inner: list[int] = []
        self.ours: list[int] = []
        stack.callback(self.close_inner)
        self.channel, there = socket.socketpair()
        stack.callback(self.channel.close)
        self.there = self._keep(there.detach())
        self.stdout, self.stdout_in = self._pipe(stack)
        self.stderr, self.stderr_in = self._pipe(stack)
        self.info, self.info_in = self._pipe(stack)
        # Not /dev/null: the host's is one file to all runs.
        stdin, nobody = os.pipe()
        os.close(nobody)
        self.stdin = self._keep(stdin)
        block, self.unblock = os.pipe()
        stack.callback(os.close, self.unblock)
        self.block = self._keep(block)
        self.filter = self._keep(_filter(program))

    def _keep(self, fd: int) -> int:
        self._inner.append(fd)
        return fd

    def _pipe(self, stack: ExitStack) -> tuple[int, int]:
        ours, theirs = os.pipe()
        self.ours.append(ours)
        stack.callback(os.close, ours)
        return ours, self._keep(theirs)

    def close_inner(self) -> None:
        while self._inner:
            os.close(self._inner.pop())

    def passed(self) -> bubblewrap.Descriptors:
        return bubblewrap.Descriptors(self.there, self.filter, self.info_in, self.block)


def _filter(program: bytes) -> int:
    fd = os.memfd_create("filter")
    os.write(fd, program)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


@dataclass
class _Spawn:
    """What the spawner thread does for one run."""

    host: Host
    name: str
    limits: Limits
    seen: dict[str, Path]
    bootstrap: str
    ends: _Ends
    uid: int | None
    hardware: Hardware = NO_HARDWARE

    def __call__(self) -> tuple[Pair, Path | None]:
        spawner, limits = self.host.spawner, self.limits
        work = None
        if spawner.mounts and self.uid is not None:
            work = spawner.make_work(self.name, limits.work_mb, limits.inodes, self.uid)
        try:
            return self._start(work), work
        except BaseException:
            if work is not None:
                spawner.drop_work(work)
            raise

    def _start(self, work: Path | None) -> Pair:
        host, fds = self.host, self.ends.passed()
        places, before = self._places(work)
        program = bubblewrap.interpreter(self.bootstrap)
        wanted = declared(host.root.name)
        fenced = bubblewrap.command(
            host.bwrap, places, fds, self.limits, program, self.hardware, wanted
        )
        host.spawner.next_time_namespace()
        process = subprocess.Popen(  # noqa: S603 - our own command line
            [host.prlimit, *bubblewrap.RLIMITS, "--", *before, *fenced],
            stdin=self.ends.stdin,
            stdout=self.ends.stdout_in,
            stderr=self.ends.stderr_in,
            pass_fds=fds.all(),
            cwd="/",
            env={},
            user=self.uid,
            group=self.uid,
            extra_groups=None if self.uid is None else [],
        )
        # Pair reaps it, with its resource usage; Popen must not try as well.
        process.returncode = 0
        return Pair(process.pid)

    def _places(self, work: Path | None) -> tuple[bubblewrap.Places, list[str]]:
        """Where bubblewrap finds this run's own views of the folders, and the command that makes them
        where this thread cannot; the folders themselves where nobody can."""
        spawner, seen = self.host.spawner, self.seen
        if not spawner.views:
            shown = {name: spawner.reachable(folder) for name, folder in seen.items()}
            return bubblewrap.Places(**shown, work=work), []
        if work is None:
            shown = {name: spawner.hall / name for name in seen}
            return bubblewrap.Places(**shown, work=None), views.command(spawner.hall, seen)
        spawner.add_views(work, {**seen, "dev": Path("/dev")})
        shown = {name: work / name for name in seen}
        return bubblewrap.Places(**shown, work=work, devices=work / "dev"), []


def _child_pid(ends: _Ends) -> int:
    """Process 1's number, which bubblewrap writes before it goes on with its work."""
    told = b""
    while b"}" not in told:
        ready, _, _ = select.select([ends.info], [], [], START_S)
        part = os.read(ends.info, 4096) if ready else b""
        if not part:
            raise StartFailed(f"bubblewrap could not start: {_complaint(ends)}.")
        told += part
    return int(json.loads(told)["child-pid"])


def _hello(ends: _Ends, pair: Pair) -> Mapping[str, object]:
    try:
        return handover.hello(ends.channel, pair.outer_fd)
    except handover.Silent:
        raise StartFailed(f"The sandbox did not come up: {_complaint(ends)}.") from None


def _complaint(ends: _Ends) -> str:
    ready, _, _ = select.select([ends.stderr], [], [], 0.5)
    said = visible(os.read(ends.stderr, 2000)) if ready else ""
    lines = said.strip().splitlines()
    return lines[-1][:300].rstrip(".") if lines else "it said nothing"
