"""Phases and times of attempts in the words of the staff's pages."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from django.db.models import Prefetch, QuerySet

from assessments.models import Attempt, GradingRun, Run, Submission
from assessments.standing import Facts, standing_of
from library.packs import pack_of
from reviews.models import Evaluation

GRADING_WORDS = {
    "queued": ("Waiting to be graded", "info"),
    "running": ("Being graded", "info"),
    "done": ("Graded", "good"),
    "candidate_error": ("Program did not run", "warn"),
    "infrastructure_error": ("Failed on our side", "bad"),
}


class Tag(NamedTuple):
    """A short state with a tone of the tokens: good, warn, bad, info or none."""

    text: str
    tone: str


def phase_tag(attempt: Attempt, now: datetime) -> Tag:
    """What the clock alone says of an attempt, in the words of its standing."""
    standing = standing_of(Facts(phase=attempt.phase(now)))
    said = f"{standing.words}, {standing.detail}" if standing.detail else standing.words
    return Tag(said, standing.tone)


def grading_tag(run: GradingRun | None, now: datetime) -> Tag:
    return Tag(*GRADING_WORDS[run.state(now)]) if run else Tag("Nothing to grade", "")


def run_word(run: Run, now: datetime) -> tuple[str, str]:
    words = {
        "queued": ("waiting", "info"),
        "running": ("running", "info"),
        "done": ("ran", "good"),
        "candidate_error": ("did not finish", "warn"),
        "stopped": ("stopped by the candidate", "info"),
    }
    return words.get(run.state(now), ("failed on our side", "bad"))


def progress(run: GradingRun, attempt: Attempt, now: datetime) -> str:
    """How far a grading that goes on is, "3 of 5 hidden weeks"; "" where none goes on."""
    if run.state(now) != "running" or attempt.exercise.has_room:
        return ""  # a written answer is read in one go
    pack = pack_of(attempt.pack_version.name)
    number = run.hidden_workloads
    ordinary = "workload" if number == 1 else "workloads"
    spans = pack.world.spans(number) if "world" in pack.data else ordinary
    return f"{run.progress} of {number} hidden {spans}"


MINUTES_ALONE = 15
"""From so many minutes on nobody wants to know the seconds."""


def time_left(attempt: Attempt, now: datetime) -> str:
    """What remains of a running clock, "41 min" or "3 min 20 s"; "" where none runs."""
    if not attempt.phase(now).is_working:
        return ""
    minutes, seconds = divmod(int((attempt.deadline_at - now).total_seconds()), 60)
    return f"{minutes} min" if minutes >= MINUTES_ALONE else f"{minutes} min {seconds} s"


def in_minutes(left: timedelta) -> str:
    """The same in whole minutes, for pages that are looked at for long: "41 min", "under 1 min"."""
    minutes = int(left.total_seconds()) // 60
    return f"{minutes} min" if minutes >= 1 else "under 1 min"


def for_list(attempts: QuerySet[Attempt]) -> QuerySet[Attempt]:
    """Attempts with all that a list says about them, in a constant number of queries."""
    gradings = GradingRun.objects.defer("report").order_by("-pk")
    submissions = Submission.objects.filter(superseded_at=None).defer("body")
    return attempts.select_related(
        "invitation__candidate", "invitation__opening", "exercise", "pack_version"
    ).prefetch_related(
        "time_events",
        "invitation__candidate__accommodations",
        "assignments__evaluator",
        Prefetch(
            "submissions",
            submissions.prefetch_related(
                Prefetch("grading_runs", gradings),
                Prefetch("evaluations", Evaluation.objects.current().defer("snapshot")),
            ),
        ),
    )


def newest_submission(attempt: Attempt) -> Submission | None:
    """The answer of the latest round that was handed in; the attempt comes from `for_list`."""
    return max(attempt.submissions.all(), key=lambda row: row.round, default=None)


def newest_grading(attempt: Attempt) -> GradingRun | None:
    submission = newest_submission(attempt)
    runs = list(submission.grading_runs.all()) if submission else []
    return runs[0] if runs else None


def scorecards(attempt: Attempt) -> tuple[int, int]:
    """(scorecards in, people asked) for the latest round that was handed in."""
    submission = newest_submission(attempt)
    cards = submission.evaluations.all() if submission else []
    asked = {row.evaluator_id for row in attempt.assignments.all()}
    done = {card.evaluator_id for card in cards if card.submitted_at} & asked
    return len(done), len(asked)
