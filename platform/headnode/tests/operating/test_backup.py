"""A backup restored into an empty site is the same site: every table, a report on paper, an open page."""

from __future__ import annotations

import base64
import io
import json
import os
import random
import re
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pypdf import PdfReader

from assessments.link import COOKIE
from assessments.models import Attempt, TerminalChunk, TerminalSession
from assessments.tests.stage import SECTION, Stage, begin, body, make_stage, published, save, submit
from headnode.backup import rows
from headnode.backup.files import BadPath, place
from headnode.tests.browser.site import forget_database, own_database
from hiring.models import Candidate, Erasure, Message
from library.packs import load_packs
from reviews import pdf_files
from reviews.models import PdfFile
from reviews.privacy import again
from reviews.privacy.erasure import erase
from reviews.scoring import evaluations
from reviews.tests.scene import grade, score_all

__all__ = ["published"]
ROOT = Path(__file__).resolve().parents[4]
LOOK = """
import base64, json, sys, django
django.setup()
from django.conf import settings
from django.contrib.auth import get_user_model
from django.test import Client
from reviews import pdf_files
from reviews.models import PdfFile
asked = json.load(sys.stdin)
candidate = Client(SERVER_NAME="localhost")
candidate.cookies[asked["cookie"][0]] = asked["cookie"][1]
told = {"status": candidate.get(asked["workspace"]).status_code}
told["draft"] = candidate.get(asked["draft"]).json()
saved = candidate.post(asked["save"], asked["body"], content_type="application/json")
told["saved"] = [saved.status_code, saved.json()]
staff = Client(SERVER_NAME="localhost")
staff.force_login(get_user_model().objects.get(username="hana"))
staff.get(asked["report"])
for row in PdfFile.objects.filter(finished_at=None):
    pdf_files.make(row.pk)
told["pdf"] = base64.b64encode(staff.get(asked["report"]).content).decode()
print(json.dumps(told))
"""


@pytest.fixture
def source(db: None, settings: Any, tmp_path: Path, published: Any) -> Stage:
    """A site in use: one answer scored, one at work, mail, bytes of a terminal, files."""
    settings.DATA = tmp_path / "source"
    for name in ("media/exports", "mail", "logs"):
        (settings.DATA / name).mkdir(parents=True)
    (settings.DATA / "secret_key").write_text(settings.SECRET_KEY)
    (settings.DATA / "media/exports/année.csv").write_bytes(b"\x00\xffbytes")
    (settings.DATA / "logs/web.log").write_text("not kept")
    now = timezone.now()
    load_packs(now=now)
    stage = make_stage(now - timedelta(days=2))
    attempt = begin(stage, now - timedelta(days=2))
    submit(attempt, "Mine, “quoted” 🙂.", at=now - timedelta(days=1, hours=23, minutes=30))
    grade(attempt)
    evaluations.assign(attempt=attempt, evaluator=stage.ines, by=stage.rhea, now=now)
    score_all(attempt, stage.ines, now=now)
    row = {"asked_at": now, "looked_at": now, "state": "ended"}
    session = TerminalSession.objects.create(attempt=attempt, round=1, **row)
    TerminalChunk.objects.create(
        session=session, direction="out", seq=1, at=now, data=b"\x1b[0m\x00\xff"
    )
    return stage


