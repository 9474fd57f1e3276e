"""A small OpenID provider on 127.0.0.1 with keys of its own, which can also misbehave."""

from __future__ import annotations

import base64
import hashlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey

CLIENT, SECRET, CODE = "headnode", "a shared secret of some length!!", "one-time-code"
Claims = dict[str, Any]


@dataclass
class Provider:
    """`person`: who signs in. `spoil` may change the claims before they are signed; `sign` the token."""

    issuer: str = ""
    person: Claims = field(default_factory=dict)
    spoil: Callable[[Claims], None] = lambda claims: None
    sign: Callable[[Claims], str] | None = None
    key: RSAKey = field(default_factory=lambda: RSAKey.generate_key(2048, {"kid": "first"}))
    published: RSAKey | None = None
    asked: dict[str, str] = field(default_factory=dict)
    userinfo: Claims = field(default_factory=dict)
    described_as: str = ""

    def description(self) -> Claims:
        return {
            "issuer": self.described_as or self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
            "userinfo_endpoint": f"{self.issuer}/userinfo",
            "id_token_signing_alg_values_supported": ["RS256", "HS256", "none"],
            "response_types_supported": ["code"],
        }

    def keys(self) -> Claims:
        return {"keys": [(self.published or self.key).as_dict(private=False)]}

    def authorise(self, url: str) -> str:
        """What the person's browser would be sent back with."""
        self.asked = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
        return f"?code={CODE}&state={self.asked['state']}"

    def token(self, sent: dict[str, str]) -> tuple[int, Claims]:
        digest = hashlib.sha256(sent.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if sent.get("code") != CODE or challenge != self.asked["code_challenge"]:
            return 400, {"error": "invalid_grant"}
        now = int(time.time())
        claims = {
            "iss": self.issuer,
            "aud": CLIENT,
            "sub": "1",
            "iat": now,
            "exp": now + 300,
            "nonce": self.asked["nonce"],
            **self.person,
        }
        self.spoil(claims)
        signed = self.sign(claims) if self.sign else self.signed(claims)
        return 200, {"access_token": "opaque", "token_type": "Bearer", "id_token": signed}

    def signed(self, claims: Claims, key: RSAKey | None = None) -> str:
        used = key or self.key
        return str(jwt.encode({"alg": "RS256", "kid": used.kid}, claims, used))

    def signed_with_the_secret(self, claims: Claims) -> str:
        return str(jwt.encode({"alg": "HS256"}, claims, OctKey.import_key(SECRET)))

    def unsigned(self, claims: Claims) -> str:
        parts = [json.dumps(part).encode() for part in ({"alg": "none"}, claims)]
        return (
            ".".join(base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in parts) + "."
        )


@contextmanager
def running() -> Iterator[Provider]:
    provider = Provider()

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            pages: dict[str, Callable[[], Claims]] = {
                "/.well-known/openid-configuration": provider.description,
                "/keys": provider.keys,
                "/userinfo": lambda: provider.userinfo,
            }
            self._say(200, pages[urlsplit(self.path).path]())

        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            sent = parse_qs(self.rfile.read(length).decode())
            self._say(*provider.token({name: values[0] for name, values in sent.items()}))

        def _say(self, status: int, data: Claims) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(data).encode())

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    provider.issuer = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
