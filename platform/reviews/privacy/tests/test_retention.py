"""Retention: due when it should be, exactly what the dry run says goes, and no word of theirs is left."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import zipfile
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.contrib.admin.models import LogEntry
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from accounts.audit import note_action
from assessments.models import Attempt, Run, Submission
from assessments.tests.stage import NOW, Stage, save
from hiring.models import Accommodation, Candidate, Erasure, Invitation
from reviews.decisions.decisions import decide
from reviews.models import Decision, Evaluation, Note
from reviews.privacy import retention
from reviews.privacy.candidate_export import export
from reviews.privacy.erasure import REDACTED, StillWorking, erase, rows_of
from reviews.tests.scene import LATER, SECRET_SCORE

ROOT = Path(__file__).resolve().parents[4]
PHRASE = "quokkas balance the queue"
TRACES = ("Fontaine", "ada@example.com", PHRASE)


def decided(stage: Stage, at: datetime = LATER) -> None:
    decide(
        id=None,
        opening=stage.opening,
        candidate=stage.ada,
        outcome="decline",
        reasons=f"Since {PHRASE}.",
        by=stage.hana,
        now=at,
    )


@pytest.fixture
def full(stage: Stage, scored: Attempt) -> Stage:
    """Ada's words in every corner: a draft, a run, a note, extra time, the trail, a decision."""
    save(scored, PHRASE, at=NOW.replace(hour=20))
    Run.objects.create(
        attempt=scored,
        round=1,
        draft=scored.drafts.latest("number"),
        workload="public-1",
        created_at=NOW,
        finished_at=NOW,
        result="done",
        report={"stdout": PHRASE},
    )
    Note.objects.create(attempt=scored, author=stage.ines, text=PHRASE, written_at=LATER)
    Accommodation.objects.create(
        candidate=stage.ada, multiplier="1.25", note=PHRASE, granted_by=stage.rhea, granted_at=NOW
    )
    note_action(stage.rhea, stage.ada, f"Changed: {PHRASE}.")
    note_action(stage.rhea, stage.opening, "Spoke with Ada Fontaine.")
    decided(stage)
    return stage


def everything() -> str:
    """All values of all rows of the database."""
    rows = [
        list(model._base_manager.values_list())
        for model in apps.get_models(include_auto_created=True)
    ]
    return str(rows)


def test_nothing_of_the_candidate_is_left_but_the_tombstone(full: Stage) -> None:
    assert all(trace in everything() for trace in TRACES)
    before, trail = rows_of(full.ada), LogEntry.objects.count()
    stone = erase(full.ada, mode="erase", by=full.rhea, now=LATER)
    left = everything()
    assert [trace for trace in TRACES if trace in left] == []
    for model, keys in before.items():
        assert not model._base_manager.filter(pk__in=keys).exists(), model
    assert stone.counts["drafts"] == 2
    assert stone.counts["scorecards"] == 1
    assert LogEntry.objects.count() == trail
    assert LogEntry.objects.filter(change_message=REDACTED).count() >= 2


def test_other_candidates_keep_everything(full: Stage) -> None:
    bela = Candidate.objects.create(name="Bela Kiss", email="bela@example.com", created_at=NOW)
    erase(full.ada, mode="erase", by=None, now=LATER)
    assert Candidate.objects.get() == bela
    full.opening.refresh_from_db()
    assert full.opening.exercises.exists()


def test_pseudonymised_work_keeps_its_scores(stage: Stage, scored: Attempt) -> None:
    decided_with: dict[str, Any] = {
        "opening": stage.opening,
        "candidate": stage.ada,
        "by": stage.hana,
    }
    decide(id=None, outcome="hire", reasons="Sound work.", now=LATER, **decided_with)
    Accommodation.objects.create(
        candidate=stage.ada, multiplier="1.25", note="x", granted_by=stage.rhea, granted_at=NOW
    )
    note_action(stage.rhea, stage.opening, "Spoke with Ada Fontaine.")
    pseudonym = stage.ada.pseudonym
    stone = erase(stage.ada, mode="pseudonymise", by=stage.rhea, now=LATER)
    assert stone.mode == "pseudonymise"
    left = everything()
    assert "Fontaine" not in left
    assert "ada@example.com" not in left
    assert Candidate.objects.get().name == f"Candidate {pseudonym}"
    assert Evaluation.objects.count() == Submission.objects.count() == Decision.objects.count() == 1
    assert not Accommodation.objects.exists()
    link = Client().get(f"/t/{stage.token}/")
    assert link.status_code == 404


def test_work_that_names_its_author_is_erased_instead(stage: Stage, scored: Attempt) -> None:
    save(scored, "By Ada, with thanks.", at=NOW.replace(hour=20))
    stone = erase(stage.ada, mode="pseudonymise", by=None, now=LATER)
    assert stone.mode == "erase"
    assert not Candidate.objects.exists()


