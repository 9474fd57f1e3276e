"""Inside the sandbox: a shell in a terminal of its own, and the way from its commands to the judge.

The judge is asked over the channel, one frame a question (a 4-byte length and a JSON object of id, m and
p); what it says unasked, typing and the window's size, comes as answers with id 0. Programs reach this one
by the socket beside it, the shell's own report by a pipe. Nobody outside believes any of it.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import selectors
import signal
import socket
import struct
import termios
import time
from pathlib import Path
from typing import Any

from assessments.terminal.inside.errands import HERE, HOSTS, Client, Reports, make_commands
from assessments.terminal.inside.judge import Answer, Channel, encoded

SOCKET = HERE / "socket"
REPORTS_FD = 250  # of every shell here; below what a process may open, above what it opens
MATERIALS = Path("/box/incident")
PIECE = 16384


class Terminal:
    """The shell's terminal: its output goes to the judge one piece at a time, typing comes from it."""

    def __init__(
        self, channel: Channel, loop: selectors.DefaultSelector, size: list[int], reports: int
    ) -> None:
        self._channel, self._loop = channel, loop
        self._master, inner = os.openpty()
        self.resize(size)
        self.shell = start_shell(inner, reports)
        os.close(inner)
        os.set_blocking(self._master, False)
        self._typed = bytearray()
        self._events = 0
        self.resume_at = 0.0
        self.is_open = True
        self._listen(selectors.EVENT_READ)

    def _listen(self, events: int) -> None:
        if self._events:
            self._loop.unregister(self._master)
        if events:
            self._loop.register(self._master, events, self._ready)
        self._events = events

    def resize(self, size: list[int]) -> None:
        columns, rows = size
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, data: bytes) -> None:
        self._typed += data
        self._write()

    def _write(self) -> None:
        if self._typed:
            try:
                del self._typed[: os.write(self._master, self._typed)]
            except BlockingIOError:
                pass
            except OSError:
                self._typed.clear()
        writing = selectors.EVENT_WRITE if self._typed else 0
        wanted = (self._events & selectors.EVENT_READ) | writing
        if wanted != self._events:
            self._listen(wanted)

    def _ready(self, mask: int) -> None:
        if mask & selectors.EVENT_WRITE:
            self._write()
        if mask & selectors.EVENT_READ:
            self.read()

    def read(self) -> None:
        """Pass on what there is, then wait until the judge has it: so a flood stays in the terminal."""
        data = bytearray()
        while len(data) < PIECE:
            try:
                piece = os.read(self._master, PIECE - len(data))
            except BlockingIOError:
                break
            except OSError:
                self.is_open = False
                break
            data += piece
        self._listen(self._events & ~selectors.EVENT_READ)
        if data:
            self._channel.ask("output", self._passed, data=encoded(bytes(data)))
        elif self.is_open:
            self._again()

    def _passed(self, answer: Answer) -> None:
        wait_s = answer.get("wait_s", 0)
        if wait_s:
            self.resume_at = time.monotonic() + wait_s
        else:
            self._again()

    def _again(self) -> None:
        self.resume_at = 0.0
        if self.is_open:
            self._listen(self._events | selectors.EVENT_READ)

    def close(self) -> None:
        """Let the terminal go, once its shell has ended."""
        self._listen(0)
        self.is_open = False
        os.close(self._master)

    def wake(self) -> None:
        """Go on reading where the judge asked for a pause and it is over."""
        if self.resume_at and time.monotonic() >= self.resume_at:
            self._again()


def start_shell(terminal: int, reports: int) -> int:
    """Start bash as the terminal's session leader; its process number."""
    process = os.fork()
    if process:
        return process
    os.setsid()
    # The first terminal that a session's leader opens is the session's.
    terminal = os.open(os.ttyname(terminal), os.O_RDWR)
    for fd in range(3):
        os.dup2(terminal, fd)
    os.dup2(reports, REPORTS_FD)
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGPIPE, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    environment = {name: value for name, value in os.environ.items() if "CHANNEL" not in name}
    environment |= {"TERM": "xterm-256color", "SHELL": "/usr/bin/bash", "HEADNODE_FIRST": "1"}
    os.execve("/usr/bin/bash", ["bash", "--rcfile", str(HERE / "rc"), "-i"], environment)  # noqa: S606


def prepare(settings: dict[str, Any]) -> None:
    """Put the first host's commands in place; materials are for reading and as old as they say."""
    for name in ("command.py", "bin/ssh", "bin/date"):
        (HERE / name).chmod(0o755)
    make_commands(HERE / "bin", settings["everywhere"])
    make_commands(HOSTS / settings["host"] / "bin", settings["commands"])
    at = settings["now_ms"] / 1000
    for folder, names, files in os.walk(MATERIALS, topdown=False):
        for name in files:
            path = os.path.join(folder, name)
            os.utime(path, (at, at))
            os.chmod(path, 0o444)
        for name in names:
            os.utime(os.path.join(folder, name), (at, at))
    os.chdir("/box")


def set_environment(settings: dict[str, Any]) -> None:
    os.environ.update(
        HEADNODE_HOST=settings["host"],
        HEADNODE_NOW=str(settings["now_ms"] // 1000),
        TZ=settings["zone"],
        PAGER="less",
        EDITOR="vi",
    )


def serve(terminal: Terminal, loop: selectors.DefaultSelector) -> int:
    """Pass everything on until the shell has ended; its exit code."""
    left: int | None = None
    until = 0.0
    while left is None or (terminal.is_open and time.monotonic() < until):
        pause = 0.02 if terminal.resume_at or left is not None else None
        for key, mask in loop.select(pause):
            key.data(mask)
        terminal.wake()
        if left is None:
            ended, status = os.waitpid(terminal.shell, os.WNOHANG)
            if ended:
                left = os.waitstatus_to_exitcode(status)
                until = time.monotonic() + 0.5
        reap_others(terminal.shell)
    return left


def reap_others(shell: int) -> None:
    """Where this program is the first process, it inherits what a shell leaves behind."""
    while os.getpid() == 1:
        found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if found is None or found.si_pid == shell:
            return
        os.waitpid(found.si_pid, os.WNOHANG)


def main() -> None:
    settings = json.loads((HERE / "settings.json").read_text())
    prepare(settings)
    set_environment(settings)
    channel = Channel(int(os.environ["HEADNODE_CHANNEL_FD"]))
    loop = selectors.DefaultSelector()
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(SOCKET))
    listener.listen(64)
    loop.register(
        listener, selectors.EVENT_READ, lambda mask: Client(listener.accept()[0], channel, loop)
    )
    reports = Reports(channel)
    loop.register(reports.fd, selectors.EVENT_READ, reports.ready)
    dead, woken = socket.socketpair()
    woken.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.set_wakeup_fd(woken.fileno(), warn_on_full_buffer=False)
    loop.register(dead, selectors.EVENT_READ, lambda mask: dead.recv(512))
    loop.register(channel.socket, selectors.EVENT_READ, lambda mask: channel.hear())
    terminal = Terminal(channel, loop, settings["size"], reports.shells)

    def unasked(said: Answer) -> None:
        if "input" in said:
            terminal.type(base64.b64decode(said["input"]))
        if "size" in said:
            terminal.resize(said["size"])

    channel.unasked = unasked
    code = serve(terminal, loop)
    channel.ask("ended", lambda answer: None, code=code)
    os._exit(0)


if __name__ == "__main__":
    main()
