"""What the candidate's pages show, gathered from rows and packs. Staff-only material is not read here."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext

from assessments import answers, candidate_data, company, kit, spoken
from assessments.assistant import asking
from assessments.clock import EventKind, Phase, Rules, first_deadline
from assessments.gpu import cards
from assessments.kinds import workplace_of
from assessments.materials import rebuilding, variants
from assessments.models import Attempt, Submission
from assessments.own_work import rounds, shown
from assessments.sitting import sittings
from assessments.standing import Facts, standing_of
from graders.completions import proposals
from hiring import keeping
from hiring.languages import of_answers
from hiring.models import GRACE, Exercise, Invitation
from hiring.time_allowed import in_words
from hiring.trials import is_trial, practice_of
from library.markdown import rendered as rendered
from library.packs import pack_of
from scenarios.packs import Document

ACCEPT_FIRST = "Please read what you may use and tick the box before you start."
# After an outage nothing is handed in before all that waited has been taken: until then work goes on.
STATES = {
    Phase.RUNNING: "running",
    Phase.GRACE: "running",
    Phase.OVERDUE: "running",
    Phase.SUBMITTED: "submitted",
    Phase.REVISION_OPEN: "revision_open",
    Phase.REVISING: "revising",
    Phase.REVISION_GRACE: "revising",
    Phase.REVISION_OVERDUE: "revising",
    Phase.REVISION_SUBMITTED: "finished",
}


def is_of_use(invitation: Invitation, now: datetime) -> bool:
    """A link whose window is over still leads back to work that was begun, and to an interview."""
    if invitation.state(now) != "over" or invitation.attempts.exists():
        return True
    return sittings.present(invitation, now) is not None


def policies(exercise: Exercise) -> dict[str, str]:
    """What a candidate accepts, word for word."""
    accepted = {
        "references": _said(exercise.references_policy),
        "assistants": _said(exercise.assistants_policy),
    }
    told = {rounds.ACCEPTED: rounds.notice(exercise), asking.ACCEPTED: asking.notice(exercise)}
    return accepted | {key: text for key, text in told.items() if text}


def _said(words: str) -> str:
    """Words of ours in the page's language; a company's own stay as they are."""
    return gettext(words) if words else ""


def lobby(invitation: Invitation, now: datetime) -> dict[str, Any]:
    exercises = list(invitation.exercises.all())
    begun = {attempt.exercise_id: attempt for attempt in invitation.attempts.all()}
    cards = [_exercise(item, begun.get(item.pk), invitation, now) for item in exercises]
    return {
        "opening": invitation.opening,
        "sitting": sittings.present(invitation, now),
        "sitting_url": reverse("sitting", args=[invitation.pk]),
        "opens_at": invitation.opens_at,
        "closes_at": invitation.window_closes_at(),
        "policies": policies(exercises[0]) if exercises else None,
        "own_work": next(filter(None, map(rounds.notice, exercises)), ""),
        "assistant": next(filter(None, map(asking.notice, exercises)), ""),
        "start_url": reverse("start", args=[invitation.pk]),
        "exercises": cards,
        "before_start": any(card["state"] == "ready" for card in cards),
        "may_practise": any(card["state"] in ("ready", "not_open") for card in cards),
        "recorded": recorded(exercises),
        "runs": any(row.is_run or row.has_terminal for row in exercises),
        "kept": keeping.in_sentences(invitation.opening),
    }


def recorded(exercises: Iterable[Exercise]) -> list[str]:
    """What is recorded beside the answers to these, each sentence once."""
    return list(dict.fromkeys(filter(None, (workplace_of(row).recorded for row in exercises))))


def _exercise(
    exercise: Exercise, attempt: Attempt | None, invitation: Invitation, now: datetime
) -> dict[str, Any]:
    pack = pack_of(exercise.pack_name)
    rules = attempt.rules if attempt else _rules(exercise, invitation)
    card: dict[str, Any] = {
        "id": exercise.pk,
        "title": pack.title,
        "kind_label": exercise.get_kind_display(),
        "level_label": exercise.get_level_display(),
        "summary": pack.summary,
        "work_time": in_words(rules.work_time()),
        "revision_time": in_words(_revision_time(rules, invitation)),
        "documents": [{"title": title} for title in pack.titles(exercise.level)],
        "is_measured": exercise.is_measured,
        "released_ahead": exercise.traits.is_released_ahead,
    }
    window = invitation.state(now)
    phase = attempt.phase(now) if attempt else None
    practised = invitation.practised_at is not None
    card["standing"] = standing_of(Facts(window, True, practised, phase))
    if attempt:
        return card | _progress(attempt, now)
    state = {"open": "ready", "scheduled": "not_open"}.get(window, "closed")
    closes_at = invitation.window_closes_at()
    is_cut = first_deadline(rules, now, closes_at) < now + rules.work_time()
    return card | {"state": state, "released_at": invitation.opens_at, "is_cut": is_cut}


def _rules(exercise: Exercise, invitation: Invitation) -> Rules:
    """What holds for the person if they start now."""
    factor = invitation.candidate.multiplier()
    return Rules(exercise.limit, exercise.revision_limit, GRACE, factor)


def _revision_time(rules: Rules, invitation: Invitation) -> timedelta:
    """Of a revision that has not begun, by the factor that holds now."""
    factor = rules.revision_multiplier or invitation.candidate.multiplier()
    return replace(rules, revision_multiplier=factor).revision_time()


def _progress(attempt: Attempt, now: datetime) -> dict[str, Any]:
    phase = attempt.phase(now)
    latest = attempt.submissions.filter(superseded_at=None).order_by("-round").first()
    return {
        "state": STATES[phase],
        "url": reverse("workspace", args=[attempt.pk]),
        "receipt_url": reverse("receipt", args=[attempt.pk]) if latest else None,
        "deadline_at": attempt.deadline_at,
        "submitted_at": latest.submitted_at if latest else None,
        "own_work": shown.offer(attempt, now) if latest else None,
    }


def workspace(attempt: Attempt, now: datetime) -> dict[str, Any]:
    pack = pack_of(attempt.pack_version.name)
    return {
        "opening": attempt.invitation.opening,
        "exercise": {"title": pack.title},
        "is_run": attempt.exercise.is_run,
        "has_room": attempt.exercise.has_room,
        "has_assistant": asking.is_offered(attempt),
        "sheets": sheets_of(attempt.exercise),
        "currency": company.of_attempt(attempt).currency,
        "lobby_url": reverse("lobby", args=[attempt.invitation_id]),
        "workspace_data": workspace_data(attempt, now),
        "script_parts": script_parts(attempt),
    }


def script_parts(attempt: Attempt) -> str:
    """Whose words the page's scripts say besides those of every page."""
    room = attempt.exercise.has_room
    parts = [workplace_of(attempt.exercise).name, "workplace", "terminal"] if room else []
    parts += ["practice"] if practice_of(attempt.invitation) else []
    return ",".join([*parts, "assistant"] if asking.is_offered(attempt) else parts)


