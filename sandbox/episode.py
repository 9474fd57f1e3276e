"""Takes a fenced interpreter through one program, whatever fenced it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Protocol

from sandbox import handover
from sandbox.capture import Output
from sandbox.contract import Metered, Outcome, Session, Spec
from sandbox.conversation import Conversation, Wiring
from sandbox.handover import START_S, StartFailed
from sandbox.kills import kill_filter
from sandbox.probe import Report
from sandbox.roots import declared
from sandbox.verdict import Facts

log = logging.getLogger(__name__)

_LOOK_S = 0.05
# How long after its cancellation a run may take to end in order.
_PART_S = 0.15


class Ready(Protocol):
    """A fenced interpreter under the job's limits, which holds none of the candidate's bytes yet."""

    output: Output
    hello: Mapping[str, object]

    def wiring(self) -> Wiring: ...

    def finish(self, stopped: bool) -> None:
        """End whatever still runs and collect it; `stopped` says that the program did not go."""

    def exit_code(self) -> int | None:
        """As a shell has it: 128 + signal for a death by signal."""

    def used(self) -> tuple[float, float, int]:
        """Processor seconds, peak MiB and kills at the run's own memory limit, once finished."""


@dataclass(frozen=True)
class Assignment:
    """One call of `Backend.run`; `began` is its monotonic time, `shown` the program's output once it runs."""

    spec: Spec
    session: Session
    cancel: threading.Event | None
    began: float
    shown: list[Output] = field(default_factory=list)

    def elapsed(self) -> float:
        return time.monotonic() - self.began


class Runs:
    """Counts the runs that go on, so that closing a backend can end them and wait."""

    def __init__(self) -> None:
        self.closing = False
        self._going = 0
        self._changed = threading.Condition()

    def __enter__(self) -> Runs:
        with self._changed:
            self._going += 1
        return self

    def __exit__(self, *_: object) -> None:
        with self._changed:
            self._going -= 1
            self._changed.notify_all()

    def end(self) -> bool:
        """Cancel them all and wait. False when they had been ended before."""
        with self._changed:
            first, self.closing = not self.closing, True
            self._changed.wait_for(lambda: self._going == 0, timeout=START_S)
        return first


def perform(ready: Ready, given: Assignment, report: Report, image: str, runs: Runs) -> Outcome:
    """Hand the program over, serve it to its end and say what came of it.

    Raises StartFailed when a required layer is missing, OSError when the sandbox breaks.
    """
    if report.refusal:
        raise StartFailed(report.refusal)
    spec, wiring = given.spec, ready.wiring()
    given.shown.append(ready.output)
    if isinstance(given.session, Metered):
        given.session.cpu_s = wiring.cpu_s
    main, group = (int(str(ready.hello[key])) for key in ("main", "group"))
    by_number = declared(spec.root).terminal
    handover.fence(wiring.channel, wiring.exited, kill_filter(main, group, by_number))
    handover.program(wiring.channel, spec)
    cancel = given.cancel or threading.Event()
    talk = Conversation(wiring, spec.limits, given.session, lambda: runs.closing or cancel.is_set())
    stopped = talk.serve()
    ready.finish(stopped is not None)
    cpu_s, peak_mb, oom_kills = ready.used()
    facts = Facts(
        stopped=stopped,
        exit_code=ready.exit_code(),
        oom_kills=oom_kills,
        complete=given.session.complete,
        calls=talk.calls,
        wall_s=given.elapsed(),
        own_s=talk.own_s,
        waited_s=talk.elapsed_s - talk.own_s,
        cpu_s=cpu_s,
        peak_mb=peak_mb,
    )
    return facts.outcome(spec.limits, ready.output, report, image)


def until_cancelled(backend: str, given: Assignment, work: Callable[[], Outcome]) -> Outcome:
    """The work's outcome, or soon after the cancellation one that says so.

    What is under way, be it a start, an answer of ours or an engine's, then ends by itself on a thread of
    its own, with everything it had made.
    """
    if given.cancel is None:
        return work()
    ended: Future[Outcome] = Future()

    def carry_out() -> None:
        try:
            ended.set_result(work())
        except BaseException as error:
            ended.set_exception(error)

    thread = threading.Thread(target=carry_out, name="run", daemon=True)
    thread.start()
    while thread.is_alive() and not given.cancel.is_set():
        thread.join(_LOOK_S)
    thread.join(_PART_S)
    if ended.done():
        return ended.result()
    out, err = (given.shown[0].out.text(), given.shown[0].err.text()) if given.shown else ("", "")
    said, took_s = "The run was cancelled.", given.elapsed()
    return Outcome("cancelled", said, backend, stdout=out, stderr=err, wall_s=took_s)


def failed(backend: str, given: Assignment, error: Exception) -> Outcome:
    """The outcome of a run that our own trouble prevented."""
    log.error("a run in the %s sandbox did not come about", backend, exc_info=error)
    detail = f"The sandbox failed, which is not your program's fault: {error}"
    return Outcome("sandbox_error", detail, backend, wall_s=round(given.elapsed(), 4))
