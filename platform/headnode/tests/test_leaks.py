"""A candidate's pages and endpoints carry nothing that is not theirs (design rule 7)."""

from __future__ import annotations

import gzip
import io
import json
import uuid
import zipfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone

from assessments import attempts
from assessments.jobs import Result
from assessments.materials import variants
from assessments.models import AssistantTurn, Attempt, GradingRun, Run
from assessments.tests.stage import Stage, begin, body, enter, make_stage, save, submit
from assessments.troubleshooting.tests.troubleshooting_stage import (
    INCIDENT,
    LEVEL,
    SEED,
    built,
    start_incident,
)
from hiring.models import Accommodation, Candidate
from library.packs import load_packs, pack_of
from reviews.models import Note
from reviews.scoring import evaluations

pytestmark = pytest.mark.django_db
__all__ = ["built"]
SECRET = "ZEBRA-ONLY-FOR-STAFF"
RULES_OF_THE_WORLD = "/headnode-local/scenarios/"
"""In a kit: how every family of days is drawn is public, which ones an answer meets is not."""


@pytest.fixture
def ada(client: Client) -> tuple[Client, Stage, Attempt]:
    """Ada in her revision, with everything about her on record that staff keep."""
    now = timezone.now()
    stage = make_stage(now)
    load_packs(now=now)
    attempt = begin(stage, now)
    keep_on_record(stage, attempt, now)
    score(stage, attempt, now)
    attempts.open_revision(
        attempt.pk,
        strength="Clear parts.",
        improvement="Handle time-outs.",
        focus="",
        start_now=True,
        by=stage.ines,
        now=now,
    )
    save(attempt, "revised", at=now)
    attempts.extend(attempt.pk, minutes=5, by=stage.rhea, reason=SECRET, now=now)
    attempt.refresh_from_db()
    enter(client, stage.token)
    return client, stage, attempt


def keep_on_record(stage: Stage, attempt: Attempt, now: datetime) -> None:
    """Another candidate, an accommodation, a run, a graded submission."""
    Candidate.objects.create(name=f"Bo {SECRET}", email="bo@example.com", created_at=now)
    Accommodation.objects.create(
        candidate=stage.ada, multiplier="1.5", note=SECRET, granted_by=stage.rhea, granted_at=now
    )
    Run.objects.create(
        attempt=attempt,
        round=1,
        draft=save(attempt, "mine", at=now).draft,
        workload="public-1",
        created_at=now,
        finished_at=now,
        result=Result.DONE,
        report={"status": "ok"},
    )
    attempt.policies = {**attempt.policies, "assistant": "It is recorded."}
    attempt.save(update_fields=["policies"])
    AssistantTurn.objects.create(
        attempt=attempt,
        round=1,
        question="mine",
        asked_at=now,
        heard_at=now,
        ended_at=now,
        model="a-model",
    )
    submit(attempt, "mine", at=now)
    report = {"score": 0.123456, "evidence": [SECRET]}
    GradingRun.objects.update(
        finished_at=now, result=Result.DONE, detail=SECRET, report=report, reason=SECRET
    )


def score(stage: Stage, attempt: Attempt, now: datetime) -> None:
    evaluations.assign(attempt=attempt, evaluator=stage.ines, by=stage.rhea, now=now)
    card = evaluations.begin(attempt=attempt, round=1, evaluator=stage.ines, now=now)
    key = card.criteria()[0]["key"]
    evaluations.rate(card, criterion=key, level=2, note=SECRET, now=now)
    Note.objects.create(attempt=attempt, author=stage.ines, text=SECRET, written_at=now)


def candidate_names(resolver: URLResolver | None = None) -> Iterator[str]:
    """Names of all addresses outside /admin/ and the static files, without those of programs.

    That a candidate's browser gets nothing from programs' addresses is test_api_permissions' and
    test_provisioning's to show.
    """
    for entry in (resolver or get_resolver()).url_patterns:
        if isinstance(entry, URLResolver):
            if str(entry.pattern) not in ("admin/", "api/v1/", "integrations/", "scim/v2/"):
                yield from candidate_names(entry)
        elif isinstance(entry, URLPattern) and entry.name:
            yield entry.name