def workspace_data(attempt: Attempt, now: datetime) -> dict[str, Any]:
    pack, level = pack_of(attempt.pack_version.name), attempt.level
    body = answers.current_body(attempt)
    read_only, template = pack.read_only(level), answers.template(attempt)
    documents = _documents(attempt)
    return {
        "attempt": str(attempt.pk),
        "urls": _urls(attempt),
        "workplace": workplace_of(attempt.exercise).name,
        "state": candidate_data.state(attempt, now),
        "limit_s": _limit(attempt).total_seconds(),
        "documents": [_document(one) for one in documents],
        "files": [
            {
                "path": path,
                "text": text,
                "read_only": path in read_only,
                "starter": path in template,
            }
            for path, text in answers.in_order(body["files"], template).items()
        ],
        "sections": _sections(attempt, body),
        "workloads": [
            {"name": name, "title": title}
            for name, title in pack.public_workloads(level)
            if attempt.exercise.is_run
        ],
        "practice": practice_of(attempt.invitation) is not None,
        "round": attempt.round,
        "elapsed_s": (now - attempt.started_at).total_seconds() if attempt.round == 1 else None,
        "feedback": _feedback(attempt),
        "last_run": _last_run(attempt, now),
        "proposals": _proposals(attempt, documents),
        "run_note": gettext(cards.PRACTICE)
        if cards.needs_gpu(attempt) and not cards.is_served(now)
        else "",
        "client_limits": {"max_body": settings.MAX_BODY, "max_files": answers.MAX_FILES},
    }


def _last_run(attempt: Attempt, now: datetime) -> dict[str, Any] | None:
    """The newest run that has something to show."""
    run = attempt.runs.exclude(report=None).select_related("draft").first()
    return (
        candidate_data.run_row(run, now, with_report=True)
        if run and attempt.exercise.is_run
        else None
    )


def _proposals(attempt: Attempt, documents: list[Document]) -> list[dict[str, str]]:
    """What the editor completes: what the API page tells of, where a program is run."""
    if not attempt.exercise.is_run:
        return []
    pages = [document.text for document in documents if document.key == "api"]
    return [proposal._asdict() for page in pages for proposal in proposals(page)]


def sheets_of(exercise: Exercise) -> list[str]:
    """Names of static files that a room needs beside the page's own, for the candidate's page and staff's."""
    return [f"assessments/{name}.css" for name in workplace_of(exercise).sheets]


