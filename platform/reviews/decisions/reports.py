"""All that is known of one candidate for one opening, as far as the viewer may see it: the report."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from accounts.models import User
from assessments.models import Attempt, GradingRun, RevisionRound, Submission
from graders.assistant.lines import Line
from hiring.models import Candidate, Opening
from hiring.policies import weight_warning
from reviews import read_ahead
from reviews.answers import report_of, submission_of, with_answers
from reviews.decisions import report_charts
from reviews.decisions.candidate_scores import CandidateScore, candidate_scores
from reviews.decisions.looks import Seen, seen_before_deciding
from reviews.evidence import automation
from reviews.evidence.assistant_alone import beside, line_for
from reviews.evidence.own_work import Asked, begun_of
from reviews.evidence.replay_svg import pieces
from reviews.evidence.replays import shown_grading
from reviews.feedback import challenges
from reviews.feedback.defence import defences_by_attempt
from reviews.interviews.interviews import mean_score
from reviews.models import (
    Decision,
    Defence,
    DiscussionOutcome,
    Evaluation,
    InterviewScore,
    InterviewSession,
)
from reviews.scoring import blindness, overrides
from reviews.visibility import (
    attempts_visible_to,
    may_see_clock,
    may_see_feedback,
    shown_name,
)

ON_PAPER = 720
"""Width of a replay's picture, as of the other charts: its letters are 7.5 points on a page."""
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass
class Row:
    """One criterion: each evaluator's level, in the order of the letters, and their mean."""

    title: str
    levels: list[int | None]
    mean: float | None


@dataclass
class Round:
    """One handed-in answer with what was made of it; `hidden` counts scorecards not shown."""

    number: int
    submission: Submission
    source: str
    cards: list[Evaluation]
    hidden: int
    rows: list[Row]
    measures: list[Any]
    score: float | None
    sees_measures: bool
    grading: GradingRun | None
    overridden: overrides.Overridden
    alone: Line | None = None
    notes: list[tuple[str, str, Any]] = field(default_factory=list)
    agreed: list[tuple[str, DiscussionOutcome]] = field(default_factory=list)

    @property
    def set_aside(self) -> list[Any]:
        """Measures beside which a person has set their word: shown in any round."""
        return [one for one in self.measures if one.override or one.corrected]


@dataclass
class Part:
    """One exercise of the candidate."""

    attempt: Attempt
    rounds: list[Round]
    evaluators: list[tuple[str, User]]
    sees_clock: bool
    revision: RevisionRound | None
    defences: list[Defence]
    changes: list[Any]
    measure_changes: list[Any]
    drawn_anew: str
    charts: dict[str, str]
    rating: Any = None
    ahead: read_ahead.Ahead | None = None
    about: str = ""
    own_work: Asked | None = None

    @property
    def changed_measures(self) -> list[Any]:
        """The measures that came out otherwise in the revision."""
        return [row for row in self.measure_changes if row.difference != 0]

    @property
    def same_measures(self) -> int:
        """How many measures the revision left as they were."""
        return len(self.measure_changes) - len(self.changed_measures)


@dataclass
class Report:
    name: str
    candidate: Candidate
    opening: Opening
    parts: list[Part]
    candidate_score: CandidateScore
    owes: bool
    talks: list[Any]
    scores: list[InterviewScore]
    decisions: list[Decision] | None
    seen: list[Seen] | None
    weight_warning: str
    formula: list[str]
    pending: list[Any]


def gather(viewer: User, about: Attempt) -> Report:
    """The report on the candidate of an attempt, for its opening, from what the viewer may see."""
    link = about.invitation
    opening, candidate = link.opening, link.candidate
    rows = attempts_visible_to(viewer).filter(
        invitation__opening=opening, invitation__candidate=candidate
    )
    attempts = list(with_answers(rows, viewer).order_by("exercise__position", "pk"))
    known = candidate_scores(viewer, opening, candidates=[candidate.pk])
    candidate_score = known.get(candidate.pk, CandidateScore())
    cards = cards_of(viewer, attempts)
    parts = [
        _part(viewer, attempt, candidate_score, cards.get(attempt.pk, [])) for attempt in attempts
    ]
    defences = defences_by_attempt(attempts, viewer)
    for part in parts:
        part.defences = defences[part.attempt.pk]
    owes = any(_owes(viewer, part) for part in parts)
    named = all(attempt.named for attempt in attempts)  # type: ignore[attr-defined]
    decisions = _decisions(viewer, opening, candidate) if not owes else None
    return Report(
        name=shown_name(about) if named else f"Candidate {candidate.pseudonym}",
        candidate=candidate,
        opening=opening,
        parts=parts,
        candidate_score=candidate_score,
        owes=owes,
        talks=_talks(viewer, opening, candidate),
        scores=_scores(viewer, opening, candidate),
        decisions=decisions,
        seen=seen_before_deciding(viewer, about, decisions),
        weight_warning=weight_warning(opening.work_sample_weight),
        formula=formula(opening, candidate_score),
        pending=_pending(opening, attempts, candidate),
    )