def staff_only(stage: Stage, attempt: Attempt) -> list[str]:
    """Pieces of text that a candidate must never be sent."""
    pack = pack_of(attempt.pack_version.name)
    rubric = [text for item in pack.rubric("mid").criteria for text in item.levels.values()]
    guide = [line for line in pack.guide("mid").splitlines() if len(line) > 40]
    goldens = [path.read_text()[:200] for path in (pack.folder / "goldens").glob("*.py")]
    people = [stage.ines.first_name, stage.rhea.first_name, stage.ada.email]
    figures = [str(attempt.seed), "0.123456", stage.invitation.token_hash]
    return [SECRET, *rubric, *guide, *goldens, *people, *figures, "failure-heavy", "adversarial"]


def shown(answer: Any) -> str:
    """All that a person could read in an answer; for a zip, every file in it."""
    if answer.headers["Content-Type"] != "application/zip":
        return str(answer.text)
    text = ""
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        for name in archive.namelist():
            body = archive.read(name).decode()
            if RULES_OF_THE_WORLD in name:
                body = body.replace("failure-heavy", "").replace("adversarial", "")
            text += f"{name}\n{body}\n"
    return text


ARGUMENTS: dict[str, list[str]] = {
    "home": [],
    "healthz": [],
    "readyz": [],
    "metrics": [],
    "admin_password_reset": [],
    "password_reset_done": [],
    "password_reset_confirm": ["uidb64", "reset"],
    "password_reset_complete": [],
    "link": ["token"],
    "shared-report": ["token"],
    "leave": [],
    "lobby": ["invitation"],
    "about-you": ["invitation"],
    "your-data": ["invitation"],
    "your-data-copy": ["invitation"],
    "ahead": ["invitation", "exercise"],
    "ahead-file": ["invitation", "exercise", "path"],
    "practice": ["invitation"],
    "practice-begin": ["invitation"],
    "practice-moment": ["invitation"],
    "sitting": ["invitation"],
    "sitting-state": ["invitation"],
    "sitting-pad": ["invitation"],
    "start": ["invitation"],
    "language": ["invitation"],
    "script-words": [],
    "preparing": ["invitation"],
    "prepare-again": ["invitation"],
    "workspace": ["attempt"],
    "receipt": ["attempt"],
    "answer": ["attempt"],
    "answer-zip": ["attempt"],
    "afterwards": ["attempt"],
    "own-work-example": ["invitation"],
    "own-work": ["attempt"],
    "own-work-state": ["attempt"],
    "own-work-begin": ["attempt"],
    "own-work-save": ["attempt"],
    "own-work-hand-in": ["attempt"],
    "kit": ["attempt"],
    "attempt-state": ["attempt"],
    "attempt-drafts": ["attempt"],
    "attempt-draft": ["attempt", "number"],
    "attempt-runs": ["attempt"],
    "attempt-run": ["attempt", "run"],
    "attempt-run-stop": ["attempt", "run"],
    "attempt-submit": ["attempt"],
    "attempt-enquiries": ["attempt"],
    "attempt-assistant": ["attempt"],
    "attempt-assistant-turn": ["attempt", "turn"],
    "attempt-assistant-stop": ["attempt", "turn"],
    "room-manifest": ["attempt"],
    "room-file": ["attempt", "path"],
    "room-logs": ["attempt"],
    "room-metrics-catalogue": ["attempt"],
    "room-metrics-panels": ["attempt"],
    "room-metrics-series": ["attempt"],
    "room-metrics-heatmap": ["attempt"],
    "room-query": ["attempt"],
    "terminal-state": ["attempt"],
    "terminal-start": ["attempt"],
    "terminal-exchange": ["attempt"],
    "terminal-help": ["attempt"],
}
"""The room's answers for an attempt that has one are held to the key in reviews' test_incident_pages."""
ROOM: dict[str, list[str]] = {
    "room-manifest": ["attempt"],
    "room-file": ["attempt", "path"],
    "room-logs": ["attempt"],
    "room-metrics-catalogue": ["attempt"],
    "room-metrics-panels": ["attempt"],
    "room-metrics-series": ["attempt"],
    "room-metrics-heatmap": ["attempt"],
    "room-query": ["attempt"],
    "terminal-state": ["attempt"],
    "terminal-start": ["attempt"],
    "terminal-exchange": ["attempt"],
    "terminal-help": ["attempt"],
}
"""Of an attempt whose materials are generated; there is no room at a program."""
OTHER_ROOMS = {
    "room-bill-tables",
    "room-bill-values",
    "room-bill-pivot",
    "room-bill-sql",
    "room-bill-lines",
    "plan-checks",
    "plan-what-ifs",
    "plan-what-if",
    "plan-what-if-stop",
    "cluster-standing",
    "cluster-shell",
    "cluster-checks",
    "cluster-check",
    "cluster-check-stop",
}
"""Held to the keys of their own variants in assessments' test_bill, test_plan and test_cluster."""


