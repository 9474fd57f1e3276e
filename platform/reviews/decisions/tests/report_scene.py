"""Reports to look at: a long one with four exercises and a revision, and odd ones."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from accounts.models import User
from assessments import attempts
from assessments.models import Attempt
from assessments.tests.stage import NOW, POLICIES, Stage, member, submit
from hiring.invitations import invite
from hiring.models import Candidate, Exercise, Invitation
from reviews.decisions.decisions import decide
from reviews.feedback import defence
from reviews.scoring import evaluations
from reviews.tests.scene import LATER, REPORT, grade

PACKS = ("queue-autoscaler", "cluster-priorities", "mig-sharing", "gpu-idle-alerts")
NEXT = LATER + timedelta(days=1)
LONG_NAME = "Maximiliane-Friederike Großmüller von der Straßenbrücke-Ölßner"
JAPANESE = "佐藤 美咲"
REMARK = (
    "Reads what failed before trying again and says which call may have worked. The decision about the size "
    "of a pool stands apart from the calls, so it can be tested with a made-up queue; the tests that are there "
    "try an empty queue, a burst and a node that does not come up."
)
ADVICE = (
    "Nothing bounds how long a call is repeated: when the API answers slowly for ten minutes, the loop stands "
    "still and the notices of reclaimed nodes are read too late. Say after how long a call is given up, and "
    "what the safe state is then."
)
MEASURES = (
    "High priority wait, 95th percentile over all hidden days",
    "Cost of nodes beyond what the reference needs",
    "GPU time without lasting work",
    "Trouble answered in time",
    "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen without a space",
)


def machine(better: float = 0.0) -> dict[str, Any]:
    """A grading of five measures; of the revision two come out better."""
    first = REPORT["measures"][0]
    rows = []
    for at, label in enumerate(MEASURES):
        score = 0.2 + 0.15 * at + (better if at < 2 else 0.0)
        rows.append({**first, "key": f"m{at}", "label": label, "score": score, "value": 20 - at})
    return {**REPORT, "measures": rows, "score": sum(row["score"] for row in rows) / len(rows)}


def long_story(stage: Stage) -> Attempt:
    """Four exercises, three evaluators, each with a talk, feedback and a revision; an offer."""
    panel = (stage.ines, stage.otto, member("zarathustra", "Interviewer"))
    exercises = [stage.exercise]
    for at, name in enumerate(PACKS[1:], 1):
        row = Exercise.objects.get(pk=stage.exercise.pk)
        row.pk, row.pack_name, row.position = None, f"automation/{name}", at
        row._state.adding = True
        row.save()
        exercises.append(row)
    link = invited(stage, stage.ada, exercises)
    found = [worked(stage, link, exercise, panel) for exercise in exercises]
    decide(
        opening=stage.opening,
        candidate=stage.ada,
        outcome="hire",
        reasons=f"{REMARK} {ADVICE} {REMARK}",
        by=stage.hana,
        now=NEXT,
    )
    return found[0]


def invited(stage: Stage, person: Candidate, exercises: list[Exercise]) -> Invitation:
    window: dict[str, Any] = {
        "opens_at": NOW - timedelta(days=1),
        "closes_at": NOW + timedelta(days=6),
    }
    who: dict[str, Any] = {"candidate": person, "by": stage.rhea, "now": NOW}
    link, _ = invite(opening=stage.opening, exercises=exercises, **who, **window)
    return link


def worked(stage: Stage, link: Invitation, exercise: Exercise, panel: tuple[User, ...]) -> Attempt:
    """One exercise from the start to the scorecards of its revision."""
    attempt = attempts.start(invitation=link, exercise=exercise, policies=POLICIES, now=NOW)
    submit(attempt, "My reasons.", at=NOW + timedelta(minutes=30))
    grade(attempt, report=machine())
    more = exercise.position % 2
    for level, who in enumerate(panel, 2):
        evaluations.assign(attempt=attempt, evaluator=who, by=stage.rhea, now=LATER)
        card(attempt, who, 1, level + more)
    talk = [defence.Put("Why three replicas and not two?", f"{REMARK} {ADVICE}")]
    ines: dict[str, Any] = {"by": panel[0], "now": LATER}
    defence.hold(attempt=attempt, questions=talk, notes=REMARK, level=4, **ines)
    words: dict[str, Any] = {"strength": REMARK, "improvement": ADVICE, "focus": ""}
    attempts.open_revision(attempt.pk, start_now=True, **words, **ines)
    fresh = Attempt.objects.get(pk=attempt.pk)
    submit(fresh, "Revised.", at=LATER + timedelta(minutes=10))
    grade(fresh, 2, machine(0.2))
    for level, who in enumerate(panel, 3):
        card(fresh, who, 2, min(5, level + more))
    return fresh


def card(attempt: Attempt, who: Any, round: int, level: int) -> None:
    """A scorecard with remarks of ordinary length on two criteria."""
    row = evaluations.begin(attempt=attempt, round=round, evaluator=who, now=LATER)
    for at, item in enumerate(row.criteria()):
        note = REMARK if at == 0 else ADVICE if at == 3 else ""
        evaluations.rate(
            row, criterion=item["key"], level=max(1, level - at % 2), note=note, now=LATER
        )
    evaluations.submit(row, now=LATER)


def unscored(stage: Stage, name: str, email: str) -> Attempt:
    """Somebody who handed one answer in, which nobody has scored."""
    person = Candidate.objects.create(name=name, email=email, created_at=NOW)
    link = invited(stage, person, [stage.exercise])
    attempt = attempts.start(invitation=link, exercise=stage.exercise, policies=POLICIES, now=NOW)
    submit(attempt, "Ä ö ß.", at=NOW + timedelta(minutes=30))
    return Attempt.objects.get(pk=attempt.pk)
