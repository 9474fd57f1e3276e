"""Guessing passwords is slowed down, by name and by address, and never locks out whose name it is."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.backends import ModelBackend
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import FailedSignIn, User
from accounts.sign_in import KNOWN, MOST_PER_ADDRESS, MOST_PER_NAME, MOST_TRIES, TOO_MANY

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


def test_ten_failures_close_a_name_to_one_address(rhea: User) -> None:
    for number in range(MOST_TRIES):
        assert attempt(f"guess {number}", "Rhea" if number % 2 else "rhea").status_code == 200
    refused = attempt(PASSWORD)
    assert refused.status_code == 429
    assert refused.content.decode().count(TOO_MANY) == 1
    assert refused["Retry-After"] == "900"
    assert attempt("guess", "otto").status_code == 200  # another name


def test_a_stranger_who_guesses_does_not_lock_out_whose_name_it_is(rhea: User) -> None:
    for _ in range(MOST_TRIES + 1):
        attempt("guess", address="203.0.113.5")
    assert attempt(PASSWORD, address="198.51.100.1").status_code == 302


def test_fifty_failures_from_anywhere_close_a_name_to_strangers_only(rhea: User) -> None:
    own = Client()
    data = {"username": "rhea", "password": PASSWORD}
    assert own.post(reverse("admin:login"), data).status_code == 302
    for number in range(MOST_PER_NAME):
        attempt("guess", address=f"192.0.2.{number}")
    assert attempt(PASSWORD, address="198.51.100.1").status_code == 429
    known = Client()
    known.cookies[KNOWN] = own.cookies[KNOWN].value
    assert known.post(reverse("admin:login"), data).status_code == 302


def test_a_known_browser_has_ten_tries_of_its_own(rhea: User) -> None:
    own = Client()
    data = {"username": "rhea", "password": PASSWORD}
    own.post(reverse("admin:login"), data)
    mark = own.cookies[KNOWN].value
    for number in range(MOST_TRIES + 1):
        guesser = Client()
        guesser.cookies[KNOWN] = mark
        answer = guesser.post(reverse("admin:login"), data | {"password": "guess"})
        assert answer.status_code == (200 if number < MOST_TRIES else 429)


@pytest.mark.skipif(connection.vendor != "postgresql", reason="needs PostgreSQL (set DATABASE_URL)")
@pytest.mark.django_db(transaction=True)
def test_of_many_guesses_at_once_no_more_than_ten_are_tried(
    rhea: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[str] = []
    together = threading.Barrier(24)

    def authenticate(self: object, request: object, **credentials: Any) -> None:
        tried.append(str(credentials["username"]))

    monkeypatch.setattr(ModelBackend, "authenticate", authenticate)

    def guess(_: int) -> int:
        together.wait(timeout=60)
        try:
            return int(attempt("guess").status_code)
        finally:
            connection.close()

    with ThreadPoolExecutor(24) as pool:
        answers = list(pool.map(guess, range(24)))
    assert len(tried) <= MOST_TRIES
    assert answers.count(200) == len(tried)
    assert set(answers) <= {200, 429}


def test_a_sign_in_leads_home_where_next_is_not_followed(rhea: User) -> None:
    data = {"username": "rhea", "password": PASSWORD, "next": "https://elsewhere.example/"}
    answer = Client().post(reverse("admin:login"), data)
    assert (answer.status_code, answer["Location"]) == (302, reverse("admin:index"))


def test_fifty_failures_close_an_address_to_every_name(rhea: User) -> None:
    for number in range(MOST_PER_ADDRESS):
        assert attempt("guess", f"name{number}").status_code == 200
    assert attempt(PASSWORD).status_code == 429
    assert attempt(PASSWORD, address="198.51.100.1").status_code == 302


def test_refused_tries_do_not_prolong_the_wait(rhea: User) -> None:
    for _ in range(MOST_TRIES + 5):
        attempt("guess")
    assert FailedSignIn.objects.count() == MOST_TRIES
    FailedSignIn.objects.update(at=timezone.now() - timedelta(minutes=15))
    assert attempt(PASSWORD).status_code == 302


def test_signing_in_begins_anew(rhea: User) -> None:
    for _ in range(MOST_TRIES - 1):
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
    assert [attempt("guess", odd).status_code for _ in range(MOST_TRIES)] == [200] * MOST_TRIES
    assert attempt("guess", odd).status_code == 429


def test_behind_our_proxy_the_address_is_what_the_proxy_saw(settings: Any) -> None:
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    attempt("guess", HTTP_X_FORWARDED_FOR="203.0.113.9, 198.51.100.7", secure=True)
    assert FailedSignIn.objects.get().address == "198.51.100.7"