def test_a_running_program_is_waited_for(full: Stage) -> None:
    Run.objects.update(finished_at=None, worker="host:1:1")
    with pytest.raises(StillWorking):
        erase(full.ada, mode="erase", by=None, now=LATER)
    assert Candidate.objects.exists()


@given(
    st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001
    st.integers(0, 240),
)
def test_months_later_is_the_same_day_or_the_months_last(at: datetime, months: int) -> None:
    later = retention.months_later(at, months)
    assert (later.year - at.year) * 12 + later.month - at.month == months
    assert later.day == at.day or (later + timedelta(days=1)).day == 1
    assert later.time() == at.time()


def test_due_counts_from_the_decision_by_the_openings_own_months(
    full: Stage, settings: Any
) -> None:
    settings.RETENTION_MONTHS = 6
    end = retention.months_later(LATER, 6)
    assert retention.due(end - timedelta(seconds=1)) == []
    row = retention.due(end)[0]
    assert (row.candidate, row.since) == (full.ada, end)
    full.opening.retention_months = 12
    full.opening.save()
    assert retention.due(end) == []
    full.opening.retention_months = 0
    full.opening.save()
    assert retention.due(end + timedelta(days=9999)) == []


def test_without_a_rule_or_an_end_nothing_is_due(
    stage: Stage, scored: Attempt, settings: Any
) -> None:
    far = NOW + timedelta(days=9999)
    decided(stage)
    assert retention.due(far) == []  # the default keeps until somebody asks
    settings.RETENTION_MONTHS = 1
    Decision.objects.update(outcome="hold")
    assert retention.due(far) == []
    stage.opening.closed_at = NOW
    stage.opening.save()
    assert len(retention.due(far)) == 1


