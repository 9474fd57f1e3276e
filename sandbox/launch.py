"""Starts one namespace sandbox and brings it to where it waits for a program."""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import subprocess
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from sandbox import bubblewrap, channel, seccomp
from sandbox.capture import Output, visible
from sandbox.cgroups import Group, Tree
from sandbox.conversation import Pipe, Stream, Wiring
from sandbox.episode import START_S, StartFailed
from sandbox.limits import Limits
from sandbox.processes import Pair
from sandbox.rootfs import Root
from sandbox.runner import Runner
from sandbox.spawner import Spawner
from sandbox.workshop import Workshop

_FIRST_UID = 64000
_UIDS = 1000
_HELLO = Limits()


@dataclass(frozen=True)
class Host:
    """What every run in this process shares. `tree` is None where no group can be made."""

    bwrap: str
    prlimit: str
    root: Root
    runner: Runner
    spawner: Spawner
    workshop: Workshop
    tree: Tree | None
    own_users: bool

    def close(self) -> None:
        self.spawner.close()
        self.runner.close()


@dataclass
class Started:
    """bubblewrap's sandbox, ready for a program; `group` is None where none can be made."""

    pair: Pair
    channel: socket.socket
    streams: list[Stream]
    output: Output
    group: Group | None
    hello: Mapping[str, object]

    def wiring(self) -> Wiring:
        pair, group = self.pair, self.group
        return Wiring(
            channel=self.channel,
            streams=self.streams,
            output=self.output,
            exited=pair.outer_fd,
            on_exit=pair.kill_inside,
            cpu_s=pair.sample if group is None else group.cpu_s,
        )

    def finish(self, stopped: bool) -> None:
        self.pair.kill_inside()
        if self.group is not None:
            self.group.kill()
        self.pair.reap()

    def exit_code(self) -> int | None:
        return self.pair.exit_code

    def used(self) -> tuple[float, float, int]:
        if self.group is None:
            return self.pair.cpu_s, self.pair.peak_mb, 0
        return self.group.cpu_s(), self.group.peak_mb(), self.group.oom_kills()


def start(host: Host, limits: Limits, sdk: Mapping[str, bytes], stack: ExitStack) -> Started:
    """Everything made is given back when `stack` unwinds, also half-way through.

    Raises StartFailed or OSError.
    """
    name = host.runner.next_name()
    group = _group(host, name, limits, stack)
    ends = _Ends(stack)
    uid = _FIRST_UID + hash(name) % _UIDS
    spawn = _Spawn(host, name, limits, sdk, ends, uid if host.own_users else None)
    pair, work = host.spawner.call(spawn)
    stack.callback(pair.close)
    drop = _once(lambda: work and host.spawner.call(lambda: host.spawner.drop_work(work)))
    stack.callback(drop)
    output = Output(limits.output_kb << 10)
    streams = [Pipe(ends.stdout, output.out.feed), Pipe(ends.stderr, output.err.feed)]
    started = Started(pair, ends.channel, list(streams), output, group, {})
    stack.callback(pair.reap)
    if group is not None:
        stack.callback(group.kill)
    stack.callback(pair.kill)
    ends.close_inner()
    if not (pair.attach(_child_pid(ends)) and _into_group(group, pair)):
        raise StartFailed(f"bubblewrap could not set it up: {_complaint(ends)}.")
    os.write(ends.unblock, b"1")
    started.hello = _hello(ends, pair)
    drop()
    return started


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


def _once(function: Callable[[], object]) -> Callable[[], None]:
    waiting = [function]

    def first_time_only() -> None:
        if waiting:
            waiting.pop()()

    return first_time_only


class _Ends:
    """Both ends of the channel, the two streams and bubblewrap's two control pipes."""

    def __init__(self, stack: ExitStack) -> None:
        self._inner: list[int] = []
        stack.callback(self.close_inner)
        self.channel, there = socket.socketpair()
        stack.callback(self.channel.close)
        self.there = self._keep(there.detach())
        self.stdout, self.stdout_in = self._pipe(stack)
        self.stderr, self.stderr_in = self._pipe(stack)
        self.info, self.info_in = self._pipe(stack)
        block, self.unblock = os.pipe()
        stack.callback(os.close, self.unblock)
        self.block = self._keep(block)
        self.filter = self._keep(_filter())

    def _keep(self, fd: int) -> int:
        self._inner.append(fd)
        return fd

    def _pipe(self, stack: ExitStack) -> tuple[int, int]:
        ours, theirs = os.pipe()
        stack.callback(os.close, ours)
        return ours, self._keep(theirs)

    def close_inner(self) -> None:
        while self._inner:
            os.close(self._inner.pop())

    def passed(self) -> bubblewrap.Descriptors:
        return bubblewrap.Descriptors(self.there, self.filter, self.info_in, self.block)


def _filter() -> int:
    fd = os.memfd_create("filter")
    os.write(fd, seccomp.bpf())
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


@dataclass
class _Spawn:
    """What the spawner thread does for one run."""

    host: Host
    name: str
    limits: Limits
    sdk: Mapping[str, bytes]
    ends: _Ends
    uid: int | None

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
        reachable = host.spawner.reachable
        boot, bootstrap = host.workshop.bootstrap(bubblewrap.INSIDE_BOOT)
        sdk = host.workshop.folder(self.sdk, bubblewrap.INSIDE_SDK)
        places = bubblewrap.Places(
            reachable(host.root.folder), reachable(boot), reachable(sdk), work
        )
        program = bubblewrap.interpreter(bootstrap)
        fenced = bubblewrap.command(host.bwrap, places, fds, self.limits, program)
        limited = bubblewrap.rlimits(self.limits, memory=host.tree is None)
        process = subprocess.Popen(  # noqa: S603 - our own command line
            [host.prlimit, *limited, "--", *fenced],
            stdin=subprocess.DEVNULL,
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
    """Wait for the bootstrap: until it speaks, a failure is ours."""
    inbox = channel.Inbox(_HELLO.frame_bytes)
    ours = ends.channel.fileno()
    while True:
        ready, _, _ = select.select([ours, pair.outer_fd], [], [], START_S)
        data = ends.channel.recv(4096) if ours in ready else b""
        if not data:
            raise StartFailed(f"The sandbox did not come up: {_complaint(ends)}.")
        inbox.feed(data)
        if (body := inbox.take()) is not None:
            return read_hello(body)


def read_hello(body: bytes) -> Mapping[str, object]:
    """The bootstrap's account of its own process. Raises StartFailed."""
    try:
        call = channel.decode(body, _HELLO)
    except channel.ProtocolError as error:
        raise StartFailed(f"The bootstrap spoke out of turn: {error}.") from None
    if call.method != "hello":
        raise StartFailed("The bootstrap spoke out of turn.")
    return call.params


def _complaint(ends: _Ends) -> str:
    ready, _, _ = select.select([ends.stderr], [], [], 0.5)
    said = visible(os.read(ends.stderr, 2000)) if ready else ""
    lines = said.strip().splitlines()
    return lines[-1][:300].rstrip(".") if lines else "it said nothing"
