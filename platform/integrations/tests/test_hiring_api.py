"""Candidates are added and invited through the API as through the pages: same checks, same trail, once."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.utils import timezone

from assessments.tests.stage import NOW, Stage
from hiring.models import Candidate, Invitation, Message, Opening, Sighting
from integrations.api import idempotency
from integrations.models import KeyedRequest
from integrations.tests.world import Program

Api = Callable[..., Program]
BO = {"name": "Bo Li", "email": "bo@example.com", "time_zone": "Europe/Berlin"}


def terms(stage: Stage, *candidates: int, **more: Any) -> dict[str, Any]:
    now = timezone.now()
    return {
        "opening": stage.opening.pk,
        "candidates": list(candidates),
        "exercises": [stage.exercise.pk],
        "opens_at": now.isoformat(),
        "closes_at": (now + timedelta(days=5)).isoformat(),
        **more,
    }


def test_somebody_new_is_added_and_somebody_known_is_found(api: Api, stage: Stage) -> None:
    rhea = api(stage.rhea)
    made = rhea.post("candidates", BO)
    assert made.status_code == 201
    assert made.json() | BO == made.json()
    again = rhea.post("candidates", BO | {"name": "Robert Li"})
    assert (again.status_code, again.json()) == (200, made.json())
    assert LogEntry.objects.filter(change_message__startswith="Added.").count() == 1


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"email": "no address"}, "email"),
        ({"name": " "}, "name"),
        ({"name": "A\nB"}, "line"),
        ({"time_zone": "Moon/Base"}, "time zone"),
    ],
)
def test_what_cannot_be_used_is_said_in_a_sentence(
    api: Api, stage: Stage, wrong: dict[str, str], said: str
) -> None:
    answer = api(stage.rhea).post("candidates", BO | wrong)
    assert answer.status_code == 400
    assert answer["Content-Type"] == "application/problem+json"
    problem = answer.json()
    assert said in problem["detail"]
    assert (problem["status"], problem["title"], problem["code"]) == (400, "Bad Request", "invalid")
    assert Candidate.objects.count() == 1


def test_many_are_invited_together_and_the_others_are_named(api: Api, stage: Stage) -> None:
    rhea = api(stage.rhea)
    bo = rhea.post("candidates", BO).json()["id"]
    stage.invitation.closes_at = timezone.now() + timedelta(days=9)
    stage.invitation.save()
    answer = rhea.post("invitations", terms(stage, stage.ada.pk, bo))
    assert answer.status_code == 201
    (invited,) = answer.json()["invitations"]
    assert (invited["candidate"], invited["state"]) == (bo, "open")
    (left,) = answer.json()["left_out"]
    assert left["candidate"] == stage.ada.pk
    assert "is invited to this opening since" in left["why"]
    assert Message.objects.get(candidate=bo).occasion == "invitation"
    row = Invitation.objects.get(pk=invited["id"])
    assert LogEntry.objects.filter(object_id=str(row.pk), change_message="Invited.").exists()
    assert rhea.get(f"invitations/{row.pk}").json() == invited


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"opening": 999}, "opening"),
        ({"exercises": [999]}, "exercises"),
        ({"candidates": [999]}, "candidates"),
        ({"candidates": []}, "candidates"),
        ({"closes_at": "2026-01-01T00:00:00Z"}, "closes_at"),
        ({"opens_at": "2100-01-01T00:00:00Z"}, "closes_at"),
        ({"ahead_at": "2026-01-01T00:00:00Z"}, "ahead_at"),
        ({"opens_at": "soon"}, "opens_at"),
    ],
)
def test_terms_that_cannot_be(api: Api, stage: Stage, more: dict[str, Any], field: str) -> None:
    answer = api(stage.rhea).post("invitations", terms(stage, stage.ada.pk, **more))
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["field"].startswith(field)


def test_a_closed_opening_invites_nobody(api: Api, stage: Stage) -> None:
    rhea = api(stage.rhea)
    bo = rhea.post("candidates", BO).json()["id"]
    path = f"openings/{stage.opening.pk}"
    assert rhea.post(f"{path}/close", {"reason": "Filled."}).status_code == 200
    assert rhea.post(f"{path}/close", {"reason": "Filled."}).status_code == 409
    assert rhea.post("invitations", terms(stage, bo)).status_code == 400
    assert rhea.post(f"{path}/reopen", {"reason": "Not after all."}).status_code == 200
    assert rhea.post("invitations", terms(stage, bo)).status_code == 201
    assert Opening.objects.get(pk=stage.opening.pk).closed_at is None


def test_verbs_of_an_invitation_are_those_of_its_page(api: Api, stage: Stage) -> None:
    rhea = api(stage.rhea)
    bo = rhea.post("candidates", BO).json()["id"]
    key = rhea.post("invitations", terms(stage, bo)).json()["invitations"][0]["id"]
    at = f"invitations/{key}"
    assert rhea.post(f"{at}/remind").status_code == 200
    later = (timezone.now() + timedelta(days=20)).isoformat()
    assert (
        rhea.post(f"{at}/extend", {"closes_at": later, "reason": "Ill.", "tell": False}).status_code
        == 200
    )
    link = rhea.post(f"{at}/link", {"reason": "Lost."}).json()["link"]
    token = link.rstrip("/").rpartition("/")[2]
    assert Client().get(f"/t/{token}/", follow=True).status_code == 200
    assert rhea.post(f"{at}/revoke", {"reason": "Withdrew."}).status_code == 200
    refused = rhea.post(f"{at}/revoke", {"reason": "Withdrew."})
    assert (refused.status_code, refused.json()["code"]) == (409, "conflict")
    assert "revoked before" in refused.json()["detail"]
    assert rhea.get(at).json()["state"] == "revoked"


def test_a_key_makes_a_request_count_once(api: Api, stage: Stage) -> None:
    rhea = api(stage.rhea)
    bo = rhea.post("candidates", BO).json()["id"]
    sent = terms(stage, bo)
    first, second = (rhea.post("invitations", sent, key="k-1") for _ in range(2))
    assert first.json() == second.json()
    assert (first.get("Idempotent-Replayed"), second["Idempotent-Replayed"]) == (None, "true")
    assert Invitation.objects.filter(candidate=bo).count() == 1
    other = rhea.post("invitations", sent | {"sends": False}, key="k-1")
    assert (other.status_code, other.json()["code"]) == (422, "key_reused")
    assert (
        api(stage.rhea).post("candidates", BO, key="k-1").status_code == 200
    )  # another token's own
    assert rhea.post("candidates", BO, key="a b").status_code == 400


def test_a_refused_request_leaves_its_key_free(api: Api, stage: Stage) -> None:
    rhea = api(stage.rhea)
    path = f"openings/{stage.opening.pk}/reopen"
    assert rhea.post(path, {"reason": "x"}, key="k").status_code == 409
    assert not KeyedRequest.objects.exists()
    rhea.post(f"openings/{stage.opening.pk}/close", {"reason": "x"})
    assert rhea.post(path, {"reason": "x"}, key="k").status_code == 200
    assert rhea.post(path, {"reason": "x"}, key="k").status_code == 200


def test_keys_hold_nothing_about_anybody_and_go_after_a_day(api: Api, stage: Stage) -> None:
    rhea = api(stage.rhea)
    rhea.post("candidates", BO, key="one")
    rhea.post(f"invitations/{stage.invitation.pk}/revoke", {"reason": "Bo Li said no."}, key="two")
    kept = str(list(KeyedRequest.objects.values_list()))
    assert "Bo" not in kept
    assert "example.com" not in kept
    assert idempotency.forget_old(timezone.now() + timedelta(hours=23)) == 0
    assert idempotency.forget_old(timezone.now() + timedelta(hours=25)) == 2


def test_lists_come_in_pages_by_cursors(api: Api, stage: Stage) -> None:
    for number in range(7):
        Candidate.objects.create(name=f"N {number}", email=f"{number}@x.org", created_at=NOW)
    rhea = api(stage.rhea)
    found, path = [], "candidates?page_size=3"
    while path:
        page = rhea.get(path).json()
        assert len(page["results"]) <= 3
        found += [row["id"] for row in page["results"]]
        path = (page["next"] or "").partition("/api/v1/")[2]
    every = Candidate.objects.order_by("-pk").values_list("pk", flat=True)
    assert found == list(every)
    back = page["previous"].partition("/api/v1/")[2]
    assert [row["id"] for row in rhea.get(back).json()["results"]] == found[3:6]


@pytest.mark.parametrize(
    "query",
    ["cursor=x", "cursor=", "cursor=cD0x", "page_size=0", "page_size=201", "page_size=x",
     "page_size=1&page_size=2", "opening=x", "opening=0",
     "opening=99999999999999999999", "colour=red", "email="],
)  # fmt: skip
def test_a_query_that_says_nothing_is_refused(api: Api, stage: Stage, query: str) -> None:
    answer = api(stage.rhea).get(f"candidates?{query}")
    assert answer.status_code == 400
    assert answer.json()["errors"]


def test_a_cursor_is_of_its_list(api: Api, stage: Stage) -> None:
    Candidate.objects.create(name="N", email="n@x.org", created_at=NOW)
    rhea = api(stage.rhea)
    cursor = rhea.get("candidates?page_size=1").json()["next"].partition("cursor=")[2]
    assert rhea.get(f"openings?cursor={cursor}").status_code == 400


def test_filters_narrow(api: Api, stage: Stage) -> None:
    bo = Candidate.objects.create(name="Bo", email="bo@x.org", created_at=NOW)
    rhea = api(stage.rhea)

    def keys(path: str) -> list[Any]:
        return [row["id"] for row in rhea.get(path).json()["results"]]

    assert keys("candidates?email=BO@X.org") == [bo.pk]
    assert keys(f"candidates?opening={stage.opening.pk}") == [stage.ada.pk]
    assert keys("openings?is_open=true&level=mid") == [stage.opening.pk]
    assert keys("openings?is_open=false") == []
    assert keys(f"invitations?candidate={bo.pk}") == []
    assert keys("invitations?is_revoked=false") == [str(stage.invitation.pk)]


def test_who_reads_a_candidate_is_noted_as_on_the_pages(api: Api, stage: Stage) -> None:
    api(stage.rhea).get(f"candidates/{stage.ada.pk}")
    seen = Sighting.objects.get()
    assert (seen.by, seen.candidate, seen.page, seen.named) == (
        stage.rhea,
        stage.ada,
        "api-candidate",
        True,
    )


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("get", "nothing", 404),
        ("get", "openings/99999999999999999999", 404),
        ("delete", "openings", 405),
        ("put", "candidates/1", 405),
    ],
)
def test_trouble_is_a_problem(api: Api, stage: Stage, method: str, path: str, status: int) -> None:
    answer = api(stage.rhea).ask(method, path)
    assert answer.status_code == status
    assert answer["Content-Type"] == "application/problem+json"
    assert answer.json()["status"] == status


def test_a_body_that_is_no_json(api: Api, stage: Stage) -> None:
    rhea = api(stage.rhea)
    headers = {"Authorization": f"Bearer {rhea.text}"}
    for body, kind, status in (
        (b"{", "application/json", 400),
        (b"[" * 100_000, "application/json", 400),
        (b"<a/>", "text/xml", 415),
        (b'{"name": "\\u0000", "email": "a@b.org"}', "application/json", 400),
    ):
        answer = rhea.client.post("/api/v1/candidates", body, content_type=kind, headers=headers)
        assert answer.status_code == status, body[:20]
