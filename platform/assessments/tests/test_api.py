"""The workspace's endpoints: what they promise the page, and what they say to rubbish."""

from __future__ import annotations

import json
import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assessments import attempts
from assessments.jobs import Result
from assessments.models import Attempt, Pulse, Run
from assessments.pulses import WEB
from assessments.tests.stage import SECTION, Stage, begin, body, enter, make_stage, submit

pytestmark = pytest.mark.django_db


@pytest.fixture
def stage(db: None) -> Stage:
    return make_stage(timezone.now())


@pytest.fixture
def attempt(stage: Stage) -> Attempt:
    return begin(stage, timezone.now())


@pytest.fixture
def ada(client: Client, stage: Stage) -> Client:
    enter(client, stage.token)
    return client


def post(client: Client, attempt: Attempt, what: str, data: Any) -> tuple[int, dict[str, Any]]:
    text = data if isinstance(data, str) else json.dumps(data)
    url = f"/api/attempts/{attempt.pk}/{what}"
    response = client.post(url, text, content_type="application/json")
    return response.status_code, response.json()


def draft(attempt: Attempt, text: str, **fields: Any) -> dict[str, Any]:
    return {"client": str(uuid.uuid4()), "seq": 1, "body": body(attempt, text)} | fields


def test_save_answers_with_number_hash_and_state(ada: Client, attempt: Attempt) -> None:
    status, answer = post(ada, attempt, "drafts", draft(attempt, "hello"))
    assert status == 201
    assert answer["number"] == answer["head"] == 1
    assert len(answer["sha256"]) == 64
    assert answer["state"]["phase"] == "running"
    assert answer["conflict"] is None
    listed = ada.get(f"/api/attempts/{attempt.pk}/drafts").json()["drafts"]
    assert [row["number"] for row in listed] == [1]
    kept = ada.get(f"/api/attempts/{attempt.pk}/drafts/1").json()
    assert kept["body"] == body(attempt, "hello")


def test_save_too_late_is_kept_aside_and_said_so(ada: Client, attempt: Attempt) -> None:
    long_ago = timezone.now() - timedelta(hours=3)
    attempt.time_events.update(after=long_ago)
    Attempt.objects.update(started_at=long_ago - timedelta(hours=1), deadline_at=long_ago)
    status, answer = post(ada, attempt, "drafts", draft(attempt, "late"))
    assert (status, answer["code"]) == (409, "closed")
    assert answer["state"]["phase"] == "submitted"
    assert attempt.drafts.get().late


def test_extension_shows_in_the_next_state(ada: Client, attempt: Attempt, stage: Stage) -> None:
    now = timezone.now()
    attempts.extend(attempt.pk, minutes=10, by=stage.rhea, reason="Fire drill", now=now)
    state = ada.get(f"/api/attempts/{attempt.pk}/state").json()
    assert state["notice"]["text"] == "You have 10 min more time."
    assert state["remaining_s"] == pytest.approx(70 * 60, abs=30)
    assert "Fire drill" not in json.dumps(state)


def test_run_is_queued_once_at_a_time(ada: Client, attempt: Attempt) -> None:
    status, answer = post(ada, attempt, "runs", draft(attempt, "a"))
    assert (status, answer["state"]) == (202, "queued")
    status, answer = post(ada, attempt, "runs", draft(attempt, "b"))
    assert (status, answer["code"]) == (429, "too_many_runs")
    assert attempt.drafts.count() == 2
    assert Run.objects.count() == 1


def test_runs_are_limited_within_ten_minutes(ada: Client, attempt: Attempt) -> None:
    post(ada, attempt, "runs", draft(attempt, "a"))
    first = Run.objects.get()
    now = timezone.now()
    for _ in range(29):
        Run.objects.create(
            attempt=attempt,
            round=1,
            draft=first.draft,
            workload="public-1",
            created_at=now,
            finished_at=now,
            result=Result.DONE,
        )
    Run.objects.update(finished_at=now, result=Result.DONE)
    status, answer = post(ada, attempt, "runs", draft(attempt, "b"))
    assert status == 429
    assert "ten minutes" in answer["detail"]


def test_run_of_an_unknown_workload_is_refused(ada: Client, attempt: Attempt) -> None:
    status, answer = post(ada, attempt, "runs", draft(attempt, "a", workload="hidden-1"))
    assert status == 400
    assert "no such workload" in answer["detail"]


def test_submit_gives_a_receipt_that_opens(ada: Client, attempt: Attempt) -> None:
    status, answer = post(ada, attempt, "submit", draft(attempt, "done"))
    assert status == 200
    receipt = ada.get(answer["receipt_url"])
    assert receipt.status_code == 200
    assert attempt.submissions.get().sha256 in receipt.text
    assert ada.get(f"/attempts/{attempt.pk}/")["Location"] == answer["receipt_url"]


