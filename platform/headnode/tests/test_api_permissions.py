"""Every role at every address of the API, by the same table and the same people as the pages."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import transaction
from django.http import HttpResponse
from django.test import Client

from accounts.audit import note_action
from accounts.models import User
from accounts.roles import RECRUITER
from assessments.models import Attempt
from assessments.tests.stage import Stage, member
from headnode import api_permissions
from headnode.permission_rules import Rule, Scope
from headnode.permissions import may
from headnode.tests.test_nothing_tells import (
    FIGURES,
    OWES,
    SAID,
    attempt,
    full,
    handed_in,
    is_said,
    published,
    stage,
    word,
)
from headnode.tests.test_permission_matrix import NAMED, STAFF, _staff, all_addresses
from hiring.models import Opening
from integrations.tests.world import Program, api, program, rows_about
from library.models import Question
from reviews.scoring import evaluations
from reviews.tests.scene import LATER, score_all

__all__ = ["api", "attempt", "full", "handed_in", "published", "stage"]
Rows = dict[str, Any]


@pytest.fixture
def rows(handed_in: Attempt, stage: Stage) -> Rows:
    """A row of each resource, about Ada."""
    answer = handed_in.submissions.get()
    others = rows_about(handed_in, stage.rhea, LATER)
    question = Question.objects.create(
        topic_id="X1", topic="T", section="S", text="Why?", level="mid", created_at=LATER
    )
    grading = answer.latest_grading()
    return {
        "openings": stage.opening.pk,
        "candidates": stage.ada.pk,
        "invitations": stage.invitation.pk,
        "attempts": handed_in.pk,
        "submissions": answer.pk,
        "gradings": grading.pk if grading else 0,
        "questions": question.pk,
        "webhooks": others["integrations.webhook"].pk,
        "deliveries": others["integrations.delivery"].pk,
        "audit": note_action(stage.rhea, stage.opening, "Did something.").pk,
    }


def asked(rows: Rows) -> Iterator[tuple[str, str, Rule]]:
    """(method, path, rule) of every address; "post" sends an empty object."""
    for resource in api_permissions.READ:
        yield "get", resource, api_permissions.list_rule(resource)
        if resource in rows:
            yield "get", f"{resource}/{rows[resource]}", api_permissions.row_rule(resource)
    yield "get", f"attempts/{rows['attempts']}/report", api_permissions.report_rule()
    for resource, verb in api_permissions.WRITE:
        rule = api_permissions.verb_rule(resource, verb)
        row = f"/{rows[resource]}" if verb else ""
        if verb == "change":
            yield "patch", f"{resource}{row}", rule
        else:
            yield "post", f"{resource}{row}{f'/{verb}' if verb else ''}", rule


def ask(program: Program, method: str, path: str) -> Any:
    """One request whose traces in the database are taken back."""
    with transaction.atomic():
        answer = program.ask(method, path, None if method == "get" else {})
        transaction.set_rollback(True)
    return answer


@pytest.mark.parametrize("name", STAFF)
@pytest.mark.by_day(ids=["interviewer who is named", "somebody without a role"])
def test_the_api_lets_in_exactly_whom_the_table_names(
    name: str, api: Callable[..., Program], rows: Rows, handed_in: Attempt, stage: Stage
) -> None:
    role, assigned = STAFF[name]
    user = _staff(role, assigned, stage, handed_in)
    Opening.objects.update(hiring_manager=user if name in NAMED else stage.hana)
    visitor, wrong = api(user), []
    for method, path, rule in asked(rows):
        expected = may(rule, role, assigned=assigned, named=name in NAMED)
        answer = ask(visitor, method, path)
        assert answer.status_code < 500, (path, answer.content[:500])
        if (answer.status_code not in (401, 403, 404)) != expected:
            wrong.append((method, path, answer.status_code, expected))
    assert not wrong, "\n".join(map(str, wrong))


def test_a_list_holds_a_row_exactly_for_whom_finds_it(
    api: Callable[..., Program], rows: Rows, handed_in: Attempt, stage: Stage
) -> None:
    """Narrowed lists: each of the table's people finds in the list what they find by its key."""
    wrong = []
    for name, (role, assigned) in STAFF.items():
        with transaction.atomic():
            user = _staff(role, assigned, stage, handed_in)
            Opening.objects.update(hiring_manager=user if name in NAMED else stage.hana)
            visitor = program(user)
            for resource, key in rows.items():
                listed = ask(visitor, "get", f"{resource}?page_size=200")
                found = ask(visitor, "get", f"{resource}/{key}").status_code == 200
                keys = [str(row["id"]) for row in listed.json().get("results", [])]
                if found != (str(key) in keys):
                    wrong.append((name, resource, found, keys))
            transaction.set_rollback(True)
    assert wrong == []


def test_every_address_of_the_api_is_in_the_table(rows: Rows) -> None:
    """A new address fails here until headnode/api_permissions.py says who gets it."""
    names = {row.name for row in all_addresses() if row.rule and row.rule.scope == Scope.PROGRAM}
    known = {
        f"api:{resource}-{kind}" for resource in api_permissions.READ for kind in ("list", "detail")
    }
    known |= {
        f"api:{resource}-{verb}"
        for resource, verb in api_permissions.WRITE
        if verb not in ("", "change")
    }
    mine = {name for name in names if name.startswith("api:")}
    assert mine == known | {"api:attempts-report", "api:schema"}


def test_nobody_comes_in_without_a_token(rows: Rows, stage: Stage) -> None:
    browser = Client()
    browser.force_login(stage.rhea)
    browser.get(f"/t/{stage.token}/")
    for method, path, _ in asked(rows):
        assert getattr(browser, method)(f"/api/v1/{path}").status_code == 401, path


def text_of(answer: HttpResponse) -> str:
    return json.dumps(json.loads(answer.content), ensure_ascii=False)


def told(visitor: Program, rows: Rows, secrets: list[str]) -> list[tuple[str, str]]:
    """(path, secret) wherever one is in an answer."""
    found = []
    for method, path, _ in asked(rows):
        text = text_of(ask(visitor, method, path))
        found += [(path, secret) for secret in secrets if is_said(secret, text)]
    return found


@pytest.mark.parametrize("name", OWES)
def test_the_api_tells_nobody_what_others_said(
    name: str, api: Callable[..., Program], full: Attempt, rows: Rows, stage: Stage
) -> None:
    role, known = OWES[name]
    who = member("visitor", role)
    secrets = [word(kind) for kind in SAID if kind not in known] + [word("SELF"), *FIGURES]
    if role != RECRUITER:
        evaluations.assign(attempt=full, evaluator=who, by=stage.rhea, now=LATER)
        secrets += [stage.ada.name, stage.ada.email]
    assert told(api(who), rows, secrets) == []


def test_the_api_tells_it_to_whom_may_know(
    api: Callable[..., Program], full: Attempt, rows: Rows, stage: Stage
) -> None:
    """Or the test above would hold for an interface that shows nothing at all."""
    hana = api(User.objects.get(pk=stage.hana.pk))
    secrets = [word("RATING"), word("DECIDED"), stage.ada.name, "0.4321", "0.7654"]
    assert {secret for _, secret in told(hana, rows, secrets)} == set(secrets)


def test_a_scorecard_is_found_as_its_list_says(
    api: Callable[..., Program], handed_in: Attempt, stage: Stage
) -> None:
    card = score_all(handed_in, stage.ines)
    for person, found in (
        (stage.ines, 200),
        (stage.hana, 200),
        (stage.otto, 404),
        (stage.rhea, 403),
    ):
        assert api(person).get(f"scorecards/{card.pk}").status_code == found
