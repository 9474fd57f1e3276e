"""Guessing passwords is slowed down, by name and by address."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import FailedSignIn, User
from accounts.sign_in import MOST_PER_ADDRESS, MOST_PER_NAME, TOO_MANY, has_too_many

pytestmark = pytest.mark.django_db
PASSWORD = "correct horse battery"


@pytest.fixture(autouse=True)
def quick_passwords(settings: Any) -> None:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def rhea() -> User:
    return User.objects.create_user("rhea", password=PASSWORD, is_staff=True)


def attempt(password: str, username: str = "rhea", address: str = "192.0.2.7", **more: Any) -> Any:
    data = {"username": username, "password": password}
    return Client().post(reverse("admin:login"), data, REMOTE_ADDR=address, **more)


def test_ten_failures_close_a_name_to_every_address(rhea: User) -> None:
    for number in range(MOST_PER_NAME):
        answer = attempt(f"guess {number}", "Rhea" if number % 2 else "rhea", f"192.0.2.{number}")
        assert answer.status_code == 200
    refused = attempt(PASSWORD, address="198.51.100.1")
    assert refused.status_code == 429
    assert refused.content.decode().count(TOO_MANY) == 1
    assert refused["Retry-After"] == "900"
    assert attempt("guess", "otto").status_code == 200  # another name


def test_fifty_failures_close_an_address_to_every_name(rhea: User) -> None:
    for number in range(MOST_PER_ADDRESS):
        assert attempt("guess", f"name{number}").status_code == 200
    assert attempt(PASSWORD).status_code == 429
    assert attempt(PASSWORD, address="198.51.100.1").status_code == 302


def test_refused_tries_do_not_prolong_the_wait(rhea: User) -> None:
    for _ in range(MOST_PER_NAME + 5):
        attempt("guess")
    assert FailedSignIn.objects.count() == MOST_PER_NAME
    FailedSignIn.objects.update(at=timezone.now() - timedelta(minutes=15))
    assert attempt(PASSWORD).status_code == 302


def test_signing_in_begins_anew(rhea: User) -> None:
    for _ in range(MOST_PER_NAME - 1):
        attempt("guess")
    assert attempt(PASSWORD).status_code == 302
    assert attempt("guess").status_code == 200
    assert FailedSignIn.objects.count() == 1


def test_old_failures_are_dropped(rhea: User) -> None:
    FailedSignIn.objects.create(username="x", at=timezone.now() - timedelta(hours=1))
    attempt("guess")
    assert FailedSignIn.objects.get().username == "rhea"


@pytest.mark.parametrize("username", ["", "a\x00b", "x" * 5000, "\ud83d\ude00"])
def test_odd_names_are_counted_too(username: str) -> None:
    odd = username.encode("utf-16", "surrogatepass").decode("utf-16")
    assert attempt("guess", odd).status_code == 200
    assert not has_too_many(odd, "", timezone.now())


def test_behind_our_proxy_the_address_is_what_the_proxy_saw(settings: Any) -> None:
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    attempt("guess", HTTP_X_FORWARDED_FOR="203.0.113.9, 198.51.100.7", secure=True)
    assert FailedSignIn.objects.get().address == "198.51.100.7"
