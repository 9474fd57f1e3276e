"""Settings from the environment: what cannot be used stops the start with one sentence."""

from __future__ import annotations

from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db.backends.signals import connection_created

from headnode.environment import assistant, mail_security, number, time_zone, web_address


@pytest.mark.parametrize(
    "value", ["http://id.example.com", "id.example.com", "https://", "ftp://x"]
)
def test_provider_is_only_spoken_to_over_https(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("OIDC_ISSUER", value)
    with pytest.raises(ImproperlyConfigured, match="begins with https"):
        web_address("OIDC_ISSUER")
    monkeypatch.setenv("OIDC_ISSUER", "https://id.example.com/realms/x/")
    assert web_address("OIDC_ISSUER") == "https://id.example.com/realms/x"


def test_number_is_read_or_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert number("MEANS_APART", 1.0) == 1.0
    monkeypatch.setenv("MEANS_APART", "0.75")
    assert number("MEANS_APART", 1.0) == 0.75
    monkeypatch.setenv("MEANS_APART", "a lot")
    with pytest.raises(ImproperlyConfigured, match="write a number"):
        number("MEANS_APART", 1.0)


@pytest.mark.parametrize(("vendor", "said"), [("postgresql", ["SET jit = off"]), ("sqlite", [])])
def test_postgresql_is_told_not_to_compile_queries(vendor: str, said: list[str]) -> None:
    found: list[str] = []
    cursor = SimpleNamespace(execute=found.append)
    connection = SimpleNamespace(vendor=vendor, cursor=lambda: nullcontext(cursor))
    connection_created.send(sender=None, connection=connection)
    assert found == said


@pytest.mark.parametrize(
    ("port", "how", "expected"),
    [
        ("", "", (25, False, False)),
        ("587", "", (587, True, False)),
        ("465", "", (465, False, True)),
        ("2525", "starttls", (2525, True, False)),
        ("587", "none", (587, False, False)),
    ],
)
def test_settings_say_how_mail_is_secured(
    monkeypatch: pytest.MonkeyPatch, port: str, how: str, expected: Any
) -> None:
    monkeypatch.setenv("EMAIL_PORT", port)
    monkeypatch.setenv("EMAIL_TLS", how)
    assert mail_security("mail.example.com", has_password=False) == expected


def test_password_never_crosses_a_network_in_clear(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMAIL_PORT", "25")
    assert mail_security("localhost", has_password=True)[0] == 25
    with pytest.raises(ImproperlyConfigured, match="EMAIL_TLS=starttls"):
        mail_security("mail.example.com", has_password=True)


def test_time_zone_that_is_none_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORGANISATION_TIME_ZONE", "Mars/Olympus")
    with pytest.raises(ImproperlyConfigured, match="for example Europe/Berlin"):
        time_zone("ORGANISATION_TIME_ZONE", "UTC")
    monkeypatch.setenv("ORGANISATION_TIME_ZONE", "")
    assert time_zone("ORGANISATION_TIME_ZONE", "UTC") == "UTC"


@pytest.mark.parametrize(
    ("address", "model", "key", "said"),
    [
        ("models.example.com/v1", "small", "", "before /chat/completions"),
        ("https://key@models.example.com/v1", "small", "", "without a key in it"),
        ("https://models.example.com/v1", "", "", "ASSISTANT_MODEL"),
        ("http://models.example.com/v1", "small", "sk-1", "in clear"),
    ],
)
def test_an_assistant_that_cannot_be_asked_stops_the_start(
    monkeypatch: pytest.MonkeyPatch, address: str, model: str, key: str, said: str
) -> None:
    for name, value in {"URL": address, "MODEL": model, "KEY": key}.items():
        monkeypatch.setenv(f"ASSISTANT_{name}", value)
    with pytest.raises(ImproperlyConfigured, match=said):
        assistant()


def test_without_an_address_there_is_no_assistant(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSISTANT_KEY", "sk-1")
    monkeypatch.delenv("ASSISTANT_URL", raising=False)
    assert assistant() == ("", "", "")
    monkeypatch.setenv("ASSISTANT_URL", "http://gpu-7:8000/v1/")
    monkeypatch.setenv("ASSISTANT_MODEL", "small")
    monkeypatch.setenv("ASSISTANT_KEY", "")
    assert assistant() == ("http://gpu-7:8000/v1", "small", "")
