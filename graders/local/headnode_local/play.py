"""Plays one workload to a program in a child process, over the channel that the platform uses too."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from scenarios.worlds import Episode, World

from .channel import Garbled, serve
from .kit import Kit, KitError

WELL = ("ok", "incomplete")
"""How a program ends that ran into no error; it may have left before the end."""


@dataclass(frozen=True, slots=True)
class Result:
    """How a program ended and what became of the cluster. `stopped_at` in s of simulated time.

    `status` is ok, incomplete, candidate_error, crashed or protocol_error, as a run on the
    platform has it. `figures` are the raw ones after the whole workload; `wall_s` in s.
    """

    status: str
    detail: str
    stopped_at: int | None
    calls: int
    wall_s: float
    figures: dict[str, Any]
    replay: dict[str, Any]


def play(kit: Kit, program: Path, workload: str) -> Result:
    """Run the program and let the workload pass, with it and, where it left early, without.

    The program's folder is its working folder; what it prints goes where this process prints.
    Nothing protects the machine from it. Raises KitError if there is no such program or workload.
    """
    if not program.is_file():
        raise KitError(f"There is no program at {program}: give the file that is to be run.")
    if os.name != "posix":
        raise KitError("The channel needs Linux or macOS: on Windows, work inside WSL.")
    episode = kit.open(workload)
    began = time.monotonic()
    calls, code, garbled = _converse(program.resolve(), episode, kit.world)
    wall_s = time.monotonic() - began
    complete = episode.complete
    stopped = None if complete else episode.now
    episode.run_out()
    figures = episode.figures()
    status, said = _verdict(code, garbled, complete=complete)
    detail = _detail(kit.world, status, said, stopped, figures)
    return Result(status, detail, stopped, calls, wall_s, figures, episode.replay())


def _converse(program: Path, episode: Episode, world: World[Any]) -> tuple[int, int, str]:
    """(calls, exit code, what was wrong on the channel or nothing)."""
    with _started(program) as (child, channel):
        garbled, calls = "", 0
        try:
            calls = serve(channel, episode, world.methods)
        except Garbled as error:
            garbled = str(error)
            child.kill()
        return calls, child.wait(), garbled


@contextmanager
def _started(program: Path) -> Iterator[tuple[subprocess.Popen[bytes], socket.socket]]:
    ours, theirs = socket.socketpair()
    found = [str(_folder_of_the_library()), os.environ.get("PYTHONPATH", "")]
    environment = {
        **os.environ,
        "HEADNODE_CHANNEL_FD": str(theirs.fileno()),
        "PYTHONHASHSEED": "0",  # as on the platform: the same program does the same every time
        "PYTHONPATH": os.pathsep.join(filter(None, found)),
    }
    with ours:
        with theirs:
            child = subprocess.Popen(  # noqa: S603  it is the caller's own program
                [sys.executable, str(program)],
                cwd=program.parent,
                env=environment,
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
            )
        try:
            yield child, ours
        finally:
            if child.poll() is None:
                child.kill()
                child.wait()


def _folder_of_the_library() -> Path:
    spec = find_spec("headnode_sdk")
    if spec is None or spec.origin is None:
        raise KitError("headnode_sdk is missing: install both folders of the kit.")
    return Path(spec.origin).resolve().parent.parent


def _verdict(code: int, garbled: str, *, complete: bool) -> tuple[str, str]:
    if garbled:
        return "protocol_error", f"Your program sent {garbled}: use the library's calls only."
    if code < 0:
        name = signal.Signals(-code).name
        return "crashed", f"Your program was ended by the signal {name}."
    if code:
        return "candidate_error", f"Your program ended with exit code {code}."
    if complete:
        return "ok", "Your program ran to its end."
    return "incomplete", "Your program ended by itself before the episode was over."


def _detail(
    world: World[Any], status: str, said: str, stopped: int | None, figures: dict[str, Any]
) -> str:
    """The sentences that the platform has for the same end (see the run panel there)."""
    if stopped is None and status == "ok":
        return f"The controller saw the whole {world.span}: {world.account(figures)}"
    if stopped is None:
        return said
    if not figures["ticks"]:
        return f"{said} It had not let a single tick of the {world.span} pass."
    at = f"{_clock(stopped)} of the simulated {world.span}"
    return f"{said} That was at {at}; the rest ran without a controller."


def _clock(seconds: int) -> str:
    day, rest = divmod(seconds, 86_400)
    time_of_day = f"{rest // 3600:02d}:{rest // 60 % 60:02d}"
    return f"{time_of_day} on day {day + 1}" if day else time_of_day