@pytest.fixture
def at_work(source: Stage) -> Attempt:
    """Bela works at this moment and has saved."""
    from hiring.invitations import invite

    now = timezone.now()
    bela = Candidate.objects.create(name="Bela Kiss", email="bela@example.com", created_at=now)
    invitation, source.token = invite(
        opening=source.opening,
        candidate=bela,
        exercises=[source.exercise],
        opens_at=now - timedelta(days=1),
        closes_at=now + timedelta(days=6),
        by=source.rhea,
        now=now,
    )
    source.invitation = invitation
    attempt = begin(source, now - timedelta(minutes=5))
    save(attempt, "What I have so far.", at=now)
    return attempt


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[dict[str, str]]:
    """The environment of an empty site, with a database like this one's."""
    number = random.randrange(32_001, 60_000)
    env = os.environ | {
        "HEADNODE_DATA": str(tmp_path / "elsewhere"),
        "PYTHONPATH": f"{ROOT}/platform:{ROOT}",
        "DJANGO_SETTINGS_MODULE": "headnode.settings",
        "BROKER_URL": "headnode-files://localhost",
        "LOG_LEVEL": "ERROR",
    }
    env.pop("SECRET_KEY", None)
    if url := os.environ.get("DATABASE_URL"):
        env["DATABASE_URL"] = own_database(url, number)
    yield env
    forget_database(number)


def run(env: dict[str, str], *words: str, given: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *words],
        env=env,
        cwd=ROOT,
        input=given,
        capture_output=True,
        text=True,
        check=False,
    )


def manage(env: dict[str, str], *words: str) -> str:
    done = run(env, "manage.py", *words)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def kept(path: Path) -> dict[str, Any]:
    """What a backup says it holds."""
    with tarfile.open(path) as archive:
        file = archive.extractfile("manifest.json")
        assert file is not None
        return dict(json.load(file))


def words(pdf: bytes) -> str:
    """What a report says, without when it was made."""
    text = " ".join(page.extract_text() for page in PdfReader(io.BytesIO(pdf)).pages)
    return re.sub(r"\d{1,2}:\d{2}|\s+", " ", text)


def seen_here(source: Stage, at_work: Attempt) -> dict[str, Any]:
    """What the old site shows, and how to ask the new one for the same."""
    candidate, hana = Client(), Client()
    candidate.get(f"/t/{source.token}/")
    done = Attempt.objects.exclude(pk=at_work.pk).get()
    report = reverse("admin:report", args=[done.pk]) + "?pdf"
    hana.force_login(source.hana)
    hana.get(report)
    for row in PdfFile.objects.filter(finished_at=None):
        pdf_files.make(row.pk)
    draft = reverse("attempt-draft", args=[at_work.pk, 1])
    client = "9f3c1c1e-6c53-4b55-9d51-0d6a3a0f5a11"
    return {
        "pdf": words(hana.get(report).content),
        "seen": candidate.get(draft).json(),
        "cookie": [COOKIE, candidate.cookies[COOKIE].value],
        "workspace": reverse("workspace", args=[at_work.pk]),
        "draft": draft,
        "save": reverse("attempt-drafts", args=[at_work.pk]),
        "report": report,
        "body": {"client": client, "seq": 2, "base": 1, "body": body(at_work, "And on.")},
    }


@pytest.mark.nightly
def test_a_restored_site_is_the_same_in_every_table_on_paper_and_for_who_works(
    source: Stage, at_work: Attempt, elsewhere: dict[str, str], tmp_path: Path
) -> None:
    before = seen_here(source, at_work)
    file = tmp_path / "backup.tar.gz"
    call_command("backup", str(file), stdout=io.StringIO())
    assert "rows and" in manage(elsewhere, "restore", str(file))
    manage(elsewhere, "backup", str(tmp_path / "again.tar.gz"))
    first, second = kept(file), kept(tmp_path / "again.tar.gz")
    for part in ("tables", "migrations", "files"):
        assert first[part] == second[part]
    assert sum(one["rows"] for one in first["tables"].values()) > 300

    done = run(elsewhere, "-c", LOOK, given=json.dumps(before))
    assert done.returncode == 0, done.stderr[-3000:]
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["status"] == 200
    assert told["draft"] == before["seen"]
    assert told["draft"]["body"]["sections"][SECTION] == "What I have so far."
    assert told["saved"][0] in {200, 201}
    assert told["saved"][1]["number"] == 2  # numbers go on where they were
    assert words(base64.b64decode(told["pdf"])) == before["pdf"]
    assert "Ada Fontaine" in before["pdf"]


