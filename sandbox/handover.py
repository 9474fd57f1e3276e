"""Speaks with the bootstrap inside a sandbox, before there is a program in it."""

from __future__ import annotations

import marshal
import select
import socket
import time
from collections.abc import Mapping

from sandbox import channel
from sandbox.contract import Spec
from sandbox.limits import Limits

# A start takes some tenths of a second; on a host with ten times as much work as processors, many.
START_S = 60.0
# The bootstrap's exit code when the program could not go on without more address space.
OUT_OF_MEMORY = 112
_RULES = Limits()


class StartFailed(Exception):
    """The sandbox did not come up: our trouble, never the program's. One sentence."""


class Silent(StartFailed):
    """The bootstrap has gone, or says nothing in time."""


def hello(peer: socket.socket, gone: int) -> Mapping[str, object]:
    """The bootstrap's account of its own process: until it speaks, a failure is ours.

    `gone` is a descriptor that becomes readable when the sandbox ends. Raises StartFailed.
    """
    return _hear(peer, gone, "hello")


def get_ready(peer: socket.socket) -> None:
    """Tell a spare to use its time; it says nothing to this."""
    _tell(peer, {})


def bound(peer: socket.socket, gone: int, bounds: Mapping[str, int]) -> None:
    """Have the job's hard limits, by their names in setrlimit(2), taken on before it arrives.

    Raises StartFailed when they are not in force.
    """
    if bounds:
        _tell(peer, {"bounds": dict(bounds)})
        held = _hear(peer, gone, "bounded")
        if held != {name: [value, value] for name, value in bounds.items()}:
            raise StartFailed("The sandbox did not take on the run's limits.")


def fence(peer: socket.socket, gone: int, filter_program: bytes) -> None:
    """Have the interpreter, and all that will come of it, take a system-call filter of its own on top.

    Raises StartFailed when it is not in force.
    """
    _tell(peer, {"fence": filter_program})
    _hear(peer, gone, "fenced")


def program(peer: socket.socket, spec: Spec) -> None:
    """Send the files. From here on the inside is believed about nothing. Raises OSError."""
    _tell(peer, {"files": dict(spec.files), "entry": spec.entry})


def process_bounds(limits: Limits, grouped: bool, space: bool = True) -> dict[str, int]:
    """What each process of a run may have at most, by its name in setrlimit(2).

    Address space is bounded only where no group bounds memory: numpy's threads reserve far more
    than they use, and CUDA (`space` False) all memory of card and host. The interpreter's own
    mappings come on top. Processes are counted by user, and only inside the user namespace does
    the kernel count this run's alone.
    """
    bounds = {
        "FSIZE": limits.file_mb << 20,
        "NOFILE": limits.open_files,
        "CPU": limits.process_cpu_s,
    }
    if not grouped:
        bounds["NPROC"] = limits.pids
        if space:
            bounds["AS"] = (limits.memory_mb + 64) << 20
    return bounds


def _tell(peer: socket.socket, order: Mapping[str, object]) -> None:
    peer.settimeout(START_S)
    # Version 2 is the newest that every Python 3 reads the same.
    peer.sendall(channel.frame(marshal.dumps(dict(order), 2)))


def _hear(peer: socket.socket, gone: int, wanted: str) -> Mapping[str, object]:
    inbox = channel.Inbox(_RULES.frame_bytes)
    deadline = time.monotonic() + START_S
    while (body := inbox.take()) is None:
        ready = _readable(peer.fileno(), gone, deadline - time.monotonic())
        data = peer.recv(4096) if peer.fileno() in ready else b""
        if not data:
            raise Silent("The sandbox's bootstrap ended, or was silent, before it was ready.")
        inbox.feed(data)
    try:
        call = channel.decode(body, _RULES)
    except channel.ProtocolError as error:
        raise StartFailed(f"The bootstrap spoke out of turn: {error}.") from None
    if call.method != wanted:
        raise StartFailed("The bootstrap spoke out of turn.")
    return call.params


def _readable(one: int, other: int, within_s: float) -> set[int]:
    poll = select.poll()
    for fd in (one, other):
        poll.register(fd, select.POLLIN)
    return {fd for fd, _event in poll.poll(max(0.0, within_s) * 1000)}
