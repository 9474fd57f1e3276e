"""An identity provider says who left: sign-in, sessions and tokens end at once, and the site keeps somebody."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.sessions.models import Session
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from accounts.not_possible import NotPossible
from accounts.roles import ADMINISTRATOR
from assessments.tests.stage import Stage, member
from integrations import tokens
from integrations.models import ApiToken
from integrations.provisioning import messages
from integrations.tests.recorded import recordings

LEAVES = {"Operations": [{"op": "replace", "value": {"active": False}}]}
RETURNS = {"Operations": [{"op": "replace", "path": "active", "value": True}]}
RECORDED = recordings("scim")


@dataclass
class Provider:
    """An identity provider with a token."""

    person: User
    text: str

    def ask(self, method: str, path: str, data: Any = None, **query: Any) -> Any:
        body = {} if data is None else {"data": json.dumps(data)}
        answer = getattr(Client(), method)(
            f"/scim/v2/{path}",
            query_params=query,
            headers={"Authorization": f"Bearer {self.text}"},
            **(body | {"content_type": "application/scim+json"} if body else {}),
        )
        if answer.status_code != 204:
            assert answer["Content-Type"].startswith("application/scim+json")
            answer.said = answer.json()
        return answer


def provider_with(person: User, scopes: list[str]) -> Provider:
    _, text = tokens.make(
        person=person, label="Directory", scopes=scopes, days=30, by=person, now=timezone.now()
    )
    return Provider(person, text)


@pytest.fixture
def provider(stage: Stage) -> Provider:
    User.objects.filter(pk=stage.ines.pk).update(email="Ines@example.com")
    return provider_with(member("directory", ADMINISTRATOR), ["staff:provision"])


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    assert client.get(reverse("admin:index")).status_code == 200
    return client


def test_who_leaves_is_found_and_out_at_once(provider: Provider, stage: Stage) -> None:
    """As providers do it: look up by address, read, make inactive, look again."""
    browser, other = signed_in(stage.ines), signed_in(stage.otto)
    own = Provider(stage.ines, provider_with(stage.ines, ["attempts:read"]).text)
    found = provider.ask("get", "Users", filter='userName eq "ines@EXAMPLE.com"').said
    assert (found["totalResults"], found["schemas"]) == (1, [messages.LIST])
    (row,) = found["Resources"]
    assert (row["active"], row["emails"][0]["value"]) == (True, "Ines@example.com")
    path = f"Users/{row['id']}"
    assert row["meta"]["location"].endswith(f"/scim/v2/{path}")
    assert provider.ask("patch", path, LEAVES).said["active"] is False
    assert browser.get(reverse("admin:index")).status_code == 302
    headers = {"Authorization": f"Bearer {own.text}"}
    assert Client().get("/api/v1/attempts", headers=headers).status_code == 401
    assert provider.ask("get", path).said["active"] is False
    assert other.get(reverse("admin:index")).status_code == 200
    entry = LogEntry.objects.get(object_id=str(stage.ines.pk), change_message__startswith="Made in")
    assert entry.user == provider.person
    assert "“Directory”" in entry.change_message


def test_who_returns_signs_in_anew_and_no_old_session_or_token_comes_back(
    provider: Provider, stage: Stage
) -> None:
    browser = signed_in(stage.ines)
    provider_with(stage.ines, ["attempts:read"])
    before = Session.objects.count()
    path = f"Users/{stage.ines.pk}"
    provider.ask("patch", path, LEAVES)
    assert provider.ask("patch", path, RETURNS).said["active"] is True
    assert Session.objects.count() == before - 1
    assert browser.get(reverse("admin:index")).status_code == 302
    assert ApiToken.objects.get(person=stage.ines).revoked_at is not None
    signed_in(User.objects.get(pk=stage.ines.pk))


@pytest.mark.parametrize("name", RECORDED)
def test_each_providers_way_of_saying_it_is_understood(
    name: str, provider: Provider, stage: Stage
) -> None:
    answer = provider.ask("patch", f"Users/{stage.ines.pk}", RECORDED[name]["body"])
    assert (answer.status_code, answer.said["active"]) == (200, False)
    stage.ines.refresh_from_db()
    assert (stage.ines.is_active, stage.ines.last_name) == (False, "")


def test_a_whole_account_that_is_put_is_taken_for_its_activity_alone(
    provider: Provider, stage: Stage
) -> None:
    path = f"Users/{stage.ines.pk}"
    row = provider.ask("get", path).said
    answer = provider.ask("put", path, row | {"userName": "other", "active": False})
    assert (answer.said["userName"], answer.said["active"]) == ("ines", False)
    assert provider.ask("put", path, {"userName": "ines"}).said["active"] is False


def test_who_is_deleted_stays_on_record_and_is_seen_by_the_provider_no_more(
    provider: Provider, stage: Stage
) -> None:
    path = f"Users/{stage.ines.pk}"
    assert provider.ask("delete", path).status_code == 204
    stage.ines.refresh_from_db()
    assert not stage.ines.is_active
    assert provider.ask("get", path).status_code == 404
    assert provider.ask("patch", path, RETURNS).status_code == 404
    asked = {"filter": 'userName eq "ines"'}
    assert provider.ask("get", "Users", **asked).said["totalResults"] == 0
    User.objects.filter(pk=stage.ines.pk).update(
        is_active=True
    )  # an administrator gave access back
    assert provider.ask("get", "Users", **asked).said["totalResults"] == 1
    assert provider.ask("patch", path, LEAVES).status_code == 200
    assert provider.ask("get", path).said["active"] is False


def test_the_last_administrator_stays(stage: Stage) -> None:
    helper = User.objects.create_user("helper", is_staff=True)
    adam = member("adam", ADMINISTRATOR)
    provider = provider_with(adam, ["staff:provision"])
    alma = member("alma", ADMINISTRATOR)
    assert provider.ask("patch", f"Users/{alma.pk}", LEAVES).status_code == 200
    own = provider.ask("patch", f"Users/{adam.pk}", LEAVES)
    assert (own.status_code, own.said["status"]) == (409, "409")
    assert "token" in own.said["detail"]
    from accounts import leaving

    with pytest.raises(NotPossible, match="Nobody could run this site"):
        leaving.deactivate(adam, by=helper, said="x", now=timezone.now())
    assert leaving.deactivate(helper, by=adam, said="x", now=timezone.now())
    assert not leaving.deactivate(helper, by=adam, said="x", now=timezone.now())


def test_the_staffs_own_page_keeps_the_last_administrator_and_ends_sessions(stage: Stage) -> None:
    adam, alma = member("adam", ADMINISTRATOR), member("alma", ADMINISTRATOR)
    browser, other = signed_in(adam), signed_in(alma)

    def sent(user: User, **more: Any) -> Any:
        roles = [str(group.pk) for group in user.groups.all()]
        given = {"username": user.username, "is_staff": "on", "groups": roles, **more}
        return browser.post(reverse("admin:accounts_user_change", args=[user.pk]), given)

    assert sent(alma).status_code == 302
    assert other.get(reverse("admin:index")).status_code == 302
    assert not Session.objects.filter(pk=other.cookies["sessionid"].value).exists()
    for wrong in ({}, {"is_active": "on", "groups": []}, {"is_active": "on", "is_staff": ""}):
        page = sent(adam, **wrong)
        assert page.status_code == 200
        assert "Nobody could run this site any more" in page.content.decode()
    adam.refresh_from_db()
    assert adam.is_active


def test_a_token_needs_the_scope_and_its_person_the_permission(stage: Stage) -> None:
    adam = member("adam", ADMINISTRATOR)
    others = [name for name in tokens.SCOPES if name != "staff:provision"]
    path = f"Users/{stage.ines.pk}"
    for wrong, code in (
        (provider_with(adam, others), 403),
        (provider_with(stage.rhea, list(tokens.SCOPES)), 403),
        (Provider(adam, "hn_wrong"), 401),
    ):
        for method, where, data in (
            ("get", "Users", None),
            ("patch", path, LEAVES),
            ("delete", path, None),
            ("get", "ServiceProviderConfig", None),
        ):
            answer = wrong.ask(method, where, data)
            assert (answer.status_code, answer.said["schemas"]) == (code, [messages.ERROR])
    stage.ines.refresh_from_db()
    assert stage.ines.is_active


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ([], "invalidSyntax"),
        ({}, "invalidSyntax"),
        ({"Operations": []}, "invalidSyntax"),
        ({"Operations": ["x"]}, "invalidSyntax"),
        ({"Operations": [{"op": "move", "path": "active"}]}, "invalidSyntax"),
        ({"Operations": [{"op": "replace", "path": 7}]}, "invalidPath"),
        ({"Operations": [{"op": "remove"}]}, "noTarget"),
        ({"Operations": [{"op": "remove", "path": "active"}]}, "mutability"),
        ({"Operations": [{"op": "replace", "path": "active", "value": "no"}]}, "invalidValue"),
        ({"Operations": [{"op": "replace", "path": "active"}]}, "invalidValue"),
        ({"Operations": [{"op": "replace", "value": {"active": 1}}]}, "invalidValue"),
    ],
)
def test_what_cannot_be_used_is_refused_in_a_sentence_and_changes_nothing(
    body: Any, kind: str, provider: Provider, stage: Stage
) -> None:
    answer = provider.ask("patch", f"Users/{stage.ines.pk}", body)
    assert (answer.status_code, answer.said["scimType"]) == (400, kind)
    assert answer.said["detail"].endswith(".")
    stage.ines.refresh_from_db()
    assert stage.ines.is_active


@pytest.mark.parametrize(
    "asked",
    ['userName co "i"', 'title eq "x"', "userName eq ines", 'userName eq "a" or active eq true'],
)
def test_a_filter_that_is_not_read_never_answers_with_everybody(
    asked: str, provider: Provider
) -> None:
    answer = provider.ask("get", "Users", filter=asked)
    assert (answer.status_code, answer.said["scimType"]) == (400, "invalidFilter")


def test_two_accounts_with_one_address_are_both_found(provider: Provider, stage: Stage) -> None:
    """So that a provider notices, and neither is forgotten."""
    User.objects.filter(pk=stage.otto.pk).update(email="ines@example.com")
    asked = {"filter": 'emails[type eq "work"].value eq "ines@example.com"'}
    found = provider.ask("get", "Users", **asked).said
    assert {row["userName"] for row in found["Resources"]} == {"ines", "otto"}


def test_staff_come_in_pages(provider: Provider, stage: Stage) -> None:
    User.objects.create_user("no-staff")
    whole = provider.ask("get", "Users").said
    assert whole["totalResults"] == len(whole["Resources"]) == 5
    page = provider.ask("get", "Users", startIndex=2, count=2).said
    assert (page["startIndex"], page["itemsPerPage"], page["totalResults"]) == (2, 2, 5)
    assert page["Resources"] == whole["Resources"][1:3]
    assert provider.ask("get", "Users", startIndex=0, count=-1).said["Resources"] == []
    assert provider.ask("get", "Users", count="many").said["scimType"] == "invalidValue"


def test_accounts_are_not_made_here_and_it_says_how(provider: Provider) -> None:
    answer = provider.ask("post", "Users", {"userName": "new@example.com"})
    assert answer.status_code == 501
    assert "OIDC_NEW_ROLE" in answer.said["detail"]
    for path in ("Users/0", "Users/x", "Users/9999999999999999999", "Schemas/x"):
        assert provider.ask("get", path).status_code == 404, path


def test_it_describes_itself(provider: Provider) -> None:
    about = provider.ask("get", "ServiceProviderConfig").said
    assert about["patch"]["supported"] is True
    assert about["bulk"]["supported"] is False
    (kind,) = provider.ask("get", "ResourceTypes").said["Resources"]
    schema = provider.ask("get", f"Schemas/{kind['schema']}").said
    assert provider.ask("get", "Schemas").said["Resources"] == [schema]
    told = {row["name"] for row in schema["attributes"]}
    writable = {row["name"] for row in schema["attributes"] if row["mutability"] == "readWrite"}
    row = provider.ask("get", "Users", filter='userName eq "ines"').said["Resources"][0]
    assert set(row) - {"schemas", "id", "meta"} <= told
    assert writable == {"active"}