def test_a_site_with_people_is_never_restored_over(source: Stage, tmp_path: Path) -> None:
    file = tmp_path / "backup.tar.gz"
    call_command("backup", str(file), stdout=io.StringIO())
    with pytest.raises(CommandError, match="holds staff already") as caught:
        call_command("restore", str(file))
    assert caught.value.returncode == 2
    assert Candidate.objects.exists()


def test_a_backup_is_readable_by_its_owner_alone_and_never_written_over(
    source: Stage, tmp_path: Path
) -> None:
    file = tmp_path / "backup.tar.gz"
    call_command("backup", str(file), stdout=io.StringIO())
    assert file.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.glob("*backup*")] == ["backup.tar.gz"]
    with pytest.raises(CommandError, match="there already"):
        call_command("backup", str(file))
    assert set(kept(file)["files"]) == {"secret_key", "media/exports/année.csv"}


def damaged(file: Path, name: str, content: bytes | None, to: Path) -> Path:
    """A copy in which one member is another, or missing."""
    with tarfile.open(file) as old, tarfile.open(to, "w:gz") as new:
        for member in old.getmembers():
            inside = old.extractfile(member)
            assert inside is not None
            held = inside.read()
            if member.name == name:
                if content is None:
                    continue
                held = content
            member.size = len(held)
            new.addfile(member, io.BytesIO(held))
    return to


def test_a_damaged_or_foreign_file_changes_nothing(source: Stage, tmp_path: Path) -> None:
    file = tmp_path / "backup.tar.gz"
    call_command("backup", str(file), stdout=io.StringIO())
    manifest = kept(file)
    evil = json.dumps(manifest | {"files": {"../../etc/cron.d/x": {"sha256": "0"}}}).encode()
    later = json.dumps(manifest | {"format": 99}).encode()
    half = tmp_path / "half.tar.gz"
    half.write_bytes(file.read_bytes()[:-2000])
    rows_ = "rows/hiring.candidate.jsonl"
    for path, why in (
        (half, "no whole backup"),
        (damaged(file, rows_, b"[]\n", tmp_path / "a.gz"), "changed or damaged"),
        (damaged(file, rows_, None, tmp_path / "b.gz"), "no whole backup"),
        (damaged(file, "manifest.json", evil, tmp_path / "c.gz"), "no backup of Headnode holds"),
        (damaged(file, "manifest.json", later, tmp_path / "d.gz"), "format 99"),
        (tmp_path / "nowhere.gz", "No such file"),
    ):
        with pytest.raises(CommandError, match=why):
            call_command("restore", str(path))
    assert Candidate.objects.count() == 1


@pytest.mark.parametrize("name", ["../x", "/etc/passwd", "media/../../x", "static/x", "media", "x"])
def test_no_name_leads_out_of_the_data_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadPath):
        place(tmp_path, name)
    assert place(tmp_path, "media/a/b") == tmp_path / "media/a/b"


def test_every_kind_of_value_comes_back_as_it_was(source: Stage) -> None:
    from django.apps import apps

    held = 0
    for model in rows.tables(apps):
        for line, row in zip(rows.lines(model), model._base_manager.order_by("pk"), strict=True):
            values = zip(rows.fields(model), json.loads(line), strict=True)
            for field, value in values:
                was = field.value_from_object(row)
                came = rows.decoded(field, value)
                assert came == (bytes(was) if isinstance(was, memoryview) else was), field
                held += 1
    assert held > 1000


