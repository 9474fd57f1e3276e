"""Roles: the table is what the database grants, and no role can rewrite what happened."""

from __future__ import annotations

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group, Permission
from django.test import Client
from django.urls import reverse

from accounts.audit import note_action
from accounts.models import User
from accounts.role_words import AREAS, VERBS, grants_in_words
from accounts.roles import ADMINISTRATOR, INTERVIEWER, RECRUITER, ROLES, sync_roles

pytestmark = pytest.mark.django_db
RECORDS = ("draft", "submission", "run", "gradingrun", "timeevent", "logentry", "decision")


def granted(role: str) -> set[str]:
    rows = Group.objects.get(name=role).permissions.select_related("content_type")
    return {f"{row.content_type.app_label}.{row.codename}" for row in rows}


@pytest.mark.parametrize("role", ROLES)
def test_role_holds_exactly_what_the_table_says(role: str) -> None:
    wanted = {
        f"{label.split('.')[0]}.{verb}_{label.split('.')[1]}"
        for label, verbs in ROLES[role].items()
        for verb in verbs
    }
    assert granted(role) == wanted


def test_permissions_given_by_hand_are_taken_away() -> None:
    group = Group.objects.get(name=INTERVIEWER)
    group.permissions.add(Permission.objects.get(codename="view_candidate"))
    sync_roles()
    assert "hiring.view_candidate" not in granted(INTERVIEWER)


@pytest.mark.parametrize("role", ROLES)
def test_no_role_deletes_what_was_recorded(role: str) -> None:
    assert not {name for name in granted(role) if name.split(".delete_")[-1] in RECORDS}


@pytest.mark.parametrize("role", [INTERVIEWER, "Hiring manager"])
def test_extra_time_is_for_recruiters_and_administrators(role: str) -> None:
    assert "hiring.view_accommodation" not in granted(role)
    assert "assessments.view_timeevent" not in granted(role)


def signed_in(role: str) -> tuple[Client, User]:
    user = User.objects.create_user(role.lower(), is_staff=True)
    user.groups.add(Group.objects.get(name=role))
    client = Client()
    client.force_login(user)
    return client, user


def test_staff_are_made_inactive_and_not_deleted() -> None:
    client, user = signed_in(ADMINISTRATOR)
    url = reverse("admin:accounts_user_delete", args=[user.pk])
    assert client.post(url, {"post": "yes"}).status_code == 403


def test_audit_trail_is_read_only() -> None:
    client, user = signed_in(ADMINISTRATOR)
    entry = note_action(user, user, "Did something with a reason.")
    page = client.get(reverse("admin:admin_logentry_changelist")).content.decode()
    assert "Did something with a reason." in page
    for name in ("change", "delete"):
        url = reverse(f"admin:admin_logentry_{name}", args=[entry.pk])
        client.post(url, {"post": "yes", "change_message": "x"})
    entry.refresh_from_db()
    assert entry.change_message == "Did something with a reason."
    assert LogEntry.objects.count() == 1


def test_ordinary_changes_are_on_the_trail_too() -> None:
    client, user = signed_in(ADMINISTRATOR)
    data = {"username": "new", "password1": "a-long-pass-1", "password2": "a-long-pass-1"}
    client.post(reverse("admin:accounts_user_add"), data | {"usable_password": "true"})
    assert LogEntry.objects.filter(user=user, object_repr="new").exists()


def test_somebody_without_a_role_sees_an_empty_house() -> None:
    client = Client()
    client.force_login(User.objects.create_user("new", is_staff=True))
    page = client.get(reverse("admin:index")).content.decode()
    assert "Your account has no role yet" in page
    assert "Candidates" not in page


def test_somebody_who_is_no_staff_is_asked_to_sign_in() -> None:
    client = Client()
    client.force_login(User.objects.create_user("out"))
    assert client.get(reverse("admin:index")).status_code == 302


def test_app_addresses_lead_to_the_work() -> None:
    client, _ = signed_in(RECRUITER)
    assert "My work" in client.get("/admin/hiring/").content.decode()


def test_every_right_of_a_role_has_its_words() -> None:
    assert {label for grants in ROLES.values() for label in grants} <= set(AREAS)
    verbs = {verb for grants in ROLES.values() for row in grants.values() for verb in row}
    assert verbs == set(VERBS)
    assert ("Decisions", "see") in grants_in_words(RECRUITER)
