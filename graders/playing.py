"""Runs one answer through one workload in a sandbox, and lets it end whatever the program did."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import Any

from graders.inprocess import SDK_FOLDER
from graders.session import EpisodeSession
from graders.workloads import Workload
from sandbox import Backend, Limits, Outcome, Spec
from scenarios.company.profile import Profile
from scenarios.packs import Pack
from scenarios.worlds import Episode, load_world

OURS = ("sandbox_error", "cancelled")
"""Outcomes that say nothing about the program."""
WENT_BY_ITSELF = ("ok", "incomplete")
LIMITS = Limits()


class BadAnswer(ValueError):
    """The answer's files cannot be run at all; the message is one sentence that says why."""


@cache
def sdk_files() -> dict[str, bytes]:
    """The candidate's library as it goes into the sandbox: relative path -> bytes."""
    return {
        path.relative_to(SDK_FOLDER).as_posix(): path.read_bytes()
        for path in sorted((SDK_FOLDER / "headnode_sdk").rglob("*.py"))
    }


@cache
def sdk_version() -> str:
    """A digest of the library's files, 12 hexadecimal digits."""
    total = sha256()
    for path, body in sdk_files().items():
        total.update(f"{path}\n{len(body)}\n".encode() + body)
    return total.hexdigest()[:12]


def spec_for(pack: Pack, files: Mapping[str, str]) -> Spec:
    """What the sandbox is given. Raises BadAnswer for files that cannot be a program."""
    try:
        encoded = {path: text.encode() for path, text in files.items()}
        return Spec(files=encoded, entry=pack.entry, sdk=sdk_files(), limits=LIMITS)
    except UnicodeEncodeError:
        raise BadAnswer("A file holds characters that cannot be written as UTF-8.") from None
    except ValueError as error:
        raise BadAnswer(str(error)) from None


def clock(seconds: int) -> str:
    """Simulated time as HH:MM, with the day's number from the second day on."""
    day, rest = divmod(seconds, 86_400)
    time = f"{rest // 3600:02d}:{rest // 60 % 60:02d}"
    return f"{time} on day {day + 1}" if day else time


@dataclass(frozen=True, slots=True)
class Played:
    """One workload with one answer. `stopped_at` in s of its time, None if it saw the end."""

    workload: Workload
    outcome: Outcome
    episode: Episode
    figures: dict[str, Any]
    stopped_at: int | None

    @property
    def counts(self) -> bool:
        """Whether the program ran and ended by itself, so that it shows what it does."""
        return self.outcome.status in WENT_BY_ITSELF and self.figures["ticks"] > 0

    @property
    def detail(self) -> str:
        """One or two sentences: how it ended, and what the rest of the time was."""
        world = load_world(self.workload.world)
        if self.stopped_at is None and self.outcome.status == "ok":
            return f"The controller saw the whole {world.span}: {world.account(self.figures)}"
        said = self.outcome.detail or "The program ended."
        if self.stopped_at is None or self.outcome.status in OURS:
            return said
        if not self.figures["ticks"]:
            return f"{said} It had not let a single tick of the {world.span} pass."
        at = f"{clock(self.stopped_at)} of the simulated {world.span}"
        return f"{said} That was at {at}; the rest ran without a controller."


def play(
    spec: Spec,
    workload: Workload,
    backend: Backend,
    profile: Profile,
    cancel: threading.Event | None = None,
    *,
    faults: bool = True,
) -> Played:
    """Run the answer through the workload; never raises for what the program does.

    Without `faults` the API never fails, though machines still do.
    """
    episode = workload.open(profile, faults=faults)
    methods = load_world(workload.world).methods
    outcome = backend.run(spec, EpisodeSession(episode, methods), cancel)
    stopped = None if episode.complete else episode.now
    if outcome.status not in OURS:
        episode.run_out()
    return Played(workload, outcome, episode, episode.figures(), stopped)
