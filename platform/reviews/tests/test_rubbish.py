"""Whatever an address or a form holds: an answer of one sentence, never a failure, never a side door."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.row_numbers import can_be_looked_up, row_number
from assessments.models import Attempt
from assessments.tests.stage import Stage
from reviews.scoring import evaluations
from reviews.tests.scene import LATER

pytestmark = pytest.mark.database  # what a value does to the query is what is tried
Clients = dict[str, Client]
HUGE = "9" * 30
HUGER = "9" * 5000


@pytest.fixture
def client_of(clients: Clients) -> Clients:
    """Browsers that report a failing page instead of raising it."""
    for client in clients.values():
        client.raise_request_exception = False
    return clients


@pytest.mark.parametrize(
    "lookup",
    [
        "deadline_at__gt=2026-03-02",
        "started_at__gt=2026-03-02",
        "seed__gt=5",
        "awaiting_round=1",
        "invitation__candidate__name__startswith=A",
        "invitation__candidate__accommodations__isnull=False",
    ],
)
@pytest.mark.by_day(every=2)
def test_attempts_are_not_found_by_hidden_columns(
    clients: Clients, handed_in: Attempt, lookup: str
) -> None:
    url = f"{reverse('admin:assessments_attempt_changelist')}?{lookup}"
    for who in ("ines", "hana", "adam"):
        assert clients[who].get(url).status_code == 400


@pytest.mark.parametrize(
    "lookup", ["accommodations__isnull=False", "accommodations__multiplier__gt=1"]
)
def test_candidates_are_not_found_by_extra_time(
    clients: Clients, stage: Stage, lookup: str
) -> None:
    url = f"{reverse('admin:hiring_candidate_changelist')}?{lookup}"
    answer = clients["hana"].get(url)
    assert answer.status_code == 400
    assert "could not be read" in answer.content.decode()


LISTS = [
    "hiring_opening",
    "hiring_candidate",
    "hiring_invitation",
    "assessments_attempt",
    "library_question",
    "library_rubric",
    "library_packversion",
    "accounts_user",
    "auth_group",
    "admin_logentry",
]
ODD = [
    "title__regex=(",
    "level=%00",
    "level__exact=%00",
    "q=%00",
    "phase=%00",
    "opening=%00",
    f"opening={HUGE}",
    f"opening__id__exact={HUGE}",
    f"groups__id__exact={HUGER}",
    f"user__id__exact={HUGE}",
    f"user__id__exact=-{HUGE}",
    "is_active__exact=maybe",
    "closed_at__isempty=x",
    f"p={HUGE}",
    f"o={HUGE}",
    f"p={HUGE}&e=1",
    "closed_at__isempty=x&e=1",
    "o=x.y",
    "nonsense=1",
    "_to_field=password",
    "opening=%D9%A3",
]


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.by_day(ids=["library_packversion", "library_rubric"])
def test_lists_survive_any_address(client_of: Clients, handed_in: Attempt, name: str) -> None:
    url = reverse(f"admin:{name}_changelist")
    for query in ODD:
        answer = client_of["adam"].get(f"{url}?{query}", follow=True)
        assert answer.status_code in (200, 400), query
        assert "database" not in answer.content.decode().casefold(), query


@pytest.mark.parametrize(
    ("name", "lookup"),
    [
        ("hiring_opening", "level__exact=mid"),
        ("hiring_opening", "is=open"),
        ("hiring_invitation", "opening__id__exact={opening}"),
        ("assessments_attempt", "opening={opening}"),
        ("accounts_user", "role=Recruiter"),
        ("accounts_user", "account=active"),
        ("library_question", "section=Storage"),
        ("library_rubric", "pack=x"),
        ("admin_logentry", "user__id__exact=1"),
    ],
)
def test_declared_filters_work(clients: Clients, stage: Stage, name: str, lookup: str) -> None:
    url = f"{reverse(f'admin:{name}_changelist')}?{lookup.format(opening=stage.opening.pk)}"
    assert clients["adam"].get(url).status_code == 200


@pytest.mark.parametrize("number", [HUGE, HUGER])
@pytest.mark.by_day(every=2)
def test_huge_numbers_in_addresses_are_not_found(
    client_of: Clients, handed_in: Attempt, stage: Stage, number: str
) -> None:
    base = f"/admin/attempts/{handed_in.pk}/"
    for path in (
        f"{base}evidence/{number}/{number}/",
        f"{base}assign/{number}/withdraw/",
        f"{base}score/{number}/correct/",
        f"/admin/hiring/opening/{number}/close/",
        f"/admin/hiring/invitation/add/?opening={number}",
    ):
        for who in ("rhea", "hana"):
            answer = client_of[who].get(path, follow=True)
            assert answer.status_code in (403, 404) or "doesn’t exist" in answer.content.decode()
    assert client_of["ines"].get(f"{base}score/{number}/").status_code in (302, 404)
    sent = client_of["adam"].post(f"/admin/library/rubric/{number}/duplicate/", follow=True)
    assert sent.status_code == 200
    assert "doesn’t exist" in sent.content.decode()
    for model in ("opening", "candidate"):
        page = client_of["rhea"].get(f"/admin/hiring/{model}/{number}/change/", follow=True)
        assert page.status_code == 200


@pytest.mark.parametrize("number", [HUGE, HUGER, "-1", "x", "\x00", "³"])
@pytest.mark.by_day(every=2)
def test_huge_numbers_in_forms_are_refused(
    client_of: Clients, handed_in: Attempt, stage: Stage, number: str
) -> None:
    invite = reverse("admin:hiring_invitation_add")
    form = {
        "id": "5f0c5a3e-0000-4000-8000-000000000001",
        "opening": stage.opening.pk,
        "exercises": [stage.exercise.pk],
        "candidate": stage.ada.pk,
        "opens_at": "2036-01-05T10:00",
        "closes_at": "2036-01-12T10:00",
    }
    for field in ("id", "opening", "exercises", "candidate"):
        answer = client_of["rhea"].post(invite, form | {field: number})
        assert answer.status_code == 400, field
    assign = reverse("admin:assign", args=[handed_in.pk])
    assert client_of["rhea"].post(assign, {"evaluator": number}).status_code == 400


@pytest.mark.parametrize(
    "body",
    [
        '{"criterion": "%s", "level": 3, "note": "\\ud800"}',
        '{"criterion": "\\udfff", "level": 3}',
        '{"criterion": "%s", "level": ' + HUGE + "}",
        '{"criterion": "%s", "level": ' + HUGER + "}",
        "[" * 100_000,
        '{"a":' * 100_000,
        "\xff\xfe",
    ],
)
@pytest.mark.by_day(every=2)
def test_ratings_survive_any_body(
    client_of: Clients, handed_in: Attempt, stage: Stage, body: str
) -> None:
    card = evaluations.begin(attempt=handed_in, round=1, evaluator=stage.ines, now=LATER)
    url = reverse("admin:rating", args=[handed_in.pk, 1]) + f"?card={card.pk}"
    sent = body.replace("%s", card.criteria()[0]["key"])
    answer = client_of["ines"].post(url, sent, content_type="application/json")
    assert answer.status_code in (400, 409)
    assert json.loads(answer.content)["detail"].endswith(".")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a\x00b", "take the NUL character out"),
        ("x" * 2_000_000, "5,000 characters at most"),
        ("  ", "write something first"),
    ],
)
def test_notes_have_a_length_and_no_nul(
    client_of: Clients, handed_in: Attempt, text: str, sentence: str
) -> None:
    url = reverse("admin:note", args=[handed_in.pk])
    answer = client_of["ines"].post(url, {"text": text}, follow=True)
    assert sentence in answer.content.decode()
    assert not handed_in.notes.exists()


@pytest.mark.parametrize(
    ("text", "number"),
    [("7", 7), ("", None), ("x", None), (HUGE, None), (HUGER, None), ("٣", None), ("-1", None)],
)
def test_row_numbers_are_short_and_plain(text: str, number: int | None) -> None:
    assert row_number(text) == number


@pytest.mark.parametrize(("text", "fit"), [("mid", True), ("a\x00", False), (f"-{HUGE}", False)])
def test_values_no_database_takes_are_known(text: Any, fit: bool) -> None:
    assert can_be_looked_up(text) is fit


def test_huge_numbers_in_the_forms_of_rows_are_refused(client_of: Clients, stage: Stage) -> None:
    opening = reverse("admin:hiring_opening_change", args=[stage.opening.pk])
    for field in (
        "hiring_manager",
        "exercises-0-id",
        "exercises-0-opening",
        "exercises-0-position",
    ):
        form = {
            "title": "x",
            "level": "mid",
            "work_sample_weight": "50",
            "exercises-TOTAL_FORMS": "1",
            "exercises-INITIAL_FORMS": "1",
            "exercises-0-id": str(stage.exercise.pk),
            field: HUGE,
        }
        assert client_of["rhea"].post(opening, form).status_code == 200, field
    user = reverse("admin:accounts_user_change", args=[stage.ines.pk])
    form = {"username": "ines", "groups": HUGE, "is_staff": "on"}
    answer = client_of["adam"].post(user, form)
    assert answer.status_code == 200
    assert "Not saved" in answer.content.decode()
