"""The processes of a site on one machine: started, kept alive, reaped, stopped in order."""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
STOP_WITHIN_S = 8.0
PR_SET_PDEATHSIG = 1
LAST_WORDS = 3


@dataclass
class Child:
    """One process of the site, with a log of its own."""

    name: str
    command: list[str]
    log: Path
    stop_by: signal.Signals = signal.SIGTERM
    process: subprocess.Popen[bytes] | None = None
    started_at: float = field(default=0.0)
    starts: int = 0

    def start(self) -> None:
        """Start it, in a session of its own, with its log as output."""
        self.started_at = time.monotonic()
        self.starts += 1
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(  # noqa: S603  (our own command lines)
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=ROOT,
                start_new_session=True,  # Ctrl-C reaches us alone; we stop the children in order
                preexec_fn=_die_with_parent,
            )

    def has_ended(self) -> bool:
        return self.process is not None and self.process.poll() is not None

    def last_words(self) -> str:
        """The end of its log."""
        return "\n".join(self.log.read_text(errors="replace").strip().splitlines()[-LAST_WORDS:])

    def stop(self) -> None:
        if self.process and self.process.poll() is None:
            self.process.send_signal(self.stop_by)

    def wait(self, until: float) -> None:
        """Wait for the end; what is left of its group then is killed."""
        if not self.process:
            return
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(max(0.1, until - time.monotonic()))
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def _die_with_parent() -> None:
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def supervise(children: list[Child]) -> None:
    """Keep the processes alive, for as long as this one lives."""
    while True:
        time.sleep(0.5)
        keep_alive(children)


def keep_alive(children: list[Child]) -> list[Child]:
    """Start again what has died, not faster than once a second; what it was."""
    died = [child for child in children if child.has_ended()]
    for child in died:
        print(f"The {child.name} died and is started again; see {child.log}.", flush=True)
        time.sleep(max(0.0, 1.0 - (time.monotonic() - child.started_at)))
        child.start()
    for child in children:
        rotate(child.log)
    reap_others(children)
    return died


def rotate(log: Path, most: int | None = None, kept: int | None = None) -> bool:
    """Put a file that has grown to `most` bytes aside as NAME.1, older ones behind it; whether it was.

    What writes into it has it open for appending and goes on in the same file, which is emptied: a line
    written in that instant is lost.
    """
    from django.conf import settings

    most = settings.LOG_FILE_MB << 20 if most is None else most
    kept = settings.LOG_FILES if kept is None else kept
    if not log.exists() or log.stat().st_size < most:
        return False
    aside = [log.with_name(f"{log.name}.{number}") for number in range(kept, 0, -1)]
    for older, newer in pairwise(aside):
        if newer.exists():
            newer.replace(older)
    if aside:
        shutil.copyfile(log, aside[-1])
        aside[-1].chmod(0o600)
    os.truncate(log, 0)
    return True


def reap_others(children: Iterable[Child]) -> None:
    """Collect ended processes that are no child of ours: a sandbox's come to whoever opened one here."""
    own = {child.process.pid for child in children if child.process}
    with contextlib.suppress(ChildProcessError):
        while ended := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            if ended.si_pid in own:
                return
            os.waitpid(ended.si_pid, 0)


def stop(children: list[Child]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for child in children:
        child.stop()
    until = time.monotonic() + STOP_WITHIN_S
    for child in children:
        child.wait(until)
