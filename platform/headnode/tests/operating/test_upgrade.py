"""A database of 0.1.0 becomes one of this version with all its rows, and old servers go on writing meanwhile.

An upgrade without a stop migrates while servers of the version before still run: what is new has a default in
the database, and what is gone is removed a release later.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.db import connection, models
from django.db.migrations.loader import MigrationLoader

from headnode.tests.browser.site import forget_database, own_database

ROOT = Path(__file__).resolve().parents[4]
RELEASED = [
    ("accounts", "0003_presses_and_known_browsers"),
    ("assessments", "0012_live_sittings"),
    ("hiring", "0011_trials_of_staff"),
    ("library", "0005_kept_exemplars"),
    ("reviews", "0014_answers_compared_and_reports_shared"),
]
"""The newest migration of each part in 0.1.0."""
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


def old_models() -> Any:
    """The models as 0.1.0 knows them."""
    return MigrationLoader(None).project_state(RELEASED).apps


def columns(model: type[models.Model]) -> dict[str, models.Field[Any, Any]]:
    return {field.column: field for field in model._meta.concrete_fields if field.column}


def test_what_is_new_in_a_table_of_0_1_0_does_not_trouble_servers_of_0_1_0() -> None:
    now = {model._meta.db_table: model for model in apps.get_models(include_auto_created=True)}
    seen = 0
    for old in old_models().get_models(include_auto_created=True):
        if old._meta.app_label not in {name for name, _ in RELEASED}:
            continue
        seen += 1
        before, after = columns(old), columns(now[old._meta.db_table])
        assert set(before) <= set(after), f"{old._meta.db_table} lost a column within one release"
        for name in set(after) - set(before):
            field = after[name]
            has_default = field.db_default is not models.NOT_PROVIDED
            assert field.null or has_default, f"{old._meta.db_table}.{name} needs a db_default"
    assert seen > 40


@pytest.mark.django_db
def test_old_code_inserts_into_the_new_tables() -> None:
    old = old_models()
    user = old.get_model("accounts", "User").objects.create(username="rhea", is_staff=True)
    opening = old.get_model("hiring", "Opening").objects.create(
        title="GPU engineer", level="mid", created_at=NOW, hiring_manager=user
    )
    person = {"name": "Ada", "email": "ada@example.com", "created_at": NOW}
    ada = old.get_model("hiring", "Candidate").objects.create(**person)
    exercise = old.get_model("hiring", "Exercise").objects.create(
        opening=opening,
        pack_name="automation/queue-autoscaler",
        kind="automation",
        level="mid",
        limit_minutes=60,
        revision_minutes=15,
        hidden_workloads=5,
    )
    invitation = old.get_model("hiring", "Invitation").objects.create(
        opening=opening,
        candidate=ada,
        token_hash="x",
        link_made_at=NOW,
        opens_at=NOW,
        closes_at=NOW.replace(day=28),
        created_by=user,
        created_at=NOW,
    )
    old.get_model("assessments", "Pulse").objects.create(component="web", at=NOW)
    words = {"subject": "S", "text": "T", "queued_at": NOW, "due_at": NOW}
    message = old.get_model("hiring", "Message")
    message.objects.create(
        occasion="invitation", subject_key="k", candidate=ada, invitation=invitation, **words
    )
    from hiring.models import Exercise, Message

    assert Exercise.objects.get(pk=exercise.pk).opening.title == "GPU engineer"
    assert Message.objects.get().state(NOW) == "queued"


@pytest.fixture
def old_site(tmp_path: Path) -> Iterator[dict[str, str]]:
    """The environment of a site with nothing in it, on a database like this one's."""
    number = random.randrange(32_001, 60_000)
    env = os.environ | {"HEADNODE_DATA": str(tmp_path), "PYTHONPATH": f"{ROOT}/platform:{ROOT}"}
    env |= {"DJANGO_SETTINGS_MODULE": "headnode.settings"}
    if url := os.environ.get("DATABASE_URL"):
        env["DATABASE_URL"] = own_database(url, number)
    yield env
    forget_database(number)


@pytest.mark.nightly
def test_setup_upgrades_a_database_of_0_1_0_with_a_row_in_every_table(
    old_site: dict[str, str], tmp_path: Path
) -> None:
    kept = tmp_path / "kept.json"
    module = ["-m", "headnode.tests.operating.old_rows"]

    def run(*words: str) -> str:
        command = [sys.executable, *words]
        options: dict[str, Any] = {"env": old_site, "cwd": ROOT, "capture_output": True}
        done = subprocess.run(command, text=True, check=False, **options)
        assert done.returncode == 0, done.stderr[-3000:]
        return str(done.stdout)

    run(*module, "make", str(kept), *(".".join(one) for one in RELEASED))
    held = json.loads(kept.read_text())
    assert len(held) > 40
    assert all(rows for _, rows in held.values())
    assert "migrations" in run("manage.py", "setup", "--no-input").partition("\n")[0]
    assert json.loads(run(*module, "changed", str(kept))) == []
    assert "up to date" in run("manage.py", "setup", "--no-input").partition("\n")[0]


@pytest.mark.django_db
def test_released_migrations_are_still_there() -> None:
    known = set(MigrationLoader(connection).graph.nodes)
    assert set(RELEASED) <= known
