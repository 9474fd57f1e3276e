"""Every role at every address, generated from the table: who gets in is what the table says, no more."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group
from django.core.management import call_command
from django.db import transaction
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.audit import note_action
from accounts.models import User
from accounts.not_possible import NotPossible
from accounts.roles import ADMINISTRATOR, GUEST, HIRING_MANAGER, INTERVIEWER, RECRUITER, ROLES
from assessments.models import Attempt, Enquiry, Run
from assessments.tests.stage import (
    NOW,
    Stage,
    attempt,
    member,
    published,
    stage,
)
from headnode.permission_table import DOCUMENT, document, kinds_of_records
from headnode.permissions import NO_STAFF, NOWHERE, OWN_RULES, Address, Scope, addresses, may
from headnode.tests.row_keys import asked_about, key_in, values_for
from headnode.tests.workplaces import in_a_workplace, in_workplaces, read_ahead
from hiring import seen_by
from hiring.invitations import invite
from hiring.models import Candidate, Exercise, Message, Opening, Sighting
from integrations.tests import world
from library.company import keep
from library.models import PackVersion, Question, Rubric
from reviews.decisions import report_links
from reviews.evidence.replays import reference_workloads
from reviews.scoring import evaluations
from reviews.tests.scene import LATER, handed_in, score_all
from scenarios.company.profile import DEFAULT

__all__ = ["attempt", "handed_in", "in_workplaces", "published", "read_ahead", "stage"]
# name of the visitor -> (role, whether the attempt is assigned to them); NAMED are the opening's own
STAFF = {
    "administrator": (ADMINISTRATOR, False),
    "recruiter": (RECRUITER, False),
    "hiring manager": (HIRING_MANAGER, False),
    "hiring manager on the panel": (HIRING_MANAGER, True),
    "hiring manager of another opening": (HIRING_MANAGER, False),
    "hiring manager of another opening on the panel": (HIRING_MANAGER, True),
    "interviewer who is named": (INTERVIEWER, False),
    "interviewer": (INTERVIEWER, False),
    "interviewer on the panel": (INTERVIEWER, True),
    "guest": (GUEST, False),
    "guest on the panel": (GUEST, True),
    "somebody without a role": ("", False),
}
NAMED = ("hiring manager", "hiring manager on the panel", "interviewer who is named")
OUTSIDE = ("nobody", "candidate", "another candidate", "guest whose access ended")


@pytest.fixture
def visitors(
    stage: Stage, handed_in: Attempt, in_workplaces: dict[str, Attempt]
) -> Callable[[str], Client]:
    """Makes the browser of a visitor."""

    def browser(name: str) -> Client:
        client = Client(raise_request_exception=False)
        if name in STAFF:
            role, assigned = STAFF[name]
            user = _staff(role, assigned, stage, handed_in, *in_workplaces.values())
            Opening.objects.update(hiring_manager=user if name in NAMED else stage.hana)
            client.force_login(user)
        elif name == "guest whose access ended":
            guest = _staff(GUEST, True, stage, handed_in, *in_workplaces.values())
            client.force_login(guest)
            User.objects.filter(pk=guest.pk).update(access_ends_at=timezone.now())
        elif name == "candidate":
            client.get(f"/t/{stage.token}/")
        elif name == "another candidate":
            client.get(f"/t/{_another_link(stage)}/")
        return client

    return browser


def _staff(role: str, assigned: bool, stage: Stage, *scored: Attempt) -> User:
    if not role:
        return User.objects.create_user("visitor", is_staff=True)
    user = member("visitor", role)
    user.access_ends_at = timezone.now() + timedelta(days=1)
    user.save()
    for row in scored if assigned else ():
        evaluations.assign(attempt=row, evaluator=user, by=stage.rhea, now=LATER)
        evaluations.begin(attempt=row, round=1, evaluator=user, now=LATER)
    return user


def _another_link(stage: Stage) -> str:
    bela = Candidate.objects.create(name="Bela Kiss", email="bela@example.com", created_at=NOW)
    window: dict[str, Any] = {"opens_at": NOW - timedelta(days=1)}
    window["closes_at"] = timezone.now() + timedelta(days=9)
    _, token = invite(
        opening=stage.opening,
        candidate=bela,
        exercises=[stage.exercise],
        by=stage.rhea,
        now=NOW,
        **window,
    )
    return token


def registered() -> dict[str, str]:
    """ "app_model" -> "app.model" of what the admin shows."""
    return {
        f"{model._meta.app_label}_{model._meta.model_name}": model._meta.label_lower
        for model in admin.site._registry
    }


def all_addresses() -> list[Address]:
    return list(addresses(registered()))


def asked_by(name: str) -> list[Address]:
    """By day each visitor asks every third address, and every address is asked by a third of them."""
    share = 1 if os.environ.get("HEADNODE_NIGHTLY") else 3
    return all_addresses()[[*STAFF, *OUTSIDE].index(name) % share :: share]


def rows_about(stage: Stage, handed_in: Attempt) -> dict[str, Any]:
    """A row of each kind that the admin shows, by "app.model"."""
    seen_by.note(stage.rhea, stage.ada, "candidate", now=NOW)
    link, _ = report_links.make(handed_in, reader="V", days=3, by=stage.hana, now=NOW)
    return {
        "accounts.user": stage.otto,
        "admin.logentry": note_action(stage.rhea, stage.opening, "Did something."),
        "assessments.attempt": asked_about(handed_in, LATER),
        "assessments.enquiry": Enquiry.objects.create(attempt=handed_in, text="?", asked_at=NOW),
        "auth.group": Group.objects.get(name=GUEST),
        "hiring.candidate": stage.ada,
        "hiring.invitation": stage.invitation,
        "hiring.opening": stage.opening,
        "hiring.sighting": Sighting.objects.get(),
        "hiring.message": Message.objects.filter(candidate=stage.ada, recipient=None).first(),
        "library.companyprofile": keep(DEFAULT, old=None, origin="form", by=stage.rhea, now=NOW),
        "library.packversion": PackVersion.objects.first(),
        "library.question": Question.objects.create(
            topic_id="X1", topic="T", section="S", text="Why?", level="mid", created_at=NOW
        ),
        "library.rubric": Rubric.objects.create(
            pack_name="x", level="mid", title="Unused", created_at=NOW
        ),
        "reviews.reportlink": link,
        **world.rows_about(handed_in, stage.rhea, LATER),
    }


@pytest.fixture
def places(
    stage: Stage,
    handed_in: Attempt,
    in_workplaces: dict[str, Attempt],
    read_ahead: Exercise,
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[[Address], str]:
    """Turns an address into a path about Ada, her attempt, her opening."""
    # slow to play
    monkeypatch.setattr("reviews.evidence.pages.replays.reference_json", lambda *_: b"{}")
    grading = handed_in.submissions.get().latest_grading()
    run = Run.objects.create(
        attempt=handed_in, round=1, draft=handed_in.drafts.get(), workload="public-1",
        created_at=NOW, finished_at=NOW, result="done", report={"timeline": {"t": [0, 300], "series": []}},
    )  # fmt: skip
    rows = rows_about(stage, handed_in)
    values = {
        "turn": handed_in.assistant_turns.get().pk, "run": run.pk,
        "grading": grading.pk if grading else 0, "position": 0, "round": 1, "number": 1,
        "evaluator": stage.ines.pk, "asked": 0, "uidb64": "x", "token": stage.token,
        "workload": reference_workloads(handed_in)[0][0], "id": stage.otto.pk, "app_label": "hiring",
        "kind": "automation", "name": "queue-autoscaler", "level": "mid", "key": "a",
        "occasion": "invitation", "exercise": stage.exercise.pk, "path": "people/changes.txt",
    }  # fmt: skip

    def path(address: Address) -> str:
        if address.name == "favicon.ico":
            return "/favicon.ico"
        names = re.findall(r"<(?:\w+:)?(\w+)>", address.pattern)
        own = {"pk": key_in(address.pattern, rows)} if "pk" in names else {}
        own |= in_a_workplace(address.pattern, in_workplaces)
        if "/ahead/" in address.pattern and "exercise" in names:
            own["exercise"] = read_ahead.pk
        own = {name: value for name, value in own.items() if name in names}
        if "object_id" in names:
            label = registered()[address.name.removeprefix("admin:").rpartition("_")[0]]
            own["object_id"] = rows[label].pk if rows.get(label) else 0
        return reverse(address.name, kwargs=values_for(names, values) | own)

    return path


def is_open(answer: HttpResponse, away: list[str]) -> bool:
    """Whether the page let the visitor in; being sent to the sign-in, home or `away` is a no."""
    if answer.status_code in (401, 403, 404):
        return False
    assert answer.status_code < 500 or answer.status_code == 503, answer.content[:2000]
    if answer.status_code != 302:
        return True
    to = answer["Location"]
    return not to.startswith("/admin/login/") and to not in [reverse("admin:index"), *away]


def ask(client: Client, path: str, *, sends: bool) -> HttpResponse:
    """One request whose traces in the database are taken back."""
    kept: Any = client.cookies.copy()
    with transaction.atomic():
        answer: Any = client.post(path, {}) if sends else client.get(path)
        transaction.set_rollback(True)
    client.cookies = kept
    return answer  # type: ignore[no-any-return]


def test_every_address_has_a_rule() -> None:
    missing = [f"{row.name} ({row.pattern})" for row in all_addresses() if row.rule is None]
    assert missing == [], (
        "Add a rule to headnode/permissions.py, then write docs/permissions.md anew."
    )


def test_no_rule_is_of_an_address_that_is_gone() -> None:
    assert set(OWN_RULES) - {row.name for row in all_addresses()} == set()


@pytest.mark.parametrize("name", [*STAFF, *OUTSIDE])
def test_staff_addresses_let_in_exactly_whom_the_table_names(
    name: str,
    visitors: Callable[[str], Client],
    places: Callable[[Address], str],
    handed_in: Attempt,
) -> None:
    client, wrong = visitors(name), []
    role, assigned = STAFF.get(name, ("", False))
    home = reverse("admin:attempt", args=[handed_in.pk])  # where a panel's pages send others
    for address in asked_by(name):
        rule = address.rule
        if rule is None or rule.scope in NO_STAFF:
            continue
        path = places(address)
        for sends in (True,) if rule.only_post else (False, True):
            expected = name in STAFF and may(
                rule, role, assigned=assigned, named=name in NAMED, sends=sends
            )
            answer = ask(client, path, sends=sends)
            if sends and rule.write == "-" and answer.status_code in (302, 405):
                continue  # nothing can be sent there
            if sends and rule.write == "-" and name in STAFF:
                continue  # a page that reads answers a form as it answers a reader
            away = [home] if rule.scope in (Scope.PANEL, Scope.OWN) else []
            if is_open(answer, away) != expected:
                wrong.append(
                    (address.name, "POST" if sends else "GET", answer.status_code, expected)
                )
    assert not wrong, "\n".join(map(str, wrong))


NOT_SAID = {"start", "practice-begin", "language", "cluster-check", "cluster-check-stop"}
"""Which exercise or language is not said in the request, and a program has no check of a cluster."""


@pytest.mark.parametrize("name", [*STAFF, *OUTSIDE])
def test_candidates_addresses_are_for_the_candidate_of_the_link(
    name: str,
    visitors: Callable[[str], Client],
    places: Callable[[Address], str],
    handed_in: Attempt,
) -> None:
    client, wrong = visitors(name), []
    for address in asked_by(name):
        rule = address.rule
        if rule is None or rule.scope != Scope.CANDIDATE:
            continue
        path = places(address)
        for sends in (
            (True,) if rule.only_post else (False, True) if rule.write != "-" else (False,)
        ):
            answer = ask(client, path, sends=sends)
            if address.name in NOT_SAID and name == "candidate":
                assert answer.status_code == 404
            elif is_open(answer, []) != (name == "candidate"):
                wrong.append((address.name, "POST" if sends else "GET", answer.status_code))
    assert not wrong, "\n".join(map(str, wrong))


@pytest.mark.parametrize("name", [*STAFF, *OUTSIDE])
def test_files_of_the_data_folder_have_no_address(
    name: str, visitors: Callable[[str], Client]
) -> None:
    client = visitors(name)
    for path in ("/media/", "/data/headnode.sqlite3", "/static/../secret_key", "/admin/export/"):
        assert client.get(path).status_code in (302, 404), path


def test_addresses_that_lead_nowhere_give_nothing(visitors: Callable[[str], Client]) -> None:
    client = visitors("administrator")
    for path in ("autocomplete/", "r/1/1/", "no/such/page"):
        assert client.get(f"/admin/{path}").status_code in (403, 404)
    assert len(NOWHERE) == 3


def test_expired_guest_is_told_so_and_the_assignment_stays(
    stage: Stage, handed_in: Attempt
) -> None:
    guest = _staff(GUEST, True, stage, handed_in)
    guest.set_password("correct horse battery")
    guest.save()
    data = {"username": "visitor", "password": "correct horse battery"}
    assert Client().post(reverse("admin:login"), data).status_code == 302
    User.objects.filter(pk=guest.pk).update(access_ends_at=timezone.now())
    answer = Client().post(reverse("admin:login"), data)
    assert "Your access has ended" in answer.content.decode()
    wrong = Client().post(reverse("admin:login"), data | {"password": "guess"})
    assert "access has ended" not in wrong.content.decode()
    assert handed_in.assignments.filter(evaluator=guest).exists()
    with pytest.raises(NotPossible):
        evaluations.assign(attempt=handed_in, evaluator=guest, by=stage.rhea, now=timezone.now())


def test_guest_reads_nobody_elses_scores_and_learns_no_name(
    stage: Stage, handed_in: Attempt
) -> None:
    guest = _staff(GUEST, True, stage, handed_in)
    score_all(handed_in, stage.ines, level=2)
    score_all(handed_in, guest)
    client = Client()
    client.force_login(guest)
    from reviews.decisions.decisions import decide

    decide(
        id=None,
        opening=stage.opening,
        candidate=stage.ada,
        outcome="hire",
        reasons="Strong.",
        by=stage.hana,
        now=LATER,
    )
    for name, more in (("attempt", []), ("score", [1])):
        page = client.get(reverse(f"admin:{name}", args=[handed_in.pk, *more])).content.decode()
        assert stage.ada.name not in page
        assert stage.ada.pseudonym in page
        assert "Strong." not in page
    cards = handed_in.submissions.get().evaluations.all()
    assert [card.evaluator for card in cards.visible_to(guest)] == [guest]


def test_form_wants_an_end_for_a_guest_and_no_second_role(stage: Stage) -> None:
    admin_client = Client()
    admin_client.force_login(member("adam", ADMINISTRATOR))
    groups = {name: Group.objects.get(name=name).pk for name in ROLES}
    data = {"username": "gus", "usable_password": "false", "is_staff": "on"}
    url = reverse("admin:accounts_user_add")
    page = admin_client.post(url, data | {"groups": [groups[GUEST]]}).content.decode()
    assert "Say when a guest&#x27;s access ends" in page
    both = [groups[GUEST], groups[INTERVIEWER]]
    page = admin_client.post(url, data | {"groups": both}).content.decode()
    assert "goes with no other" in page
    ends = {"groups": [groups[GUEST]], "access_ends_at": "2036-01-05T10:00"}
    assert admin_client.post(url, data | ends).status_code == 302
    assert User.objects.get(username="gus").access_ends_at is not None
    assert LogEntry.objects.filter(object_repr="gus").exists()


def test_candidates_link_opens_nothing_of_the_staff(stage: Stage, client: Client) -> None:
    client.get(f"/t/{stage.token}/")
    assert client.get(reverse("admin:index")).status_code == 302


def test_document_is_written_from_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("permission_table")
    said = capsys.readouterr().out
    assert said == document(all_addresses(), kinds_of_records())
    assert DOCUMENT.read_text() == said, (
        "Write it anew: manage.py permission_table > docs/permissions.md"
    )