RUBBISH: list[Any] = [
    "",
    "{",
    "null",
    "[]",
    '"text"',
    "1",
    {},
    {"client": "x", "seq": 1, "body": {}},
    {"client": str(uuid.uuid4()), "seq": -1, "body": {"files": {}, "sections": {}}},
    {"client": str(uuid.uuid4()), "seq": 2**70, "body": {"files": {}, "sections": {}}},
    {"client": str(uuid.uuid4()), "seq": 1, "body": {"files": [], "sections": {}}},
    {"client": str(uuid.uuid4()), "seq": 1, "body": {"files": {"../x": "a"}, "sections": {}}},
    {"client": str(uuid.uuid4()), "seq": 1, "body": {"files": {"a.py": 1}, "sections": {}}},
    {"client": str(uuid.uuid4()), "seq": 1, "body": {"files": {"a.py": "\x00"}, "sections": {}}},
    {"client": str(uuid.uuid4()), "seq": 1, "body": {"files": {"a": "\ud800"}, "sections": {}}},
    {"client": str(uuid.uuid4()), "seq": 1, "body": {"files": {}, "sections": {}, "x": 1}},
    {"client": str(uuid.uuid4()), "seq": True, "body": None},
    '{"client": NaN}',
    "[" * 5000,
]


@pytest.mark.database
@pytest.mark.parametrize("what", ["drafts", "runs", "submit"])
@pytest.mark.parametrize("data", RUBBISH, ids=range(len(RUBBISH)))
@pytest.mark.by_day(every=5)
def test_rubbish_gets_one_sentence(ada: Client, attempt: Attempt, what: str, data: Any) -> None:
    status, answer = post(ada, attempt, what, data)
    assert status == 400
    assert set(answer) == {"detail", "code"}
    assert answer["detail"].strip()
    assert "\n" not in answer["detail"]
    assert not attempt.drafts.exists()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=12,
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=JSON, answer=JSON)
def test_any_json_gets_a_client_error(
    ada: Client, attempt: Attempt, data: Any, answer: Any
) -> None:
    fields = {"client": str(uuid.uuid4()), "seq": 1, "body": answer}
    for sent in (data, fields):
        assert post(ada, attempt, "drafts", sent)[0] in {400, 413}


def test_answer_that_is_too_long_is_refused_plainly(ada: Client, attempt: Attempt) -> None:
    status, answer = post(ada, attempt, "drafts", draft(attempt, "x" * 400_001))
    assert (status, answer["code"]) == (413, "too_large")


def test_page_waits_from_the_end_until_it_is_handed_in(ada: Client, stage: Stage) -> None:
    """The site has not shown yet that it has taken all that was sent in time."""
    now = timezone.now()
    over = begin(stage, now - timedelta(minutes=60, seconds=22))
    Pulse.objects.create(component=WEB, at=now)
    page = f"/attempts/{over.pk}/"
    assert ada.get(page).status_code == 200
    assert ada.get(f"{page}receipt/").headers["Location"] == page
    state = ada.get(f"/api/attempts/{over.pk}/state")
    assert state.json()["phase"] == "grace"
    assert state.headers["Cache-Control"] == "no-store"
    Pulse.objects.update(at=now + timedelta(seconds=4))
    assert ada.get(page).headers["Location"] == f"{page}receipt/"


def test_form_where_json_is_wanted_is_refused_plainly(ada: Client, attempt: Attempt) -> None:
    answer = ada.post(f"/api/attempts/{attempt.pk}/drafts", {"body": "a form"})
    assert answer.status_code == 415


def test_body_that_is_far_too_long_is_refused_plainly(ada: Client, attempt: Attempt) -> None:
    status, answer = post(ada, attempt, "drafts", "x" * 3_000_000)
    assert (status, answer["code"]) == (413, "too_large")


def test_without_the_link_nothing_is_said(client: Client, attempt: Attempt) -> None:
    for what in ("state", "drafts", "runs"):
        response = client.get(f"/api/attempts/{attempt.pk}/{what}")
        assert response.status_code in {401, 403}
        assert set(response.json()) == {"detail", "code"}


def test_endpoint_needs_the_csrf_token(stage: Stage, attempt: Attempt) -> None:
    strict = Client(enforce_csrf_checks=True)
    enter(strict, stage.token)
    status, answer = post(strict, attempt, "drafts", draft(attempt, "a"))
    assert status == 403
    assert "reload" in answer["detail"]


def test_revision_with_a_focus_lets_only_that_change(
    ada: Client, attempt: Attempt, stage: Stage
) -> None:
    now = timezone.now()
    submit(attempt, "first", at=now)
    attempts.open_revision(
        attempt.pk,
        strength="s",
        improvement="i",
        focus=SECTION,
        start_now=True,
        by=stage.ines,
        now=now,
    )
    attempt.refresh_from_db()
    changed = body(attempt, "first")
    changed["files"] = {path: text + "#" for path, text in changed["files"].items()}
    fields = {"client": str(uuid.uuid4()), "seq": 5, "body": changed}
    status, answer = post(ada, attempt, "drafts", fields)
    assert status == 400
    assert SECTION in answer["detail"]
    allowed = {"client": str(uuid.uuid4()), "seq": 6, "body": body(attempt, "better")}
    assert post(ada, attempt, "drafts", allowed)[0] == 201


@pytest.mark.parametrize(
    "path",
    [
        "/api/attempts/x/state",
        f"/api/attempts/{uuid.UUID(int=7)}/state",
        "/api/nothing",
        "/nothing",
    ],
)
def test_unknown_address_is_not_found(ada: Client, path: str) -> None:
    response = ada.get(path)
    assert response.status_code == 404
    if path.startswith("/api"):
        assert set(response.json()) == {"detail", "code"}
