"""Accounts, lists and errors as SCIM writes them, and what a provider asks to change (RFC 7643, RFC 7644)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.conf import settings

from accounts.models import User

USER = "urn:ietf:params:scim:schemas:core:2.0:User"
API = "urn:ietf:params:scim:api:messages:2.0:"
PATCH_OP, LIST, ERROR = f"{API}PatchOp", f"{API}ListResponse", f"{API}Error"
WORDS = {"true": True, "false": False}
"""Some providers write truth as a word."""


class Invalid(Exception):
    """What was sent cannot be used; `kind` is the scimType of RFC 7644, 3.12."""

    def __init__(self, kind: str, sentence: str) -> None:
        super().__init__(sentence)
        self.kind = kind


def address_of(kind: str, key: Any) -> str:
    return f"{settings.SITE_URL}/scim/v2/{kind}/{key}"


def account(user: User) -> dict[str, Any]:
    """One account; userName is what the person signs in with here."""
    name = {"givenName": user.first_name, "familyName": user.last_name, "formatted": str(user)}
    said: dict[str, Any] = {
        "schemas": [USER],
        "id": str(user.pk),
        "userName": user.username,
        "name": {key: value for key, value in name.items() if value},
        "displayName": str(user),
        "active": user.is_active,
        "meta": {
            "resourceType": "User",
            "created": user.date_joined.isoformat(),
            "location": address_of("Users", user.pk),
        },
    }
    if user.email:
        said["emails"] = [{"value": user.email, "type": "work", "primary": True}]
    return said


def listed(rows: Iterable[dict[str, Any]], total: int, start: int) -> dict[str, Any]:
    """A page; `start` counts from one."""
    resources = list(rows)
    said = {"schemas": [LIST], "totalResults": total, "startIndex": start}
    return said | {"itemsPerPage": len(resources), "Resources": resources}


def error(status: int, detail: str, kind: str = "") -> dict[str, Any]:
    said = {"schemas": [ERROR], "status": str(status), "detail": detail}
    return said | ({"scimType": kind} if kind else {})


def active_in(body: Any) -> bool | None:
    """What PATCH makes of `active`; None where nothing that is asked is about it. Raises Invalid.

    The last word counts. Changes of attributes that can only be read are passed over: a provider whose mapping
    sends a name along has to be able to end access all the same.
    """
    operations = _field(body, "Operations")
    if not isinstance(operations, list) or not operations:
        raise Invalid("invalidSyntax", "Send Operations, a list of what to change.")
    found: bool | None = None
    for one in operations:
        said = _one(one)
        found = found if said is None else said
    return found


def active_of(body: Any) -> bool | None:
    """What a whole account of PUT says of `active`; None where it says nothing. Raises Invalid."""
    if not isinstance(body, dict):
        raise Invalid("invalidSyntax", "Send a JSON object.")
    value = _field(body, "active")
    return None if value is None else _truth(value)


def _one(operation: Any) -> bool | None:
    verb, path, value = (_field(operation, name) for name in ("op", "path", "value"))
    if not isinstance(verb, str) or verb.lower() not in ("add", "replace", "remove"):
        raise Invalid("invalidSyntax", "An operation's op is add, replace or remove.")
    if path is not None and not isinstance(path, str):
        raise Invalid("invalidPath", "An operation's path is the name of an attribute.")
    removes = verb.lower() == "remove"
    if not path:
        if removes:
            raise Invalid("noTarget", "Say with a path what to remove.")
        return active_of(value)
    if path.lower().removeprefix(f"{USER.lower()}:") != "active":
        return None
    if removes:
        raise Invalid("mutability", "active cannot be removed: replace it by false.")
    return _truth(value)


def _truth(value: Any) -> bool:
    if isinstance(value, str):
        value = WORDS.get(value.strip().lower())
    if not isinstance(value, bool):
        raise Invalid("invalidValue", "active is true or false.")
    return value


def _field(data: Any, name: str) -> Any:
    """An attribute by its name, whose capitals do not count (RFC 7643, 2.1)."""
    if not isinstance(data, dict):
        raise Invalid("invalidSyntax", "Send a JSON object.")
    return next((value for key, value in data.items() if key.lower() == name.lower()), None)
