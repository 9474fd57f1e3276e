"""The second step: asked of whoever has one or must have one, and nothing of the site before it."""

from __future__ import annotations

import re
import time
from types import SimpleNamespace
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group
from django.core import mail
from django.test import Client
from django.urls import reverse
from django_otp.oath import TOTP
from django_otp.plugins.otp_static.models import StaticToken
from django_otp.plugins.otp_totp import models as totp_models
from django_otp.plugins.otp_totp.models import TOTPDevice

from accounts import second_step
from accounts.models import User
from accounts.roles import ADMINISTRATOR, INTERVIEWER
from accounts.sign_in import MOST_TRIES

pytestmark = pytest.mark.django_db
PASSWORD = "correct horse battery"
HOME = "admin:index"


@pytest.fixture(autouse=True)
def quick_passwords(settings: Any) -> None:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture(autouse=True)
def clock_of_codes(monkeypatch: pytest.MonkeyPatch) -> None:
    """It stands still: a half minute that ends between showing a code and taking it would count."""
    now = time.time()
    monkeypatch.setattr(totp_models, "time", SimpleNamespace(time=lambda: now))


@pytest.fixture
def alma() -> User:
    user = User.objects.create_user("alma", "alma@example.com", PASSWORD, is_staff=True)
    user.groups.add(Group.objects.get(name=ADMINISTRATOR))
    return user


def signed_in(user: User) -> Client:
    client = Client()
    answer = client.post(reverse("admin:login"), {"username": user.username, "password": PASSWORD})
    assert answer.status_code == 302
    return client


def code_of(device: TOTPDevice, steps: int = 0) -> str:
    """What the app shows, or showed or will show so many half minutes from now."""
    totp = TOTP(device.bin_key, device.step, device.t0, device.digits)
    totp.time = totp_models.time.time() + steps * device.step
    return f"{totp.token():06d}"


def set_up(client: Client, user: User) -> list[str]:
    """The recovery codes."""
    client.get(reverse("admin:second-step-set-up"))
    device = TOTPDevice.objects.get(user=user, confirmed=False)
    page = client.post(reverse("admin:second-step-set-up"), {"code": code_of(device, -1)})
    return re.findall(r"<li>([0-9a-z]{5}-[0-9a-z]{5})</li>", page.content.decode())


def step(client: Client, code: str, **more: str) -> Any:
    return client.post(reverse("admin:second-step"), {"code": code, **more})


def test_nobody_is_asked_who_has_none_and_need_not(alma: User) -> None:
    assert signed_in(alma).get(reverse(HOME)).status_code == 200


def test_whoever_set_it_up_is_asked_for_a_code(alma: User) -> None:
    first = signed_in(alma)
    codes = set_up(first, alma)
    assert len(set(codes)) == second_step.RECOVERY_CODES
    assert first.get(reverse(HOME)).status_code == 200  # this session gave a code just now
    client = signed_in(alma)
    answer = client.get(reverse(HOME), follow=True)
    assert answer.redirect_chain[-1][0].startswith(reverse("admin:second-step"))
    assert step(client, "000000").status_code == 400
    assert client.get(reverse(HOME)).status_code == 302


def test_code_lets_in_once(alma: User) -> None:
    set_up(signed_in(alma), alma)
    device = TOTPDevice.objects.get(user=alma)
    code = code_of(device)
    client = signed_in(alma)
    answer = step(client, code, next=reverse("admin:settings"))
    assert answer["Location"] == reverse("admin:settings")
    assert client.get(reverse(HOME)).status_code == 200
    assert step(signed_in(alma), code).status_code == 400


def test_recovery_code_is_used_up(alma: User) -> None:
    codes = set_up(signed_in(alma), alma)
    client = signed_in(alma)
    assert step(client, codes[3].upper()).status_code == 302
    assert client.get(reverse(HOME)).status_code == 200
    assert StaticToken.objects.count() == second_step.RECOVERY_CODES - 1
    assert step(signed_in(alma), codes[3]).status_code == 400