def test_erasures_after_the_backup_are_carried_out_again(
    source: Stage, settings: Any, django_capture_on_commit_callbacks: Any
) -> None:
    """The candidate is there again, as after a restore, and the list knows better."""
    now = timezone.now()
    ada = Candidate.objects.get(name="Ada Fontaine")
    saved = [(model, list(model._base_manager.all())) for model in (Candidate,)]
    with django_capture_on_commit_callbacks(execute=True):
        erase(ada, mode=Erasure.Mode.ERASE, by=None, now=now)
    listed = again.read(settings.DATA / again.NAME)
    assert [row["candidate"] for row in listed] == [ada.pk]
    Erasure.objects.all().delete()
    for model, kept_rows in saved:
        model._base_manager.bulk_create(kept_rows)
    stranger = Candidate.objects.create(name="Cleo", email="c@example.com", created_at=now)
    strange = [{**listed[0], "candidate": stranger.pk}]  # the number of somebody of another site
    assert again.carry_out_again([*listed, *strange], now=now) == 1
    assert [row.name for row in Candidate.objects.all()] == ["Cleo"]
    assert Erasure.objects.get().candidate_number == ada.pk
    assert again.carry_out_again(listed, now=now) == 0
    text = (settings.DATA / again.NAME).read_text()
    assert "Ada" not in text
    assert "example.com" not in text


def test_the_list_can_be_printed_from_the_database(source: Stage, tmp_path: Path) -> None:
    erase(Candidate.objects.get(), mode=Erasure.Mode.ERASE, by=None, now=timezone.now())
    out = io.StringIO()
    call_command("erasures", stdout=out)
    path = tmp_path / "list"
    path.write_text(out.getvalue())
    (row,) = again.read(path)
    assert row["mode"] == Erasure.Mode.ERASE
    path.write_text("{}\n")
    with pytest.raises(again.BadList, match="Line 1"):
        again.read(path)


def test_mail_that_waited_can_be_held(source: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    from headnode.management.commands import restore

    manifest = {"tables": {}, "files": {}, "made_at": "then", "secret_key": "file"}
    monkeypatch.setattr(restore, "restore", lambda path: manifest)
    waiting = Message.objects.waiting().count()
    assert waiting
    out = io.StringIO()
    call_command("restore", "file", stdout=out)
    assert f"{waiting} messages wait" in out.getvalue()
    call_command("restore", "file", "--hold-mail", stdout=out)
    assert not Message.objects.waiting().exists()
    assert {row.state(timezone.now()) for row in Message.objects.all()} <= {
        "uncertain",
        "sent",
        "refused",
    }


@pytest.mark.nightly
def test_sites_move_from_postgresql_to_sqlite(
    source: Stage, elsewhere: dict[str, str], tmp_path: Path
) -> None:
    """On the embedded database this repeats a part of the first test."""
    file = tmp_path / "backup.tar.gz"
    call_command("backup", str(file), stdout=io.StringIO())
    elsewhere.pop("DATABASE_URL", None)
    manage(elsewhere, "restore", str(file))
    manage(elsewhere, "backup", str(tmp_path / "again.tar.gz"))
    assert kept(file)["tables"] == kept(tmp_path / "again.tar.gz")["tables"]


WRITE_WHILE_READ = """
import sqlite3, sys, django
django.setup()
from django.conf import settings
from django.core.management import call_command
from headnode.backup.making import snapshot
from accounts.models import FailedSignIn
from django.utils import timezone
call_command("migrate", "accounts", verbosity=0)
with snapshot():
    before = FailedSignIn.objects.count()
    other = sqlite3.connect(settings.DATA / "headnode.sqlite3", timeout=1)
    row = ("a", "", "", "2026-01-01")
    other.execute("INSERT INTO accounts_failedsignin (username, address, mark, at) VALUES (?, ?, ?, ?)", row)
    other.commit()
    print(before, FailedSignIn.objects.count())
print(FailedSignIn.objects.count())
"""


def test_others_write_while_a_backup_reads_one_moment(tmp_path: Path) -> None:
    env = os.environ | {"HEADNODE_DATA": str(tmp_path), "PYTHONPATH": f"{ROOT}/platform:{ROOT}"}
    env |= {"DJANGO_SETTINGS_MODULE": "headnode.settings", "DATABASE_URL": ""}
    done = run(env, "-c", WRITE_WHILE_READ)
    assert done.stdout.split() == ["0", "0", "1"], done.stderr[-2000:]
