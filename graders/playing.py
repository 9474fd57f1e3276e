"""Runs one answer through one day in a sandbox, and lets the day end whatever the program did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import Any

from graders.anchors import anchor_figures
from graders.inprocess import SDK_FOLDER
from graders.measures import Measured, measure_days, percentile
from graders.session import EpisodeSession
from graders.workloads import Workload
from sandbox import Backend, Limits, Outcome, Spec
from scenarios.packs import Pack
from scenarios.profile import Profile
from scenarios.worlds.elastic.episode import Episode

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
    """Time of the simulated day as HH:MM."""
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}"


@dataclass(frozen=True, slots=True)
class Played:
    """One day with one answer. `stopped_at` in s of the day, None if it saw the day's end."""

    workload: Workload
    outcome: Outcome
    episode: Episode
    figures: dict[str, Any]
    stopped_at: int | None

    @property
    def counts(self) -> bool:
        """Whether the program ran and ended by itself, so that its day shows what it does."""
        return self.outcome.status in WENT_BY_ITSELF and self.figures["ticks"] > 0

    @property
    def detail(self) -> str:
        """One or two sentences: how it ended, and what the rest of the day was."""
        if self.stopped_at is None and self.outcome.status == "ok":
            done, jobs = self.figures["jobs_done"], self.figures["jobs"]
            return f"The controller saw the whole day: {done} of {jobs} jobs were finished."
        said = self.outcome.detail or "The program ended."
        if self.stopped_at is None or self.outcome.status in OURS:
            return said
        if not self.figures["ticks"]:
            return f"{said} It had not let a single minute of the day pass."
        at = clock(self.stopped_at)
        return f"{said} That was at {at} of the simulated day; the rest ran without a controller."


def play(spec: Spec, workload: Workload, backend: Backend, profile: Profile) -> Played:
    """Run the answer through the day; never raises for what the program does."""
    episode = workload.open(profile)
    outcome = backend.run(spec, EpisodeSession(episode))
    stopped = None if episode.complete else episode.world.now // 1000
    if outcome.status not in OURS:
        episode.run_out()
    return Played(workload, outcome, episode, episode.figures(), stopped)


def measured(pack: Pack, level: str, days: list[Played], profile: Profile) -> list[Measured]:
    """The measures of the days, each with the anchors of the same days."""
    anchors = [anchor_figures(pack, day.workload, profile) for day in days]
    return measure_days(
        pack.measures(level),
        [day.figures for day in days],
        [naive for naive, _ in anchors],
        [reference for _, reference in anchors],
    )


def summary(figures: Mapping[str, Any]) -> dict[str, object]:
    """The day's raw figures in short: waits as percentiles, the rest as they are."""
    waits = {
        f"wait_{name}_p{round(100 * share)}_min": _rounded(percentile(values, share))
        for name, values in zip(("high", "normal", "low"), figures["waits_min"], strict=True)
        for share in (0.5, 0.95)
    }
    rest = {
        key: round(value, 4) if isinstance(value, float) else value
        for key, value in figures.items()
        if key not in ("waits_min", "incidents")
    }
    rows = figures["incidents"]
    incidents = [
        {"t": at, "kind": kind, "subject": subject, "handled": handled}
        for at, kind, subject, handled in rows
    ]
    return {**waits, **rest, "incidents": incidents}


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)
