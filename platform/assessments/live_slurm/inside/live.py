"""Inside the sandbox: a live cluster's first program, which obeys the judge and holds the candidate's shell.

Orders are as those of a grade (scenarios/live_slurm/inside/cluster.py), one after the other; the shell stands
beside them, from when the judge says so, and another one begins where it has ended. Nobody outside believes
any of it.
"""

from __future__ import annotations

import base64
import os
import selectors
import signal
import socket
import subprocess
import time
from typing import IO, Any

from assessments.terminal.inside.errands import Reports
from assessments.terminal.inside.judge import Answer, Channel
from assessments.terminal.inside.shell import Terminal
from scenarios.live_slurm.inside import cluster

NEXT_SHELL_S = 0.5
"""Between a shell that has ended and the next one."""
TOOK_TOO_LONG = 124


class Orders:
    """What the judge asks for, without ever waiting for it."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._process: subprocess.Popen[bytes] | None = None
        self._outputs: tuple[IO[bytes], IO[bytes]] | None = None
        self._until = 0.0

    def begin(self) -> None:
        self._tell(0, "", "")

    def _tell(self, code: int, out: str, err: str) -> None:
        self._channel.ask("next", self._obey, code=code, out=out, err=err)

    def _obey(self, order: Answer) -> None:
        if order.get("over") or "refused" in order:
            return
        for path, text in order["files"].items():
            cluster.write(path, text)
        if not order["run"]:
            self._tell(0, "", "")
            return
        # To files: a daemon that a script leaves behind would hold a pipe open.
        self._outputs = (open("/tmp/out", "w+b"), open("/tmp/err", "w+b"))  # noqa: S108, SIM115
        self._until = time.monotonic() + order["within_s"]
        self._process = subprocess.Popen(  # noqa: S603 - the judge's orders are what this is for
            ["/usr/bin/bash", "-c", order["run"]],
            stdin=subprocess.DEVNULL,
            stdout=self._outputs[0],
            stderr=self._outputs[1],
            env=cluster.ENVIRONMENT,
            cwd="/box",
        )

    def ended(self, process: int, code: int) -> None:
        """A process of this program's has ended; tell of it where it was the order's."""
        if self._process is None or self._process.pid != process or self._outputs is None:
            return
        self._process.returncode = code
        out, err = (cluster.told(one) for one in self._outputs)
        for one in self._outputs:
            one.close()
        late = time.monotonic() >= self._until
        self._process, self._outputs = None, None
        self._tell(TOOK_TOO_LONG if late else code, out, err)

    def watch(self) -> None:
        """End an order that takes too long."""
        if self._process is not None and time.monotonic() >= self._until:
            os.kill(self._process.pid, signal.SIGKILL)


class Shell:
    """The candidate's shell: none until it is opened, and then always one."""

    def __init__(self, channel: Channel, loop: selectors.DefaultSelector) -> None:
        self._channel, self._loop = channel, loop
        self._reports = Reports(channel)
        loop.register(self._reports.fd, selectors.EVENT_READ, self._reports.ready)
        self._size = [80, 24]
        self._terminal: Terminal | None = None
        self._again_at: float | None = None

    def hear(self, said: Answer) -> None:
        """Typing, a size, or the word to open a shell; a second such word opens a new one."""
        if "size" in said:
            self._size = said["size"]
            if self._terminal is not None:
                self._terminal.resize(self._size)
        if "input" in said and self._terminal is not None:
            self._terminal.type(base64.b64decode(said["input"]))
        if "open" in said:
            self._reopen()

    def _reopen(self) -> None:
        if self._terminal is None:
            self._open()
        else:
            # What hangs in its foreground gets the terminal's hangup.
            os.kill(self._terminal.shell, signal.SIGKILL)

    def _open(self) -> None:
        self._again_at = None
        self._terminal = Terminal(self._channel, self._loop, self._size, self._reports.shells)

    def ended(self, process: int) -> None:
        if self._terminal is not None and process == self._terminal.shell:
            self._terminal.close()
            self._terminal = None
            self._again_at = time.monotonic() + NEXT_SHELL_S

    def watch(self) -> None:
        if self._terminal is not None:
            self._terminal.wake()
        if self._again_at is not None and time.monotonic() >= self._again_at:
            self._open()


def reap(orders: Orders, shell: Shell) -> None:
    """Take note of every process that has ended, our own and what daemons leave behind."""
    while True:
        try:
            process, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if not process:
            return
        orders.ended(process, os.waitstatus_to_exitcode(status))
        shell.ended(process)


def serve(channel: Channel) -> None:
    """Until the judge has gone."""
    loop = selectors.DefaultSelector()
    dead, woken = socket.socketpair()
    woken.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.set_wakeup_fd(woken.fileno(), warn_on_full_buffer=False)
    loop.register(dead, selectors.EVENT_READ, lambda mask: dead.recv(512))
    loop.register(channel.socket, selectors.EVENT_READ, lambda mask: channel.hear())
    orders, shell = Orders(channel), Shell(channel, loop)
    channel.unasked = shell.hear
    orders.begin()
    while True:
        ready: list[tuple[Any, int]] = loop.select(0.25)
        for key, mask in ready:
            key.data(mask)
        reap(orders, shell)
        orders.watch()
        shell.watch()


def main() -> None:
    os.umask(0o022)
    cluster.furnish()
    os.environ.update(cluster.ENVIRONMENT, PAGER="less", EDITOR="vi")
    number = int(os.environ["HEADNODE_CHANNEL_FD"])
    os.chdir("/box")
    serve(Channel(number))


if __name__ == "__main__":
    main()