def test_dry_run_lists_exactly_what_goes(
    full: Stage, settings: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.RETENTION_MONTHS = 1
    far = retention.months_later(LATER, 2)
    listed = retention.due(far)[0].counts
    call_command("retention")
    assert "Nothing was changed." in capsys.readouterr().out
    assert Candidate.objects.exists()
    [stone] = retention.carry_out(far)
    assert stone.counts == listed
    assert stone.by is None
    assert retention.carry_out(far) == []


def test_pseudonymised_people_are_not_due_again(
    stage: Stage, scored: Attempt, settings: Any
) -> None:
    settings.RETENTION_MONTHS, settings.RETENTION_MODE = 1, "pseudonymise"
    decided(stage)
    far = retention.months_later(LATER, 2)
    assert [stone.mode for stone in retention.carry_out(far)] == ["pseudonymise"]
    assert retention.due(far) == []


def test_number_of_queries_does_not_grow_with_people(
    full: Stage, settings: Any, django_assert_num_queries: Any
) -> None:
    settings.RETENTION_MONTHS = 1
    far = retention.months_later(LATER, 2)
    for number in range(5):
        other = Candidate.objects.create(name="N", email=f"n{number}@example.com", created_at=NOW)
        Invitation.objects.create(
            opening=full.opening,
            candidate=other,
            token_hash=f"h{number}",
            link_made_at=NOW,
            opens_at=NOW,
            closes_at=LATER,
            created_by=full.rhea,
            created_at=NOW,
        )
        Decision.objects.create(
            opening=full.opening,
            candidate=other,
            outcome="decline",
            reasons="x",
            decided_by=full.hana,
            decided_at=LATER,
        )
    with django_assert_num_queries(4):
        assert len(retention.overdue(far)) == 6


def test_mails_of_others_in_the_same_file_stay(full: Stage, settings: Any, tmp_path: Path) -> None:
    settings.EMAIL_FILE_PATH = tmp_path
    rule = "-" * 79 + "\n"
    both = tmp_path / "both.log"
    both.write_text(f"To: Ada@Example.com\n\nYour link\n{rule}To: b@example.com\n\nYours\n{rule}")
    alone = tmp_path / "alone.log"
    alone.write_text(f"Subject: x\nTo: ada@example.com\n\nYour link\n{rule}")
    erase(full.ada, mode="erase", by=None, now=LATER)
    assert not alone.exists()
    assert both.read_text() == f"To: b@example.com\n\nYours\n{rule}"


def test_export_holds_what_they_gave_and_no_key(full: Stage) -> None:
    data = export(full.ada)
    assert data == export(Candidate.objects.get(pk=full.ada.pk))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        text = archive.read("data.json").decode()
        names = archive.namelist()
    told = json.loads(text)
    assert told["email"] == "ada@example.com"
    assert PHRASE in text
    assert told["attempts"][0]["submissions"][0]["scorecards"][0]["ratings"]
    assert any(name.startswith("1-automation/round-1/") for name in names)
    attempt = Attempt.objects.get()
    assert str(attempt.seed) not in text
    assert "KeyError: 'pool'" not in text  # from a hidden workload
    assert "Ines" not in text
    assert str(SECRET_SCORE) in text


def test_pages_export_and_erase_with_a_reason(full: Stage, clients: dict[str, Client]) -> None:
    at = {
        name: reverse(f"admin:candidate-{name}", args=[full.ada.pk]) for name in ("export", "erase")
    }
    answer = clients["adam"].post(at["export"], {"reason": "They asked."})
    assert answer["Content-Type"] == "application/zip"
    assert LogEntry.objects.filter(change_message__contains="They asked.").exists()
    wrong = {"reason": "They asked.", "mode": "erase", "pseudonym": "XXXXXX"}
    assert clients["adam"].post(at["erase"], wrong).status_code == 409
    right = wrong | {"pseudonym": full.ada.pseudonym.lower(), "reason": "Ada Fontaine asked."}
    page = clients["adam"].post(at["erase"], right, follow=True).content.decode()
    assert "The data" not in page
    assert Erasure.objects.get().by.username == "adam"  # type: ignore[union-attr]
    assert "Fontaine" not in everything()
    assert clients["adam"].get(at["erase"]).status_code == 404


def test_schedule_page_shows_who_is_due_and_carries_it_out(
    full: Stage, clients: dict[str, Client], settings: Any
) -> None:
    settings.RETENTION_MONTHS = 1
    url = reverse("admin:retention")
    page = clients["adam"].get(url).content.decode()
    assert "Ada Fontaine" in page
    assert "drafts: 2" in page
    after = clients["adam"].post(url, follow=True).content.decode()
    assert "The data of 1 candidates went." in after
    assert "Fontaine" not in everything()
    for name in ("rhea", "hana", "ines"):
        assert clients[name].get(url).status_code == 403


def typed() -> list[str]:
    """The commands of "Candidates' data" in docs/operators.md, in their order."""
    page = (ROOT / "docs/operators.md").read_text()
    section = page.split("\n## Candidates' data\n")[1].split("\n## ")[0]
    lines = re.findall(r"^    (.*)$", section, re.MULTILINE)
    return [re.split(r"\s{3,}#", line)[0].strip() for line in lines]


def test_the_operators_commands_do_what_the_page_says(
    full: Stage, settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.RETENTION_MONTHS = 0  # nobody is due: the second command must leave ada to the others
    monkeypatch.chdir(tmp_path)
    for line in typed():
        assert line.startswith("headnode ")
        call_command(*line.replace("/var/lib/headnode", str(tmp_path)).split()[1:])
    copied = (tmp_path / "ada.zip").stat()
    assert copied.st_size > 0
    assert copied.st_mode & 0o077 == 0  # all that is known of somebody is its owner's to read
    assert not Candidate.objects.filter(email="ada@example.com").exists()


def test_command_says_what_is_missing(full: Stage) -> None:
    with pytest.raises(CommandError, match="No candidate has this address"):
        call_command("candidate_data", "nobody@example.com", "--erase")
    with pytest.raises(CommandError, match="Say what to do"):
        call_command("candidate_data", "ada@example.com")
    with pytest.raises(CommandError, match=r"/nowhere/ada\.zip cannot be written: No such file"):
        call_command("candidate_data", "ada@example.com", "--export", "/nowhere/ada.zip")


IN_A_SITE = """
import django; django.setup()
from django.core.management import call_command
from accounts.audit import note_action
from assessments.tests.stage import NOW, begin, make_stage, save
from hiring.messages.to_candidates import invite_by_mail
from hiring.tests.mails import send_all
call_command("migrate", verbosity=0)
stage = make_stage()
attempt = begin(stage)
for seq in range(1, 4):
    save(attempt, "quokkas balance the queue " * 400, at=NOW, seq=seq)
note_action(stage.rhea, stage.ada, "Spoke with Ada Fontaine.")
invite_by_mail(stage.invitation, by=stage.rhea, now=NOW)
send_all(NOW)
"""


@pytest.mark.nightly
def test_no_file_of_the_data_folder_holds_a_word_of_theirs(tmp_path: Path) -> None:
    env = dict(os.environ) | {
        "HEADNODE_DATA": str(tmp_path),
        "PYTHONPATH": f"{ROOT}/platform:{ROOT}",
        "DJANGO_SETTINGS_MODULE": "headnode.settings",
        "DATABASE_URL": "",
    }
    run: Any = partial(subprocess.run, env=env, cwd=ROOT, check=True, capture_output=True)
    run([sys.executable, "-c", IN_A_SITE])
    assert len(_holding(tmp_path, TRACES[1])) >= 2  # the database and the mail
    run([sys.executable, "manage.py", "candidate_data", TRACES[1], "--erase"])
    assert [word for word in TRACES if _holding(tmp_path, word)] == []


def _holding(folder: Path, word: str) -> list[Path]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [path for path in files if word.lower().encode() in path.read_bytes().lower()]