def _sections(attempt: Attempt, body: dict[str, Any]) -> list[dict[str, str]]:
    """The written sections; the first of them says in which languages answers may be written."""
    languages = of_answers(attempt.invitation.opening)
    found = [
        {
            "key": section.key,
            "title": section.title,
            "prompt": section.prompt,
            "text": body["sections"].get(section.key, ""),
        }
        for section in pack_of(attempt.pack_version.name).sections(attempt.level)
    ]
    if found:
        found[0]["prompt"] += " " + gettext("Answers may be written in {languages}.").format(
            languages=languages
        )
    return found


def _limit(attempt: Attempt) -> timedelta:
    """The person's whole time in this round, before anything was added."""
    begins = (EventKind.STARTED, EventKind.REVISION_STARTED)
    began = attempt.time_events.filter(kind__in=begins).last()
    return began.after - began.at if began and began.after else timedelta(0)


def _urls(attempt: Attempt) -> dict[str, str]:
    names = ("state", "drafts", "runs", "submit", "enquiries")
    api = {name: reverse(f"attempt-{name}", args=[attempt.pk]) for name in names}
    if attempt.exercise.has_room:
        api["room"] = reverse("room-manifest", args=[attempt.pk]).removesuffix("manifest")
    if kit.is_offered(attempt):
        api["kit"] = reverse("kit", args=[attempt.pk])
    if asking.is_offered(attempt):
        api["assistant"] = reverse("attempt-assistant", args=[attempt.pk])
    return api | {
        "receipt": reverse("receipt", args=[attempt.pk]),
        "lobby": reverse("lobby", args=[attempt.invitation_id]),
    }


def _documents(attempt: Attempt) -> list[Document]:
    """Only generated materials differ by candidate; the others' examples are the same for everybody."""
    return _built(attempt) or _drawn(attempt)


def _built(attempt: Attempt) -> list[Document]:
    """As they lie with the materials: to draw a bill anew for its words takes a second."""
    pack = pack_of(attempt.pack_version.name)
    folder = variants.find(*rebuilding.of_attempt(attempt)) if pack.generator else None
    try:
        return pack.built_documents(attempt.level, folder) if folder else []
    except FileNotFoundError:  # built by a version of the pack that had other documents
        return []


def _drawn(attempt: Attempt) -> list[Document]:
    pack = pack_of(attempt.pack_version.name)
    seed = attempt.seed if pack.generator else 0
    return pack.documents(attempt.level, company.of_attempt(attempt), seed)


def _document(document: Document) -> dict[str, str]:
    shown = {"key": document.key, "title": document.title, "kind": document.kind}
    if document.kind == "markdown":
        return shown | {"html": rendered(document.text)}
    return shown | {"text": document.text}


def _feedback(attempt: Attempt) -> dict[str, Any] | None:
    if attempt.round != 2:
        return None
    revision = attempt.revision
    return {
        "strength": revision.strength,
        "improvement": revision.improvement,
        "focus": revision.focus or None,
        "also": list(revision.also),
        "subject": revision.subject or None,
    }


def receipt(attempt: Attempt) -> dict[str, Any]:
    pack = pack_of(attempt.pack_version.name)
    titles = {section.key: section.title for section in pack.sections(attempt.level)}
    titles[spoken.NOTES] = spoken.own_title()
    late = attempt.drafts.filter(late=True).defer("body").order_by("number")
    return {
        "opening": attempt.invitation.opening,
        "exercise": {"title": pack.title},
        "attempt": {"uuid": attempt.pk},
        "is_trial": is_trial(attempt.invitation),
        "lobby_url": reverse("lobby", args=[attempt.invitation_id]),
        "rounds": [
            _round(submission, titles)
            for submission in attempt.submissions.filter(superseded_at=None)
        ],
        "late": [
            {"received_at": draft.received_at, "sha256": draft.sha256, "size": draft.size}
            for draft in late
        ],
        "urls": {"drafts": reverse("attempt-drafts", args=[attempt.pk])},
    }


SOURCES = {
    Submission.Source.CANDIDATE: "candidate",
    Submission.Source.PROMOTED: "clock",
    Submission.Source.SPOKEN: "spoken",
}


def _round(submission: Submission, titles: dict[str, str]) -> dict[str, Any]:
    return {
        "number": submission.round,
        "submitted_at": submission.submitted_at,
        "source": SOURCES[Submission.Source(submission.source)],
        "sha256": submission.sha256,
        "draft": submission.draft.number if submission.draft else None,
        "files": [
            {"path": path, "sha256": _sha256(text), "size": len(text.encode())}
            for path, text in answers.in_order(submission.body["files"], ()).items()
        ],
        "sections": [
            {
                "key": "" if key == spoken.NOTES else key,
                "title": titles.get(key, key),
                "sha256": _sha256(text),
                "words": len(text.split()),
            }
            for key, text in answers.in_order(submission.body["sections"], titles).items()
        ],
    }


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
