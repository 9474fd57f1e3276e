"""What the SCIM door can do, as it says itself: RFC 7643, 5 to 7. Everything but `active` can only be read."""

from __future__ import annotations

from typing import Any

from integrations.provisioning.messages import USER, address_of

CORE = "urn:ietf:params:scim:schemas:core:2.0:"
MOST_ROWS = 200


def _attribute(name: str, kind: str = "string", **more: Any) -> dict[str, Any]:
    fixed: dict[str, Any] = {
        "name": name,
        "type": kind,
        "multiValued": False,
        "description": "",
        "required": False,
        "mutability": "readOnly",
        "returned": "default",
        "uniqueness": "none",
    }
    if kind == "string":
        fixed["caseExact"] = False
    return fixed | more


ATTRIBUTES = [
    _attribute("userName", required=True, uniqueness="server"),
    _attribute(
        "name",
        "complex",
        subAttributes=[_attribute(one) for one in ("formatted", "givenName", "familyName")],
    ),
    _attribute("displayName"),
    _attribute("active", "boolean", mutability="readWrite"),
    _attribute(
        "emails",
        "complex",
        multiValued=True,
        subAttributes=[
            _attribute("value"),
            _attribute("type"),
            _attribute("primary", "boolean"),
        ],
    ),
]


def provider() -> dict[str, Any]:
    """ServiceProviderConfig."""
    no = {"supported": False}
    token = {
        "type": "oauthbearertoken",
        "name": "API token",
        "description": "A token of Settings, API tokens, with the scope staff:provision.",
        "primary": True,
    }
    return {
        "schemas": [f"{CORE}ServiceProviderConfig"],
        "patch": {"supported": True},
        "bulk": {**no, "maxOperations": 0, "maxPayloadSize": 0},
        "filter": {"supported": True, "maxResults": MOST_ROWS},
        "changePassword": no,
        "sort": no,
        "etag": no,
        "authenticationSchemes": [token],
        "meta": {
            "resourceType": "ServiceProviderConfig",
            "location": address_of("ServiceProviderConfig", "").rstrip("/"),
        },
    }


def resource_types() -> dict[str, dict[str, Any]]:
    """ResourceTypes by their names."""
    user = {
        "schemas": [f"{CORE}ResourceType"],
        "id": "User",
        "name": "User",
        "endpoint": "/Users",
        "description": "A member of staff.",
        "schema": USER,
        "meta": {"resourceType": "ResourceType", "location": address_of("ResourceTypes", "User")},
    }
    return {"User": user}


def schemas() -> dict[str, dict[str, Any]]:
    """Schemas by their names."""
    user = {
        "schemas": [f"{CORE}Schema"],
        "id": USER,
        "name": "User",
        "description": "A member of staff.",
        "attributes": ATTRIBUTES,
        "meta": {"resourceType": "Schema", "location": address_of("Schemas", USER)},
    }
    return {USER: user}
