"""The trail: signing in and out, wrong passwords, roles that came and went, pages that were opened."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group
from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.roles import ADMINISTRATOR, INTERVIEWER, RECRUITER

pytestmark = pytest.mark.django_db
PASSWORD = "correct horse battery"


@pytest.fixture
def alma(settings: Any) -> User:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    user = User.objects.create_user("alma", password=PASSWORD, is_staff=True)
    user.groups.add(Group.objects.get(name=ADMINISTRATOR))
    return user


def said() -> list[str]:
    return list(LogEntry.objects.order_by("pk").values_list("change_message", flat=True))


def test_signing_in_and_out_and_wrong_passwords_are_noted(alma: User) -> None:
    client, url = Client(REMOTE_ADDR="192.0.2.7"), reverse("admin:login")
    client.post(url, {"username": "alma", "password": "guess"})
    client.post(url, {"username": "nobody", "password": "guess"})
    client.post(url, {"username": "alma", "password": PASSWORD})
    client.post(reverse("admin:logout"))
    assert said() == [
        "A wrong password was typed for this account from 192.0.2.7.",
        "Signed in from 192.0.2.7.",
        "Signed out from 192.0.2.7.",
    ]


def test_roles_that_came_and_went_are_named(alma: User) -> None:
    client = Client()
    client.force_login(alma)
    ines = User.objects.create_user("ines", is_staff=True)
    ines.groups.add(Group.objects.get(name=INTERVIEWER))
    data = {
        "username": "ines",
        "is_active": "on",
        "is_staff": "on",
        "groups": [Group.objects.get(name=RECRUITER).pk],
    }
    url = reverse("admin:accounts_user_change", args=[ines.pk])
    assert client.post(url, data).status_code == 302
    assert "Roles: gave Recruiter, took Interviewer away." in said()
    client.post(url, data | {"first_name": "Ines"})
    assert len([text for text in said() if text.startswith("Roles:")]) == 1


def test_list_can_be_searched(alma: User) -> None:
    client = Client(REMOTE_ADDR="192.0.2.7")
    client.post(reverse("admin:login"), {"username": "alma", "password": PASSWORD})
    url = reverse("admin:admin_logentry_changelist")
    assert "Signed in from" in client.get(url, {"q": "192.0.2"}).content.decode()
    assert "Signed in from" not in client.get(url, {"q": "198.51"}).content.decode()


def test_old_password_ends_other_sessions(alma: User) -> None:
    first, second = Client(), Client()
    for client in (first, second):
        client.force_login(alma)
    new = "a much longer battery"
    first.post(
        reverse("admin:password_change"),
        {"old_password": PASSWORD, "new_password1": new, "new_password2": new},
    )
    assert first.get(reverse("admin:index")).status_code == 200
    assert second.get(reverse("admin:index")).status_code == 302


def test_session_ends_after_its_hours(alma: User, settings: Any) -> None:
    assert timedelta(hours=12).total_seconds() == settings.SESSION_COOKIE_AGE