def test_every_candidate_address_is_known_to_this_test() -> None:
    assert set(candidate_names()) == set(ARGUMENTS) | set(ROOM) | OTHER_ROOMS


def test_no_candidate_address_leaks(ada: tuple[Client, Stage, Attempt]) -> None:
    client, stage, attempt = ada
    values: dict[str, Any] = {
        "token": stage.token,
        "invitation": stage.invitation.pk,
        "attempt": attempt.pk,
        "number": 1,
        "uidb64": "MQ",
        "reset": "abc-def",
        "run": attempt.runs.get().pk,
        "turn": attempt.assistant_turns.get().pk,
        "path": "people/changes.txt",
        "exercise": attempt.exercise_id,
    }
    fields = {"client": str(uuid.uuid4()), "seq": 9, "body": body(attempt, "again")}
    secrets = staff_only(stage, attempt)
    for name, needed in ARGUMENTS.items():
        url = reverse(name, args=[values[value] for value in needed])
        answers = [client.get(url, follow=True)]
        if name.startswith("attempt"):
            answers.append(client.post(url, json.dumps(fields), content_type="application/json"))
        for answer in answers:
            assert answer.status_code < 500 or name == "healthz"
            text = shown(answer) + str(answer.headers) + str(answer.cookies)
            if name == "your-data-copy":
                text = text.replace(stage.ada.email, "")  # her own
            found = [secret for secret in secrets if secret in text]
            assert found == [], f"{name} says {found}"


def key_sentences(key: dict[str, Any]) -> list[str]:
    """What staff are told of causes, herrings and files of a variant, in the key's own words."""
    causes = ("title", "story", "confused_with", "test", "mitigation", "fix", "risk")
    found = [str(row[name]) for row in key["causes"] for name in causes]
    found += [str(row[name]) for row in key["herrings"] for name in ("title", "why", "test")]
    guide = [line for line in key["guide"].splitlines() if len(line) > 40]
    return [*found, *guide, "misleading", '"causal"', "hours_without"]


@pytest.mark.nightly
def test_room_leaks_nothing(
    client: Client, built: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assessments.queue.publish", lambda *_, **__: None)
    settings.VARIANTS, now = built, timezone.now()
    stage = make_stage(now)
    load_packs(now=now)
    attempt = start_incident(stage, now)
    enter(client, stage.token)
    key = variants.key_of(INCIDENT, LEVEL, SEED)
    secrets = [*key_sentences(key), *staff_only(stage, attempt)]
    folder = variants.folder_of(INCIDENT, LEVEL, SEED)
    rows = json.loads((folder / "manifest.json").read_text())["files"]
    texts = [row["path"] for row in rows if not row["path"].endswith(".hncol")]
    whole = "".join((folder / path).read_text() for path in texts)
    assert [secret for secret in secrets if secret in whole] == []
    for name, needed in [*ROOM.items(), ("workspace", ["attempt"])]:
        for path in texts[::50] if "path" in needed else [""]:
            url = reverse(name, args=[attempt.pk, path] if path else [attempt.pk])
            answer = client.get(url)
            assert answer.status_code < 500, name
            body = answer.content
            text = body.decode(errors="replace") + str(answer.headers)
            if answer.headers.get("Content-Type", "").startswith("application/gzip"):
                text = gzip.decompress(body).decode(errors="replace")
            found = [secret for secret in secrets if secret in text]
            assert found == [], f"{name} {path} says {found}"
