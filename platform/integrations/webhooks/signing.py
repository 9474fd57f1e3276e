"""How what is sent to a webhook is signed: by the Standard Webhooks specification, version 1.

Three headers: webhook-id names the event and stays the same however often it is sent, webhook-timestamp is
when this try was made, in seconds of Unix time, and webhook-signature is "v1," and the base64 of HMAC-
SHA256 over "id.timestamp.body". A secret is written "whsec_" and the base64 of 24 to 64 random bytes.
Source: standardwebhooks.com, specification "Standard Webhooks".
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from datetime import datetime

PREFIX = "whsec_"
SECRET_BYTES = 32


def new_secret() -> str:
    return PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def headers(secret: str, *, id: str, body: bytes, now: datetime) -> dict[str, str]:
    """The three headers of a try made now."""
    at = int(now.timestamp())
    signed = f"{id}.{at}.".encode() + body
    key = base64.b64decode(secret.removeprefix(PREFIX))
    signature = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    return {
        "webhook-id": id,
        "webhook-timestamp": str(at),
        "webhook-signature": f"v1,{signature}",
    }
