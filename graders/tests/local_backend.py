"""A backend for tests of the graders: a plain child process, fenced by nothing."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from sandbox import CallRefused, Outcome, Report, Session, Spec

PATIENCE = 30.0
START = (
    "import sys, runpy; sys.path[:0] = [{box!r}, {sdk!r}]; "
    "runpy.run_path({entry!r}, run_name='__main__')"
)


class LocalBackend:
    """Runs our own programs only: nothing here protects the host."""

    name = "local"

    def run(self, spec: Spec, session: Session, cancel: threading.Event | None = None) -> Outcome:
        with tempfile.TemporaryDirectory() as folder:
            return self._run(Path(folder), spec, session)

    def _run(self, folder: Path, spec: Spec, session: Session) -> Outcome:
        for part, files in (("box", spec.files), ("sdk", spec.sdk)):
            for path, body in files.items():
                target = folder / part / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(body)
        ours, theirs = socket.socketpair()
        began = time.monotonic()
        start = START.format(
            box=str(folder / "box"), sdk=str(folder / "sdk"), entry=str(folder / "box" / spec.entry)
        )
        child = subprocess.Popen(
            [sys.executable, "-I", "-c", start],
            env={"HEADNODE_CHANNEL_FD": str(theirs.fileno())},
            pass_fds=[theirs.fileno()],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        theirs.close()
        ours.settimeout(PATIENCE)
        calls, status, detail = 0, "", ""
        try:
            calls = serve(ours, session)
        except TimeoutError:
            child.kill()
            status, detail = "timeout", "Your program was silent for too long."
        out, err = child.communicate()
        if not status:
            status, detail = _verdict(child.returncode, session.complete)
        return Outcome(
            status,  # type: ignore[arg-type]
            detail,
            self.name,
            child.returncode,
            out,
            err,
            wall_s=time.monotonic() - began,
            calls=calls,
        )

    def probe(self) -> Report:
        return Report(backend=self.name, layers=[])

    def sweep(self) -> list[str]:
        return []

    def close(self) -> None:
        pass


def _verdict(code: int, complete: bool) -> tuple[str, str]:
    if code:
        return "candidate_error", f"Your program ended with exit code {code}."
    if complete:
        return "ok", ""
    return "incomplete", "Your program ended before the day did."


def serve(channel: socket.socket, session: Session) -> int:
    """Answer calls until the program closes its end; returns how many there were."""
    calls = 0
    while (head := _take(channel, 4)) is not None:
        body = _take(channel, int.from_bytes(head, "big"))
        if body is None:
            break
        calls += 1
        question: dict[str, Any] = json.loads(body)
        reply: dict[str, object] = {"id": question["id"]}
        try:
            reply["r"] = session.call(question["m"], question["p"])
        except CallRefused as refusal:
            reply["e"] = {"code": refusal.code, "message": refusal.message}
        answer = json.dumps(reply, separators=(",", ":")).encode()
        try:
            channel.sendall(len(answer).to_bytes(4, "big") + answer)
        except OSError:
            break
    return calls


def _take(channel: socket.socket, size: int) -> bytes | None:
    data = b""
    while len(data) < size:
        try:
            part = channel.recv(size - len(data))
        except ConnectionError:
            return None
        if not part:
            return None
        data += part
    return data
