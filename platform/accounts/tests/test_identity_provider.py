"""Signing in through an identity provider: whom it lets in, and every token that it must not believe."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group
from django.test import Client
from django.utils import timezone
from django_otp.plugins.otp_totp.models import TOTPDevice
from joserfc.jwk import RSAKey

from accounts.identity_provider import FAILED, UNKNOWN, UNVERIFIED, NotSignedIn, account_of
from accounts.models import User
from accounts.roles import INTERVIEWER
from accounts.tests.provider import CLIENT, SECRET, Claims, Provider, running
from accounts.tests.reading import words_of

LEAVE, BACK = "/admin/identity-provider/", "/admin/identity-provider/back/"
INES = {"email": "Ines@Example.com", "email_verified": True, "name": "Ines Moreau"}


@pytest.fixture
def provider(settings: Any) -> Iterator[Provider]:
    with running() as found:
        settings.OIDC_ISSUER, settings.OIDC_CLIENT_ID = found.issuer, CLIENT
        settings.OIDC_CLIENT_SECRET = SECRET
        found.person = dict(INES)
        yield found


@pytest.fixture
def ines(db: None) -> User:
    user = User.objects.create_user("ines", "ines@example.com", is_staff=True)
    user.groups.add(Group.objects.get(name=INTERVIEWER))
    return user


def go_and_come_back(client: Client, provider: Provider, query: str = "") -> Any:
    left = client.get(LEAVE + query)
    assert left.status_code == 302
    assert left["Location"].startswith(f"{provider.issuer}/authorize?")
    return client.get(BACK + provider.authorise(left["Location"]), follow=True)


def is_signed_in(client: Client) -> bool:
    return client.get("/admin/").status_code == 200


def test_staff_member_with_the_verified_address_is_signed_in(
    provider: Provider, ines: User, client: Client
) -> None:
    page = words_of(client.get("/admin/login/"))
    assert "Sign in with your company account" in page
    answer = go_and_come_back(client, provider, "?next=/admin/settings/")
    assert answer.redirect_chain[-1][0] == "/admin/settings/"
    assert answer.wsgi_request.user == ines
    assert provider.asked["code_challenge_method"] == "S256"
    assert provider.asked["redirect_uri"].endswith(BACK)
    assert LogEntry.objects.filter(user=ines, change_message__startswith="Signed in").exists()
    assert User.objects.count() == 1


def test_it_leads_nowhere_else(provider: Provider, ines: User, client: Client) -> None:
    answer = go_and_come_back(client, provider, "?next=https://evil.example/")
    assert answer.redirect_chain[-1][0] == "/admin/"


def test_off_there_is_nothing(db: None, client: Client, settings: Any) -> None:
    settings.OIDC_ISSUER = ""
    assert client.get(LEAVE).status_code == client.get(BACK).status_code == 404
    assert "company account" not in words_of(client.get("/admin/login/"))


def other_key(provider: Provider) -> None:
    provider.published = RSAKey.generate_key(2048, {"kid": "first"})


Spoil = Callable[[Claims], Any]
BAD_CLAIMS: dict[str, Spoil] = {
    "another audience": lambda claims: claims.update(aud="somebody-else"),
    "several audiences, another party": lambda claims: claims.update(aud=[CLIENT, "x"], azp="x"),
    "another issuer": lambda claims: claims.update(iss="https://evil.example"),
    "expired": lambda claims: claims.update(exp=claims["iat"] - 3600),
    "not yet valid": lambda claims: claims.update(nbf=claims["iat"] + 3600),
    "another sign-in's nonce": lambda claims: claims.update(nonce="replayed"),
    "no nonce": lambda claims: claims.pop("nonce"),
    "no expiry": lambda claims: claims.pop("exp"),
}


@pytest.mark.parametrize("name", BAD_CLAIMS)
def test_token_that_is_not_meant_for_this_is_refused(
    provider: Provider, ines: User, client: Client, name: str
) -> None:
    provider.spoil = BAD_CLAIMS[name]
    answer = go_and_come_back(client, provider)
    assert FAILED in words_of(answer)
    assert not is_signed_in(client)


def test_token_with_a_strangers_signature_is_refused(
    provider: Provider, ines: User, client: Client
) -> None:
    other_key(provider)
    assert FAILED in words_of(go_and_come_back(client, provider))
    assert not is_signed_in(client)


@pytest.mark.parametrize("way", ["unsigned", "signed_with_the_secret"])
def test_token_without_a_published_keys_signature_is_refused(
    provider: Provider, ines: User, client: Client, way: str
) -> None:
    """Although the provider's description says that it may send such tokens."""
    provider.sign = getattr(provider, way)
    assert FAILED in words_of(go_and_come_back(client, provider))
    assert not is_signed_in(client)


