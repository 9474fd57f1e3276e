"""A token is its person, narrowed to its scopes, until it ends; and nothing of it can be read again."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from accounts.not_possible import NotPossible
from accounts.tests.reading import words_of
from assessments.tests.stage import Stage
from assessments.throttle import Buckets
from integrations import tokens
from integrations.api import access
from integrations.models import ApiToken
from integrations.tests.world import Program

Api = Callable[..., Program]


def test_the_text_is_stored_nowhere(api: Api, stage: Stage) -> None:
    made = api(stage.rhea)
    assert made.text not in str(list(ApiToken.objects.values_list()))
    assert made.get("openings").status_code == 200


@pytest.mark.parametrize(
    "end",
    [
        lambda row: ApiToken.objects.update(expires_at=timezone.now()),
        lambda row: tokens.revoke(row, by=row.person, now=timezone.now()),
        lambda row: User.objects.filter(pk=row.person_id).update(is_active=False),
        lambda row: User.objects.filter(pk=row.person_id).update(access_ends_at=timezone.now()),
    ],
    ids=["expired", "revoked", "inactive person", "person without access"],
)
def test_it_ends(api: Api, stage: Stage, end: Callable[[ApiToken], object]) -> None:
    made = api(stage.rhea)
    ApiToken.objects.update(made_at=timezone.now() - timedelta(days=9))
    end(made.token)
    answer = made.get("openings")
    assert answer.status_code == 401
    assert answer["Content-Type"] == "application/problem+json"
    assert "Bearer" in answer["WWW-Authenticate"]


def test_a_scope_takes_away_and_never_gives(api: Api, stage: Stage) -> None:
    narrow = api(stage.rhea, ["openings:read"])
    assert narrow.get("openings").status_code == 200
    refused = narrow.get("candidates")
    assert refused.status_code == 403
    assert "candidates:read" in refused.json()["detail"]
    reading = api(stage.rhea, ["candidates:read"])
    assert reading.post("candidates", {}).status_code == 403
    beyond = api(stage.ines, ["candidates:read"]).get("candidates")
    assert beyond.status_code == 403
    assert "hiring.view_candidate" in beyond.json()["detail"]


def test_a_session_opens_nothing_of_the_api(clients: dict[str, Client]) -> None:
    assert clients["rhea"].get("/api/v1/openings").status_code == 401
    assert clients["nobody"].get("/api/v1/openings").status_code == 401


def test_a_token_asks_so_often(api: Api, stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    made = api(stage.rhea)
    monkeypatch.setattr(access, "ASKED", Buckets(2, 0.001))
    assert [made.get("openings").status_code for _ in range(3)] == [200, 200, 429]
    answer = made.get("openings")
    assert int(answer["Retry-After"]) >= 1
    assert answer.json()["status"] == 429


def test_guessing_is_slowed_down(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "GUESSED", Buckets(1, 0.001))
    wrong = {"Authorization": "Bearer hn_wrong"}
    codes = [Client().get("/api/v1/openings", headers=wrong).status_code for _ in range(2)]
    assert codes == [401, 429]


def test_only_who_has_access_gets_one(stage: Stage) -> None:
    stage.otto.is_active = False
    with pytest.raises(NotPossible, match="no access"):
        tokens.make(
            person=stage.otto,
            label="x",
            scopes=["openings:read"],
            days=1,
            by=stage.rhea,
            now=timezone.now(),
        )


def test_an_administrator_makes_sees_and_revokes_one(
    clients: dict[str, Client], stage: Stage
) -> None:
    page, adam = reverse("admin:api-token-make"), clients["adam"]
    form = {"label": "Warehouse", "person": stage.rhea.pk, "scopes": ["openings:read"], "days": 30}
    assert clients["rhea"].post(page, form).status_code == 403
    assert "Choose what the token is for" in words_of(adam.post(page, form | {"scopes": []}))
    shown = adam.post(page, form)
    text = next(part for part in shown.content.decode().split('"') if part.startswith("hn_"))
    assert "no-store" in shown["Cache-Control"]
    answer = Client().get("/api/v1/openings", headers={"Authorization": f"Bearer {text}"})
    assert answer.status_code == 200
    row = ApiToken.objects.get()
    listed = adam.get(reverse("admin:api-tokens"))
    assert text not in listed.content.decode()
    assert "Warehouse" in words_of(listed)
    adam.post(reverse("admin:api-token-revoke", args=[row.pk]), {"reason": "Lost."})
    answer = Client().get("/api/v1/openings", headers={"Authorization": f"Bearer {text}"})
    assert answer.status_code == 401
    said = set(LogEntry.objects.values_list("change_message", flat=True))
    assert "Revoked the API token. Reason: Lost." in said
    assert any(one.startswith("Made an API token for Rhea") for one in said)