def _pending(opening: Opening, attempts: list[Attempt], candidate: Candidate) -> list[Any]:
    """Exercises that the candidate was invited to and has not begun."""
    begun = {attempt.exercise_id for attempt in attempts}
    asked = opening.exercises.filter(invitations__candidate=candidate).distinct()
    return [row for row in asked if row.pk not in begun]


def _owes(viewer: User, part: Part) -> bool:
    """Whether the viewer is to score this exercise and has a scorecard to send."""
    if not part.attempt.scores_it:  # type: ignore[attr-defined]
        return False
    own = [any(card.evaluator == viewer for card in row.cards) for row in part.rounds]
    return not own or not all(own)


def cards_of(viewer: User, attempts: list[Attempt]) -> dict[UUID, list[Evaluation]]:
    """The scorecards that are in and may be seen, with whether they were blind, by attempt."""
    rows = Evaluation.objects.visible_to(viewer).current().submitted()
    rows = rows.filter(submission__attempt__in=attempts)
    rows = rows.select_related("evaluator", "submission__attempt__invitation")
    found: dict[UUID, list[Evaluation]] = defaultdict(list)
    for card in blindness.marked(rows.prefetch_related("ratings")):
        found[card.submission.attempt_id].append(card)
    return found


def _part(
    viewer: User, attempt: Attempt, candidate_score: CandidateScore, cards: list[Evaluation]
) -> Part:
    handed_in = [row for number in (1, 2) if (row := submission_of(attempt, number))]
    people = {card.evaluator_id: card.evaluator for card in cards}
    letters = list(zip(LETTERS, people.values(), strict=False))
    rounds = [_round(viewer, attempt, row, cards, list(people)) for row in handed_in]
    first = next((row.measures for row in rounds if row.number == 1), [])
    part = Part(
        attempt=attempt,
        rounds=rounds,
        evaluators=letters,
        sees_clock=may_see_clock(viewer, attempt),
        revision=_revision(viewer, attempt),
        defences=[],
        changes=_changes(cards),
        measure_changes=[],
        drawn_anew="",
        charts={},
        rating=candidate_score.exercises.get(attempt.exercise_id),
        ahead=read_ahead.of(attempt),
        own_work=begun_of(attempt, viewer),
    )
    part.about = challenges.about(part.revision) if part.revision else ""
    if len(rounds) == 2 and first and rounds[1].measures:
        reports = [report_of(row.submission) for row in rounds]
        part.measure_changes = automation.measure_changes(*reports)
        part.drawn_anew = automation.drawn_anew(*reports)
    part.charts = _charts(part, cards)
    return part


def _round(
    viewer: User,
    attempt: Attempt,
    submission: Submission,
    cards: list[Evaluation],
    people: list[int],
) -> Round:
    own = [card for card in cards if card.submission_id == submission.pk]
    everybody = Evaluation.objects.current().submitted().filter(submission=submission).count()
    sees = sees_measures(viewer, attempt, own)
    report = report_of(submission) if sees else None
    grading = shown_grading(submission) if sees else None
    held = overrides.of(grading)
    alone = line_for(attempt.exercise) if sees else None
    return Round(
        number=submission.round,
        submission=submission,
        source=submission.get_source_display(),
        cards=own,
        hidden=max(0, everybody - len(own)),
        rows=table(own, people),
        measures=beside(overrides.beside(report, held), alone),
        alone=alone,
        score=(report or {}).get("score"),
        sees_measures=sees,
        grading=grading,
        overridden=held,
        notes=[
            (title, rating.note, card.evaluator)
            for card in own
            for title, rating in card.titled_ratings()
            if rating.note
        ],
        agreed=agreed_on(viewer, submission, own),
    )


def agreed_on(
    viewer: User, submission: Submission, cards: list[Evaluation]
) -> list[tuple[str, DiscussionOutcome]]:
    """(criterion, the newest level that was agreed on after a discussion); scorecards stay as they are."""
    titles = {item["key"]: item["title"] for card in cards for item in card.criteria()}
    rows = DiscussionOutcome.objects.visible_to(viewer).filter(submission=submission)
    newest = {row.criterion_key: row for row in rows.select_related("recorded_by")}
    return [(titles.get(key, key), row) for key, row in newest.items()]


def sees_measures(viewer: User, attempt: Attempt, own: list[Evaluation]) -> bool:
    """As reviews.visibility.may_see_measures, of an attempt that is known to be visible."""
    if not viewer.has_perm("assessments.view_gradingrun"):
        return False
    scores_it: bool = attempt.scores_it  # type: ignore[attr-defined]
    return not scores_it or any(card.evaluator_id == viewer.pk for card in own)