def test_guessing_codes_is_locked_out(alma: User) -> None:
    set_up(signed_in(alma), alma)
    client = signed_in(alma)
    for _ in range(MOST_TRIES):
        assert step(client, "000000").status_code == 400
    assert step(client, code_of(TOTPDevice.objects.get())).status_code == 429


def test_setting_makes_a_role_set_it_up_before_anything_else(alma: User, settings: Any) -> None:
    settings.MFA_ROLES = ["administrator"]
    client = signed_in(alma)
    answer = client.get(reverse(HOME), follow=True)
    assert answer.redirect_chain[-1][0] == reverse("admin:second-step-set-up")
    for name in ("admin:settings", "admin:accounts_user_changelist"):
        assert client.get(reverse(name)).status_code == 302
    chart = "/admin/attempts/00000000-0000-4000-8000-000000000000/evidence/1/0/"
    assert client.get(chart).status_code == 403  # a script's address, which only the view guards
    set_up(client, alma)
    assert client.get(reverse(HOME)).status_code == 200


def test_setting_leaves_other_roles_alone(settings: Any) -> None:
    settings.MFA_ROLES = ["administrator"]
    ines = User.objects.create_user("ines", password=PASSWORD, is_staff=True)
    ines.groups.add(Group.objects.get(name=INTERVIEWER))
    assert signed_in(ines).get(reverse(HOME)).status_code == 200
    settings.MFA_ROLES = ["all"]
    assert signed_in(ines).get(reverse(HOME)).status_code == 302


def test_password_alone_does_not_replace_the_app(alma: User) -> None:
    set_up(signed_in(alma), alma)
    client = signed_in(alma)
    answer = client.get(reverse("admin:second-step-set-up"))
    assert answer["Location"] == reverse("admin:second-step")
    client.post(reverse("admin:second-step-set-up"), {"code": "000000"})
    assert TOTPDevice.objects.get().confirmed


def test_page_leads_only_to_our_own_addresses(alma: User) -> None:
    set_up(signed_in(alma), alma)
    answer = step(signed_in(alma), code_of(TOTPDevice.objects.get()), next="https://evil.example/")
    assert answer["Location"] == reverse(HOME)


def test_administrator_takes_it_away_with_a_reason(alma: User) -> None:
    set_up(signed_in(alma), alma)
    boss = User.objects.create_superuser("boss", password=PASSWORD)
    url = reverse("admin:second-step-take-away", args=[alma.pk])
    assert signed_in(boss).post(url, {"reason": ""}).status_code == 400
    assert signed_in(boss).post(url, {"reason": "Lost the phone."}).status_code == 302
    assert not TOTPDevice.objects.exists()
    assert LogEntry.objects.filter(change_message__contains="Lost the phone.").exists()
    assert signed_in(alma).get(reverse(HOME)).status_code == 200


def test_keys_have_no_page_in_the_admin(alma: User) -> None:
    boss = User.objects.create_superuser("boss", password=PASSWORD)
    assert signed_in(boss).get("/admin/otp_totp/totpdevice/").status_code == 404


def test_forgotten_password_comes_by_mail_and_says_nothing_of_who_has_an_account(
    alma: User,
) -> None:
    url = reverse("admin_password_reset")
    unknown = Client().post(url, {"email": "nobody@example.com"}, follow=True).content
    known = Client().post(url, {"email": "alma@example.com"}, follow=True).content
    assert known == unknown
    [message] = mail.outbox
    link = re.search(r"http://\S+?(/password/\S+)", str(message.body))
    assert link is not None
    client = Client()
    form = client.get(link[1], follow=True)
    where = form.redirect_chain[-1][0]
    new = "a much longer battery"
    short = client.post(where, {"new_password1": "sh0rt pass", "new_password2": "sh0rt pass"})
    assert "at least 12 characters" in short.content.decode()
    assert client.post(where, {"new_password1": new, "new_password2": new}).status_code == 302
    alma.refresh_from_db()
    assert alma.check_password(new)
    assert b"does not work any more" in Client().get(link[1], follow=True).content


def test_nobody_is_flooded_with_links(alma: User) -> None:
    for _ in range(MOST_TRIES + 3):
        Client().post(reverse("admin_password_reset"), {"email": "alma@example.com"})
    assert len(mail.outbox) == MOST_TRIES
