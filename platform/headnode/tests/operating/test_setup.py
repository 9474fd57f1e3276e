"""`manage.py setup` makes a new site ready, says each step, and does nothing the second time."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from accounts.models import User
from headnode import prepared_site
from headnode.prepared_site import CannotAdd, add_administrator
from headnode.steps import step
from library.models import PackVersion, Question

GIVEN = {
    "HEADNODE_ADMIN": "alma",
    "HEADNODE_ADMIN_EMAIL": "alma@example.com",
    "HEADNODE_ADMIN_PASSWORD": "three-blue-racks-hum",
}
pytestmark = pytest.mark.django_db


@pytest.fixture
def site(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder of its own; collecting the static files is tested elsewhere and takes seconds."""
    settings.DATA = tmp_path
    monkeypatch.setattr("headnode.management.commands.setup.collected", lambda: None)
    for name in GIVEN:
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def said() -> str:
    out = io.StringIO()
    call_command("setup", "--no-input", stdout=out)
    return out.getvalue()


def test_setup_brings_library_roles_and_the_first_administrator(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in GIVEN.items():
        monkeypatch.setenv(name, value)
    text = said()
    assert PackVersion.objects.count() > 5
    assert Question.objects.count() > 50
    alma = User.objects.get()
    assert alma.check_password(GIVEN["HEADNODE_ADMIN_PASSWORD"])
    assert alma.is_staff
    assert alma.has_perm("accounts.add_user")
    assert not alma.is_superuser
    for name in ("tables …", "roles …", "static files …", "library …"):
        assert name in text


@pytest.mark.nightly
def test_second_time_changes_nothing(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in GIVEN.items():
        monkeypatch.setenv(name, value)
    said()
    before = (PackVersion.objects.count(), Question.objects.count())
    monkeypatch.setenv("HEADNODE_ADMIN", "another")
    text = said()
    assert "alma is one already" in text
    assert "up to date" in text
    assert "0 new or changed questions" in text
    assert (PackVersion.objects.count(), Question.objects.count()) == before
    assert User.objects.count() == 1


def test_without_a_name_it_says_how_to_get_in(site: Path) -> None:
    assert "Nobody can sign in yet" in said()
    assert not User.objects.exists()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"password": "short"}, "too short"),
        ({"password": "alma@example.com"}, "too similar"),
        ({"email": "alma"}, "valid email"),
        ({"name": "two words"}, "valid username"),
    ],
)
def test_an_account_that_will_not_do_is_refused_with_the_reason(
    site: Path, change: dict[str, str], why: str
) -> None:
    good = {"name": "alma", "email": "alma@example.com", "password": "three-blue-racks-hum"}
    with pytest.raises(CannotAdd, match=f"(?i){why}"):
        add_administrator(**(good | change))
    assert not User.objects.exists()


def test_a_bad_password_in_the_variables_ends_with_2(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in GIVEN.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("HEADNODE_ADMIN_PASSWORD", "short")
    with pytest.raises(CommandError, match="The administrator was not made") as caught:
        said()
    assert caught.value.returncode == 2


def test_an_inactive_administrator_is_none(site: Path) -> None:
    prepared_site.bring_roles()
    alma = add_administrator(name="alma", email="alma@example.com", password="three-blue-racks-hum")
    assert prepared_site.administrators() == [alma]
    User.objects.update(is_active=False)
    assert prepared_site.administrators() == []


def test_a_step_is_named_before_it_ends_and_a_failing_one_says_so() -> None:
    out = io.StringIO()
    with step("tables", out) as told:
        assert out.getvalue() == "  tables …"
        told.result = "up to date"
    assert out.getvalue().startswith("  tables … up to date, 0.")
    with pytest.raises(ZeroDivisionError), step("library", out):
        _ = 1 / 0
    assert out.getvalue().endswith("library … failed\n")
