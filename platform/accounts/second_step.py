"""The second step of signing in: a code of an authenticator app, or a recovery code.

RFC 6238 by django-otp. Who set it up is always asked; the setting MFA_ROLES says who must set it up.
"""

from __future__ import annotations

import secrets
from base64 import b32encode
from typing import Any

import segno
from django.conf import settings
from django.db import transaction
from django.http import HttpRequest
from django_otp import login, user_has_device, verify_token
from django_otp.plugins.otp_static.models import StaticDevice, StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice

from accounts.models import User

ASKED = "second_step_asked"
RECOVERY_CODES = 10
CODE_LETTERS = "23456789abcdefghjkmnpqrstvwxyz"  # 30 of them: ten make 49 bits
CODE_LENGTH = 10


def ask_who_has_one(sender: Any, request: HttpRequest, user: User, **kwargs: Any) -> None:
    """At sign-in: remember in the session that this account has a second step."""
    request.session[ASKED] = user_has_device(user)


def must_have_one(user: User) -> bool:
    """Whether the setting names one of the account's roles; owners are meant by any setting."""
    roles = set(settings.MFA_ROLES)
    if not roles:
        return False
    if user.is_superuser or "all" in roles:
        return True
    names = user.groups.values_list("name", flat=True)
    return any(name.lower() in roles for name in names)


def is_missing(request: HttpRequest) -> bool:
    """Whether the password was right and the second step is still to come."""
    user: Any = request.user
    if not user.is_authenticated or user.is_verified():
        return False
    return bool(request.session.get(ASKED)) or must_have_one(user)


def is_verified(request: HttpRequest) -> bool:
    user: Any = request.user
    return bool(user.is_authenticated and user.is_verified())


def has_one(user: User) -> bool:
    return bool(user_has_device(user))


def verify(request: HttpRequest, user: User, code: str) -> bool:
    """Take a code; a recovery code is used up by it. Wrong ones make the next try wait longer."""
    plain = code.replace(" ", "").replace("-", "").lower()
    kind = TOTPDevice if plain.isdecimal() and len(plain) == 6 else StaticDevice
    for device in kind.objects.filter(user=user, confirmed=True):
        if verify_token(user, device.persistent_id, plain):
            login(request, device)
            return True
    return False


def begin(user: User) -> TOTPDevice:
    """The app that is being set up; the same one until a code of it came."""
    device, _ = TOTPDevice.objects.get_or_create(
        user=user, confirmed=False, defaults={"name": "authenticator app"}
    )
    return device


def shown(device: TOTPDevice) -> dict[str, str]:
    """{"picture": the QR code as a data address, "key": the same in letters}."""
    key = b32encode(device.bin_key).decode().rstrip("=")
    picture = segno.make(device.config_url, micro=False).svg_data_uri(scale=4, light="white")
    return {"picture": picture, "key": " ".join(key[at : at + 4] for at in range(0, len(key), 4))}


@transaction.atomic
def confirm(request: HttpRequest, user: User, device: TOTPDevice, code: str) -> list[str]:
    """Set the app up if the code is its own: the new recovery codes, shown once; else [].

    Whatever the account had before stops working.
    """
    if not device.verify_token(code.replace(" ", "")):
        return []
    TOTPDevice.objects.filter(user=user).exclude(pk=device.pk).delete()
    StaticDevice.objects.filter(user=user).delete()
    device.confirmed = True
    device.save()
    login(request, device)
    request.session[ASKED] = True
    spare = StaticDevice.objects.create(user=user, name="recovery codes", confirmed=True)
    codes = [
        "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))
        for _ in range(RECOVERY_CODES)
    ]
    StaticToken.objects.bulk_create(StaticToken(device=spare, token=code) for code in codes)
    return [f"{code[:5]}-{code[5:]}" for code in codes]


def remove(user: User) -> bool:
    """Take the second step away, for somebody who lost the phone; False: there was none."""
    gone = TOTPDevice.objects.filter(user=user).delete()[0]
    return bool(gone + StaticDevice.objects.filter(user=user).delete()[0])