def test_new_key_of_the_provider_is_fetched(provider: Provider, ines: User, client: Client) -> None:
    go_and_come_back(client, provider)
    assert is_signed_in(client)
    provider.key = RSAKey.generate_key(2048, {"kid": "second"})
    later = Client()
    go_and_come_back(later, provider)
    assert is_signed_in(later)


def test_answer_to_nobodys_question_is_refused(
    provider: Provider, ines: User, client: Client
) -> None:
    for query in ("", "?code=x&state=y", "?error=access_denied", "?state=%00"):
        assert FAILED in words_of(client.get(BACK + query, follow=True))
    left = client.get(LEAVE)
    stolen = provider.authorise(left["Location"])
    assert FAILED in words_of(Client().get(BACK + stolen, follow=True))
    assert not is_signed_in(client)


def test_provider_that_calls_itself_otherwise_is_refused(
    provider: Provider, ines: User, client: Client
) -> None:
    provider.described_as = "https://evil.example"
    answer = client.get(LEAVE, follow=True)
    assert FAILED in words_of(answer)


def test_provider_that_is_down_gets_a_sentence(db: None, client: Client, settings: Any) -> None:
    settings.OIDC_ISSUER, settings.OIDC_CLIENT_ID = "http://127.0.0.1:9", CLIENT
    answer = client.get(LEAVE, follow=True)
    assert answer.status_code == 200
    assert FAILED in words_of(answer)


@pytest.mark.parametrize("verified", [False, None, "true", 1])
def test_address_has_to_be_vouched_for(
    provider: Provider, ines: User, client: Client, verified: Any
) -> None:
    provider.person["email_verified"] = verified
    assert UNVERIFIED in words_of(go_and_come_back(client, provider))
    assert not is_signed_in(client)


def test_address_may_come_from_the_userinfo_page_of_the_same_person(
    provider: Provider, ines: User, client: Client
) -> None:
    provider.person = {}
    provider.userinfo = {"sub": "somebody else", **INES}
    assert UNVERIFIED in words_of(go_and_come_back(client, provider))
    provider.userinfo = {"sub": "1", **INES}
    go_and_come_back(client, provider)
    assert is_signed_in(client)


def test_only_active_staff_with_access_come_in(
    provider: Provider, ines: User, client: Client
) -> None:
    past = timezone.now() - timedelta(days=1)
    for change in ({"is_active": False}, {"is_staff": False}, {"access_ends_at": past}):
        User.objects.filter(pk=ines.pk).update(**change)
        assert UNKNOWN in words_of(go_and_come_back(client, provider)), change
        assert not is_signed_in(client)
        User.objects.filter(pk=ines.pk).update(is_active=True, is_staff=True, access_ends_at=None)
    User.objects.create_user("twin", "ines@example.com", is_staff=True)
    assert UNKNOWN in words_of(go_and_come_back(client, provider))


@pytest.mark.parametrize("address", ["\u0131nes@example.com", "INE\u017f@example.com"])
def test_address_that_only_looks_alike_is_a_strangers(ines: User, address: str) -> None:
    """A dotless i and a long s, which databases count as i and s where case does not matter."""
    claims = {"email": address, "email_verified": True}
    with pytest.raises(NotSignedIn):
        account_of(claims, now=timezone.now())
    assert account_of(claims | {"email": "INES@Example.com"}, now=timezone.now()) == ines


def test_stranger_gets_no_account(provider: Provider, db: None, client: Client) -> None:
    assert UNKNOWN in words_of(go_and_come_back(client, provider))
    assert not User.objects.exists()


def test_stranger_gets_the_role_that_the_setting_names(
    provider: Provider, db: None, client: Client, settings: Any
) -> None:
    settings.OIDC_NEW_ROLE = "interviewer"
    go_and_come_back(client, provider)
    user = User.objects.get()
    assert [group.name for group in user.groups.all()] == [INTERVIEWER]
    assert (user.first_name, user.last_name, user.is_superuser) == ("Ines", "Moreau", False)
    assert not user.has_usable_password()
    assert LogEntry.objects.filter(change_message__contains="first signed in through").exists()
    settings.OIDC_NEW_ROLE = "emperor"
    provider.person["email"] = "otto@example.com"
    assert UNKNOWN in words_of(go_and_come_back(Client(), provider))
    assert User.objects.count() == 1


def test_second_step_is_still_asked(provider: Provider, ines: User, client: Client) -> None:
    TOTPDevice.objects.create(user=ines, name="app", confirmed=True)
    answer = go_and_come_back(client, provider)
    assert answer.redirect_chain[-1][0].startswith("/admin/second-step/")
    assert client.get("/admin/settings/").status_code == 302