def table(cards: Sequence[Evaluation], people: Sequence[int]) -> list[Row]:
    """One row for each criterion, one level for each person of the exercise, None where not given."""
    titles = {item["key"]: item["title"] for card in cards for item in card.criteria()}
    levels = {
        card.evaluator_id: {row.criterion_key: row.level for row in card.ratings.all()}
        for card in cards
    }
    found = []
    for key, title in titles.items():
        given = [levels.get(person, {}).get(key) for person in people]
        known = [level for level in given if level is not None]
        found.append(Row(title, given, sum(known) / len(known) if known else None))
    return found


def _changes(cards: list[Evaluation]) -> list[Any]:
    """Each criterion's mean level in both rounds, over evaluators who rated it in both."""
    levels: dict[tuple[int, str], dict[int, int]] = {}
    titles: dict[str, str] = {}
    for card in cards:
        for item in card.criteria():
            titles.setdefault(item["key"], item["title"])
        for row in card.ratings.all():
            if row.level is not None:
                levels.setdefault((card.evaluator_id, row.criterion_key), {})[card.round] = (
                    row.level
                )
    found = []
    for key, title in titles.items():
        both = [given for (_, own), given in levels.items() if own == key and len(given) == 2]
        if both:
            first = sum(given[1] for given in both) / len(both)
            second = sum(given[2] for given in both) / len(both)
            found.append(automation.Change(title, "level", first, second, round(second - first, 2)))
    return found


def _charts(part: Part, cards: list[Evaluation]) -> dict[str, str]:
    letters = {person.pk: letter for letter, person in part.evaluators}
    charts = {
        "ratings": report_charts.ratings(part.attempt.exercise, cards, letters),
        "measures": report_charts.measures(
            part.attempt.exercise,
            [(row.number, row.measures, report_of(row.submission)) for row in part.rounds],
        ),
        "changes": report_charts.changes(part.attempt.exercise, part.changes),
        "replay": _replay(part),
    }
    return {name: svg for name, svg in charts.items() if svg}


def _replay(part: Part) -> str:
    """The first hidden workload of the newest graded round, as the picture that staff can keep."""
    for row in reversed(part.rounds):
        report = row.grading.report if row.grading else None
        for workload in automation.workloads(report):
            data = automation.timeline(report, workload.position) if workload.has_chart else None
            if data:
                heading = f"{workload.title or workload.name}, round {row.number}"
                cut = pieces(data, heading, workload.detail, ON_PAPER)
                return "".join(
                    report_charts.embedded(one, f"replay-{part.attempt.pk}-{at}")
                    for at, one in enumerate(cut)
                )
    return ""


def _revision(viewer: User, attempt: Attempt) -> RevisionRound | None:
    if not may_see_feedback(viewer, attempt):
        return None
    return RevisionRound.objects.filter(attempt=attempt).select_related("opened_by").first()


def _talks(viewer: User, opening: Opening, candidate: Candidate) -> list[Any]:
    """Interviews that are in: (session, its questions, mean)."""
    rows = InterviewSession.objects.visible_to(viewer).current().exclude(submitted_at=None)
    rows = rows.filter(opening=opening, candidate=candidate).order_by("submitted_at")
    rows = rows.select_related("interviewer", "question_set").prefetch_related("asked")
    return [
        (row, [one for one in row.asked.all() if not one.skipped], mean_score(row)) for row in rows
    ]


def _scores(viewer: User, opening: Opening, candidate: Candidate) -> list[InterviewScore]:
    rows = InterviewScore.objects.visible_to(viewer).current()
    return list(rows.filter(opening=opening, candidate=candidate).select_related("given_by"))


def _decisions(viewer: User, opening: Opening, candidate: Candidate) -> list[Decision] | None:
    if not viewer.has_perm("reviews.view_decision"):
        return None
    rows = Decision.objects.filter(opening=opening, candidate=candidate)
    return list(rows.select_related("decided_by"))


def formula(opening: Opening, candidate_score: CandidateScore) -> list[str]:
    """How the combined rating comes about, with this candidate's figures where they are known."""
    share = opening.work_sample_weight
    said = [
        "Rating of an exercise: for each evaluator the weighted mean of the criteria, those of the "
        "first answer as rated in round 1 and those of the revision as rated in round 2; then the "
        "mean of the evaluators. Machine measures do not enter.",
        "Work samples: the mean of the exercises. Interviews: the mean of all interview scores.",
        f"Combined: {share} % work samples and {100 - share} % interviews.",
    ]
    work, talk, both = (
        candidate_score.work.value,
        candidate_score.interviews.value,
        candidate_score.combined.value,
    )
    if work is not None and talk is not None and both is not None:
        said.append(
            f"{share / 100:.2f} × {work:.2f} + {(100 - share) / 100:.2f} × {talk:.2f} = {both:.2f}"
        )
    return said
